//! How each runtime is made to run its probe.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use chronoscope_probes::{C, CSHARP, GO, JAVA, NODE, PYTHON, Source};

use super::find::{Place, Surroundings, dotnet_frameworks};
use crate::sections::runtimes::kind::RuntimeKind;
use chronoscope_harness::process::Heard;

/// No more than this of what a compiler says is kept, in bytes.
const MOST_COMPLAINT: usize = 4096;
/// How often a waiting coordinator looks.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A command that runs a probe, but for the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(&'static str, OsString)>,
    /// The file that its user knows it by.
    pub known_as: PathBuf,
    /// Where it runs: nothing of its user's lies there that it might read.
    pub directory: PathBuf,
}

impl Launch {
    fn new(program: impl Into<PathBuf>, known_as: &Path, directory: &Path) -> Self {
        let (arguments, environment) = (Vec::new(), Vec::new());
        let (known_as, directory) = (known_as.to_owned(), directory.to_owned());
        Self { program: program.into(), arguments, environment, known_as, directory }
    }

    fn with(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    fn within(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.environment.push((name, value.into()));
        self
    }
}

/// Writes the probe into `directory`, which is its own, and compiles it where its runtime does not, for at most `limit`: a Go
/// toolchain that has never built anything takes ten seconds and more.
///
/// # Errors
/// Why it cannot run, in words for a reader of the report.
pub fn prepare(
    place: &Place,
    directory: &Path,
    surroundings: &Surroundings,
    limit: Duration,
    cancelled: &dyn Fn() -> bool,
) -> Result<Launch, String> {
    if !place.program.is_file() {
        return Err(format!("there is no program {}", place.program.display()));
    }
    let write = |source: &Source| {
        let file = directory.join(source.file);
        std::fs::write(&file, source.text)
            .map_err(|error| format!("{} could not be written: {error}", file.display()))
            .map(|()| file)
    };
    let compile = |launch: Launch| compile(&launch, limit, cancelled);
    let program = &place.program;
    let run = |what: &Path| Launch::new(what, program, directory);
    match place.kind {
        RuntimeKind::Java => {
            let source = write(&JAVA)?;
            match beside(program, "javac") {
                // One compilation for all processes, and none inside the one that measures.
                Some(compiler) => {
                    compile(run(&compiler).with("-d").with(directory).with(&source))?;
                    Ok(run(program).with("-cp").with(directory).with("Probe"))
                }
                None => Ok(run(program).with(source)),
            }
        }
        RuntimeKind::Dotnet => {
            let assembly = directory.join("Probe.exe");
            compile(csharp_compiler(place, &write(&CSHARP)?, &assembly, surroundings)?)?;
            let version = place.version.as_deref().ok_or("it has no Microsoft.NETCore.App beside it")?;
            let settings = directory.join("Probe.runtimeconfig.json");
            std::fs::write(&settings, runtime_settings(version)).map_err(|error| error.to_string())?;
            Ok(run(program)
                .with("exec")
                .with("--runtimeconfig")
                .with(settings)
                .with(assembly)
                // It must not end for want of a library of locales; the probe prints integers alone.
                .within("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")
                .within("DOTNET_CLI_TELEMETRY_OPTOUT", "1"))
        }
        RuntimeKind::Mono => {
            let assembly = directory.join("Probe.exe");
            compile(csharp_compiler(place, &write(&CSHARP)?, &assembly, surroundings)?)?;
            Ok(run(program).with(assembly))
        }
        RuntimeKind::Go => {
            let (source, binary) = (write(&GO)?, directory.join("probe"));
            let mut build = run(program).with("build").with("-o").with(&binary).with(source);
            // What is here, and nothing from the network.
            build = build
                .within("GOTOOLCHAIN", "local")
                .within("GOPROXY", "off")
                .within("GOFLAGS", "")
                .within("GOWORK", "off");
            if std::env::var_os("HOME").is_none() && std::env::var_os("GOCACHE").is_none() {
                build = build.within("GOCACHE", directory.join("cache"));
            }
            compile(build)?;
            Ok(run(&binary))
        }
        RuntimeKind::Node => Ok(run(program).with(write(&NODE)?)),
        // -B: nothing is left beside the source; -E and -s are not given, since its users run with their settings.
        RuntimeKind::Python => Ok(run(program).with("-B").with(write(&PYTHON)?)),
        RuntimeKind::C => {
            let (source, binary) = (write(&C)?, directory.join("probe"));
            compile(run(program).with("-O2").with("-o").with(&binary).with(source).with("-lpthread"))?;
            Ok(run(&binary))
        }
    }
}

/// The program `name` in the folder of `program`, or in that of the file behind it.
fn beside(program: &Path, name: &str) -> Option<PathBuf> {
    let file = program.canonicalize().ok();
    [Some(program.to_owned()), file]
        .into_iter()
        .flatten()
        .filter_map(|program| Some(program.parent()?.join(name)))
        .find(|candidate| candidate.is_file())
}

/// How C# is compiled for `place`: by Mono's compiler, or by the one of the .NET SDK beside it.
fn csharp_compiler(
    place: &Place,
    source: &Path,
    assembly: &Path,
    surroundings: &Surroundings,
) -> Result<Launch, String> {
    let out = |assembly: &Path| {
        let mut out = OsString::from("-out:");
        out.push(assembly);
        out
    };
    let directory = source.parent().unwrap_or(Path::new("/"));
    let run = |what: &Path| Launch::new(what, &place.program, directory);
    let mono = beside(&place.program, "mcs").or_else(|| surroundings.first_on_path(&["mcs"]));
    if place.kind == RuntimeKind::Dotnet
        && let Some(roslyn) = roslyn(&place.program)
    {
        let version = place.version.as_deref().unwrap_or_default();
        let library = dotnet_frameworks(&place.program).map(|frameworks| frameworks.join(version)).unwrap_or_default();
        let mut compiler = run(&place.program).with("exec").with(roslyn);
        compiler = compiler.with("-nologo").with("-optimize+").with("-nostdlib").with(out(assembly));
        for reference in assemblies(&library) {
            let mut option = OsString::from("-r:");
            option.push(reference);
            compiler = compiler.with(option);
        }
        return Ok(compiler.with(source).within("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"));
    }
    let mono = mono.ok_or("there is no C# compiler: neither Mono's mcs nor the .NET SDK; install one of them")?;
    Ok(run(&mono).with("-optimize+").with(out(assembly)).with(source))
}

/// The compiler of the newest SDK beside a `dotnet`.
fn roslyn(dotnet: &Path) -> Option<PathBuf> {
    let file = dotnet.canonicalize().ok()?;
    let versions = std::fs::read_dir(file.parent()?.join("sdk")).ok()?.flatten().map(|entry| entry.path());
    versions.map(|version| version.join("Roslyn/bincore/csc.dll")).filter(|compiler| compiler.is_file()).max()
}

/// The class library in `folder`, without what is no assembly.
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

/// Settings that ask for exactly this version.
fn runtime_settings(version: &str) -> String {
    let framework = serde_json::json!({ "name": "Microsoft.NETCore.App", "version": version });
    serde_json::json!({ "runtimeOptions": { "framework": framework, "rollForward": "LatestPatch" } }).to_string()
}

/// Runs a compiler to its end.
fn compile(launch: &Launch, limit: Duration, cancelled: &dyn Fn() -> bool) -> Result<(), String> {
    let compiler = launch.program.display();
    let mut command = Command::new(&launch.program);
    command.args(&launch.arguments).envs(launch.environment.iter().map(|(name, value)| (name, value)));
    let mut process = Heard::start(command.current_dir(&launch.directory).stdin(Stdio::null()))
        .map_err(|error| format!("the compiler {compiler} could not be started: {error}"))?;
    let began = Instant::now();
    // Some compilers complain on their standard output.
    let mut said = String::new();
    loop {
        let status = process.look().map_err(|error| format!("the compiler {compiler}: {error}"))?;
        while let Some(line) = process.line() {
            if said.len() < MOST_COMPLAINT {
                said = said + &line + "\n";
            }
        }
        if let Some(status) = status {
            let complaint = if process.complaint().is_empty() { said.trim() } else { process.complaint() };
            let refused = || format!("the compiler {compiler} refused the probe: {complaint}");
            return if status.success() { Ok(()) } else { Err(refused()) };
        }
        if cancelled() {
            return Err("the run was stopped".to_owned());
        }
        if began.elapsed() > limit {
            let limit_s = limit.as_secs();
            return Err(format!(
                "the compiler {compiler} was ended after {limit_s} s; one that keeps what it built is faster the next time"
            ));
        }
        std::thread::sleep(LOOK_EVERY);
    }
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
        for script in ["echo no such luck; exit 1", "echo no such luck >&2; exit 1"] {
            let refused = compiled_by(script).unwrap_err();
            assert!(refused.contains("refused the probe: no such luck"), "{refused}");
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
