//! Makes rooms of what EtherCalc has stored: [`convert`]. It reads and writes nothing.
//!
//! A room's history begins with EtherCalc's: if it has kept all commands since the room was created, they
//! are the revisions. If the room was replaced by a file before its first command, they do not give its
//! contents, and one more revision has these. Without commands, the save is the first revision, and the
//! commands after it follow. EtherCalc keeps no times of commands: all have the time of the last change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quadrille_cell::SheetId;
use quadrille_files::{FileFormat, Imported, socialcalc_formula_results};
use quadrille_number_format::InputContext;
use quadrille_protocol::limits::{CHAT_MESSAGE_CHARACTERS_MAX, CHAT_MESSAGES_MAX};
use quadrille_protocol::{ChatMessage, Counter, RoomName};
use quadrille_room::limits::CHAT_BYTES_MAX;
use quadrille_workbook::Workbook;
use sha2::{Digest as _, Sha256};

use super::contents_table;
use super::replay::{FailedCommand, Records, Replay, is_same};
use super::report::Finding;
use super::source::StoredRoom;
use super::value_check::{self, SavedSheet};
use crate::http::ethercalc_workbook;
use crate::workbook_files;

/// The author of EtherCalc's commands and saves, and of its chat messages, of whom EtherCalc keeps no name.
pub const AUTHOR: &str = "EtherCalc";
/// The author of the contents that EtherCalc had in the end, if its commands do not give them.
pub const FINAL_AUTHOR: &str = "EtherCalc's last save";
/// Color of the chat messages: the grey of authors without a session.
const COLOR: u32 = 0x5f_63_68;
/// Raised when rooms are converted otherwise, so that they are imported anew.
const CONVERSION: u8 = 1;

/// A room to convert, with the rooms `R.1`, `R.2` … that may be its sheets.
pub struct Unit {
    pub room: RoomName,
    pub stored: StoredRoom,
    pub members: BTreeMap<u32, Member>,
}

/// A room that may be a sheet of another.
pub struct Member {
    pub room: RoomName,
    pub stored: StoredRoom,
    /// There is a room of its own with this name here.
    pub is_here: bool,
}

/// A room to be stored.
pub struct Converted {
    pub room: RoomName,
    /// The names in EtherCalc's keys: one, or those of the table of contents and the sheets.
    pub from: Vec<String>,
    /// The rooms whose mail formulas have times: this one, or its sheets.
    pub trigger_names: Vec<RoomName>,
    pub mark: Counter,
    pub time_ms: i64,
    pub records: Records,
    pub chat: Vec<Arc<[u8]>>,
    pub sheets: usize,
    pub findings: Vec<Finding>,
}

/// A room that cannot be converted.
pub struct Failed {
    pub room: RoomName,
    pub reason: String,
}

/// Converts a room and its sheets. `now_ms` is the time of a room of which EtherCalc tells none.
pub fn convert(unit: Unit, now_ms: i64) -> Vec<Result<Converted, Failed>> {
    let Unit { room, stored, mut members } = unit;
    let mut converted = Vec::new();
    let linked = match contents_of(&room, &stored) {
        Some((contents, numbers, findings)) => {
            let taken =
                numbers.iter().find(|number| members.get(number).is_some_and(|member| member.is_here));
            match taken {
                Some(number) => {
                    Err(vec![Finding::NotSheets { reason: format!("{room}.{number} is a room here") }])
                }
                None => Ok((contents, numbers, findings)),
            }
        }
        None => Err(Vec::new()),
    };
    let whole = linked.and_then(|(contents, numbers, mut findings)| {
        let sheets: BTreeMap<u32, &Member> =
            numbers.iter().filter_map(|number| Some((*number, members.get(number)?))).collect();
        match workbook(&room, &stored, &contents, &sheets, now_ms, &mut findings) {
            Ok((converted, failed)) => Ok((converted, failed, numbers)),
            Err(reason) => Err(vec![Finding::NotSheets { reason }]),
        }
    });
    match whole {
        Ok((workbook, failed, numbers)) => {
            converted.push(Ok(workbook));
            converted.extend(failed.into_iter().map(Err));
            members.retain(|number, _| !numbers.contains(number));
        }
        Err(findings) => converted.push(single(&room, &stored, now_ms, findings)),
    }
    for Member { room, stored, .. } in members.into_values() {
        converted.push(single(&room, &stored, now_ms, Vec::new()));
    }
    converted
}

/// The table of contents that a room is, the numbers of its sheets, and what was changed in it.
fn contents_of(room: &RoomName, stored: &StoredRoom) -> Option<(Workbook, BTreeSet<u32>, Vec<Finding>)> {
    if !may_be_contents(stored) {
        return None;
    }
    let mut replay = Replay::new(room, 0, Counter(1));
    let Read { workbook, .. } = read(stored).ok()?;
    replay.replace(AUTHOR, &workbook).ok()?;
    let sheet = replay.first_sheet();
    replay.commands(AUTHOR, &stored.log, sheet);
    let (contents, findings) = contents_table::repaired(replay.workbook());
    if !ethercalc_workbook::is_contents(&contents) {
        return None;
    }
    let numbers = ethercalc_workbook::linked_sheets(room, &contents).ok()?;
    (!numbers.is_empty()).then_some((contents, numbers, findings))
}

/// Whether a room could be a table of contents, without reading it.
pub fn may_be_contents(stored: &StoredRoom) -> bool {
    let is_header = |bytes: &[u8]| bytes.windows(4).any(|window| window == b"#url");
    is_header(&stored.snapshot) || stored.log.iter().any(|entry| is_header(entry.as_bytes()))
}

/// The first sheet of a save.
struct Read {
    workbook: Workbook,
    warnings: Vec<String>,
}

fn read(stored: &StoredRoom) -> Result<Read, String> {
    if stored.snapshot.is_empty() {
        return Ok(Read { workbook: Workbook::new(), warnings: Vec::new() });
    }
    let read = workbook_files::read(
        FileFormat::SocialCalc,
        &stored.snapshot,
        "",
        InputContext::default(),
        &mut |_| true,
    );
    let Imported { workbook, warnings, .. } = read.map_err(|error| format!("the save: {error}"))?;
    Ok(Read { workbook, warnings })
}

/// Converts a room of its own.
fn single(
    room: &RoomName,
    stored: &StoredRoom,
    now_ms: i64,
    mut findings: Vec<Finding>,
) -> Result<Converted, Failed> {
    let failed = |reason: String| Failed { room: room.clone(), reason };
    let mark = mark(&[stored]);
    let time_ms = stored.changed_ms.unwrap_or(now_ms);
    let Read { workbook, warnings } = read(stored).map_err(failed)?;
    findings.extend(warnings_of(stored, warnings));
    compare(&workbook, &[(workbook.sheets()[0].id(), stored)], time_ms, &mut findings);
    let mut last = Replay::new(room, time_ms, mark);
    last.replace(AUTHOR, &workbook).map_err(failed)?;
    let sheet = last.first_sheet();
    findings.extend(failures(stored, "log", last.commands(AUTHOR, &stored.log, sheet)));
    let mut whole = last;
    if !stored.audit.is_empty() {
        let mut commands = Replay::new(room, time_ms, mark);
        let sheet = commands.first_sheet();
        let failed_commands = commands.commands(AUTHOR, &stored.audit, sheet);
        if !is_same(commands.workbook(), whole.workbook()) {
            findings.extend(failures(stored, "audit", failed_commands));
            commands.replace(FINAL_AUTHOR, whole.workbook()).map_err(failed)?;
        }
        if commands.has_records() {
            whole = commands;
        }
    }
    let (chat, old) = chat_of(&[stored], time_ms);
    findings.extend((old > 0).then_some(Finding::OldMessages { count: old }));
    Ok(Converted {
        room: room.clone(),
        from: vec![stored.name.clone()],
        trigger_names: vec![room.clone()],
        mark,
        time_ms,
        records: whole.into_records(),
        chat,
        sheets: 1,
        findings,
    })
}

/// Converts a table of contents and its sheets. Also returns the sheets whose saves cannot be read.
fn workbook(
    room: &RoomName,
    stored: &StoredRoom,
    contents: &Workbook,
    sheets: &BTreeMap<u32, &Member>,
    now_ms: i64,
    findings: &mut Vec<Finding>,
) -> Result<(Converted, Vec<Failed>), String> {
    let all: Vec<&StoredRoom> =
        std::iter::once(stored).chain(sheets.values().map(|member| &member.stored)).collect();
    let time_ms = all.iter().filter_map(|stored| stored.changed_ms).max().unwrap_or(now_ms);
    let mark = mark(&all);
    let mut replay = Replay::new(room, time_ms, mark);
    replay.apply_contents(AUTHOR, contents)?;
    let id = |replay: &Replay, number: u32| ethercalc_workbook::sheet_with_number(replay.workbook(), number);
    for (number, member) in sheets {
        if let Some(sheet) = id(&replay, *number) {
            // Their failures are reported only if the save does not have the result.
            replay.commands(AUTHOR, &member.stored.audit, sheet);
        }
    }
    if !stored.audit.is_empty() {
        // The sheets have a history of their own; the order of both is not known.
        let what = format!("the history of the table of contents: {} commands", stored.audit.len());
        findings.push(Finding::LeftOut { from: stored.name.clone(), what });
    }
    let (mut saved, mut failed) = (Vec::new(), Vec::new());
    for (number, member) in sheets {
        let Some(sheet) = id(&replay, *number) else { continue };
        let done = read(&member.stored).and_then(|Read { workbook, warnings }| {
            findings.extend(warnings_of(&member.stored, warnings));
            replay.replace_sheet(FINAL_AUTHOR, sheet, workbook)
        });
        match done {
            Ok(()) => saved.push((sheet, &member.stored)),
            Err(reason) => failed.push(Failed { room: member.room.clone(), reason }),
        }
    }
    compare(&ethercalc_workbook::with_room_names(room, replay.workbook().clone()), &saved, time_ms, findings);
    for (number, member) in sheets {
        if let Some(sheet) = id(&replay, *number) {
            let failures_of_log = replay.commands(AUTHOR, &member.stored.log, sheet);
            findings.extend(failures(&member.stored, "log", failures_of_log));
        }
    }
    let (chat, old) = chat_of(&all, time_ms);
    findings.extend((old > 0).then_some(Finding::OldMessages { count: old }));
    let converted = Converted {
        room: room.clone(),
        from: all.iter().map(|stored| stored.name.clone()).collect(),
        trigger_names: std::iter::once(room.clone())
            .chain(sheets.values().map(|member| member.room.clone()))
            .collect(),
        mark,
        time_ms,
        sheets: replay.workbook().sheets().len(),
        records: replay.into_records(),
        chat,
        findings: std::mem::take(findings),
    };
    Ok((converted, failed))
}

fn warnings_of(stored: &StoredRoom, warnings: Vec<String>) -> impl Iterator<Item = Finding> + use<> {
    let from = stored.name.clone();
    warnings.into_iter().map(move |warning| {
        let what = warning.strip_prefix("left out: ").unwrap_or(&warning).to_owned();
        Finding::LeftOut { from: from.clone(), what }
    })
}

fn failures(
    stored: &StoredRoom,
    list: &'static str,
    failed: Vec<FailedCommand>,
) -> impl Iterator<Item = Finding> + use<> {
    let from = stored.name.clone();
    failed.into_iter().map(move |failed| Finding::Command {
        from: from.clone(),
        list,
        number: failed.number,
        command: failed.command,
        reason: failed.reason,
    })
}

/// Compares the results in saves with those of the workbook that has them.
fn compare(workbook: &Workbook, saved: &[(SheetId, &StoredRoom)], time_ms: i64, findings: &mut Vec<Finding>) {
    let sheets: Vec<SavedSheet> = saved
        .iter()
        .map(|(sheet, stored)| {
            let save = String::from_utf8_lossy(&stored.snapshot);
            SavedSheet { sheet: *sheet, results: socialcalc_formula_results(&save) }
        })
        .collect();
    let name = |sheet| {
        let stored = saved.iter().find(|(id, _)| *id == sheet);
        stored.map_or(String::new(), |(_, stored)| stored.name.clone())
    };
    match value_check::differences(workbook, &sheets, time_ms) {
        Some(differences) => findings.extend(differences.into_iter().map(|difference| Finding::Value {
            from: name(difference.sheet),
            cell: difference.cell.to_string(),
            formula: difference.formula,
            ethercalc: difference.ethercalc,
            here: difference.here,
            because: difference.because,
        })),
        None => findings.extend(saved.iter().map(|(_, stored)| Finding::ValuesNotCompared {
            from: stored.name.clone(),
            reason: "calculating takes too long".to_owned(),
        })),
    }
}

/// Identifies what EtherCalc has stored, so that a later import knows whether it has changed. Never 0.
fn mark(rooms: &[&StoredRoom]) -> Counter {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(&[CONVERSION]);
    for stored in rooms {
        add(stored.name.as_bytes());
        add(&stored.snapshot);
        add(&stored.changed_ms.unwrap_or(0).to_le_bytes());
        for list in [&stored.log, &stored.audit, &stored.chat] {
            add(&(list.len() as u64).to_le_bytes());
            list.iter().for_each(|entry| add(entry.as_bytes()));
        }
    }
    Counter(number(&hash.finalize()))
}

/// A number from a digest that is exact in JSON, and not 0.
fn number(digest: &[u8]) -> u64 {
    let bytes: [u8; 8] = digest[..8].try_into().expect("a digest has 32 bytes");
    (u64::from_le_bytes(bytes) >> 12).max(1)
}

/// The chat messages of rooms, encoded, and the number of older ones that a chat does not keep. Long
/// messages become several.
fn chat_of(rooms: &[&StoredRoom], time_ms: i64) -> (Vec<Arc<[u8]>>, usize) {
    let mut texts: Vec<String> = Vec::new();
    for stored in rooms {
        for message in stored.chat.iter().filter(|message| !message.trim().is_empty()) {
            let characters: Vec<char> = message.chars().collect();
            let pieces = characters.chunks(CHAT_MESSAGE_CHARACTERS_MAX);
            texts.extend(
                pieces.map(|piece| piece.iter().collect::<String>()).filter(|text| !text.trim().is_empty()),
            );
        }
    }
    let mut bytes = 0;
    let kept = texts.iter().rev().take(CHAT_MESSAGES_MAX).take_while(|text| {
        bytes += text.len() + AUTHOR.len();
        bytes <= CHAT_BYTES_MAX
    });
    let old = texts.len() - kept.count();
    let messages = texts[old..].iter().zip(1..).map(|(text, position)| {
        let id = number(&Sha256::digest(format!("{}\n{text}", position + old)));
        let (name, text) = (AUTHOR.into(), text.as_str().into());
        ChatMessage { number: position as u64, id, time_ms, name, color: COLOR, text }.encode().into()
    });
    (messages.collect(), old)
}
