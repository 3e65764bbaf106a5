//! A Redis with the keys of EtherCalc.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::support::{TIMEOUT, free_port};

/// The time of the first room: 2023-11-14T22:13:20Z.
pub const TIME_MS: u64 = 1_700_000_000_000;

/// A Redis on a free port.
pub struct Redis {
    process: Child,
    pub port: u16,
    _folder: tempfile::TempDir,
}

impl Redis {
    /// Starts Debian's Redis with more arguments.
    pub fn start(more: &[&str]) -> Redis {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let port = free_port();
        let process = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"])
            .arg(folder.path())
            .args(more)
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server is not installed; `make test` installs it on Debian");
        let redis = Redis { process, port, _folder: folder };
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(began.elapsed() < TIMEOUT, "redis-server does not listen");
            std::thread::sleep(Duration::from_millis(5));
        }
        redis
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    fn client(&self) -> Command {
        let mut client = Command::new("redis-cli");
        client.args(["-p", &self.port.to_string()]);
        client
    }

    /// Carries out one command.
    pub fn run(&self, command: &[&str]) -> String {
        let output = self.client().args(command).output().expect("redis-cli is installed with redis-server");
        assert!(output.status.success(), "{command:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Stores EtherCalc's keys as EtherCalc does.
    pub fn store(&self, dump: &Json) {
        let mut protocol = Vec::new();
        let mut add = |words: &[&str]| {
            write!(protocol, "*{}\r\n", words.len()).expect("memory");
            words.iter().for_each(|word| write!(protocol, "${}\r\n{word}\r\n", word.len()).expect("memory"));
        };
        for (key, value) in dump.as_object().expect("an object") {
            match value {
                Json::String(text) => add(&["SET", key, text]),
                Json::Array(entries) => {
                    entries.iter().for_each(|entry| add(&["RPUSH", key, entry.as_str().expect("a text")]));
                }
                Json::Object(fields) => fields.iter().for_each(|(field, value)| {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    add(&["HSET", key, field, &text]);
                }),
                _ => panic!("not a value of EtherCalc: {key}"),
            }
        }
        let mut pipe = self.client().arg("--pipe").stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        let pipe = pipe.as_mut().expect("redis-cli starts");
        pipe.stdin.take().expect("piped").write_all(&protocol).expect("redis-cli reads");
        assert!(pipe.wait().expect("a child").success());
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // Fails when the process has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A sheet as EtherCalc stores it.
pub fn save(cells: &str) -> String {
    let part = "--SocialCalcSpreadsheetControlSave\nContent-type: text/plain; charset=UTF-8\n\n";
    format!(
        "socialcalc:version:1.0\nMIME-Version: 1.0\nContent-Type: multipart/mixed; \
         boundary=SocialCalcSpreadsheetControlSave\n{part}# SocialCalc Spreadsheet Control Save\nversion:1.0\n\
         part:sheet\npart:edit\npart:audit\n{part}version:1.5\n{cells}\nsheet:c:3:r:3:tvf:1\n\
         valueformat:1:text-wiki\n{part}version:1.0\nrowpane:0:1:1\ncolpane:0:1:1\necell:A1\n{part}\
         --SocialCalcSpreadsheetControlSave--\n"
    )
}

/// EtherCalc's keys with this many rooms of every kind.
pub fn dump(rooms: usize) -> Json {
    let mut keys = serde_json::Map::new();
    let mut times = serde_json::Map::new();
    let mut room = |name: &str, snapshot: Option<String>| {
        let time = (TIME_MS + times.len() as u64).to_string();
        times.insert(format!("timestamp-{name}"), time.into());
        snapshot.and_then(|snapshot| keys.insert(format!("snapshot-{name}"), snapshot.into()))
    };
    // Rooms with text, a number, a formula and a number format.
    for number in 0..rooms.saturating_sub(40) {
        let cells = format!(
            "cell:A1:t:room {number}\ncell:B1:v:{number}\ncell:C1:vtf:n:{}:B1*2+1:ntvf:2\ncol:A:w:120\n\
             valueformat:2:#,##0.00",
            number * 2 + 1
        );
        room(&format!("room-{number:04}"), Some(save(&cells)));
    }
    // Workbooks of several rooms, of which the second sheet refers to the first.
    for number in 0..10 {
        let name = format!("sales-{number}");
        let table = format!(
            "cell:A2:t:#url\ncell:B2:t:#title\ncell:A3:t:/{name}.1\ncell:B3:t:North\ncell:A4:t:/{name}.2\n\
             cell:B4:t:South/East"
        );
        room(&name, Some(save(&table)));
        room(&format!("{name}.1"), Some(save(&format!("cell:A1:v:{number}"))));
        let sum = format!("cell:A1:vtf:n:{}:\"{name}.1\"!A1+1", number + 1);
        room(&format!("{name}.2"), Some(save(&sum)));
    }
    // A sheet that was deleted from its workbook stays a room.
    room("sales-0.7", Some(save("cell:A1:t:deleted")));
    // Commands that are not in the save yet, among them one that EtherCalc does not know.
    room("pending", Some(save("cell:A1:v:5\ncell:A2:vtf:n:10:A1*2")));
    room("commands-only", None);
    // All commands since the room was created; and since it was replaced by a file.
    room("audited", Some(save("cell:A1:v:2\ncell:A2:vtf:n:4:A1*2")));
    room("replaced", Some(save("cell:A1:t:from a file\ncell:A2:v:7")));
    // The page stores names as they are in the URL.
    room("caf%C3%A9", Some(save("cell:A1:t:coffee")));
    room("two words", Some(save("cell:A1:t:not a name here")));
    room("broken", Some("socialcalc:version:1.0\nno parts".to_owned()));
    // SocialCalc converts no texts to numbers, and knew another time.
    room("differs", Some(save("cell:A1:t:12\ncell:A2:vtf:e#VALUE!:0:A1+1\ncell:A3:vtf:nd:1:TODAY()")));
    room("talk", Some(save("cell:A1:t:chat")));
    keys.insert(
        "log-pending".into(),
        json!(["set A1 value n 6\nset A3 formula A2+1", "recalc", "frobnicate A1"]),
    );
    keys.insert("log-commands-only".into(), json!(["set A1 text t first", "set B1 value n 3"]));
    keys.insert(
        "audit-audited".into(),
        json!(["set A1 value n 1", "set A1 value n 2\nset A2 formula A1*2", "recalc"]),
    );
    keys.insert("audit-replaced".into(), json!(["set A2 value n 6", "set A2 value n 7"]));
    keys.insert("chat-talk".into(), json!(["Hello", "two\nlines"]));
    keys.insert("chat-chat-only".into(), json!(["nobody sees this"]));
    keys.insert("ecell-talk".into(), json!({ "ada": "B2" }));
    let tomorrow = now_min() + 24 * 60;
    keys.insert(
        "cron-list".into(),
        json!({ "talk!A1": format!("{tomorrow},{}", tomorrow + 1), "talk!B1": "5" }),
    );
    keys.insert("cron-nextTriggerTime".into(), json!(tomorrow.to_string()));
    keys.insert("timestamps".into(), times.into());
    keys.into()
}

/// Rooms of a dump that are not one of many alike.
pub const SPECIAL: usize = 40;
/// Among these: a name that is none here, and a broken save.
pub const FAILING: usize = 2;

pub fn now_min() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock");
    since.as_secs() / 60
}
