//! Reads the parts that belong to a worksheet: notes and tables.

use quadrille_cell::{CellAddress, Range};
use quadrille_workbook::{Field, ItemKind};

use super::archive::Part;
use super::filters;
use super::styles::Styles;
use super::threaded_comments::NOTE_AUTHOR;
use super::xml::Node;
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;

const AUTHORS_MAX: usize = 10_000;
/// Characters of a note, at most; the same as of a cell.
const NOTE_LENGTH_MAX: usize = 32_767;

/// Reads a comments part: each comment becomes a note, except those that stand for threads of the sheet.
pub fn notes(mut part: Part, has_threads: bool, contents: &mut Contents) -> Result<(), FileError> {
    let mut authors: Vec<String> = Vec::new();
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "author" => {
                let author = part.text()?;
                if authors.len() < AUTHORS_MAX {
                    authors.push(author);
                }
            }
            Node::Start(element) if element.name() == "comment" => {
                let cell = element.attribute("ref").and_then(|cell| CellAddress::parse_a1(&cell).ok());
                let author = element.number::<usize>("authorId").and_then(|author| authors.get(author));
                let author = author.cloned();
                let text = note_text(&mut part)?;
                let stands_for_thread =
                    has_threads && author.as_ref().is_some_and(|author| author.starts_with(NOTE_AUTHOR));
                let Some(cell) = cell.filter(|_| !stands_for_thread) else { continue };
                let mut fields = FieldTexts::default();
                fields.text(Field::Text, Some(text.chars().take(NOTE_LENGTH_MAX).collect::<String>()));
                fields.text(Field::Author, author.map(|author| author.chars().take(255).collect::<String>()));
                let anchors = vec![Range::cell(cell)];
                contents.put_item(ItemContents { kind: ItemKind::Note, anchors, fields, parent: None });
            }
            Node::EndOfPart => return Ok(()),
            _ => {}
        }
    }
}

/// The text of a comment, read up to its end.
fn note_text(part: &mut Part) -> Result<String, FileError> {
    let mut text = String::new();
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "t" => text += &part.text()?,
            node if node.ends("comment") => return Ok(text),
            Node::EndOfPart => return Ok(text),
            _ => {}
        }
    }
}

/// What slicers need of a table that was read.
pub struct ReadTable {
    pub id: u32,
    /// The header and the rows below it without totals; `None` without a header.
    pub filtered: Option<Range>,
    /// The ids of the columns in their order.
    pub columns: Vec<u32>,
}

/// Reads a table part. Returns `None` if it is none.
pub fn table(
    mut part: Part,
    styles: &Styles,
    contents: &mut Contents,
) -> Result<Option<ReadTable>, FileError> {
    let mut table: Option<usize> = None;
    let mut area: Option<Range> = None;
    let mut read: Option<ReadTable> = None;
    let mut column = 0;
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "table" => {
                    area = element.attribute("ref").and_then(|area| Range::parse_a1(&area).ok());
                    let Some(area) = area else { return Ok(None) };
                    let mut fields = FieldTexts::default();
                    let name = element.attribute("displayName").or_else(|| element.attribute("name"));
                    fields.text(Field::Name, name);
                    let headers = element.number::<u32>("headerRowCount").unwrap_or(1);
                    fields.flag(Field::HeaderRow, Some(headers > 0), true);
                    let totals = element.number::<u32>("totalsRowCount").unwrap_or(0);
                    fields.flag(Field::TotalRow, Some(totals > 0), false);
                    let filtered = without_totals(area, totals).filter(|_| headers > 0);
                    read = element.number("id").map(|id| ReadTable { id, filtered, columns: Vec::new() });
                    let anchors = vec![area];
                    let item = ItemContents { kind: ItemKind::Table, anchors, fields, parent: None };
                    table = Some(contents.put_item(item));
                }
                "autoFilter" => {
                    let range = element.attribute("ref").and_then(|range| Range::parse_a1(&range).ok());
                    if let Some(range) = range {
                        filters::read_of_table(&mut part, range, styles, contents)?;
                    }
                }
                "tableColumn" => {
                    let (Some(area), Some(table)) = (area, table) else { continue };
                    if let Some(read) = &mut read
                        && read.columns.len() < area.column_count() as usize
                    {
                        read.columns.push(element.number("id").unwrap_or(column + 1));
                    }
                    let first = area.first();
                    let header = CellAddress::new(first.row.get(), first.column.get().saturating_add(column));
                    column += 1;
                    let Some(header) = header.filter(|header| area.contains(*header)) else { continue };
                    let mut fields = FieldTexts::default();
                    fields.text(Field::Name, element.attribute("name"));
                    let function = element.attribute("totalsRowFunction");
                    fields.text(Field::TotalFunction, function.as_deref().map(total_function));
                    fields.text(Field::TotalLabel, element.attribute("totalsRowLabel"));
                    contents.put_item(ItemContents {
                        kind: ItemKind::TableColumn,
                        anchors: vec![Range::cell(header)],
                        fields,
                        parent: Some(table),
                    });
                }
                "tableStyleInfo" => {
                    let sheet = contents.sheets.last_mut().expect("the sheet was added before its tables");
                    let Some(item) = table.and_then(|table| sheet.items.get_mut(table)) else { continue };
                    item.fields.text(Field::Style, element.attribute("name"));
                    item.fields.flag(Field::BandedRows, element.flag("showRowStripes"), false);
                    item.fields.flag(Field::BandedColumns, element.flag("showColumnStripes"), false);
                    item.fields.flag(Field::FirstColumn, element.flag("showFirstColumn"), false);
                    item.fields.flag(Field::LastColumn, element.flag("showLastColumn"), false);
                }
                _ => {}
            },
            Node::EndOfPart => return Ok(read),
            _ => {}
        }
    }
}

fn without_totals(area: Range, totals: u32) -> Option<Range> {
    let (first, last) = (area.first(), area.last());
    let bottom = last.row.get().checked_sub(totals).filter(|bottom| *bottom >= first.row.get())?;
    Range::from_indices(first.row.get(), first.column.get(), bottom, last.column.get())
}

fn total_function(name: &str) -> &'static str {
    match name {
        "sum" => "sum",
        "average" => "average",
        "count" => "count",
        "countNums" => "countNumbers",
        "min" => "minimum",
        "max" => "maximum",
        "stdDev" => "deviation",
        "var" => "variance",
        "custom" => "custom",
        _ => "none",
    }
}
