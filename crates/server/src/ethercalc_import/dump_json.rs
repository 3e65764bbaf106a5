//! EtherCalc's rooms in a file `dump.json`: one JSON object with the keys that Redis would have.
//!
//! The file may be larger than the memory: one pass finds where the value of each key is, and values are
//! read room by room.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::source::{Inventory, Source, StoredRoom, time_ms};

/// Bytes of a key.
const KEY_BYTES_MAX: usize = 64 << 10;
/// Bytes of a value that are read.
const VALUE_BYTES_MAX: u64 = 512 << 20;

/// Where a value is in the file, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    from: u64,
    length: u64,
}

/// A file `dump.json`.
pub struct DumpJson {
    path: PathBuf,
    file: File,
    places: HashMap<String, Place>,
    times_ms: BTreeMap<String, i64>,
}

impl DumpJson {
    /// Opens a file and finds its keys.
    ///
    /// # Errors
    /// A message when it cannot be read, or is not a JSON object; it names the byte.
    pub fn open(path: &Path) -> Result<DumpJson, String> {
        let failed = |reason: String| format!("{}: {reason}", path.display());
        let mut file = File::open(path).map_err(|error| failed(error.to_string()))?;
        let mut start = [0; 5];
        let length = file.read(&mut start).map_err(|error| failed(error.to_string()))?;
        if &start[..length] == b"REDIS" {
            return Err(failed(
                "this is a dump of Redis itself: start `redis-server --dir DIRECTORY --dbfilename FILE \
                 --port 6390` with it, and name redis://localhost:6390"
                    .to_owned(),
            ));
        }
        file.seek(SeekFrom::Start(0)).map_err(|error| failed(error.to_string()))?;
        let places = places(&mut Bytes { reader: BufReader::new(&file), position: 0 }).map_err(failed)?;
        let mut dump = DumpJson { path: path.to_owned(), file, places, times_ms: BTreeMap::new() };
        if let Some(Json::Object(times)) = dump.value("timestamps")? {
            let times = times.into_iter().filter_map(|(field, time)| {
                let room = field.strip_prefix("timestamp-").unwrap_or(&field).to_owned();
                Some((room, time_ms(&text(&time))?))
            });
            dump.times_ms = times.collect();
        }
        Ok(dump)
    }

    /// Reads the value of a key.
    fn value(&mut self, key: &str) -> Result<Option<Json>, String> {
        let Some(Place { from, length }) = self.places.get(key).copied() else { return Ok(None) };
        let failed = |reason: String| format!("{}: {key}: {reason}", self.path.display());
        if length > VALUE_BYTES_MAX {
            return Err(failed(format!("a value of {length} bytes is larger than {VALUE_BYTES_MAX}")));
        }
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(from)).map_err(|error| failed(error.to_string()))?;
        (&self.file).take(length).read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
        serde_json::from_slice(&bytes).map(Some).map_err(|error| failed(error.to_string()))
    }

    fn list(&mut self, key: &str) -> Result<Vec<String>, String> {
        match self.value(key)? {
            None | Some(Json::Null) => Ok(Vec::new()),
            Some(Json::Array(entries)) => Ok(entries.iter().map(text).collect()),
            Some(_) => Err(format!("{}: {key} is not an array", self.path.display())),
        }
    }

    fn room(&mut self, name: &str) -> Result<StoredRoom, String> {
        let key = format!("snapshot-{name}");
        let snapshot = match self.value(&key)? {
            None | Some(Json::Null) => String::new(),
            Some(Json::String(save)) => save,
            Some(_) => return Err(format!("{}: {key} is not a text", self.path.display())),
        };
        Ok(StoredRoom {
            name: name.to_owned(),
            snapshot: snapshot.into_bytes(),
            log: self.list(&format!("log-{name}"))?,
            audit: self.list(&format!("audit-{name}"))?,
            chat: self.list(&format!("chat-{name}"))?,
            changed_ms: self.times_ms.get(name).copied(),
        })
    }
}

impl Source for DumpJson {
    fn inventory(&mut self) -> Result<Inventory, String> {
        let mut inventory = Inventory::default();
        for key in self.places.keys() {
            inventory.add(key);
        }
        match inventory.rooms.is_empty() {
            true => Err(format!(
                "{}: no room of EtherCalc, whose keys are snapshot-ROOM and log-ROOM",
                self.path.display()
            )),
            false => Ok(inventory),
        }
    }

    fn rooms(&mut self, names: &[&str]) -> Result<Vec<Result<StoredRoom, String>>, String> {
        Ok(names.iter().map(|name| self.room(name)).collect())
    }

    fn triggers(&mut self) -> Result<Vec<(String, String)>, String> {
        match self.value("cron-list")? {
            Some(Json::Object(list)) => {
                Ok(list.into_iter().map(|(cell, times)| (cell, text(&times))).collect())
            }
            _ => Ok(Vec::new()),
        }
    }
}

fn text(json: &Json) -> String {
    match json {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The bytes of a file with their position.
struct Bytes<R> {
    reader: R,
    position: u64,
}

impl<R: BufRead> Bytes<R> {
    fn peek(&mut self) -> Result<u8, String> {
        let buffer = self.reader.fill_buf().map_err(|error| error.to_string())?;
        buffer.first().copied().ok_or_else(|| format!("not complete: it ends at byte {}", self.position))
    }

    fn next(&mut self) -> Result<u8, String> {
        let byte = self.peek()?;
        self.reader.consume(1);
        self.position += 1;
        Ok(byte)
    }

    fn skip_space(&mut self) -> Result<u8, String> {
        loop {
            match self.peek()? {
                b' ' | b'\t' | b'\r' | b'\n' => _ = self.next()?,
                byte => return Ok(byte),
            }
        }
    }

    fn expect(&mut self, wanted: u8) -> Result<(), String> {
        match self.skip_space()? {
            byte if byte == wanted => self.next().map(drop),
            byte => Err(format!(
                "not a dump of EtherCalc, which is a JSON object: {} at byte {} instead of {}",
                byte.escape_ascii(),
                self.position,
                wanted.escape_ascii()
            )),
        }
    }

    /// Skips the rest of a text, whose first quotation mark was read; its bytes go to `raw`.
    fn rest_of_text(&mut self, mut raw: Option<&mut Vec<u8>>) -> Result<(), String> {
        let mut is_escaped = false;
        loop {
            let byte = self.next()?;
            if let Some(raw) = &mut raw {
                raw.push(byte);
                if raw.len() > KEY_BYTES_MAX {
                    return Err(format!(
                        "a key has more than {KEY_BYTES_MAX} bytes at byte {}",
                        self.position
                    ));
                }
            }
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => return Ok(()),
                _ => {}
            }
        }
    }

    fn skip_value(&mut self) -> Result<(), String> {
        let mut depth = 0_u64;
        loop {
            match self.skip_space()? {
                b'"' => {
                    self.next()?;
                    self.rest_of_text(None)?;
                }
                b'{' | b'[' => {
                    self.next()?;
                    depth += 1;
                }
                b'}' | b']' if depth > 0 => {
                    self.next()?;
                    depth -= 1;
                }
                // The end of a number or word.
                b',' | b'}' | b']' if depth == 0 => return Ok(()),
                _ => _ = self.next()?,
            }
            if depth == 0 && matches!(self.skip_space()?, b',' | b'}') {
                return Ok(());
            }
        }
    }
}

/// Finds the values of a JSON object. Their contents are checked when they are read.
fn places(bytes: &mut Bytes<impl BufRead>) -> Result<HashMap<String, Place>, String> {
    let mut places = HashMap::new();
    bytes.expect(b'{')?;
    if bytes.skip_space()? == b'}' {
        return Ok(places);
    }
    loop {
        bytes.expect(b'"')?;
        let (mut raw, at) = (vec![b'"'], bytes.position);
        bytes.rest_of_text(Some(&mut raw))?;
        let key: String =
            serde_json::from_slice(&raw).map_err(|error| format!("the key at byte {at}: {error}"))?;
        bytes.expect(b':')?;
        bytes.skip_space()?;
        let from = bytes.position;
        bytes.skip_value()?;
        places.insert(key, Place { from, length: bytes.position - from });
        if bytes.skip_space()? == b'}' {
            return Ok(places);
        }
        bytes.expect(b',')?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str) -> Result<BTreeMap<String, String>, String> {
        let places = places(&mut Bytes { reader: json.as_bytes(), position: 0 })?;
        let slice =
            |place: Place| json[place.from as usize..(place.from + place.length) as usize].trim().to_owned();
        Ok(places.into_iter().map(|(key, place)| (key, slice(place))).collect())
    }

    #[test]
    fn values_are_found_without_reading_them() {
        let json = r#" { "a" : "x\"}", "b\u00e4": [1, {"c": "]"}, []], "c":12 ,"d":null,"e":{} } "#;
        let expected =
            [("a", r#""x\"}""#), ("bä", r#"[1, {"c": "]"}, []]"#), ("c", "12"), ("d", "null"), ("e", "{}")];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(found(json), Ok(BTreeMap::from(expected)));
        assert_eq!(found("{}"), Ok(BTreeMap::new()));
    }

    #[test]
    fn what_is_no_object_is_refused_with_the_byte() {
        for (json, reason) in [
            ("", "ends at byte 0"),
            ("[1]", "[ at byte 0 instead of {"),
            (r#"{"a":"#, "ends at byte 5"),
            (r#"{"a":"x"#, "ends at byte 7"),
            (r#"{a:1}"#, "a at byte 1"),
        ] {
            let error = found(json).expect_err(json);
            assert!(error.contains(reason), "{json}: {error}");
        }
    }

    #[test]
    fn a_room_is_read_with_its_lists_and_time() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("dump.json");
        let json = r#"{"snapshot-a":"version:1.5\n","log-a":["set A1 text t \u00e4"],"chat-b":["hi"],
            "log-c":5,"timestamps":{"timestamp-a":1700000000000},"cron-list":{"a!B2":"29926715"}}"#;
        std::fs::write(&path, json).expect("writable");
        let mut dump = DumpJson::open(&path).expect("a dump");
        assert_eq!(dump.inventory().expect("rooms").rooms.len(), 3);
        let rooms = dump.rooms(&["a", "c"]).expect("readable");
        let expected = StoredRoom {
            name: "a".to_owned(),
            snapshot: b"version:1.5\n".to_vec(),
            log: vec!["set A1 text t ä".to_owned()],
            changed_ms: Some(1_700_000_000_000),
            ..StoredRoom::default()
        };
        assert_eq!(rooms[0], Ok(expected));
        assert!(rooms[1].as_ref().expect_err("a number").contains("log-c is not an array"));
        assert_eq!(dump.triggers(), Ok(vec![("a!B2".to_owned(), "29926715".to_owned())]));
    }
}
