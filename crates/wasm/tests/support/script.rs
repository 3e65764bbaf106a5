//! Calls of the engine's exported functions: carried out natively as they are made, and again by Node at the end.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use quadrille_protocol::{
    Author, ClientFrame, Counter, Incarnation, PROTOCOL_VERSION, Record, ReplicaId, ReplicaSecret, Resume,
    Revision, Role, ServerFrame, SessionId, TimeAndSeed, Welcome, snapshot_bytes,
};
use quadrille_workbook::Workbook;
use serde_json::{Value, json};

/// Far more than any sheet here takes.
const ALL_STEPS: u32 = u32::MAX;
const OWN: ReplicaId = ReplicaId(7);

#[derive(Default)]
pub struct Script {
    /// One call a line, as `same_bits.mjs` reads them.
    calls: String,
    /// What the native engine answered to each.
    answers: Vec<Vec<u8>>,
    revision: u64,
    time_ms: f64,
    /// Transactions that went out and wait to be confirmed.
    submitted: Vec<(Counter, quadrille_operation::Transaction)>,
}

impl Script {
    pub fn new() -> Script {
        Script::default()
    }

    /// A new engine that has been given the workbook by a room.
    pub fn open(&mut self, workbook: &Workbook) {
        let opening = json!({"name": "Ada", "color": 255, "seed": [3, 4], "keeps": true}).to_string();
        // SAFETY: the block of a string's bytes.
        self.call("open", Some(opening.as_bytes()), &[], |at, length| {
            unsafe { quadrille_wasm::open(at, length) };
            Vec::new()
        });
        self.time_ms = 1_700_000_000_000.0;
        self.revision = 1;
        self.submitted.clear();
        self.event(json!({"type": "place", "language": "en-GB", "utcOffsetMinutes": 60, "isR1c1": false}));
        self.event(json!({"type": "connected"}));
        self.sent();
        let time_and_seed = TimeAndSeed { time_ms: 1_700_000_000_000, seed: 11 };
        self.frame(&ServerFrame::Welcome(Welcome {
            version: PROTOCOL_VERSION,
            replica: OWN,
            incarnation: Incarnation(5),
            session: SessionId(3),
            role: Role::Owner,
            color: 0x12_34_56,
            head: Revision(1),
            confirmed: Counter(0),
            resume: Resume::Snapshot,
            time_ms: 1_700_000_000_000,
            secret: Some(ReplicaSecret(5)),
        }));
        let bytes = snapshot_bytes(workbook);
        self.frame(&ServerFrame::Snapshot { revision: Revision(1), time_and_seed, part: 0, parts: 1, bytes });
        self.notices();
    }

    pub fn event(&mut self, event: Value) {
        let text = event.to_string();
        self.time_ms += 1_000.0;
        let time_ms = self.time_ms;
        // SAFETY: the block of a string's bytes.
        self.call("event", Some(text.as_bytes()), &[time_ms], |at, length| {
            unsafe { quadrille_wasm::event(at, length, time_ms) };
            Vec::new()
        });
        self.notices();
    }

    fn frame(&mut self, frame: &ServerFrame) {
        let (bytes, time_ms) = (frame.encode(), self.time_ms);
        // SAFETY: the block of a vector's bytes.
        self.call("frame", Some(&bytes), &[time_ms], |at, length| {
            unsafe { quadrille_wasm::frame(at, length, time_ms) };
            Vec::new()
        });
    }

    pub fn evaluate(&mut self, steps: u32) {
        self.call("evaluate", None, &[steps.into()], |_, _| {
            quadrille_wasm::evaluate(steps).to_le_bytes().to_vec()
        });
    }

    pub fn evaluate_all(&mut self) {
        self.evaluate(ALL_STEPS);
        assert_eq!(self.answers.last().expect("just made")[0] & 1, 1, "the calculation comes to an end");
    }

    /// The room takes all that was submitted, and says so.
    pub fn confirm(&mut self) {
        self.sent();
        let mut records = Vec::new();
        for (counter, transaction) in std::mem::take(&mut self.submitted) {
            self.revision += 1;
            let time_and_seed = TimeAndSeed { time_ms: self.time_ms as i64, seed: self.revision };
            let revision = Revision(self.revision);
            let author = Author::named("Ada");
            let record = Record { revision, replica: OWN, counter, author, time_and_seed, transaction };
            records.push(record.encode().into());
        }
        self.frame(&ServerFrame::Records { records });
        self.notices();
    }

    /// Takes what goes to the server.
    fn sent(&mut self) {
        loop {
            self.call("next_frame", None, &[], |_, _| output(quadrille_wasm::next_frame()));
            let bytes = self.answers.last().expect("just made");
            if bytes.is_empty() {
                return;
            }
            let frame = ClientFrame::decode(bytes).expect("the engine's own frame");
            if let ClientFrame::Submit { counter, transaction, .. } = frame {
                self.submitted.push((counter, transaction));
            }
        }
    }

    fn notices(&mut self) {
        self.call("notices", None, &[], |_, _| output(quadrille_wasm::notices()));
    }

    /// Values, looks, sizes, what goes out and what is kept.
    pub fn everything(&mut self, sheet: u32, rows: u32, columns: u32) {
        self.cells(sheet, (0, 0), (rows, columns));
        let numbers = [sheet, 0, 0, rows.min(400), columns, 1];
        self.call("window", None, &numbers.map(f64::from), |_, _| {
            let [sheet, top, left, bottom, right, is_first] = numbers;
            output(quadrille_wasm::window(sheet, top, left, bottom, right, is_first))
        });
        self.call("shape", None, &[sheet.into()], |_, _| output(quadrille_wasm::shape(sheet)));
        self.sent();
        self.call("keep", None, &[], |_, _| output(quadrille_wasm::keep()));
    }

    pub fn cells(&mut self, sheet: u32, (top, left): (u32, u32), (bottom, right): (u32, u32)) {
        let range = json!({"top": top, "left": left, "bottom": bottom, "right": right});
        let question = json!({"type": "cells", "sheet": sheet, "range": range, "skipsFiltered": false});
        let text = question.to_string();
        // SAFETY: the block of a string's bytes.
        self.call("ask", Some(text.as_bytes()), &[], |at, length| {
            output(unsafe { quadrille_wasm::ask(at, length) })
        });
    }

    fn call(
        &mut self,
        name: &str,
        input: Option<&[u8]>,
        numbers: &[f64],
        natively: impl FnOnce(*const u8, usize) -> Vec<u8>,
    ) {
        self.calls.push_str(name);
        self.calls.push(' ');
        match input {
            None => self.calls.push('-'),
            Some(bytes) => bytes.iter().for_each(|byte| write!(self.calls, "{byte:02x}").expect("memory")),
        }
        for number in numbers {
            write!(self.calls, " {number}").expect("memory");
        }
        self.calls.push('\n');
        let input = input.unwrap_or_default();
        self.answers.push(natively(input.as_ptr(), input.len()));
    }

    /// Has Node make the same calls; fails at the first answer that is not the same.
    pub fn compare(self, name: &str) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (script, answers) =
            (folder.join(format!("{name}.calls")), folder.join(format!("{name}.answers")));
        std::fs::write(&script, &self.calls).expect("the script can be written");
        let module = std::env::var_os("QUADRILLE_MODULE").map(PathBuf::from);
        let module = module
            .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/engine/quadrille.wasm"));
        assert!(module.exists(), "the module is not built: {}", module.display());
        let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/same_bits.mjs");
        let status = Command::new("node").args([&runner, &module, &script, &answers]).status();
        assert!(
            status.expect("node is installed").success(),
            "the module failed where the native engine did not"
        );
        let bytes = std::fs::read(&answers).expect("Node has written the answers");
        let mut rest = bytes.as_slice();
        let mut compared = 0;
        for (index, (native, call)) in self.answers.iter().zip(self.calls.lines()).enumerate() {
            let (length, behind) = rest.split_first_chunk().expect("an answer for each call");
            let (answer, behind) = behind.split_at(u32::from_le_bytes(*length) as usize);
            rest = behind;
            if answer != native {
                let call: String = call.chars().take(200).collect();
                panic!("{name}: call {index} ({call}):\n{}", difference(native, answer));
            }
            compared += answer.len();
        }
        assert!(rest.is_empty(), "no more answers than calls");
        assert!(compared > 10_000, "so little is no comparison: {compared}");
        println!("{name}: {} calls, {compared} bytes the same", self.answers.len());
    }
}

/// The output buffer's first bytes.
fn output(length: usize) -> Vec<u8> {
    // SAFETY: the engine has just said that so many bytes are there.
    unsafe { std::slice::from_raw_parts(quadrille_wasm::output(), length) }.to_vec()
}

/// Both from a little before the first byte in which they differ.
fn difference(native: &[u8], module: &[u8]) -> String {
    let same = native.iter().zip(module).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(120);
    let part = |bytes: &[u8]| String::from_utf8_lossy(&bytes[from..bytes.len().min(same + 80)]).into_owned();
    format!("from byte {same}\nnative …{}\nmodule …{}", part(native), part(module))
}
