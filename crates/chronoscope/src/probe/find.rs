use std::path::{Path, PathBuf};
use std::str::FromStr;

use chronoscope_probes::RuntimeKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::program_path;

/// A language runtime named by the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimePlace {
    pub kind: RuntimeKind,
    /// The program that starts it.
    pub program: String,
}

impl FromStr for RuntimePlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((word, program)) = text.split_once('=') else {
            return Err(format!("`{text}` names no program; write KIND=PROGRAM, e.g. java=/opt/jdk/bin/java"));
        };
        if program.is_empty() {
            return Err(format!("no program after `{word}=`"));
        }
        Ok(Self { kind: RuntimeKind::named(word)?, program: program.to_owned() })
    }
}

/// A program that may be a runtime, or compile for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub kind: RuntimeKind,
    /// The program as found; a launcher may depend on the name it is called by.
    pub program: PathBuf,
    /// The intended version, if one program has several.
    pub version: Option<String>,
    /// Whether the user named it.
    pub is_named: bool,
}

pub struct Surroundings {
    /// Program directories, in order.
    pub path: Vec<PathBuf>,
    pub java_home: Option<PathBuf>,
    pub dotnet_root: Option<PathBuf>,
    /// Root of the file system with installed packages.
    pub root: PathBuf,
}

impl Surroundings {
    /// Those of this process.
    pub fn of_this_process() -> Self {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            path: program_path::directories(),
            java_home: variable("JAVA_HOME"),
            dotnet_root: variable("DOTNET_ROOT"),
            root: PathBuf::from("/"),
        }
    }

    /// Every file of this name in the program directories.
    fn on_path(&self, name: &str) -> Vec<PathBuf> {
        program_path::all_in(&self.path, name)
    }

    pub fn first_on_path(&self, names: &[&str]) -> Option<PathBuf> {
        names.iter().find_map(|name| self.on_path(name).into_iter().next())
    }

    /// The program `name` in every directory below `directory` that has one, in name order.
    fn below(&self, directory: &str, name: &str) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.root.join(directory)) else { return Vec::new() };
        let mut found: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path().join(name)).filter(|program| program.is_file()).collect();
        found.sort();
        found
    }

    /// The usual places of one kind.
    fn usual(&self, kind: RuntimeKind) -> Vec<PathBuf> {
        let on_path = kind.row().programs.iter().flat_map(|name| self.on_path(name));
        let installed = |program: &str| self.root.join(program);
        let more = match kind {
            RuntimeKind::Java => {
                let home = self.java_home.iter().map(|home| home.join("bin/java"));
                home.chain(self.below("usr/lib/jvm", "bin/java")).collect()
            }
            RuntimeKind::Dotnet => {
                let root = self.dotnet_root.iter().map(|root| root.join("dotnet"));
                root.chain(["usr/share/dotnet/dotnet", "usr/lib/dotnet/dotnet"].map(installed)).collect()
            }
            RuntimeKind::Go => vec![installed("usr/local/go/bin/go")],
            _ => Vec::new(),
        };
        on_path.chain(more.into_iter().filter(|program| program.is_file())).collect()
    }
}

/// Everything found of one kind, and what the user named of it: each file once, each version of .NET separately.
pub fn places(kind: RuntimeKind, added: &[RuntimePlace], surroundings: &Surroundings, usual: bool) -> Vec<Place> {
    let named = added.iter().filter(|place| place.kind == kind).map(|place| (named_program(place, surroundings), true));
    let usual = if usual { surroundings.usual(kind) } else { Vec::new() };
    let mut seen = Vec::new();
    let mut places = Vec::new();
    for (program, is_named) in named.chain(usual.into_iter().map(|program| (program, false))) {
        let file = program.canonicalize().unwrap_or_else(|_| program.clone());
        if seen.contains(&file) {
            continue;
        }
        let place = |version| Place { kind, program: program.clone(), version, is_named };
        match kind {
            RuntimeKind::Dotnet => {
                let versions = dotnet_versions(&file);
                // Without a visible version, the program itself reports what is wrong.
                if versions.is_empty() {
                    places.push(place(None));
                }
                places.extend(versions.into_iter().map(|version| place(Some(version))));
            }
            _ => places.push(place(None)),
        }
        seen.push(file);
    }
    places
}

/// The user's choice: a path, or the name of a program on the path.
fn named_program(place: &RuntimePlace, surroundings: &Surroundings) -> PathBuf {
    if place.program.contains('/') {
        let path = PathBuf::from(&place.program);
        return std::path::absolute(&path).unwrap_or(path);
    }
    surroundings.first_on_path(&[&place.program]).unwrap_or_else(|| PathBuf::from(&place.program))
}

/// The frameworks folder of a `dotnet`.
pub fn dotnet_frameworks(dotnet: &Path) -> Option<PathBuf> {
    let file = dotnet.canonicalize().ok()?;
    Some(file.parent()?.join("shared/Microsoft.NETCore.App"))
}

fn dotnet_versions(dotnet: &Path) -> Vec<String> {
    let entries = dotnet_frameworks(dotnet).and_then(|frameworks| std::fs::read_dir(frameworks).ok());
    let mut versions: Vec<String> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    versions.sort();
    versions
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn program(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn surroundings(root: &Path) -> Surroundings {
        Surroundings { path: vec![root.join("bin")], java_home: None, dotnet_root: None, root: root.to_owned() }
    }

    fn programs(kind: RuntimeKind, added: &[RuntimePlace], root: &Path) -> Vec<PathBuf> {
        places(kind, added, &surroundings(root), true).into_iter().map(|place| place.program).collect()
    }

    #[test]
    fn a_runtime_is_found_once_under_all_its_names() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let installed = root.join("usr/lib/jvm/java-17/bin/java");
        program(&installed);
        program(&root.join("usr/lib/jvm/java-25/bin/java"));
        std::fs::create_dir_all(root.join("bin")).unwrap();
        std::fs::create_dir_all(root.join("usr/lib/jvm/sources")).unwrap();
        symlink(&installed, root.join("bin/java")).unwrap();
        symlink(root.join("usr/lib/jvm/java-17"), root.join("usr/lib/jvm/default")).unwrap();
        let found = programs(RuntimeKind::Java, &[], &root);
        assert_eq!(found, [root.join("bin/java"), root.join("usr/lib/jvm/java-25/bin/java")]);
        assert!(programs(RuntimeKind::Go, &[], &root).is_empty());
    }

    #[test]
    fn what_the_user_names_comes_first_even_if_it_is_not_there() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        program(&root.join("bin/node"));
        let added = [
            RuntimePlace { kind: RuntimeKind::Node, program: "/nowhere/node".into() },
            RuntimePlace { kind: RuntimeKind::Go, program: "/nowhere/go".into() },
            RuntimePlace { kind: RuntimeKind::Node, program: "node".into() },
        ];
        let found = places(RuntimeKind::Node, &added, &surroundings(root), true);
        assert_eq!(found.len(), 2);
        assert!(found[0].is_named && found[0].program == Path::new("/nowhere/node"));
        assert_eq!(found[1].program, root.join("bin/node"));
    }

    #[test]
    fn every_version_of_dotnet_is_a_place() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        program(&root.join("usr/share/dotnet/dotnet"));
        for version in ["8.0.1", "10.0.0"] {
            std::fs::create_dir_all(root.join("usr/share/dotnet/shared/Microsoft.NETCore.App").join(version)).unwrap();
        }
        let found = places(RuntimeKind::Dotnet, &[], &surroundings(root), true);
        let versions: Vec<_> = found.iter().filter_map(|place| place.version.as_deref()).collect();
        assert_eq!(versions, ["10.0.0", "8.0.1"]);
    }

    #[test]
    fn a_place_has_a_kind_and_a_program() {
        let place: RuntimePlace = "java=/opt/a=b/java".parse().unwrap();
        assert_eq!((place.kind, place.program.as_str()), (RuntimeKind::Java, "/opt/a=b/java"));
        for (wrong, told) in [("java", "KIND=PROGRAM"), ("java=", "no program"), ("cobol=/x", "java, dotnet")] {
            let error = wrong.parse::<RuntimePlace>().unwrap_err();
            assert!(error.contains(told), "{error}");
        }
    }
}
