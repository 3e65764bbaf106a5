//! The operator's list of breached passwords (setting `breached_passwords`).

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

use sha1::{Digest, Sha1};

/// Hexadecimal digits of a hash.
const DIGITS: usize = 40;
/// Longer than a line: the digits, a colon, a count and the end of the line.
const LINE_BYTES_MAX: usize = 128;

/// A file with a SHA-1 hash in each line, sorted, each with `:` and a count behind it or without:
/// what the downloader of Have I Been Pwned writes. It is searched on disk, because it has a billion
/// lines. The hash is the form of that list; stored passwords are hashed with Argon2id.
#[derive(Debug)]
pub struct BreachedPasswords {
    file: File,
    bytes: u64,
}

impl BreachedPasswords {
    /// Opens the file and looks at its first line.
    ///
    /// # Errors
    /// A message when it cannot be read or is another kind of file.
    pub fn open(path: &Path) -> Result<BreachedPasswords, String> {
        let wrong = |error: io::Error| format!("breached_passwords: {}: {error}", path.display());
        let file = File::open(path).map_err(wrong)?;
        let bytes = file.metadata().map_err(wrong)?.len();
        let list = BreachedPasswords { file, bytes };
        list.hash_at(0).map_err(wrong)?;
        Ok(list)
    }

    /// Whether the list has the password. Reads some 35 blocks of the file.
    ///
    /// # Errors
    /// When the file cannot be read, or has other lines.
    pub fn contains(&self, password: &str) -> io::Result<bool> {
        let wanted: String = Sha1::digest(password).iter().map(|byte| format!("{byte:02X}")).collect();
        // The line, if there is one, begins in this range.
        let (mut from, mut to) = (0, self.bytes);
        while from < to {
            let middle = from + (to - from) / 2;
            let start = self.line_from(middle)?;
            if start >= to {
                to = middle;
                continue;
            }
            match self.hash_at(start)?.as_str().cmp(&wanted) {
                std::cmp::Ordering::Equal => return Ok(true),
                std::cmp::Ordering::Less => from = start + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        Ok(false)
    }

    /// Where the first line begins that begins at `position` or later; the length of the file after
    /// the last one.
    fn line_from(&self, position: u64) -> io::Result<u64> {
        if position == 0 {
            return Ok(0);
        }
        // The line before ends just before.
        let mut buffer = [0; LINE_BYTES_MAX];
        let length = self.read(position - 1, &mut buffer)?;
        match buffer[..length].iter().position(|byte| *byte == b'\n') {
            Some(end) => Ok(position + end as u64),
            None if length < LINE_BYTES_MAX => Ok(self.bytes),
            None => Err(other_file()),
        }
    }

    /// The hash in the line that begins at `start`, in capitals.
    fn hash_at(&self, start: u64) -> io::Result<String> {
        let mut buffer = [0; DIGITS];
        let length = self.read(start, &mut buffer)?;
        let is_hash = length == DIGITS && buffer.iter().all(u8::is_ascii_hexdigit);
        let text = std::str::from_utf8(&buffer).ok().filter(|_| is_hash).ok_or_else(other_file)?;
        Ok(text.to_ascii_uppercase())
    }

    /// Fills the buffer as far as the file goes; how far.
    fn read(&self, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.file.read_at(&mut buffer[filled..], position + filled as u64) {
                Ok(0) => break,
                Ok(length) => filled += length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

fn other_file() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "not a sorted list of SHA-1 hashes, one in each line")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Have I Been Pwned's hashes of `P@ssw0rd`, `password` and `123456`, as it counts them.
    const KNOWN: [&str; 3] = [
        "21BD12DC183F740EE76F27B78EB39C8AD972A757:52579",
        "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:3730471",
        "7C4A8D09CA3762AF61E59520943DC26494F8941B:23547453",
    ];

    fn list(text: &str) -> Result<BreachedPasswords, String> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("writable");
        BreachedPasswords::open(file.path())
    }

    #[test]
    fn a_password_is_found_by_its_hash() {
        // Lines of other passwords around them, with and without counts.
        let mut lines: Vec<String> = (0..1_000_u32).map(|n| format!("{:040X}:{n}", n << 4 | 1)).collect();
        lines.extend(KNOWN.map(str::to_owned));
        lines.push("F".repeat(DIGITS));
        for end in ["\n", "\r\n"] {
            for text in [lines.join(end), lines.join(end) + end, lines.join(end).to_lowercase()] {
                let list = list(&text).expect("a list");
                for password in ["P@ssw0rd", "password", "123456"] {
                    assert!(list.contains(password).expect("readable"), "{password}");
                }
                for password in ["correct horse battery staple", "Password", ""] {
                    assert!(!list.contains(password).expect("readable"), "{password}");
                }
            }
        }
        for known in KNOWN {
            let alone = list(known).expect("a list");
            let found =
                ["P@ssw0rd", "password", "123456"].map(|text| alone.contains(text).expect("readable"));
            assert_eq!(found.into_iter().filter(|found| *found).count(), 1, "{known}");
        }
    }

    #[test]
    fn another_file_is_refused() {
        for text in ["", "password\n123456\n", "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD\n"] {
            let error = list(text).expect_err(text);
            assert!(error.contains("not a sorted list of SHA-1 hashes"), "{error}");
        }
        let missing = BreachedPasswords::open(Path::new("/nowhere/list.txt")).expect_err("missing");
        assert!(missing.starts_with("breached_passwords: /nowhere/list.txt: "), "{missing}");
    }
}
