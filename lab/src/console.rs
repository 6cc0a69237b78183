//! A machine's serial console, from the first byte to the last.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use crate::event::Event;
use crate::line;

/// Hands every event to `told`, keeps all that was printed in `file`, and gives the last words at the end.
pub fn follow(from: impl Read, file: &Path, told: &mut dyn FnMut(Event) -> io::Result<()>) -> io::Result<String> {
    let mut kept = File::create(file)?;
    let mut reader = BufReader::new(from);
    let (mut bytes, mut last) = (Vec::new(), String::new());
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(last);
        }
        kept.write_all(&bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        if let Some(event) = line::parse(&text) {
            told(event)?;
        } else if !text.trim().is_empty() {
            last = text.trim().chars().take(200).collect();
        }
    }
}
