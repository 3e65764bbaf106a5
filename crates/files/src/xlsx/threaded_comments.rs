//! Threaded comments of Excel 365 ([MS-XLSX] 2.6.205 and 2.6.208): read into comment threads, and
//! written beside the notes that older programs show.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use quadrille_cell::{CellAddress, Range};
use quadrille_number_format::date::{Civil, civil_from_serial, serial_from_civil};
use quadrille_workbook::{Field, Item, ItemId, ItemKind, Sheet, Workbook};
use quick_xml::escape::escape;

use super::added_parts::{AddedParts, DECLARATION};
use super::archive::{Archive, Part};
use super::workbook_part::Relationship;
use super::xml::Node;
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;
use crate::limits::TEXT_LENGTH_MAX;

/// Authors of one file, at most; comments of further ones have no author.
const PERSONS_MAX: usize = 10_000;
/// Characters of the name of an author.
const AUTHOR_LENGTH_MAX: usize = 255;
const NAMESPACE: &str = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments";
const RELATIONSHIPS: &str = "http://schemas.microsoft.com/office/2017/10/relationships";
/// The beginning of the author of a note that stands for a thread; the identity of the thread follows.
pub(super) const NOTE_AUTHOR: &str = "tc=";
/// What Excel writes at the beginning of such a note.
const NOTE_START: &str = "[Threaded comment]\n\nYour version of Excel allows you to read this threaded \
    comment; however, any edits to it will get removed if the file is opened in a newer version of \
    Excel. Learn more: https://go.microsoft.com/fwlink/?linkid=870924\n\nComment:\n    ";

/// The names of authors by the identities that comments refer to.
pub(super) type Persons = HashMap<String, String>;

/// Reads the part with the authors of the threaded comments.
pub(super) fn persons(archive: &mut Archive, links: &[Relationship]) -> Result<Persons, FileError> {
    let mut persons = Persons::new();
    let Some(link) = links.iter().find(|link| link.kind == "person") else { return Ok(persons) };
    let Some(mut part) = archive.part(&link.target)? else { return Ok(persons) };
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "person" => {
                let (id, name) = (element.attribute("id"), element.attribute("displayName"));
                if let (Some(id), Some(name)) = (id, name)
                    && persons.len() < PERSONS_MAX
                {
                    persons.insert(id.to_lowercase(), name.chars().take(AUTHOR_LENGTH_MAX).collect());
                }
            }
            Node::EndOfPart => return Ok(persons),
            _ => {}
        }
    }
}

/// Reads the threads of a sheet. A reply whose first comment is missing begins a thread.
pub(super) fn read(mut part: Part, persons: &Persons, contents: &mut Contents) -> Result<(), FileError> {
    // Indexes of the threads by the identity of their first comment.
    let mut threads: HashMap<String, usize> = HashMap::new();
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "threadedComment" => {
                let cell = element.attribute("ref").and_then(|cell| CellAddress::parse_a1(&cell).ok());
                let identity = |name: &str| element.attribute(name).map(|id| id.to_lowercase());
                let (id, parent) = (identity("id").unwrap_or_default(), identity("parentId"));
                let mut fields = FieldTexts::default();
                let author = identity("personId").and_then(|person| persons.get(&person));
                fields.text(Field::Author, author.cloned());
                let time = element.attribute("dT").and_then(|time| time_ms(&time));
                fields.number(Field::Time, time.map(|time| time as f64));
                let is_resolved = element.flag("done");
                let text = comment_text(&mut part)?;
                let Some(cell) = cell else { continue };
                let thread = match parent.and_then(|parent| threads.get(&parent)) {
                    Some(thread) => *thread,
                    None => {
                        let mut fields = fields.clone();
                        fields.flag(Field::Resolved, is_resolved, false);
                        let anchors = vec![Range::cell(cell)];
                        let item =
                            ItemContents { kind: ItemKind::CommentThread, anchors, fields, parent: None };
                        let thread = contents.put_item(item);
                        threads.insert(id, thread);
                        thread
                    }
                };
                fields.text(Field::Text, Some(text.chars().take(TEXT_LENGTH_MAX).collect::<String>()));
                let anchors = Vec::new();
                let parent = Some(thread);
                contents.put_item(ItemContents { kind: ItemKind::Comment, anchors, fields, parent });
            }
            Node::EndOfPart => return Ok(()),
            _ => {}
        }
    }
}

/// The text of a comment, read up to its end. People who are mentioned stay in the text.
fn comment_text(part: &mut Part) -> Result<String, FileError> {
    let mut text = String::new();
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "text" => text = part.text()?,
            node if node.ends("threadedComment") => return Ok(text),
            Node::EndOfPart => return Ok(text),
            _ => {}
        }
    }
}

/// The serial number of 1 January 1970.
const EPOCH_SERIAL: i64 = 25_569;
const DAY_MS: i64 = 86_400_000;

/// Milliseconds since 1970-01-01 00:00 UTC of a time such as `2026-03-05T09:12:33.45`.
fn time_ms(text: &str) -> Option<i64> {
    let (date, time) = text.trim().trim_end_matches('Z').split_once('T')?;
    let mut date = date.splitn(3, '-');
    let (year, month) = (date.next()?.parse().ok()?, date.next()?.parse().ok()?);
    let serial = serial_from_civil(Civil { year, month, day: date.next()?.parse().ok()? })?;
    let mut time = time.splitn(3, ':');
    let (hour, minute): (i64, i64) = (time.next()?.parse().ok()?, time.next()?.parse().ok()?);
    let second: f64 = time.next().unwrap_or("0").parse().ok()?;
    let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0.0..61.0).contains(&second);
    let milliseconds = (hour * 60 + minute) * 60_000 + (second * 1_000.0).round() as i64;
    is_time.then_some((serial - EPOCH_SERIAL) * DAY_MS + milliseconds).filter(|time| *time >= 0)
}

/// A time as Excel writes it; empty for times that it does not have.
fn time_text(time_ms: f64) -> String {
    let time = time_ms as i64;
    let Some(Civil { year, month, day }) = civil_from_serial(time.div_euclid(DAY_MS) + EPOCH_SERIAL) else {
        return String::new();
    };
    let time = time.rem_euclid(DAY_MS);
    let (hour, minute, second) = (time / 3_600_000, time / 60_000 % 60, time / 1_000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}", time % 1_000)
}

/// The comments of a cell, oldest first: those of all its threads, because a cell of a file has one.
pub(crate) struct CellThread<'a> {
    sheet: &'a Sheet,
    is_resolved: bool,
    comments: Vec<(ItemId, &'a Item)>,
}

/// The threads of a sheet that have a comment, by their cells.
pub(crate) fn threads(sheet: &Sheet) -> BTreeMap<CellAddress, CellThread<'_>> {
    let mut threads: BTreeMap<CellAddress, CellThread> = BTreeMap::new();
    let mut cells: HashMap<ItemId, CellAddress> = HashMap::new();
    for (id, item) in sheet.items().of_kind(ItemKind::CommentThread) {
        let Some(cell) = item.anchors.first().map(|anchor| anchor.first()) else { continue };
        cells.insert(id, cell);
        let is_resolved = item.boolean(Field::Resolved) == Some(true);
        let new = || CellThread { sheet, is_resolved: true, comments: Vec::new() };
        threads.entry(cell).or_insert_with(new).is_resolved &= is_resolved;
    }
    for (id, item) in sheet.items().of_kind(ItemKind::Comment) {
        let cell = item.parent().and_then(|parent| cells.get(&parent));
        let has_text = item.text(Field::Text).is_some_and(|text| !text.is_empty());
        if let Some(thread) = cell.and_then(|cell| threads.get_mut(cell)).filter(|_| has_text) {
            thread.comments.push((id, item));
        }
    }
    threads.retain(|_, thread| !thread.comments.is_empty());
    for thread in threads.values_mut() {
        let time = |item: &Item| item.number(Field::Time).unwrap_or(0.0);
        thread.comments.sort_by(|a, b| time(a.1).total_cmp(&time(b.1)));
    }
    threads
}

impl CellThread<'_> {
    /// The identity of a comment, which only this file must not have twice.
    fn identity(&self, ItemId(id): ItemId) -> String {
        let sheet = self.sheet.id().0;
        format!("{{{sheet:08X}-{:04X}-4000-8000-{:012X}}}", id >> 48, id & 0xffff_ffff_ffff)
    }

    /// The author of the note that stands for the thread.
    pub fn note_author(&self) -> String {
        let first = self.comments.first().expect("a thread has a comment");
        format!("{NOTE_AUTHOR}{}", self.identity(first.0))
    }

    /// The text of the note that stands for the thread in older programs.
    pub fn note_text(&self) -> String {
        let texts = self.comments.iter().filter_map(|(_, comment)| comment.text(Field::Text));
        NOTE_START.to_owned() + &texts.map(|text| &**text).collect::<Vec<_>>().join("\nReply:\n    ")
    }
}

/// Adds the threads of all sheets, and their authors.
pub(super) fn add_threads(workbook: &Workbook, added: &mut AddedParts) {
    let mut persons: Vec<String> = Vec::new();
    let mut number = 0;
    for (index, sheet) in workbook.sheets().iter().enumerate() {
        let threads = threads(sheet);
        if threads.is_empty() {
            continue;
        }
        number += 1;
        let mut text = format!("{DECLARATION}<ThreadedComments xmlns=\"{NAMESPACE}\">");
        for (cell, thread) in &threads {
            thread.write(*cell, &mut persons, &mut text);
        }
        let (target, kind) = (
            format!("threadedComments/threadedComment{number}.xml"),
            format!("{RELATIONSHIPS}/threadedComment"),
        );
        let part = added.sheet_part(index);
        added.link(&part, "rIdThreads", &kind, &format!("../{target}"));
        let content = "application/vnd.ms-excel.threadedcomments+xml";
        added.add(&format!("xl/{target}"), content, text + "</ThreadedComments>");
    }
    if number == 0 {
        return;
    }
    let mut text = format!("{DECLARATION}<personList xmlns=\"{NAMESPACE}\">");
    for (index, name) in persons.iter().enumerate() {
        let (name, id) = (escape(name.as_str()), person_identity(index));
        let _infallible =
            write!(text, r#"<person displayName="{name}" id="{id}" userId="{name}" providerId="None"/>"#);
    }
    let kind = format!("{RELATIONSHIPS}/person");
    added.link("xl/workbook.xml", "rIdPersons", &kind, "persons/person.xml");
    added.add("xl/persons/person.xml", "application/vnd.ms-excel.person+xml", text + "</personList>");
    added.change_below("xl/comments", with_identities);
}

fn person_identity(index: usize) -> String {
    format!("{{00000000-0000-4000-9000-{:012X}}}", index + 1)
}

impl CellThread<'_> {
    fn write(&self, cell: CellAddress, persons: &mut Vec<String>, text: &mut String) {
        let mut parent = String::new();
        for (id, comment) in &self.comments {
            let author = comment.text(Field::Author).map_or("", |author| author);
            let person = persons.iter().position(|person| person == author).unwrap_or_else(|| {
                persons.push(author.to_owned());
                persons.len() - 1
            });
            let (person, id) = (person_identity(person), self.identity(*id));
            let time = comment.number(Field::Time).map(time_text).filter(|time| !time.is_empty());
            let time = time.map(|time| format!(r#" dT="{time}""#)).unwrap_or_default();
            let state = match (parent.is_empty(), self.is_resolved) {
                (true, true) => r#" done="1""#,
                _ => "",
            };
            let body = escape(comment.text(Field::Text).map_or("", |text| text));
            let _infallible = write!(
                text,
                r#"<threadedComment ref="{cell}"{time} personId="{person}" id="{id}"{parent}{state}><text>{body}</text></threadedComment>"#
            );
            if parent.is_empty() {
                parent = format!(r#" parentId="{id}""#);
            }
        }
    }
}

/// Gives the notes that stand for threads the identities by which Excel finds them.
fn with_identities(text: &str) -> String {
    const NAMESPACES: &str = r#"<comments xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="xr" xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision""#;
    const AUTHOR: &str = " authorId=\"";
    let authors = text.split("<author>").skip(1).filter_map(|rest| rest.split("</author>").next());
    let identities: Vec<Option<&str>> = authors.map(|author| author.strip_prefix(NOTE_AUTHOR)).collect();
    let text = text.replacen("<comments", NAMESPACES, 1);
    // In one pass, because a sheet may have many threads.
    let mut pieces = text.split(AUTHOR);
    let mut changed = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        changed.push_str(AUTHOR);
        let number = piece.split_once("\">");
        let identity = number.and_then(|(index, _)| *identities.get(index.parse::<usize>().ok()?)?);
        match (number, identity) {
            (Some((index, rest)), Some(id)) => {
                let _infallible = write!(changed, r#"{index}" shapeId="0" xr:uid="{id}">{rest}"#);
            }
            _ => changed.push_str(piece),
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_comments_are_those_of_the_calendar() {
        // date -u -d @1583399553
        assert_eq!(time_ms("2020-03-05T09:12:33.45"), Some(1_583_399_553_450));
        assert_eq!(time_text(1_583_399_553_450.0), "2020-03-05T09:12:33.450");
        assert_eq!(time_ms("1970-01-01T00:00:00"), Some(0));
        for text in ["", "2020-03-05", "2020-13-05T00:00:00", "2020-03-05T25:00:00", "1969-12-31T00:00:00"] {
            assert_eq!(time_ms(text), None, "{text}");
        }
        assert_eq!(time_text(f64::MAX), "");
    }
}
