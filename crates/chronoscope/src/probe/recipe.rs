//! How to run each runtime's probe.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use chronoscope_probes::{RuntimeKind, Start};

use super::find::{Place, Surroundings, dotnet_frameworks};
use super::heir::MARK;
use crate::private_file;
use chronoscope_harness::process::{NotEnded, run_to_end, telling};

/// A command that runs a probe, without the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(&'static str, OsString)>,
    /// The file under which the user knows it.
    pub known_as: PathBuf,
    /// The folder of the probe.
    pub directory: PathBuf,
}

/// The working directory of probes and compilers. Launchers of version managers, and Go, look for settings in it and in all above,
/// and nobody else can write to this one.
pub const WORKING_DIRECTORY: &str = "/";

impl Launch {
    fn with(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    fn within(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.environment.push((name, value.into()));
        self
    }
}

/// Writes the probe into `directory`, which is its own, and compiles it if its runtime does not, for at most `limit`.
///
/// # Errors
/// Why it cannot run, in words for the report.
pub fn prepare(
    place: &Place,
    directory: &Path,
    surroundings: &Surroundings,
    limit: Duration,
    cancelled: &dyn Fn() -> bool,
) -> Result<Launch, String> {
    if !place.program.is_file() {
        return Err(format!("no such program: {}", place.program.display()));
    }
    let recipe = Recipe { place, directory, surroundings, limit, cancelled };
    match place.kind.row().start {
        Start::Source(arguments) => {
            let run = arguments.iter().fold(recipe.run(&place.program), |run, argument| run.with(argument));
            Ok(run.with(recipe.write()?))
        }
        Start::Java => recipe.java(),
        Start::Dotnet => recipe.dotnet(),
        Start::Mono => Ok(recipe.run(&place.program).within(NO_SHARED_AREA, "1").with(recipe.assembly()?)),
        Start::Go => recipe.go(),
        Start::C => recipe.c(),
    }
}

/// The ingredients of a probe.
struct Recipe<'a> {
    place: &'a Place,
    directory: &'a Path,
    surroundings: &'a Surroundings,
    limit: Duration,
    cancelled: &'a dyn Fn() -> bool,
}

impl Recipe<'_> {
    fn run(&self, program: &Path) -> Launch {
        Launch {
            program: program.to_owned(),
            arguments: Vec::new(),
            // What it leaves behind goes with the folder.
            environment: vec![
                (MARK, self.directory.into()),
                ("TMPDIR", self.directory.into()),
                ("XDG_CACHE_HOME", self.directory.join("cache").into()),
            ],
            known_as: self.place.program.clone(),
            directory: self.directory.to_owned(),
        }
    }

    fn write(&self) -> Result<PathBuf, String> {
        let source = &self.place.kind.row().probe;
        let file = self.directory.join(source.file);
        let written = put(&file, source.text);
        written.map_err(|error| format!("{} could not be written: {error}", file.display())).map(|()| file)
    }

    fn java(&self) -> Result<Launch, String> {
        let (program, source) = (&self.place.program, self.write()?);
        let java =
            || NOT_INLINED.iter().fold(self.run(program).with(NO_PERFORMANCE_DATA), |run, option| run.with(*option));
        // One compilation for all processes, and none inside the measuring process.
        let Some(compiler) = sibling(program, "javac") else { return Ok(java().with(source)) };
        self.compile(
            &self.run(&compiler).with(format!("-J{NO_PERFORMANCE_DATA}")).with("-d").with(self.directory).with(source),
        )?;
        Ok(java().with("-cp").with(self.directory).with("Probe"))
    }

    fn dotnet(&self) -> Result<Launch, String> {
        let assembly = self.assembly()?;
        let version = self.place.version.as_deref().ok_or("no Microsoft.NETCore.App next to it")?;
        let settings = self.directory.join("Probe.runtimeconfig.json");
        put(&settings, &runtime_settings(version)).map_err(|error| error.to_string())?;
        let run = self.run(&self.place.program).with("exec").with("--runtimeconfig").with(settings).with(assembly);
        Ok(run.within(INVARIANT, "1").within("DOTNET_CLI_TELEMETRY_OPTOUT", "1"))
    }

    fn go(&self) -> Result<Launch, String> {
        let (source, binary) = (self.write()?, self.directory.join("probe"));
        let mut build = self.run(&self.place.program).with("build").with("-o").with(&binary).with("--").with(source);
        // Use only local files, nothing from the network.
        for (name, value) in [("GOTOOLCHAIN", "local"), ("GOPROXY", "off"), ("GOFLAGS", ""), ("GOWORK", "off")] {
            build = build.within(name, value);
        }
        // Its user's settings are read where they are; its telemetry goes where they would be.
        build = go_settings().into_iter().fold(build, |build, file| build.within("GOENV", file));
        for (name, folder) in [("GOCACHE", "cache"), ("XDG_CONFIG_HOME", "config"), ("GOTMPDIR", "")] {
            build = build.within(name, self.directory.join(folder));
        }
        self.compile(&build)?;
        Ok(self.run(&binary))
    }

    fn c(&self) -> Result<Launch, String> {
        let (source, binary) = (self.write()?, self.directory.join("probe"));
        self.compile(
            &self.run(&self.place.program).with("-O2").with("-o").with(&binary).with(source).with("-lpthread"),
        )?;
        Ok(self.run(&binary))
    }

    /// C#, compiled by the compiler of the .NET SDK that `dotnet` belongs to, else by Mono's.
    fn assembly(&self) -> Result<PathBuf, String> {
        let (source, assembly) = (self.write()?, self.directory.join("Probe.exe"));
        let mut out = OsString::from("-out:");
        out.push(&assembly);
        let program = &self.place.program;
        let sdk = (self.place.kind == RuntimeKind::Dotnet).then(|| roslyn(program)).flatten();
        let compiler = match sdk {
            Some(roslyn) => {
                let version = self.place.version.as_deref().unwrap_or_default();
                let library = dotnet_frameworks(program).map(|frameworks| frameworks.join(version)).unwrap_or_default();
                let mut compiler = self.run(program).with("exec").with(roslyn).with("-nologo").with("-nostdlib");
                for reference in assemblies(&library) {
                    let mut option = OsString::from("-r:");
                    option.push(reference);
                    compiler = compiler.with(option);
                }
                compiler.within(INVARIANT, "1")
            }
            None => {
                let mono = sibling(program, "mcs").or_else(|| self.surroundings.first_on_path(&["mcs"]));
                let none = "no C# compiler: install Mono's mcs or the .NET SDK";
                self.run(&mono.ok_or(none)?).within(NO_SHARED_AREA, "1")
            }
        };
        self.compile(&compiler.with("-optimize+").with(out).with(source))?;
        Ok(assembly)
    }

    /// Runs a compiler to its end.
    fn compile(&self, launch: &Launch) -> Result<(), String> {
        let builds_library = self.place.kind == RuntimeKind::Go;
        let limit = if builds_library { self.limit.max(GO_LIBRARY) } else { self.limit };
        let compiler = launch.program.display();
        let mut command = Command::new(&launch.program);
        command.args(&launch.arguments).envs(launch.environment.iter().map(|(name, value)| (name, value)));
        let ended = run_to_end(command.current_dir(WORKING_DIRECTORY), Some(limit), self.cancelled);
        let ended = ended.map_err(|why| match why {
            NotEnded::Error(error) => format!("could not start the compiler {compiler}: {error}"),
            NotEnded::Cancelled => "the run was interrupted".to_owned(),
            NotEnded::TimedOut => format!(
                "the compiler {compiler} timed out after {} s; try again when the machine is less busy",
                limit.as_secs()
            ),
        })?;
        // Some compilers report errors on standard output.
        let complaint = if ended.complaint.is_empty() { telling(&ended.output) } else { ended.complaint };
        match ended.status.success() {
            true => Ok(()),
            false => Err(format!("the compiler {compiler} rejected the probe: {complaint}")),
        }
    }
}

/// Time for Go to build its library, for which it keeps nothing of earlier runs: seven seconds of a current CPU.
const GO_LIBRARY: Duration = Duration::from_secs(60);
/// Java's file of performance counters, which it maps into /tmp whatever TMPDIR says.
const NO_PERFORMANCE_DATA: &str = "-XX:-UsePerfData";
/// The work of the task `backoff` is a call, as it is in JMH.
const NOT_INLINED: [&str; 2] = ["-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Probe::consume"];
/// Mono's area of performance counters in /dev/shm.
const NO_SHARED_AREA: &str = "MONO_DISABLE_SHARED_AREA";
/// A .NET runtime must not fail for lack of a locale library; the probe prints only integers.
const INVARIANT: &str = "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT";

/// The file of the user's settings of Go.
fn go_settings() -> Option<OsString> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder =
        || variable("XDG_CONFIG_HOME").map(PathBuf::from).or(Some(Path::new(&variable("HOME")?).join(".config")));
    variable("GOENV").or_else(|| Some(folder()?.join("go/env").into_os_string()))
}

/// The program `name` in the folder of `program`, or in that of the file it links to.
fn sibling(program: &Path, name: &str) -> Option<PathBuf> {
    let file = program.canonicalize().ok();
    [Some(program.to_owned()), file]
        .into_iter()
        .flatten()
        .filter_map(|program| Some(program.parent()?.join(name)))
        .find(|candidate| candidate.is_file())
}

/// The compiler of a `dotnet`'s newest SDK.
fn roslyn(dotnet: &Path) -> Option<PathBuf> {
    let file = dotnet.canonicalize().ok()?;
    let versions = std::fs::read_dir(file.parent()?.join("sdk")).ok()?.flatten().map(|entry| entry.path());
    versions.map(|version| version.join("Roslyn/bincore/csc.dll")).filter(|compiler| compiler.is_file()).max()
}

/// The class library in `folder`, without files that are not assemblies.
fn assemblies(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "dll"))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name == "mscorlib.dll" || name == "netstandard.dll" || name.starts_with("System.")
        })
        .filter(|path| !path.to_string_lossy().contains(".Native."))
        .collect();
    found.sort();
    found
}

/// Creates `file` with this text.
fn put(file: &Path, text: &str) -> std::io::Result<()> {
    private_file::create(file)?.write_all(text.as_bytes())
}

/// Settings that select exactly this version.
fn runtime_settings(version: &str) -> String {
    let framework = serde_json::json!({ "name": "Microsoft.NETCore.App", "version": version });
    serde_json::json!({ "runtimeOptions": { "framework": framework, "rollForward": "LatestPatch" } }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A compiler of C that does what `script` says.
    fn compiled_by(script: &str) -> Result<Launch, String> {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("cc");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let place = Place { kind: RuntimeKind::C, program, version: None, is_named: true };
        prepare(&place, directory.path(), &Surroundings::of_this_process(), Duration::from_secs(30), &|| false)
    }

    #[test]
    fn a_compiler_that_refuses_is_quoted() {
        for script in ["echo luckless; exit 1", "echo luckless >&2; exit 1"] {
            let refused = compiled_by(script).unwrap_err();
            assert!(refused.contains("luckless"), "{refused}");
        }
        let launch = compiled_by("exit 0").unwrap();
        assert!(launch.program.ends_with("probe") && launch.known_as.ends_with("cc"));
    }

    #[test]
    fn a_program_that_is_not_there_says_so() {
        let place = Place { kind: RuntimeKind::Node, program: "/nowhere/node".into(), version: None, is_named: true };
        let limit = Duration::from_secs(30);
        let missing = prepare(&place, Path::new("/"), &Surroundings::of_this_process(), limit, &|| false).unwrap_err();
        assert!(missing.contains("/nowhere/node"));
    }
}
