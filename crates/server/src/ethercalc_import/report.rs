//! The report of an import: one JSON object a line, which names everything that is not as it was in
//! EtherCalc. `docs/guide/moving-from-ethercalc.md` describes the lines.

use std::io::Write;

use quadrille_protocol::RoomName;
use serde_json::{Value as Json, json};

/// Characters of a command or text in a line.
const SHOWN_CHARACTERS_MAX: usize = 200;

/// Something of a room that is not as it was.
#[derive(Clone, PartialEq, Debug)]
pub enum Finding {
    /// Contents that rooms do not have here.
    LeftOut { from: String, what: String },
    /// A command of the log or audit that could not be carried out.
    Command { from: String, list: &'static str, number: usize, command: String, reason: String },
    /// A formula with another result.
    Value {
        from: String,
        cell: String,
        formula: String,
        ethercalc: String,
        here: String,
        because: Option<&'static str>,
    },
    /// Results were not compared.
    ValuesNotCompared { from: String, reason: String },
    /// The title of a sheet that sheets cannot have here.
    Title { title: String, now: String },
    /// A table of contents that did not become sheets.
    NotSheets { reason: String },
    /// Old chat messages beyond the limit of a room.
    OldMessages { count: usize },
    /// The time of a mail formula that is not kept.
    Trigger { cell: String, reason: String },
}

/// What is done with a room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Action {
    /// There was no such room here.
    Import,
    /// It was imported before, changed in EtherCalc since then, and not changed here.
    Update,
    /// It is replaced, although it was changed here or is not of EtherCalc.
    Replace,
    /// It was imported before, and EtherCalc has not changed it since.
    Unchanged,
    /// It is not replaced: it was changed here, or is not of EtherCalc.
    Keep,
    /// It cannot be imported.
    Fail,
}

impl Action {
    /// The word in the report.
    pub fn word(self) -> &'static str {
        match self {
            Action::Import => "import",
            Action::Update => "update",
            Action::Replace => "replace",
            Action::Unchanged => "unchanged",
            Action::Keep => "keep",
            Action::Fail => "fail",
        }
    }

    /// Whether the room is written.
    pub fn is_write(self) -> bool {
        matches!(self, Action::Import | Action::Update | Action::Replace)
    }
}

/// Counts of an import.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub imported: u64,
    pub updated: u64,
    pub replaced: u64,
    pub unchanged: u64,
    pub kept: u64,
    pub failed: u64,
    /// Workbooks of several rooms among those written.
    pub workbooks: u64,
    pub messages: u64,
    pub triggers: u64,
    /// Formulas with other results.
    pub values: u64,
    /// Those of which the reason is known: volatile functions and other rooms.
    pub explained: u64,
    /// Findings of other kinds.
    pub findings: u64,
}

/// Writes the lines and counts them.
pub struct Report {
    out: Box<dyn Write>,
    pub counts: Counts,
}

impl Report {
    /// A report that is written to `out`.
    pub fn new(out: Box<dyn Write>) -> Report {
        Report { out, counts: Counts::default() }
    }

    /// Writes what is done with a room.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn room(&mut self, room: &RoomName, action: Action, details: Json) -> Result<(), String> {
        let counts = &mut self.counts;
        *match action {
            Action::Import => &mut counts.imported,
            Action::Update => &mut counts.updated,
            Action::Replace => &mut counts.replaced,
            Action::Unchanged => &mut counts.unchanged,
            Action::Keep => &mut counts.kept,
            Action::Fail => &mut counts.failed,
        } += 1;
        let mut line = json!({ "room": room.as_str(), "action": action.word() });
        if let (Json::Object(line), Json::Object(details)) = (&mut line, details) {
            line.extend(details);
        }
        self.line(&line)
    }

    /// Writes that a key cannot become a room.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn rejected(&mut self, name: &str, reason: &str) -> Result<(), String> {
        self.counts.failed += 1;
        self.line(&json!({ "from": name, "action": Action::Fail.word(), "reason": reason }))
    }

    /// Writes that commands or messages have no sheet.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn without_sheet(&mut self, name: &str, what: &str) -> Result<(), String> {
        self.counts.findings += 1;
        self.line(&json!({ "from": name, "finding": "no sheet", "what": what }))
    }

    /// Writes a finding.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn finding(&mut self, room: &RoomName, finding: &Finding) -> Result<(), String> {
        match finding {
            Finding::Value { because, .. } => {
                self.counts.values += 1;
                self.counts.explained += u64::from(because.is_some());
            }
            _ => self.counts.findings += 1,
        }
        let room = room.as_str();
        self.line(&match finding {
            Finding::LeftOut { from, what } => {
                json!({ "room": room, "finding": "left out", "from": from, "what": what })
            }
            Finding::Command { from, list, number, command, reason } => json!({
                "room": room, "finding": "command", "from": from, "list": list, "number": number,
                "command": shortened(command), "reason": reason,
            }),
            Finding::Value { from, cell, formula, ethercalc, here, because } => json!({
                "room": room, "finding": "value", "from": from, "cell": cell, "formula": formula,
                "ethercalc": shortened(ethercalc), "quadrille": shortened(here), "because": because,
            }),
            Finding::ValuesNotCompared { from, reason } => {
                json!({ "room": room, "finding": "values not compared", "from": from, "reason": reason })
            }
            Finding::Title { title, now } => {
                json!({ "room": room, "finding": "title", "ethercalc": title, "quadrille": now })
            }
            Finding::NotSheets { reason } => {
                json!({ "room": room, "finding": "not sheets", "reason": reason })
            }
            Finding::OldMessages { count } => {
                json!({ "room": room, "finding": "old messages", "count": count })
            }
            Finding::Trigger { cell, reason } => {
                json!({ "room": room, "finding": "mail formula", "cell": cell, "reason": reason })
            }
        })
    }

    /// Writes the counts.
    ///
    /// # Errors
    /// When the lines cannot be written.
    pub fn end(&mut self, is_dry_run: bool) -> Result<(), String> {
        let counts = self.counts.clone();
        self.line(&json!({ "end": {
            "dryRun": is_dry_run, "imported": counts.imported, "updated": counts.updated,
            "replaced": counts.replaced, "unchanged": counts.unchanged, "kept": counts.kept,
            "failed": counts.failed, "workbooks": counts.workbooks, "messages": counts.messages,
            "triggers": counts.triggers, "values": counts.values, "explainedValues": counts.explained,
            "otherFindings": counts.findings,
        }}))?;
        self.flush()
    }

    /// Passes the lines on.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn flush(&mut self) -> Result<(), String> {
        self.out.flush().map_err(|error| format!("the report: {error}"))
    }

    fn line(&mut self, line: &Json) -> Result<(), String> {
        writeln!(self.out, "{line}").map_err(|error| format!("the report: {error}"))
    }
}

fn shortened(text: &str) -> String {
    let shown: String = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
    if shown.len() < text.len() { shown + "…" } else { shown }
}
