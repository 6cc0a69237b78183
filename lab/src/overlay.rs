//! Files laid over an initramfs: the kernel unpacks one archive after the other.
//! The format is that of `Documentation/driver-api/early-userspace/buffer-format.rst`.

use std::fs;
use std::io;
use std::path::Path;

const ALIGNED: usize = 4;
const REGULAR: u32 = 0o100_644;
const LAST: &str = "TRAILER!!!";

/// Writes the image with more files in its root.
pub fn lay(image: &Path, files: &[(&str, &Path)], result: &Path) -> io::Result<()> {
    let mut bytes = fs::read(image)?;
    pad(&mut bytes);
    for (name, file) in files {
        entry(&mut bytes, name, REGULAR, &fs::read(file)?);
    }
    entry(&mut bytes, LAST, 0, &[]);
    fs::write(result, bytes)
}

fn entry(bytes: &mut Vec<u8>, name: &str, mode: u32, content: &[u8]) {
    let fields = [0, mode, 0, 0, 1, 0, content.len() as u32, 0, 0, 0, 0, name.len() as u32 + 1, 0];
    bytes.extend(b"070701");
    fields.iter().for_each(|field| bytes.extend(format!("{field:08x}").bytes()));
    bytes.extend(name.bytes());
    bytes.push(0);
    pad(bytes);
    bytes.extend(content);
    pad(bytes);
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNED), 0);
}

#[cfg(test)]
mod tests {
    use super::entry;

    #[test]
    fn every_part_begins_on_a_multiple_of_four() {
        let mut bytes = Vec::new();
        entry(&mut bytes, "ab", 0o100_644, b"hello");
        assert_eq!(bytes.len(), 110 + 3 + 3 + 5 + 3);
        assert_eq!(&bytes[116..121], b"hello");
        assert_eq!(&bytes[54..62], b"00000005", "file length");
        assert_eq!(&bytes[94..102], b"00000003", "name length");
    }
}
