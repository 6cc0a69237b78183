use std::fs::File;
use std::io::Read;

/// Larger than any file read here: /proc/cpuinfo has about 1.5 KiB per CPU.
const LARGEST_FILE: u64 = 16 << 20;

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
                let mut bytes = Vec::new();
                File::open(path)
                    .and_then(|file| file.take(LARGEST_FILE).read_to_end(&mut bytes))
                    .map_err(|error| format!("{path}: {error}"))?;
                Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
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
            Self::System => std::path::Path::new(path).exists(),
            #[cfg(test)]
            Self::Fake(_) => self.text(path).is_ok(),
        }
    }
}
