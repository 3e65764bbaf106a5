//! EtherCalc's workbooks of several rooms: a table of contents in the room `R`, and sheets in the rooms
//! `R.1`, `R.2` …. Here they are one workbook, whose sheets have a number each.
//!
//! The number of a sheet is its name `EtherCalc_sheet`, so it stays when the sheet is renamed or moved.
//! A workbook with such a sheet shows EtherCalc's programs the table of contents as its own cells; what
//! they change there is done to the sheets.

use std::collections::BTreeSet;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_files::socialcalc_dialect::{parse_with_rooms, print_with_rooms};
use quadrille_files::{Placement, import_transaction};
use quadrille_formula::{Expression, Host, parse, scoped_name};
use quadrille_operation::{
    ClearScope, Command, Limits, Operation, Transaction, apply_operation, plan, validate_sheet_name,
};
use quadrille_protocol::RoomName;
use quadrille_workbook::{Input, Literal, Sheet, Workbook};

use crate::error::{ApiError, ErrorCode};
use crate::room_name;
use crate::rooms::Rooms;

/// The name in a sheet that holds its number.
const NUMBER: &str = "EtherCalc_sheet";
/// Links of a table of contents; each is looked up.
const SHEETS_MAX: usize = 200;
const HEADER: [&str; 2] = ["#url", "#title"];

/// The sheet that a request means, when its path names EtherCalc's room of one sheet.
#[derive(Clone, Debug)]
pub struct AddressedSheet {
    /// The workbook.
    pub room: RoomName,
    /// The name in the path, `R.1`.
    pub name: RoomName,
    pub sheet: SheetId,
}

/// Finds the sheet that a name such as `R.1` means: a sheet of the workbook `R`, if there is no room
/// of this name.
///
/// # Errors
///
/// Fails when the rooms cannot be read.
pub async fn addressed_sheet(rooms: &Rooms, name: &str) -> Result<Option<AddressedSheet>, ApiError> {
    let Some(NamedSheet { own, workbook: room, number }) = named_sheet(name) else { return Ok(None) };
    if rooms.exists(&own).await? || !rooms.exists(&room).await? {
        return Ok(None);
    }
    let reading = match rooms.read_inputs(&room).await {
        Ok(reading) => reading,
        Err(error) if error.code == ErrorCode::NoSuchRoom => return Ok(None),
        Err(error) => return Err(error),
    };
    let sheet = sheet_with_number(&reading.workbook, number);
    Ok(sheet.map(|sheet| AddressedSheet { room, name: own, sheet }))
}

/// The workbook that a name means, and the number of its sheet for EtherCalc's name of one. Reads no
/// workbook, which another server may run; whether it has the sheet is known by
/// [`sheet_with_number`].
///
/// # Errors
///
/// Fails when the storage cannot be read.
pub async fn addressed_number(rooms: &Rooms, name: RoomName) -> Result<(RoomName, Option<u32>), ApiError> {
    match named_sheet(name.as_str()) {
        Some(NamedSheet { own, workbook, number })
            if !rooms.exists(&own).await? && rooms.exists(&workbook).await? =>
        {
            Ok((workbook, Some(number)))
        }
        _ => Ok((name, None)),
    }
}

/// What a name such as `R.1` can mean.
pub struct NamedSheet {
    /// The room of this name.
    pub own: RoomName,
    /// The workbook `R`, if there is no such room.
    pub workbook: RoomName,
    /// The number of the sheet there.
    pub number: u32,
}

/// Takes a name such as `R.1` apart.
pub fn named_sheet(name: &str) -> Option<NamedSheet> {
    let (workbook, number) = name.rsplit_once('.')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
    let number = number.parse::<u32>().ok().filter(|_| is_number)?;
    Some(NamedSheet { own: room_name::parse(name).ok()?, workbook: room_name::parse(workbook).ok()?, number })
}

/// Whether a table of contents can become the sheets of `workbook`: it links to sheets of this workbook
/// only, to one at least, and its new ones are no rooms of their own.
///
/// # Errors
///
/// Fails when the rooms cannot be read.
pub async fn can_be_sheets(
    rooms: &Rooms,
    room: &RoomName,
    workbook: &Workbook,
    contents: &Workbook,
) -> Result<bool, ApiError> {
    let Ok(entries) = entries(room, contents) else { return Ok(false) };
    for entry in &entries {
        if sheet_with_number(workbook, entry.number).is_none() {
            let name = room_name::parse(&format!("{room}.{}", entry.number))?;
            if rooms.exists(&name).await? {
                return Ok(false);
            }
        }
    }
    Ok(!entries.is_empty())
}

/// Whether EtherCalc's programs see the workbook as several rooms.
pub fn is_of_several_rooms(workbook: &Workbook) -> bool {
    workbook.sheets().iter().any(|sheet| stored_number(workbook, sheet.id()).is_some())
}

fn stored_number(workbook: &Workbook, sheet: SheetId) -> Option<u32> {
    match workbook.name(&scoped_name(sheet, NUMBER))?.expression() {
        Expression::Number(number) if *number >= 1.0 && *number <= f64::from(u32::MAX) => {
            Some(*number as u32)
        }
        _ => None,
    }
}

/// The number of a sheet of a workbook of several rooms. Sheets that were added by other programs have
/// their identity as number.
fn number(workbook: &Workbook, sheet: SheetId) -> u32 {
    stored_number(workbook, sheet).unwrap_or(sheet.0)
}

/// The sheet of a workbook of several rooms that has this number.
pub fn sheet_with_number(workbook: &Workbook, wanted: u32) -> Option<SheetId> {
    if !is_of_several_rooms(workbook) {
        return None;
    }
    let ids = || workbook.sheets().iter().map(|sheet| sheet.id());
    let stored = ids().find(|id| stored_number(workbook, *id) == Some(wanted));
    stored.or_else(|| ids().find(|id| stored_number(workbook, *id).is_none() && id.0 == wanted))
}

fn number_sheet(sheet: SheetId, number: u32) -> Operation {
    let host = Host { sheet, cell: CellAddress::default() };
    let definition = parse(&number.to_string(), host, &Workbook::new());
    Operation::DefineName { name: scoped_name(sheet, NUMBER).into(), definition: Some(definition) }
}

/// Gives the sheets of an imported workbook the numbers from 1.
pub fn number_sheets(workbook: &mut Workbook) {
    let ids: Vec<SheetId> = workbook.sheets().iter().map(|sheet| sheet.id()).collect();
    for (number, id) in (1..).zip(ids) {
        apply_operation(workbook, &number_sheet(id, number));
    }
}

/// The table of contents of a workbook, as EtherCalc keeps it in the first sheet of `room`.
pub fn contents(room: &RoomName, workbook: &Workbook) -> Workbook {
    let mut inputs: Vec<Input> = HEADER.map(text_input).into();
    for sheet in workbook.sheets() {
        let link = format!("/{room}.{}", number(workbook, sheet.id()));
        inputs.extend([text_input(&link), text_input(sheet.name())]);
    }
    let mut contents = Workbook::new();
    let sheet = contents.sheets()[0].id();
    let rows = (inputs.len() / HEADER.len()) as u32;
    let range = Range::from_indices(0, 0, rows - 1, 1).expect("a workbook has fewer sheets than rows");
    apply_operation(&mut contents, &Operation::SetCells { sheet, range, inputs });
    contents
}

/// A workbook of several rooms whose sheets have the names of their rooms, such as `sales.1`: formulas of
/// EtherCalc's programs refer to sheets by these. Another workbook stays as it is.
pub fn with_room_names(room: &RoomName, mut workbook: Workbook) -> Workbook {
    if is_of_several_rooms(&workbook) {
        let ids: Vec<SheetId> = workbook.sheets().iter().map(|sheet| sheet.id()).collect();
        for id in ids {
            // Not if this is the title of another sheet.
            workbook.rename_sheet(id, &format!("{room}.{}", number(&workbook, id)));
        }
    }
    workbook
}

/// Whether a workbook is a table of contents and nothing else.
pub fn is_contents(workbook: &Workbook) -> bool {
    let [sheet] = workbook.sheets() else { return false };
    let first = (0..sheet.used_range().map_or(0, |used| used.last().row.get() + 1))
        .find(|row| !text(sheet, *row, 0).is_empty());
    first.is_some_and(|row| text(sheet, row, 0) == HEADER[0] && text(sheet, row, 1) == HEADER[1])
}

/// Whether a workbook may become one of several rooms: it has no content.
pub fn is_blank(workbook: &Workbook) -> bool {
    matches!(workbook.sheets(), [sheet] if sheet.used_range().is_none())
}

fn text_input(text: &str) -> Input {
    Input::Value(Literal::Text(text.into()))
}

fn text(sheet: &Sheet, row: u32, column: u32) -> String {
    let address = CellAddress::new(row, column).expect("within the used range");
    match sheet.input(address) {
        Input::Value(Literal::Text(text)) => text.to_string(),
        _ => String::new(),
    }
}

/// A row of a table of contents.
struct Entry {
    number: u32,
    title: String,
}

/// The rows with a link; of rows with the same one, the first.
fn entries(room: &RoomName, contents: &Workbook) -> Result<Vec<Entry>, ApiError> {
    let sheet = &contents.sheets()[0];
    let rows = sheet.used_range().map_or(0, |used| used.last().row.get() + 1);
    let (mut entries, mut seen) = (Vec::new(), BTreeSet::new());
    for row in 0..rows {
        let link = text(sheet, row, 0);
        if link.is_empty() || link.starts_with('#') {
            continue;
        }
        let own = link.strip_prefix('/').and_then(|link| link.strip_prefix(room.as_str()));
        let number = own.and_then(|rest| rest.strip_prefix('.')).and_then(|number| number.parse().ok());
        let number: u32 = number.filter(|number| *number > 0).ok_or_else(|| {
            let message = format!("row {}: not a sheet of this workbook, such as /{room}.1: {link}", row + 1);
            ApiError::new(ErrorCode::BadRequest, message)
        })?;
        if entries.len() >= SHEETS_MAX {
            let message = format!("a table of contents has at most {SHEETS_MAX} links");
            return Err(ApiError::new(ErrorCode::BadRequest, message));
        }
        if seen.insert(number) {
            let title = Some(text(sheet, row, 1)).filter(|title| !title.is_empty());
            entries.push(Entry { number, title: title.unwrap_or_else(|| format!("Sheet{number}")) });
        }
    }
    Ok(entries)
}

/// The numbers of the sheets to which a table of contents links.
///
/// # Errors
///
/// Fails when a link is not one of the workbook's.
pub fn linked_sheets(room: &RoomName, contents: &Workbook) -> Result<BTreeSet<u32>, ApiError> {
    Ok(entries(room, contents)?.into_iter().map(|entry| entry.number).collect())
}

/// Makes the sheets of a workbook those of a table of contents: adds, renames and removes them.
///
/// # Errors
///
/// Fails when a link is not one of the workbook's, and when no sheet would be left.
pub fn apply_contents(
    room: &RoomName,
    workbook: &Workbook,
    contents: &Workbook,
    new_sheet: &mut dyn FnMut() -> SheetId,
) -> Result<Transaction, ApiError> {
    let entries = entries(room, contents)?;
    if entries.is_empty() {
        return Err(ApiError::new(ErrorCode::BadRequest, "a workbook has at least one sheet"));
    }
    let mut operations = Vec::new();
    let is_new = !is_of_several_rooms(workbook);
    for (index, entry) in entries.iter().enumerate() {
        validate_sheet_name(&entry.title, &Limits::DEFAULT)
            .map_err(|error| ApiError::new(ErrorCode::BadRequest, error.to_string()))?;
        let name: Arc<str> = entry.title.as_str().into();
        let known = match is_new {
            // The blank sheet of a new workbook is its first one.
            true => (index == 0).then(|| workbook.sheets()[0].id()),
            false => sheet_with_number(workbook, entry.number),
        };
        let sheet = known.unwrap_or_else(&mut *new_sheet);
        if known.is_none() {
            let position = workbook.sheets().len() as u32 + index as u32;
            operations.push(Operation::AddSheet { sheet, name, position });
        } else if workbook.sheet(sheet).is_some_and(|sheet| *sheet.name() != name) {
            operations.push(Operation::RenameSheet { sheet, name });
        }
        if stored_number(workbook, sheet) != Some(entry.number) {
            operations.push(number_sheet(sheet, entry.number));
        }
    }
    let kept: BTreeSet<u32> = entries.iter().map(|entry| entry.number).collect();
    let removed = workbook.sheets().iter().filter(|_| !is_new);
    let removed = removed.filter(|sheet| !kept.contains(&number(workbook, sheet.id())));
    operations.extend(removed.map(|sheet| Operation::RemoveSheet { sheet: sheet.id() }));
    Ok(Transaction { operations })
}

/// Replaces the contents of one sheet by those of the first sheet of a file. Its name and number stay,
/// and what refers to it. Its formulas refer to other sheets by the names of their rooms.
pub fn replace_sheet(
    room: &RoomName,
    workbook: &Workbook,
    id: SheetId,
    mut file: Workbook,
) -> Result<Transaction, ApiError> {
    let Some(sheet) = workbook.sheet(id) else { return Ok(Transaction::default()) };
    let others: Vec<SheetId> = file.sheets().iter().skip(1).map(|sheet| sheet.id()).collect();
    for other in others {
        file.remove_sheet(other);
    }
    let range = Range::whole_sheet().to_string();
    let clear = Command::Clear { sheet: id.0, range, what: ClearScope::All };
    let cleared = plan(&clear, workbook, &mut || id);
    let cleared = cleared.map_err(|error| ApiError::new(ErrorCode::BadRequest, error.to_string()))?;
    let mut operations = cleared.operations;
    for dimension in [Dimension::Rows, Dimension::Columns] {
        let count = dimension.len_max();
        operations.push(Operation::SetSizes { sheet: id, dimension, first: 0, count, size: None });
        operations.push(Operation::SetHidden { sheet: id, dimension, first: 0, count, is_hidden: false });
    }
    let items = sheet.items().iter().map(|(item, _)| Operation::RemoveItem { sheet: Some(id), item });
    operations.extend(items);
    let imported = import_transaction(&file, workbook, Placement::Append, &mut || id);
    let number = scoped_name(id, NUMBER);
    operations.extend(imported.operations.into_iter().filter(|operation| match operation {
        Operation::AddSheet { .. } => false,
        Operation::DefineName { name, .. } => **name != *number,
        _ => true,
    }));
    let named = with_room_names(room, workbook.clone());
    for operation in &mut operations {
        match operation {
            Operation::SetCells { range, inputs, .. } => {
                for (cell, input) in range.cells().zip(inputs.iter_mut()) {
                    resolve_names(input, Host { sheet: id, cell }, &named);
                }
            }
            Operation::FillCells { range, input, .. } => {
                resolve_names(input, Host { sheet: id, cell: range.first() }, &named);
            }
            _ => {}
        }
    }
    Ok(Transaction { operations })
}

/// Lets a formula refer to the sheets that its names mean.
fn resolve_names(input: &mut Input, host: Host, named: &Workbook) {
    if let Input::Formula(template) = input {
        let text = print_with_rooms(template, host, named);
        if text.contains('!') {
            *template = parse_with_rooms(&text, host, named);
        }
    }
}

/// The workbook with this sheet first, for formats with all sheets.
pub fn with_sheet_first(mut workbook: Workbook, sheet: SheetId) -> Workbook {
    workbook.move_sheet(sheet, 0);
    workbook
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room() -> RoomName {
        room_name::parse("sales").expect("a name")
    }

    /// A table of contents with these rows below its header.
    fn table(rows: &[[&str; 2]]) -> Workbook {
        let mut workbook = Workbook::new();
        let sheet = workbook.sheets()[0].id();
        let rows = [&[HEADER][..], rows].concat();
        let range = Range::from_indices(0, 0, rows.len() as u32 - 1, 1).expect("a range");
        let inputs = rows.iter().flatten().map(|text| text_input(text)).collect();
        apply_operation(&mut workbook, &Operation::SetCells { sheet, range, inputs });
        workbook
    }

    /// The sheets after each of these tables was written, and their numbers.
    fn sheets(tables: &[&[[&str; 2]]]) -> Vec<(u32, String)> {
        let mut workbook = Workbook::new();
        let mut last = 100;
        for rows in tables {
            let mut new_sheet = || {
                last += 1;
                SheetId(last)
            };
            let table = table(rows);
            let transaction = apply_contents(&room(), &workbook, &table, &mut new_sheet).expect("valid");
            quadrille_operation::apply(&mut workbook, &transaction);
        }
        let all = workbook.sheets().iter();
        all.map(|sheet| (number(&workbook, sheet.id()), sheet.name().to_string())).collect()
    }

    #[test]
    fn a_table_of_contents_becomes_sheets() {
        let two: &[[&str; 2]] = &[["/sales.1", "North"], ["/sales.2", ""]];
        assert_eq!(sheets(&[two]), [(1, "North".to_owned()), (2, "Sheet2".to_owned())]);
        let renamed: &[[&str; 2]] = &[["/sales.2", "South"], ["/sales.3", "East"], ["/sales.3", "again"]];
        assert_eq!(sheets(&[two, renamed]), [(2, "South".to_owned()), (3, "East".to_owned())]);
    }

    #[test]
    fn a_link_to_elsewhere_is_refused() {
        for link in ["/other.1", "/sales", "/sales.0", "/sales.x", "https://example.org/sales.1"] {
            let table = table(&[[link, "x"]]);
            let error = apply_contents(&room(), &Workbook::new(), &table, &mut || SheetId(9));
            assert!(error.expect_err("refused").message.contains(link), "{link}");
        }
    }

    #[test]
    fn the_table_of_contents_has_the_sheets_that_others_added() {
        let mut workbook = Workbook::new();
        number_sheets(&mut workbook);
        workbook.add_sheet(SheetId(77), "Notes", 1);
        let contents = contents(&room(), &workbook);
        assert!(is_contents(&contents));
        let sheet = &contents.sheets()[0];
        assert_eq!((text(sheet, 1, 0), text(sheet, 1, 1)), ("/sales.1".to_owned(), "Sheet1".to_owned()));
        assert_eq!((text(sheet, 2, 0), text(sheet, 2, 1)), ("/sales.77".to_owned(), "Notes".to_owned()));
        assert_eq!(sheet_with_number(&workbook, 77), Some(SheetId(77)));
        assert_eq!(sheet_with_number(&workbook, 3), None);
    }
}
