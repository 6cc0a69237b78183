use crate::os;

/// The system's files; tests can substitute their own.
#[derive(Clone, Debug)]
pub(super) enum Files {
    System,
    #[cfg(test)]
    Fake(Vec<(&'static str, &'static str)>),
}

impl Files {
    /// The text of the file at `path`, trimmed.
    pub(super) fn text(&self, path: &str) -> Result<String, String> {
        match self {
            Self::System => {
                os::text(path).map(|text| text.trim().to_owned()).map_err(|error| format!("{path}: {error}"))
            }
            #[cfg(test)]
            Self::Fake(files) => files
                .iter()
                .find(|(name, _)| *name == path)
                .map(|(_, text)| text.trim().to_owned())
                .ok_or_else(|| format!("{path}: there is no such file")),
        }
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        match self {
            Self::System => cfg!(target_os = "linux") && std::path::Path::new(path).exists(),
            #[cfg(test)]
            Self::Fake(_) => self.text(path).is_ok(),
        }
    }
}
