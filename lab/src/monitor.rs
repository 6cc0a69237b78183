//! QEMU's monitor, by its machine protocol (QMP).

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const CONNECTS_WITHIN: Duration = Duration::from_secs(10);
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);

/// A connection to it.
#[derive(Debug)]
pub struct Monitor {
    reader: BufReader<UnixStream>,
}

impl Monitor {
    /// Connects to the socket that QEMU makes.
    ///
    /// # Errors
    /// Where there is none in time, or it does not speak the protocol.
    pub fn connect(socket: &Path) -> io::Result<Self> {
        let began = Instant::now();
        let stream = loop {
            match UnixStream::connect(socket) {
                Ok(stream) => break stream,
                Err(error) if began.elapsed() > CONNECTS_WITHIN => return Err(error),
                Err(_) => sleep(POLL),
            }
        };
        stream.set_read_timeout(Some(ANSWERS_WITHIN))?;
        let mut monitor = Self { reader: BufReader::new(stream) };
        monitor.line()?;
        monitor.execute(&json!({ "execute": "qmp_capabilities" }))?;
        Ok(monitor)
    }

    /// Carries out commands as a person would type them, with `;` between; `sleep 2` waits here.
    ///
    /// # Errors
    /// Where the monitor cannot be reached, or complains.
    pub fn run(&mut self, commands: &str) -> io::Result<()> {
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
    use std::os::unix::net::UnixListener;

    /// Answers as QEMU does, and complains about the command `bad`.
    fn qemu(listener: &UnixListener) -> Vec<String> {
        let (stream, _) = listener.accept().unwrap();
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
        let socket = std::env::temp_dir().join(format!("lab-monitor-{}", std::process::id()));
        let listener = UnixListener::bind(&socket).unwrap();
        let machine = std::thread::spawn(move || qemu(&listener));
        let mut monitor = Monitor::connect(&socket).unwrap();
        monitor.run("stop; sleep 0.01; cont").unwrap();
        let error = monitor.run("bad; cont").unwrap_err().to_string();
        assert!(error.contains("unknown command"), "{error}");
        drop(monitor);
        assert_eq!(machine.join().unwrap(), ["", "stop", "cont", "bad"]);
        std::fs::remove_file(socket).unwrap();
    }
}
