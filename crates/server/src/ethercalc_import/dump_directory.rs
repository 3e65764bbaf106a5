//! EtherCalc's rooms in a directory `dump`: `snapshot-R.txt` and `audit-R.txt`. EtherCalc writes neither
//! the commands since the save, nor chat messages, nor times there.
//!
//! In the lines of `audit-R.txt`, a line break between two commands and the escape `\n` of a line break
//! within a text look the same. A part that begins like a command is taken for one.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::source::{Inventory, Source, StoredRoom};

/// Bytes of a file that are read.
const FILE_BYTES_MAX: u64 = 512 << 20;

/// A file of a room.
#[derive(Default)]
struct DumpFile {
    bytes: Vec<u8>,
    /// When it was written, in milliseconds since 1970.
    changed_ms: Option<i64>,
}

/// A directory `dump`.
pub struct DumpDirectory {
    path: PathBuf,
}

impl DumpDirectory {
    /// Opens a directory.
    ///
    /// # Errors
    /// A message when it has no file of EtherCalc.
    pub fn open(path: &Path) -> Result<DumpDirectory, String> {
        let mut directory = DumpDirectory { path: path.to_owned() };
        directory.inventory()?;
        Ok(directory)
    }

    fn file(&self, key: &str) -> PathBuf {
        self.path.join(format!("{key}.txt"))
    }

    /// Reads a file; without bytes when there is none.
    fn read(&self, key: &str) -> Result<DumpFile, String> {
        let path = self.file(key);
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let metadata = match std::fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(DumpFile::default()),
            Err(error) => return Err(failed(error)),
        };
        if metadata.len() > FILE_BYTES_MAX {
            return Err(format!("{}: larger than {FILE_BYTES_MAX} bytes", path.display()));
        }
        let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed_ms = changed.and_then(|since| i64::try_from(since.as_millis()).ok());
        Ok(DumpFile { bytes: std::fs::read(&path).map_err(failed)?, changed_ms })
    }

    fn room(&self, name: &str) -> Result<StoredRoom, String> {
        let DumpFile { bytes: snapshot, changed_ms } = self.read(&format!("snapshot-{name}"))?;
        let audit = audit(&self.read(&format!("audit-{name}"))?.bytes);
        Ok(StoredRoom { name: name.to_owned(), snapshot, audit, changed_ms, ..StoredRoom::default() })
    }
}

impl Source for DumpDirectory {
    fn inventory(&mut self) -> Result<Inventory, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.path.display());
        let mut inventory = Inventory::default();
        for entry in std::fs::read_dir(&self.path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let Some(name) = name.to_str() else {
                inventory.unreadable_keys.push(name.to_string_lossy().escape_debug().to_string());
                continue;
            };
            match name.strip_suffix(".txt").filter(|_| !name.starts_with('.')) {
                Some(key) => _ = inventory.add(key),
                None => inventory.other_keys += 1,
            }
        }
        match inventory.rooms.is_empty() {
            true => Err(format!(
                "{}: no dump.json and no file such as snapshot-ROOM.txt: not a directory of EtherCalc",
                self.path.display()
            )),
            false => Ok(inventory),
        }
    }

    fn rooms(&mut self, names: &[&str]) -> Result<Vec<Result<StoredRoom, String>>, String> {
        Ok(names.iter().map(|name| self.room(name)).collect())
    }

    fn triggers(&mut self) -> Result<Vec<(String, String)>, String> {
        Ok(Vec::new())
    }
}

/// Words with which a command begins.
const COMMANDS: [&str; 27] = [
    "set",
    "merge",
    "unmerge",
    "erase",
    "copy",
    "cut",
    "paste",
    "fillright",
    "filldown",
    "loadclipboard",
    "clearclipboard",
    "insertrow",
    "insertcol",
    "deleterow",
    "deletecol",
    "movepaste",
    "moveinsert",
    "sort",
    "name",
    "pane",
    "recalc",
    "redisplay",
    "changedrendervalues",
    "startcmdextension",
    "settimetrigger",
    "sendemail",
    "submitform",
];

/// The commands of a file, one entry a line.
fn audit(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().filter(|line| !line.is_empty()).map(entry).collect()
}

/// Undoes EtherCalc's escapes: each backslash was doubled after line breaks had become `\n`.
fn entry(line: &str) -> String {
    let line = line.replace("\\\\", "\\").replace("\\r", "\r");
    let mut commands = String::new();
    for (index, part) in line.split("\\n").enumerate() {
        let word = part.split([' ', '\r']).next().unwrap_or_default();
        let is_command = COMMANDS.contains(&word) || part.is_empty();
        match index {
            0 => {}
            _ if is_command => commands.push('\n'),
            _ => commands.push_str("\\n"),
        }
        commands.push_str(part);
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What EtherCalc writes for an entry.
    fn escaped(entry: &str) -> String {
        entry.replace('\n', "\\n").replace('\r', "\\r").replace('\\', "\\\\")
    }

    #[test]
    fn commands_are_told_from_line_breaks_in_texts() {
        for commands in [
            "set A1 value n 5\nset A2 formula A1*2",
            "set A1 text t two\\nlines",
            "set A1 text t a\\cb\\bc\nrecalc",
            "submitform\rAda\r5",
            "paste B1 all\n",
        ] {
            assert_eq!(entry(&escaped(commands)), commands);
        }
    }

    #[test]
    fn a_directory_has_saves_and_commands_and_other_files_are_counted() {
        let directory = tempfile::tempdir().expect("a directory");
        let write =
            |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("writable");
        write("notes.md", "");
        let empty = DumpDirectory::open(directory.path()).err().expect("no room");
        assert!(empty.contains("snapshot-ROOM.txt"), "{empty}");
        write("snapshot-my-plan.txt", "version:1.5\n");
        write("audit-my-plan.txt", "set A1 value n 5\n\nrecalc\n");
        let mut dump = DumpDirectory::open(directory.path()).expect("a dump");
        assert_eq!(dump.inventory().expect("lists").other_keys, 1);
        let room = dump.rooms(&["my-plan"]).expect("readable").remove(0).expect("readable");
        assert_eq!(room.snapshot, b"version:1.5\n");
        assert_eq!(room.audit, ["set A1 value n 5", "recalc"]);
        assert!(room.changed_ms.is_some_and(|time_ms| time_ms > 1_600_000_000_000));
    }
}
