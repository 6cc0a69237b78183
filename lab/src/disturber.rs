use std::io;
use std::process::{Child, Command, Stdio};

/// What a step's `meanwhile` does to the machine: a shell, started when its time has come.
#[derive(Debug)]
pub struct Disturber<'a> {
    text: &'a str,
    child: Option<Child>,
}

impl<'a> Disturber<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, child: None }
    }

    pub fn start(&mut self) -> io::Result<()> {
        // Its standard output is ours, so that it can ask whoever booted the machine. A fault that could not be injected ends
        // it, whatever would follow.
        let mut shell = Command::new("/bin/sh");
        shell.args(["-ec", self.text]).stdin(Stdio::null()).stderr(Stdio::piped());
        self.child = Some(shell.spawn()?);
        Ok(())
    }

    pub fn has_ended(&mut self) -> io::Result<bool> {
        let child = self.child.as_mut().ok_or_else(|| io::Error::other("it has not begun"))?;
        Ok(child.try_wait()?.is_some())
    }

    /// Waits for its end, and says why that is not a good one.
    pub fn finish(self) -> Result<(), String> {
        let child = self.child.ok_or("what was to happen meanwhile has not begun")?;
        let ended = child.wait_with_output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&ended.stderr);
        let why = || format!("what was to happen meanwhile ended with {}: {}", ended.status, said.trim());
        ended.status.success().then_some(()).ok_or_else(why)
    }
}

#[cfg(test)]
mod tests {
    use super::Disturber;

    #[test]
    fn ends_badly_if_a_command_fails_or_none_was_begun() {
        let ended = |text| {
            let mut disturber = Disturber::new(text);
            disturber.start().unwrap();
            disturber.finish()
        };
        assert!(ended("true").is_ok());
        let error = ended("echo sundial >&2; false; true").unwrap_err();
        assert!(error.contains("sundial"), "{error}");
        assert!(Disturber::new("true").finish().is_err());
    }
}
