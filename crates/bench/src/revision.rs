//! Another git revision of a benchmark program, built in a worktree below cargo's target folder.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use chronoscope_harness::process::{Ended, NotEnded, run_to_end};
use serde_json::Value;

use super::cargo_arguments::CargoArguments;
use super::{Failure, Interrupt};

/// Lines of compiler errors that are shown: the last ones.
const LINES: usize = 20;
/// The file present in every cargo target folder.
const MARK: &str = "CACHEDIR.TAG";
const OLD: SystemTime = SystemTime::UNIX_EPOCH;

/// Where the sources of a benchmark program are, and what cargo calls it.
pub(super) struct Source {
    /// The folder of its package.
    folder: PathBuf,
    package: Option<String>,
    bench: String,
    /// Where worktrees and what is built in them go.
    builds: PathBuf,
}

impl Source {
    /// Of this program, whose name is `bench`: as cargo says, which sets these variables for benchmarks; else of the working
    /// directory.
    pub(super) fn of_this_program(bench: &str) -> Result<Self, Failure> {
        let folder = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
        let folder = folder
            .canonicalize()
            .map_err(|error| Failure::usage(format!("cannot find the sources in {}: {error}", folder.display())))?;
        let package = std::env::var("CARGO_PKG_NAME").ok();
        // One for each benchmark: cargo builds no other, and what it built of another revision is not to be taken for this one's.
        let name = format!("{}-{bench}", package.as_deref().unwrap_or("package"));
        let builds = target().join("chronoscope-revisions").join(name);
        fs::create_dir_all(&builds)
            .and_then(|()| builds.canonicalize())
            .map(|builds| Self { folder, package, bench: bench.to_owned(), builds: builds.clone() })
            .map_err(|error| Failure::usage(format!("cannot build in {}: {error}", builds.display())))
    }
}

/// Cargo's target folder: `CARGO_TARGET_DIR`, the one that contains this program, or `target` in the working directory.
fn target() -> PathBuf {
    let said = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    said.or_else(around_the_program).unwrap_or_else(|| PathBuf::from("target"))
}

fn around_the_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    program.ancestors().skip(1).find(|folder| folder.join(MARK).is_file()).map(Path::to_owned)
}

/// A revision that is built. Dropping it removes its worktree; what was built stays for the next time.
pub(super) struct Revision {
    executable: PathBuf,
    name: String,
    _worktree: Worktree,
}

impl Revision {
    /// Builds `revision` with these arguments.
    ///
    /// # Errors
    /// With exit code 2, if git or cargo fail, or if interrupted. Nothing is left of the worktree then.
    pub(super) fn build(
        revision: &str,
        with: &CargoArguments,
        source: &Source,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let repository = Git { folder: &source.folder, interrupt };
        let root = PathBuf::from(repository.says(["rev-parse", "--show-toplevel"])?);
        let named = repository.says(["rev-parse", "--verify", "--end-of-options", &format!("{revision}^{{commit}}")]);
        let unknown = |_| Failure::usage(format!("there is no revision {revision} in {}", root.display()));
        let commit = named.map_err(unknown)?;
        let worktree = Worktree::add(&root, &source.builds, &commit, interrupt)?;
        // With other arguments, what was built last may lie behind what was built of another revision with these.
        let (built, now) = (source.builds.join("built"), format!("{commit} {with}"));
        let prepared = take_lock_file(&source.folder, &root, &worktree.tree).and_then(|()| {
            // What cargo finds younger than what it built, it builds again, as it must for another revision in the same place.
            match fs::read_to_string(&built).is_ok_and(|last| last == now) {
                true => make_old(&worktree.tree),
                false => fs::write(&built, ""),
            }
        });
        prepared.map_err(|error| Failure::usage(format!("cannot prepare {}: {error}", worktree.tree.display())))?;
        let folder = worktree.tree.join(source.folder.strip_prefix(&root).unwrap_or(Path::new("")));
        let executable = cargo(source, &folder, (revision, with), interrupt)?;
        // If that cannot be noted, the next time takes longer.
        let _ = fs::write(&built, &now);
        Ok(Self { executable, name: name(revision, &commit, with), _worktree: worktree })
    }

    /// The benchmark program of that revision.
    pub(super) fn executable(&self) -> &Path {
        &self.executable
    }

    /// The revision as given, with its commit and what it was built with.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

fn name(revision: &str, commit: &str, with: &CargoArguments) -> String {
    let short = &commit[..commit.len().min(12)];
    let (named, mut more) = match commit.starts_with(revision) {
        true => (short, Vec::new()),
        false => (revision, vec![short.to_owned()]),
    };
    if !with.words().is_empty() {
        more.push(with.to_string());
    }
    if more.is_empty() { named.to_owned() } else { format!("{named} ({})", more.join(", ")) }
}

/// A worktree of a repository, always in the same place, so that what was built there can be used again.
struct Worktree {
    root: PathBuf,
    tree: PathBuf,
    /// Held as long as the worktree, or what was built of it, is in use.
    _lock: File,
}

impl Worktree {
    fn add(root: &Path, builds: &Path, commit: &str, interrupt: &Interrupt) -> Result<Self, Failure> {
        let tree = builds.join("tree");
        let cannot = |why: &str| Failure::usage(format!("cannot check out a revision in {}: {why}", tree.display()));
        let lock = File::create(builds.join("lock")).map_err(|error| cannot(&error.to_string()))?;
        if lock.try_lock().is_err() {
            return Err(cannot("another run is comparing with one; wait for its end"));
        }
        let worktree = Self { root: root.to_owned(), tree: tree.clone(), _lock: lock };
        // What a run that was killed has left.
        worktree.remove();
        let arguments = ["worktree", "add", "--force", "--detach"].map(OsString::from);
        let place = [tree.into_os_string(), OsString::from(commit)];
        Git { folder: root, interrupt }.says(arguments.into_iter().chain(place))?;
        Ok(worktree)
    }

    fn remove(&self) {
        let never = Interrupt::default();
        let git = Git { folder: &self.root, interrupt: &never };
        let arguments = ["worktree", "remove", "--force"].map(OsString::from);
        // Fails if there is none, as it should be.
        let _ = git.says(arguments.into_iter().chain([self.tree.clone().into_os_string()]));
        let _ = fs::remove_dir_all(&self.tree);
        let _ = git.says(["worktree", "prune"]);
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Makes every file older than anything built of it.
fn make_old(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            make_old(&entry.path())?;
        } else if kind.is_file() {
            // What is read-only stays young, and is built again.
            let _ = File::options().append(true).open(entry.path()).and_then(|file| file.set_modified(OLD));
        }
    }
    Ok(())
}

/// Where the revision has no lock file, ours: both builds are to have the same dependencies.
fn take_lock_file(folder: &Path, root: &Path, tree: &Path) -> std::io::Result<()> {
    let folders = folder.ancestors().take_while(|folder| folder.starts_with(root));
    let Some(ours) = folders.map(|folder| folder.join("Cargo.lock")).find(|file| file.is_file()) else { return Ok(()) };
    let theirs = tree.join(ours.strip_prefix(root).unwrap_or(Path::new("Cargo.lock")));
    if theirs.exists() || !theirs.parent().is_some_and(Path::is_dir) {
        return Ok(());
    }
    fs::copy(ours, theirs).map(drop)
}

/// Builds the benchmark in `folder`, a worktree's, and returns its executable.
fn cargo(
    source: &Source,
    folder: &Path,
    (revision, with): (&str, &CargoArguments),
    interrupt: &Interrupt,
) -> Result<PathBuf, Failure> {
    let bench = &source.bench;
    let cannot = |why: String| Failure::usage(format!("cannot build bench {bench} of {revision}: {why}"));
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.args(["bench", "--no-run", "--message-format=json", "--bench", bench.as_str()]);
    command.args(source.package.iter().flat_map(|package| ["--package", package.as_str()]));
    command.arg("--target-dir").arg(source.builds.join("target")).args(with.words()).current_dir(folder);
    let ended = run(&mut command, interrupt).map_err(&cannot)?;
    let messages: Vec<Value> = ended.output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if !ended.status.success() {
        let errors = errors(&messages);
        return Err(cannot(if errors.is_empty() { ended.complaint } else { format!("\n{errors}") }));
    }
    let is_it = |message: &&Value| {
        let kinds = message["target"]["kind"].as_array();
        message["target"]["name"] == bench.as_str()
            && kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "bench"))
    };
    let executable = messages.iter().filter(is_it).find_map(|message| message["executable"].as_str());
    executable.map(PathBuf::from).ok_or_else(|| cannot("cargo names no executable".to_owned()))
}

/// The end of what the compiler says is wrong.
fn errors(messages: &[Value]) -> String {
    let is_error = |message: &&Value| message["message"]["level"] == "error";
    let rendered = messages.iter().filter(is_error).filter_map(|message| message["message"]["rendered"].as_str());
    let text: String = rendered.collect();
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

/// A repository, by a folder in it.
struct Git<'a> {
    folder: &'a Path,
    interrupt: &'a Interrupt,
}

impl Git<'_> {
    /// What git prints.
    fn says<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Result<String, Failure> {
        let mut command = Command::new("git");
        // No hook of the repository has a part in this, and none that called us points elsewhere.
        command.args(["-c", "core.hooksPath=/dev/null"]).args(arguments).current_dir(self.folder);
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(variable);
        }
        let cannot = |why: String| Failure::usage(format!("git failed in {}: {why}", self.folder.display()));
        let ended = run(&mut command, self.interrupt).map_err(cannot)?;
        if ended.status.success() { Ok(ended.output.trim_end().to_owned()) } else { Err(cannot(ended.complaint)) }
    }
}

/// Runs a command to its end.
fn run(command: &mut Command, interrupt: &Interrupt) -> Result<Ended, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    run_to_end(command, None, &|| interrupt.happened()).map_err(|why| match why {
        NotEnded::Error(error) => format!("could not run {name}: {error}"),
        NotEnded::Cancelled | NotEnded::TimedOut => "interrupted".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository with a package in a folder of its own, whose benchmark prints a number: 1 in the first commit, 2 in the second;
    /// the third does not compile.
    fn repository() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let package = root.path().join("some package");
        fs::create_dir_all(package.join("benches")).unwrap();
        let manifest = "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
                        [features]\nsimd = []\n\n[lib]\npath = \"lib.rs\"\n\n[[bench]]\nname = \"numbers\"\nharness = false\n";
        fs::write(package.join("Cargo.toml"), manifest).unwrap();
        fs::write(package.join("lib.rs"), "").unwrap();
        let git = |arguments: &[&str]| {
            let never = Interrupt::default();
            let who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"];
            Git { folder: root.path(), interrupt: &never }.says(who.iter().chain(arguments)).unwrap();
        };
        git(&["init", "--quiet"]);
        let prints = |number: u32| {
            format!("println!(\"{number}{{}}\", if cfg!(feature = \"simd\") {{ \" simd\" }} else {{ \"\" }})")
        };
        for (tag, body) in [("one", prints(1)), ("two", prints(2)), ("broken", "missing()".to_owned())] {
            fs::write(package.join("benches/numbers.rs"), format!("fn main() {{ {body} }}\n")).unwrap();
            git(&["add", "."]);
            git(&["commit", "--quiet", "-m", tag]);
            git(&["tag", tag]);
        }
        root
    }

    fn source(root: &Path, builds: &str) -> Source {
        let builds = root.join(builds);
        fs::create_dir_all(&builds).unwrap();
        let folder = root.join("some package").canonicalize().unwrap();
        let builds = builds.canonicalize().unwrap();
        Source { folder, package: Some("tiny".to_owned()), bench: "numbers".to_owned(), builds }
    }

    fn printed(revision: &Revision) -> String {
        String::from_utf8(Command::new(revision.executable()).output().unwrap().stdout).unwrap()
    }

    fn worktrees(root: &Path) -> usize {
        let never = Interrupt::default();
        Git { folder: root, interrupt: &never }.says(["worktree", "list"]).unwrap().lines().count()
    }

    #[test]
    fn revisions_are_built_and_their_worktrees_removed() {
        let root = repository();
        let (source, never) = (source(root.path(), "builds"), Interrupt::default());
        for (revision, number) in [("one", "1\n"), ("two", "2\n"), ("two", "2\n"), ("one", "1\n")] {
            let built = Revision::build(revision, &none(), &source, &never).unwrap();
            assert_eq!(printed(&built), number);
            assert!(built.name().starts_with(&format!("{revision} (")), "{}", built.name());
            assert_eq!(worktrees(root.path()), 2);
            assert!(Revision::build("one", &none(), &source, &never).is_err());
            drop(built);
            assert_eq!(worktrees(root.path()), 1);
        }
    }

    fn none() -> CargoArguments {
        CargoArguments::default()
    }

    #[test]
    fn a_revision_is_built_with_the_arguments_that_are_given() {
        let root = repository();
        let (source, never) = (source(root.path(), "builds"), Interrupt::default());
        let simd: CargoArguments = "--features simd".parse().unwrap();
        // The last two revert to what was built last but one, of the other revision.
        for (revision, with, prints) in [
            ("one", &simd, "1 simd\n"),
            ("two", &none(), "2\n"),
            ("two", &simd, "2 simd\n"),
            ("one", &simd, "1 simd\n"),
            ("one", &none(), "1\n"),
        ] {
            let built = Revision::build(revision, with, &source, &never).unwrap();
            assert_eq!(printed(&built), prints, "{revision} {with}");
            assert_eq!(built.name().contains("simd"), !with.words().is_empty(), "{}", built.name());
        }
        let wrong = "--features missing".parse().unwrap();
        let failure = Revision::build("one", &wrong, &source, &never).err().unwrap();
        assert!(failure.code() == 2 && failure.to_string().contains("missing"), "{failure}");
    }

    #[test]
    fn another_build_is_named_by_what_it_was_built_of_and_with() {
        let simd = "--features simd".parse().unwrap();
        let commit = "0123456789abcdef0123";
        assert_eq!(name("main", commit, &none()), "main (0123456789ab)");
        assert_eq!(name("main", commit, &simd), "main (0123456789ab, --features simd)");
        assert_eq!(name("0123456", commit, &none()), "0123456789ab");
        assert_eq!(name("0123456", commit, &simd), "0123456789ab (--features simd)");
    }

    #[test]
    fn what_fails_is_said_and_leaves_nothing() {
        let root = repository();
        let (source, never) = (source(root.path(), "builds"), Interrupt::default());
        let said = |revision: &str, source: &Source| {
            let failure = Revision::build(revision, &none(), source, &never).err().unwrap();
            assert_eq!(failure.code(), 2);
            failure.to_string()
        };
        assert!(said("nowhere", &source).contains("nowhere"));
        let broken = said("broken", &source);
        assert!(broken.contains("numbers") && broken.contains("missing"), "{broken}");
        let unknown = said("one", &Source { bench: "letters".to_owned(), ..self::source(root.path(), "builds") });
        assert!(unknown.contains("letters"), "{unknown}");
        let outside = tempfile::tempdir().unwrap();
        let no_repository = Source { folder: outside.path().to_owned(), ..self::source(root.path(), "builds") };
        assert!(said("one", &no_repository).contains("repository"));
        assert_eq!(worktrees(root.path()), 1);
    }
}
