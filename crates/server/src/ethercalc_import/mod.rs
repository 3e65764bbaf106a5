//! `quadrille import --from-ethercalc`: takes the rooms of a running or dumped EtherCalc.
//!
//! | file | holds |
//! |---|---|
//! | `source.rs`, `source_location.rs` | EtherCalc's keys, the trait of what they are read from, and opening it |
//! | `redis_client.rs`, `redis_source.rs` | Redis |
//! | `dump_json.rs`, `dump_directory.rs` | EtherCalc's files |
//! | `room_names.rs`, `contents_table.rs` | names that rooms and sheets can have here |
//! | `renamed_references.rs` | references to rooms with other names |
//! | `replay.rs`, `conversion.rs` | saves and commands as the records of a room |
//! | `value_check.rs` | results of formulas, there and here |
//! | `target.rs` | what was imported before, and storing the rest |
//! | `report.rs` | everything that is not as it was |

mod contents_table;
mod conversion;
mod dump_directory;
mod dump_json;
mod redis_client;
mod redis_source;
mod renamed_references;
mod replay;
mod report;
mod room_names;
mod source;
mod source_location;
mod target;
mod value_check;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;

use quadrille_cell::CellAddress;
use quadrille_protocol::RoomName;
use serde_json::json;

use conversion::{Converted, Failed, Member, Unit};
use renamed_references::RenamedRooms;
pub use report::Counts;
use report::{Action, Finding, Report};
use room_names::RoomNames;
use source::{Source, StoredRoom};
use target::{Decision, Target};

use crate::access::now_ms;
use crate::storage_location::StorageLocation;
use crate::time_triggers::TimeTriggers;
use crate::transfer::Progress;

/// Rooms that are read, converted and stored at once.
const ROOMS_AT_ONCE: usize = 128;
/// How long after its time a mail formula is still carried out, in minutes: EtherCalc may have been
/// stopped at that time.
const TRIGGER_AGE_MAX_MIN: i64 = 24 * 60;

/// What is imported, and where to.
pub struct Import {
    /// A Redis or a file.
    pub from: String,
    pub password: Option<String>,
    pub location: StorageLocation,
    /// The data directory, which has the times of mail formulas also when rooms are in a database.
    pub data: PathBuf,
    pub is_dry_run: bool,
    /// Rooms that were changed here, or are not of EtherCalc, are replaced.
    pub replaces: bool,
    /// Other names, by the name in EtherCalc's keys.
    pub renames: BTreeMap<String, RoomName>,
}

/// Imports all rooms, and writes the report to `out`.
///
/// # Errors
/// A message when the source or the storage fails. What is stored stays, and the command can be run again.
pub fn import(import: &Import, out: Box<dyn Write>) -> Result<Counts, String> {
    let mut source = source_location::open(&import.from, import.password.clone())?;
    let inventory = source.inventory()?;
    let target = Target::open(&import.location, import.is_dry_run)?;
    let mut report = Report::new(out);
    for key in &inventory.unreadable_keys {
        report.rejected(key, "the key is not UTF-8")?;
    }
    let (rooms, others): (Vec<_>, Vec<_>) = inventory.rooms.iter().partition(|(_, keys)| keys.has_sheet());
    for (name, keys) in others {
        let what = match (keys.audit, keys.chat) {
            (true, true) => "commands and chat messages",
            (true, false) => "commands",
            _ => "chat messages",
        };
        report.without_sheet(name, what)?;
    }
    let names = RoomNames::of(rooms.iter().map(|(name, _)| name.as_str()), &import.renames);
    for (name, reason) in &names.rejected {
        report.rejected(name, reason)?;
    }
    let triggers = Triggers::read(&mut *source, &names)?;
    let mut importer = Importer {
        import,
        source,
        target,
        stored_triggers: TimeTriggers::open(&import.data)?,
        triggers,
        renamed: RenamedRooms::of(&names.rooms),
        names,
        report,
        progress: Progress::new(),
        now_ms: now_ms(),
    };
    importer.run()?;
    importer.report.end(import.is_dry_run)?;
    Ok(importer.report.counts)
}

/// The times of mail formulas, by room and cell.
#[derive(Default)]
struct Triggers {
    times_min: BTreeMap<RoomName, Vec<(CellAddress, Vec<i64>)>>,
}

impl Triggers {
    fn read(source: &mut dyn Source, names: &RoomNames) -> Result<Triggers, String> {
        let by_key: BTreeMap<&str, &RoomName> =
            names.rooms.iter().map(|(room, from)| (from.as_str(), room)).collect();
        let mut triggers = Triggers::default();
        for (field, times) in source.triggers()? {
            let Some((name, cell)) = field.rsplit_once('!') else { continue };
            let decoded = room_names::room_of(name).ok();
            let room = by_key.get(name).copied().or(decoded.as_ref());
            let (Some(room), Ok(cell)) = (room, CellAddress::parse_a1(cell)) else { continue };
            let times = times.split(',').filter_map(|time| time.trim().parse().ok()).collect();
            triggers.times_min.entry(room.clone()).or_default().push((cell, times));
        }
        Ok(triggers)
    }
}

struct Importer<'a> {
    import: &'a Import,
    source: Box<dyn Source>,
    target: Target,
    stored_triggers: TimeTriggers,
    triggers: Triggers,
    names: RoomNames,
    renamed: RenamedRooms,
    report: Report,
    progress: Progress,
    now_ms: i64,
}

impl Importer<'_> {
    fn run(&mut self) -> Result<(), String> {
        let all: Vec<RoomName> = self.names.rooms.keys().cloned().collect();
        self.progress.begin(if self.import.is_dry_run { "read" } else { "imported" }, all.len() as u64);
        // Sheets of workbooks that were read with these.
        let mut taken = BTreeSet::new();
        for names in all.chunks(ROOMS_AT_ONCE) {
            let names: Vec<&RoomName> = names.iter().filter(|name| !taken.contains(*name)).collect();
            let units = self.units(&names, &mut taken)?;
            let converted = convert_all(units, self.now_ms);
            self.store(converted)?;
        }
        self.progress.end();
        Ok(())
    }

    /// Reads rooms, with the rooms that may be their sheets.
    fn units(&mut self, names: &[&RoomName], taken: &mut BTreeSet<RoomName>) -> Result<Vec<Unit>, String> {
        let mut read: BTreeMap<RoomName, StoredRoom> = BTreeMap::new();
        self.read(names, &mut read)?;
        let mut units = Vec::new();
        for name in names {
            let Some(stored) = read.remove(*name) else { continue };
            let mut members = BTreeMap::new();
            if conversion::may_be_contents(&stored) {
                let listed = self.names.members(name);
                let missing: Vec<&RoomName> =
                    listed.values().map(|(room, _)| room).filter(|room| !read.contains_key(*room)).collect();
                self.read(&missing, &mut read)?;
                for (number, (room, _)) in listed {
                    if let Some(stored) = read.remove(&room) {
                        taken.insert(room.clone());
                        let is_here = self.target.has(&room)?;
                        members.insert(number, Member { room, stored, is_here });
                    }
                }
            }
            units.push(Unit { room: (*name).clone(), stored, members });
        }
        Ok(units)
    }

    fn read(&mut self, names: &[&RoomName], read: &mut BTreeMap<RoomName, StoredRoom>) -> Result<(), String> {
        let keys: Vec<&str> = names.iter().map(|name| self.names.rooms[*name].as_str()).collect();
        let rooms = self.source.rooms(&keys)?;
        for (name, room) in names.iter().zip(rooms) {
            match room {
                Ok(mut room) => {
                    self.renamed.rewrite(&mut room);
                    self.progress.bytes(room.snapshot.len());
                    read.insert((*name).clone(), room);
                }
                Err(reason) => self.report.room(name, Action::Fail, json!({ "reason": reason }))?,
            }
        }
        Ok(())
    }

    /// Decides about rooms, stores them and reports them.
    fn store(&mut self, converted: Vec<Result<Converted, Failed>>) -> Result<(), String> {
        let mut rooms = Vec::new();
        for room in converted {
            self.progress.room();
            let mut room = match room {
                Ok(room) => room,
                Err(Failed { room, reason }) => {
                    self.report.room(&room, Action::Fail, json!({ "reason": reason }))?;
                    continue;
                }
            };
            let decision = self.target.decide(&room, self.import.replaces)?;
            if decision.action.is_write() {
                self.store_triggers(&mut room)?;
                rooms.push((room, decision));
                continue;
            }
            if decision.lacks_chat
                && !self.import.is_dry_run
                && let Some(refused) = self.target.complete_chat(&room)?
            {
                self.report.room(&room.room, Action::Fail, json!({ "reason": refused.reason }))?;
                continue;
            }
            let details = json!({ "from": room.from, "reason": decision.reason });
            self.report.room(&room.room, decision.action, details)?;
        }
        let refused = match self.import.is_dry_run {
            true => Vec::new(),
            false => self.target.write(&rooms)?,
        };
        // What is reported is durable.
        for (room, decision) in &rooms {
            match refused.iter().find(|refused| refused.room == room.room) {
                Some(refused) => {
                    self.report.room(&room.room, Action::Fail, json!({ "reason": refused.reason }))?;
                }
                None => self.report_written(room, decision)?,
            }
        }
        self.report.flush()
    }

    fn report_written(&mut self, room: &Converted, decision: &Decision) -> Result<(), String> {
        self.report.counts.workbooks += u64::from(room.from.len() > 1);
        self.report.counts.messages += room.chat.len() as u64;
        let details = json!({
            "from": room.from, "reason": decision.reason, "sheets": room.sheets,
            "revisions": room.records.records.len(), "messages": room.chat.len(), "changedMs": room.time_ms,
        });
        self.report.room(&room.room, decision.action, details)?;
        room.findings.iter().try_for_each(|finding| self.report.finding(&room.room, finding))
    }

    /// Stores the times of a room's mail formulas. Before the room, so that an interrupted import does not
    /// leave them out: the room has the mark then.
    fn store_triggers(&mut self, room: &mut Converted) -> Result<(), String> {
        let from_min = self.now_ms / 60_000 - TRIGGER_AGE_MAX_MIN;
        for name in &room.trigger_names {
            for (cell, times_min) in self.triggers.times_min.get(name).into_iter().flatten() {
                let place = format!("{name}!{cell}");
                if times_min.iter().all(|time| *time < from_min) {
                    let reason = "all its times are past".to_owned();
                    room.findings.push(Finding::Trigger { cell: place, reason });
                    continue;
                }
                let stored = match self.import.is_dry_run {
                    true => Ok(()),
                    false => self.stored_triggers.set(name, *cell, times_min, from_min),
                };
                match stored {
                    Ok(()) => self.report.counts.triggers += 1,
                    Err(error) if error.code == crate::error::ErrorCode::Conflict => {
                        room.findings.push(Finding::Trigger { cell: place, reason: error.message });
                    }
                    Err(error) => return Err(error.message),
                }
            }
        }
        Ok(())
    }
}

/// Converts on all processors.
fn convert_all(units: Vec<Unit>, now_ms: i64) -> Vec<Result<Converted, Failed>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut shares: Vec<Vec<(usize, Unit)>> = (0..threads).map(|_| Vec::new()).collect();
    for (index, unit) in units.into_iter().enumerate() {
        shares[index % threads].push((index, unit));
    }
    let mut converted: Vec<(usize, Vec<Result<Converted, Failed>>)> = std::thread::scope(|scope| {
        let work = |share: Vec<(usize, Unit)>| {
            let each = |(index, unit)| (index, conversion::convert(unit, now_ms));
            share.into_iter().map(each).collect::<Vec<_>>()
        };
        let threads: Vec<_> = shares.into_iter().map(|share| scope.spawn(move || work(share))).collect();
        let ended = threads.into_iter().map(|thread| thread.join());
        ended.flat_map(|share| share.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    converted.sort_by_key(|(index, _)| *index);
    converted.into_iter().flat_map(|(_, rooms)| rooms).collect()
}
