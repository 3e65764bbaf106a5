//! The arguments of IMPORTRANGE: a workbook of this server, and a range in it.

use quadrille_cell::{Array, CellAddress, Range, SheetId, Value};
use quadrille_formula::{Area, Expression, Host, SheetReference, Template, parse, resolve_area};
use quadrille_protocol::RoomName;
use quadrille_workbook::{ImportFailure, Imported, Workbook};

use crate::http::ethercalc_workbook::{sheet_with_number, with_sheet_first};
use crate::limits;
use crate::room_name;

/// The workbook that a text names: by its name, or by its address on this server. `is_own_host` says
/// whether a host name, with its port, is one of this server.
pub fn workbook_named(text: &str, is_own_host: impl Fn(&str) -> bool) -> Option<RoomName> {
    let is_address =
        |scheme: &&str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    let Some(scheme) = ["https://", "http://"].into_iter().find(is_address) else {
        let name = text.strip_prefix('/').unwrap_or(text);
        return room_name::parse(name.strip_prefix('=').unwrap_or(name)).ok();
    };
    let (host, path) = text[scheme.len()..].split_once('/')?;
    if !is_own_host(host) {
        return None;
    }
    // Below the path of a tenant, the last segment is the workbook. Access decides about tenants.
    let path = path.split(['?', '#']).next()?.trim_end_matches('/');
    let segment = path.rsplit('/').next()?;
    room_name::parse(segment.strip_prefix('=').unwrap_or(segment)).ok()
}

/// The values of a range of a workbook, as [`values_of`]; with the number of a sheet in EtherCalc's name of
/// it, `sales.2`, ranges without a sheet are of that one.
///
/// # Errors
/// As [`values_of`]; `NotFound` also when there is no such sheet.
pub fn values_of_sheet(
    workbook: &Workbook,
    number: Option<u32>,
    range: &str,
) -> Result<Array, ImportFailure> {
    let Some(number) = number else { return values_of(workbook, range) };
    let sheet = sheet_with_number(workbook, number).ok_or(ImportFailure::NotFound)?;
    values_of(&with_sheet_first(workbook.clone(), sheet), range)
}

/// The values of a range of a workbook: a range of the first sheet (`A1:B2`), of a named sheet
/// (`'Q1 sales'!A:C`), or a defined name.
///
/// # Errors
/// `NotFound` when there is no such sheet, name or range, `TooLarge` beyond the limits of an import.
pub fn values_of(workbook: &Workbook, text: &str) -> Result<Array, ImportFailure> {
    let (sheet, range) = range_named(workbook, text).ok_or(ImportFailure::NotFound)?;
    if range.cell_count() > limits::IMPORT_CELLS_MAX {
        return Err(ImportFailure::TooLarge);
    }
    let sheet = workbook.sheet(sheet).ok_or(ImportFailure::NotFound)?;
    let values: Vec<Value> = range.cells().map(|cell| sheet.value(cell)).collect();
    let array = Array::new(range.row_count(), range.column_count(), values);
    let array = array.ok_or(ImportFailure::NotFound)?;
    match Imported::text_bytes(&array) <= limits::IMPORT_BYTES_MAX {
        true => Ok(array),
        false => Err(ImportFailure::TooLarge),
    }
}

fn range_named(workbook: &Workbook, text: &str) -> Option<(SheetId, Range)> {
    let host = Host { sheet: workbook.sheets()[0].id(), cell: CellAddress::default() };
    let template = parse(text.strip_prefix('=').unwrap_or(text), host, workbook);
    match template.expression() {
        Expression::Name(name) => range_of(workbook, host.sheet, workbook.resolve_name(host.sheet, name)?),
        _ => range_of(workbook, host.sheet, &template),
    }
}

fn range_of(workbook: &Workbook, host: SheetId, template: &Template) -> Option<(SheetId, Range)> {
    let Expression::Reference(reference) = template.expression() else { return None };
    let sheet = match &reference.sheet {
        None => host,
        Some(SheetReference::Sheet(sheet)) => *sheet,
        Some(SheetReference::Sheets(..) | SheetReference::Unknown(_)) => return None,
    };
    let range = resolve_area(&reference.area, CellAddress::default())?;
    // Whole columns and rows end at the last cell with something in it, as in Google Sheets.
    let used = workbook.sheet(sheet)?.used_range().map_or(CellAddress::default(), |used| used.last());
    let last = range.last();
    let clipped = match reference.area {
        Area::Cell(_) | Area::Cells(..) => last,
        Area::Rows(..) => CellAddress { column: used.column, ..last },
        Area::Columns(..) => CellAddress { row: used.row, ..last },
    };
    Some((sheet, Range::new(range.first(), clipped)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_workbook::{Input, Literal};

    fn workbook() -> Workbook {
        let mut workbook = Workbook::new();
        workbook.add_sheet(SheetId(2), "Q1 sales", 1);
        for (row, text) in ["North", "South"].iter().enumerate() {
            let sheet = workbook.sheet_mut(SheetId(2)).expect("added above");
            sheet
                .set_input(CellAddress::clamped(row as u32, 1), &Input::Value(Literal::Text((*text).into())));
        }
        let host = Host { sheet: SheetId(1), cell: CellAddress::default() };
        let regions = parse("'Q1 sales'!$B$1:$B$2", host, &workbook);
        workbook.define_name("regions", Some(regions));
        workbook
    }

    #[test]
    fn ranges_are_found_as_in_formulas() {
        let text = Value::text;
        for (range, expected) in [
            ("'Q1 sales'!B1", Ok((1, 1, vec![text("North")]))),
            ("q1 sales!B1", Err(ImportFailure::NotFound)),
            ("'q1 sales'!$B$1:B2", Ok((2, 1, vec![text("North"), text("South")]))),
            ("='Q1 sales'!B2:B1", Ok((2, 1, vec![text("North"), text("South")]))),
            ("'Q1 sales'!B:B", Ok((2, 1, vec![text("North"), text("South")]))),
            ("'Q1 sales'!2:2", Ok((1, 2, vec![Value::Blank, text("South")]))),
            ("regions", Ok((2, 1, vec![text("North"), text("South")]))),
            ("A1:B1", Ok((1, 2, vec![Value::Blank; 2]))),
            ("A:A", Ok((1, 1, vec![Value::Blank]))),
            ("nothing", Err(ImportFailure::NotFound)),
            ("'other'!A1", Err(ImportFailure::NotFound)),
            ("A1+1", Err(ImportFailure::NotFound)),
            ("", Err(ImportFailure::NotFound)),
            ("A1:B25001", Err(ImportFailure::TooLarge)),
        ] {
            let found = values_of(&workbook(), range);
            let found = found.map(|array| (array.rows(), array.columns(), array.values().to_vec()));
            assert_eq!(found, expected, "{range}");
        }
    }

    #[test]
    fn workbooks_are_named_or_addressed() {
        let own = |host: &str| host == "sheets.example.org";
        for (text, expected) in [
            ("sales", Some("sales")),
            ("/sales", Some("sales")),
            ("=sales", Some("sales")),
            ("/=sales", Some("sales")),
            ("sales.2", Some("sales.2")),
            ("https://sheets.example.org/sales", Some("sales")),
            ("HTTPS://sheets.example.org/=sales?view#A1", Some("sales")),
            ("https://sheets.example.org/acme/sales/", Some("sales")),
            ("https://docs.example.com/sales", None),
            ("https://sheets.example.org/", None),
            ("https://sheets.example.org", None),
            ("api", None),
            ("", None),
            ("a b", None),
        ] {
            let found = workbook_named(text, own);
            assert_eq!(found.as_ref().map(RoomName::as_str), expected, "{text}");
        }
    }
}
