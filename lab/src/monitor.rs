//! QEMU's monitor, by its machine protocol (QMP).

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

const ANSWERS_WITHIN: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Monitor {
    reader: BufReader<UnixStream>,
    is_ready: bool,
}

impl Monitor {
    pub fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_read_timeout(Some(ANSWERS_WITHIN))?;
        Ok(Self { reader: BufReader::new(stream), is_ready: false })
    }

    /// Carries out commands as a person would type them, with `;` between; `sleep 2` waits here.
    pub fn run(&mut self, commands: &str) -> io::Result<()> {
        if !self.is_ready {
            // It greets first, and takes commands only after this one.
            self.line()?;
            self.execute(&json!({ "execute": "qmp_capabilities" }))?;
            self.is_ready = true;
        }
        for command in commands.split(';').map(str::trim) {
            if let Some(seconds) = command.strip_prefix("sleep ") {
                sleep(Duration::from_secs_f64(seconds.parse().map_err(io::Error::other)?));
                continue;
            }
            let request = json!({ "execute": "human-monitor-command", "arguments": { "command-line": command } });
            let said = self.execute(&request)?;
            // These commands say nothing if all is well.
            if said.as_str().is_none_or(|said| !said.is_empty()) {
                return Err(io::Error::other(format!("{command}: {said}")));
            }
        }
        Ok(())
    }

    fn execute(&mut self, request: &Value) -> io::Result<Value> {
        self.reader.get_mut().write_all(format!("{request}\n").as_bytes())?;
        loop {
            let answer = self.line()?;
            if let Some(value) = answer.get("return") {
                return Ok(value.clone());
            }
            if let Some(error) = answer.get("error") {
                return Err(io::Error::other(error.to_string()));
            }
        }
    }

    fn line(&mut self) -> io::Result<Value> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        serde_json::from_str(&line).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers as QEMU does, and complains about the command `bad`.
    fn qemu(stream: UnixStream) -> Vec<String> {
        let mut writer = stream.try_clone().unwrap();
        writer.write_all(b"{\"QMP\": {}}\n").unwrap();
        let mut commands = Vec::new();
        for line in BufReader::new(stream).lines() {
            let request: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let command = request["arguments"]["command-line"].as_str().unwrap_or_default().to_owned();
            let said = if command == "bad" { "unknown command" } else { "" };
            writer.write_all(b"{\"event\": \"STOP\"}\n").unwrap();
            writer.write_all(format!("{}\n", json!({ "return": said })).as_bytes()).unwrap();
            commands.push(command);
        }
        commands
    }

    #[test]
    fn commands_are_carried_out_in_order_and_complaints_are_errors() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let machine = std::thread::spawn(move || qemu(theirs));
        let mut monitor = Monitor::new(ours).unwrap();
        monitor.run("stop; sleep 0.01; cont").unwrap();
        let error = monitor.run("bad; cont").unwrap_err().to_string();
        assert!(error.contains("unknown"), "{error}");
        drop(monitor);
        assert_eq!(machine.join().unwrap(), ["", "stop", "cont", "bad"]);
    }
}
