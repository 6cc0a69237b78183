//! What a peer's process is told: arguments, since it is a program of its own.

use std::time::Duration;

/// What a peer is to do: `MILLISECONDS RESAMPLES NAME…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orders {
    /// How long each operation is measured.
    pub measure: Duration,
    /// Resamples of a bootstrap, where the peer has one.
    pub resamples: usize,
    /// The operations by name.
    pub operations: Vec<String>,
}

impl Orders {
    /// Those on the command line.
    ///
    /// # Errors
    /// What is missing.
    pub fn of_this_process() -> Result<Self, String> {
        Self::parse(std::env::args().skip(1))
    }

    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut number = |what: &str| {
            let text = arguments.next().ok_or_else(|| format!("{what} is missing"))?;
            text.parse::<u32>().map_err(|error| format!("{what}: {text}: {error}"))
        };
        let (milliseconds, resamples) = (number("the time in milliseconds")?, number("the number of resamples")?);
        Ok(Self {
            measure: Duration::from_millis(milliseconds.into()),
            resamples: resamples as usize,
            operations: arguments.collect(),
        })
    }

    /// As arguments.
    pub fn arguments(&self) -> Vec<String> {
        let numbers = [self.measure.as_millis().to_string(), self.resamples.to_string()];
        numbers.into_iter().chain(self.operations.iter().cloned()).collect()
    }

    /// Whether the operation of this name is wanted.
    pub fn wants(&self, name: &str) -> bool {
        self.operations.iter().any(|wanted| wanted == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_arrive_as_they_were_sent() {
        let sent = Orders {
            measure: Duration::from_millis(250),
            resamples: 1000,
            operations: vec!["empty".into(), "x".into()],
        };
        assert_eq!(Orders::parse(sent.arguments().into_iter()), Ok(sent.clone()));
        assert!(sent.wants("x") && !sent.wants("y"));
        assert!(Orders::parse(["1".to_owned()].into_iter()).is_err());
        assert!(Orders::parse(["a", "b"].map(str::to_owned).into_iter()).is_err());
    }
}
