//! [`Script`]: calls of the engine's exported functions, made natively at once and repeated by Node
//! at the end.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use quadrille_protocol::{
    Author, ClientFrame, Counter, Incarnation, PROTOCOL_VERSION, Record, ReplicaId, ReplicaSecret, Resume,
    Revision, Role, ServerFrame, SessionId, TimeAndSeed, Welcome, snapshot_bytes,
};
use quadrille_workbook::Workbook;
use serde_json::{Value, json};

/// More steps than any calculation of the tests takes.
const ALL_STEPS: u32 = u32::MAX;
const OWN: ReplicaId = ReplicaId(7);

/// Recorded calls and their native results.
#[derive(Default)]
pub struct Script {
    /// One call per line, as `same_bits.mjs` reads them.
    calls: String,
    /// The native result of each call.
    results: Vec<Vec<u8>>,
    revision: u64,
    time_ms: f64,
    /// Submitted transactions that are not confirmed.
    submitted: Vec<(Counter, quadrille_operation::Transaction)>,
}

impl Script {
    pub fn new() -> Script {
        Script::default()
    }

    /// Opens a new engine and sends it the workbook as a snapshot of a room.
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
        self.event(json!({"type": "place", "language": "en-GB", "utcOffsetMinutes": 60, "isR1c1": false, "names": []}));
        self.event(json!({"type": "connected"}));
        self.take_frames();
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
        assert_eq!(self.results.last().expect("just made")[0] & 1, 1, "the calculation is finished");
    }

    /// Confirms all submitted transactions.
    pub fn confirm(&mut self) {
        self.take_frames();
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

    /// Takes the frames to the server.
    fn take_frames(&mut self) {
        loop {
            self.call("next_frame", None, &[], |_, _| output(quadrille_wasm::next_frame()));
            let bytes = self.results.last().expect("just made");
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

    /// Reads cells, a cell window, the sheet's dimensions, frames and persisted state.
    pub fn read_all(&mut self, sheet: u32, rows: u32, columns: u32) {
        self.cells(sheet, (0, 0), (rows, columns));
        let numbers = [sheet, 0, 0, rows.min(400), columns, 1];
        self.call("window", None, &numbers.map(f64::from), |_, _| {
            let [sheet, top, left, bottom, right, is_first] = numbers;
            output(quadrille_wasm::window(sheet, top, left, bottom, right, is_first))
        });
        self.call("sheet_dimensions", None, &[sheet.into()], |_, _| {
            output(quadrille_wasm::sheet_dimensions(sheet))
        });
        self.take_frames();
        self.call("take_persisted", None, &[], |_, _| output(quadrille_wasm::take_persisted()));
    }

    pub fn cells(&mut self, sheet: u32, (top, left): (u32, u32), (bottom, right): (u32, u32)) {
        let range = json!({"top": top, "left": left, "bottom": bottom, "right": right});
        let query = json!({"type": "cells", "sheet": sheet, "range": range, "skipsFiltered": false});
        let text = query.to_string();
        // SAFETY: the block of a string's bytes.
        self.call("query", Some(text.as_bytes()), &[], |at, length| {
            output(unsafe { quadrille_wasm::query(at, length) })
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
        self.results.push(natively(input.as_ptr(), input.len()));
    }

    /// Makes the same calls in Node and fails at the first result that differs.
    pub fn compare(self, name: &str) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (script, output) = (folder.join(format!("{name}.calls")), folder.join(format!("{name}.results")));
        std::fs::write(&script, &self.calls).expect("the script can be written");
        let module = std::env::var_os("QUADRILLE_MODULE").map(PathBuf::from);
        let module = module
            .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/engine/quadrille.wasm"));
        assert!(module.exists(), "the module is not built: {}", module.display());
        let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/same_bits.mjs");
        let status = Command::new("node").args([&runner, &module, &script, &output]).status();
        assert!(
            status.expect("node is installed").success(),
            "the module failed where the native engine did not"
        );
        let bytes = std::fs::read(&output).expect("Node has written the results");
        let mut rest = bytes.as_slice();
        let mut compared = 0;
        for (index, (native, call)) in self.results.iter().zip(self.calls.lines()).enumerate() {
            let (length, after) = rest.split_first_chunk().expect("a result for each call");
            let (result, after) = after.split_at(u32::from_le_bytes(*length) as usize);
            rest = after;
            if result != native {
                let call: String = call.chars().take(200).collect();
                panic!("{name}: call {index} ({call}):\n{}", difference(native, result));
            }
            compared += result.len();
        }
        assert!(rest.is_empty(), "as many results as calls");
        assert!(compared > 10_000, "too few bytes compared: {compared}");
        println!("{name}: {} calls, {compared} equal bytes", self.results.len());
    }
}

/// The first `length` bytes of the output buffer.
fn output(length: usize) -> Vec<u8> {
    // SAFETY: `length` was returned by the last call, so the buffer has as many bytes.
    unsafe { std::slice::from_raw_parts(quadrille_wasm::output(), length) }.to_vec()
}

/// Both results from shortly before the first byte that differs.
fn difference(native: &[u8], module: &[u8]) -> String {
    let same = native.iter().zip(module).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(120);
    let part = |bytes: &[u8]| String::from_utf8_lossy(&bytes[from..bytes.len().min(same + 80)]).into_owned();
    format!("from byte {same}\nnative …{}\nmodule …{}", part(native), part(module))
}
