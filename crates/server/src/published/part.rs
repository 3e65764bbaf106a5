//! The sheets and cells of a publication.

use quadrille_access::PublishedPart;
use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_document::Document;
use quadrille_formula::{Host, parse, print};
use quadrille_operation::{Operation, Transaction};
use quadrille_viewport::sheet_dimensions::is_hidden;
use quadrille_workbook::Workbook;

use crate::error::{ApiError, ErrorCode};
use crate::sheet_lookup::sheet_by_name;

/// The names of published ranges begin so.
const NAME_PREFIX: &str = "Published_";

/// A sheet of a publication, with the cells that may leave the server; `None` for all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PublishedSheet {
    pub sheet: SheetId,
    pub range: Option<Range>,
}

/// The sheets of a publication, in the order of their tabs. None when the sheet or the name is gone, and
/// while a name refers to something other than cells.
pub fn find_part(document: &Document, part: &PublishedPart) -> Vec<PublishedSheet> {
    let workbook = document.workbook();
    match part {
        PublishedPart::Workbook => {
            let visible = workbook.sheets().iter().filter(|sheet| !is_hidden(sheet));
            visible.map(|sheet| PublishedSheet { sheet: sheet.id(), range: None }).collect()
        }
        PublishedPart::Sheet(number) => {
            let sheet = workbook.sheet(SheetId(*number));
            sheet.map(|sheet| PublishedSheet { sheet: sheet.id(), range: None }).into_iter().collect()
        }
        PublishedPart::Name(name) => {
            let Some(template) = workbook.name(name) else { return Vec::new() };
            let range = document.referenced_range(host(workbook), template);
            range.map(|(sheet, range)| PublishedSheet { sheet, range: Some(range) }).into_iter().collect()
        }
    }
}

/// The formula of a published name, such as `Sheet1!$A$1:$B$9`; `None` when it is gone.
pub fn part_formula(workbook: &Workbook, part: &PublishedPart) -> Option<String> {
    let PublishedPart::Name(name) = part else { return None };
    workbook.name(name).map(|template| print(template, host(workbook), workbook))
}

/// Plans a defined name for a range, which moves with inserted and deleted rows and columns.
///
/// # Errors
///
/// Fails with `no_such_sheet`, and with `bad_address` for a text that is no range.
pub fn define_range(
    workbook: &Workbook,
    sheet: &str,
    range: &str,
) -> Result<(String, Transaction), ApiError> {
    let sheet = sheet_by_name(workbook, sheet)?;
    let range = Range::parse_a1(range);
    let range = range.map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))?;
    let is_free = |name: &String| workbook.name(name).is_none();
    let names = (1..).map(|number| format!("{NAME_PREFIX}{number}"));
    let name = names.into_iter().find(is_free).expect("one of them is free");
    let corner =
        |cell: CellAddress| format!("${}${}", quadrille_cell::column_name(cell.column), cell.row.get() + 1);
    let quoted = sheet.name().replace('\'', "''");
    let text = format!("'{quoted}'!{}:{}", corner(range.first()), corner(range.last()));
    let definition = Some(parse(&text, host(workbook), workbook));
    let operations = vec![Operation::DefineName { name: name.as_str().into(), definition }];
    Ok((name, Transaction { operations }))
}

/// Where formulas of names are evaluated; published names have absolute references.
fn host(workbook: &Workbook) -> Host {
    Host { sheet: workbook.sheets()[0].id(), cell: CellAddress::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_cell::{Dimension, EditKind, StructuralEdit};

    #[test]
    fn a_published_range_follows_inserted_rows() {
        let workbook = Workbook::new();
        let (name, transaction) = define_range(&workbook, "sheet1", "B2:C3").expect("a range");
        assert_eq!(name, "Published_1");
        let mut document = Document::from_workbook(workbook);
        document.apply(&transaction, Default::default());
        let part = PublishedPart::Name(name);
        let shown = |document: &Document| {
            let sheets = find_part(document, &part);
            sheets.iter().map(|sheet| sheet.range.expect("a range").to_string()).collect::<Vec<_>>()
        };
        assert_eq!(shown(&document), ["B2:C3"]);
        let insert = StructuralEdit {
            sheet: SheetId(1),
            dimension: Dimension::Rows,
            kind: EditKind::Insert,
            at: 0,
            count: 2,
        };
        let operations = vec![Operation::Restructure(insert)];
        document.apply(&Transaction { operations }, Default::default());
        assert_eq!(shown(&document), ["B4:C5"]);
        assert_eq!(define_range(document.workbook(), "Sheet1", "A1").expect("a range").0, "Published_2");
        assert_eq!(find_part(&document, &PublishedPart::Name("Gone".into())), []);
        assert_eq!(find_part(&document, &PublishedPart::Sheet(9)), []);
    }
}
