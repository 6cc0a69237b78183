use std::str::FromStr;

use super::plan;
use crate::sections::runtimes::report::RuntimeKind;

/// A runtime that a user names: `java=/opt/jdk/bin/java`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimePlace(pub plan::RuntimePlace);

impl FromStr for RuntimePlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((word, program)) = text.split_once('=') else {
            return Err(format!("`{text}` names no program; write KIND=PROGRAM, e.g. java=/opt/jdk/bin/java"));
        };
        if program.is_empty() {
            return Err(format!("no program stands behind `{word}=`"));
        }
        Ok(Self(plan::RuntimePlace { kind: kind(word)?, program: program.to_owned() }))
    }
}

/// The kind that `word` names.
pub(crate) fn kind(word: &str) -> Result<RuntimeKind, String> {
    RuntimeKind::from_word(word).ok_or_else(|| format!("no kind of runtime is called `{word}`; there are {}", words()))
}

/// The names of all kinds.
pub(crate) fn words() -> String {
    RuntimeKind::ALL.map(RuntimeKind::word).join(", ")
}

/// The titles of all kinds.
pub(crate) fn titles() -> String {
    RuntimeKind::ALL.map(RuntimeKind::title).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_a_kind_and_a_program() {
        let place: RuntimePlace = "java=/opt/a=b/java".parse().unwrap();
        assert_eq!((place.0.kind, place.0.program.as_str()), (RuntimeKind::Java, "/opt/a=b/java"));
        for (wrong, told) in [("java", "KIND=PROGRAM"), ("java=", "no program"), ("cobol=/x", "there are java, dotnet")]
        {
            let error = wrong.parse::<RuntimePlace>().unwrap_err();
            assert!(error.contains(told), "{error}");
        }
    }
}
