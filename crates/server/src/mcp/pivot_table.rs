//! The commands that make a pivot table as an agent describes it: with columns by their headers.

use quadrille_cell::{CellAddress, ColumnIndex, Range, SheetId, column_name};
use quadrille_document::Document;
use quadrille_formula::{
    Area, Coordinate, Expression, Host, Reference, SheetReference, Template, parse, print,
};
use quadrille_workbook::{Sheet, Workbook};
use serde_json::{Map, Value as Json, json};

use super::arguments::PivotTableArguments;
use super::cell_report::{range_of, referenced_range, sheet_of};
use crate::error::{ApiError, ErrorCode};

/// Headers that the message for an unknown column names.
const HEADERS_SHOWN_MAX: usize = 50;

/// The commands, as an array for [`plan_batch`](crate::command_batch::plan_batch).
///
/// # Errors
/// `bad_address` when the source is no list or a column is not in it, `no_such_sheet`.
pub fn commands(document: &Document, arguments: &PivotTableArguments) -> Result<Json, ApiError> {
    let workbook = document.workbook();
    let list = List::find(document, &arguments.source)?;
    let mut fields = json!({ "source": list.source });
    let groups = [("rows", &arguments.rows), ("columns", &arguments.columns)];
    for (member, groups) in groups.into_iter().filter(|(_, groups)| !groups.is_empty()) {
        let records = groups.iter().map(|group| {
            let mut record = list.record(&group.column)?;
            set(&mut record, "grouping", group.grouping.as_deref().map(Json::from));
            set(&mut record, "step", group.step.map(Json::from));
            set(&mut record, "order", group.order.as_deref().map(Json::from));
            Ok(Json::Object(record))
        });
        fields[member] = Json::Array(records.collect::<Result<_, ApiError>>()?);
    }
    if !arguments.values.is_empty() {
        let records = arguments.values.iter().map(|value| {
            let mut record = list.record(&value.column)?;
            record.insert("function".to_owned(), value.function.as_deref().unwrap_or("sum").into());
            set(&mut record, "shownAs", value.shown_as.as_deref().map(Json::from));
            set(&mut record, "name", value.name.as_deref().map(Json::from));
            Ok(Json::Object(record))
        });
        fields["values"] = Json::Array(records.collect::<Result<_, ApiError>>()?);
    }
    if !arguments.filters.is_empty() {
        let records = arguments.filters.iter().map(|filter| {
            let mut record = list.record(&filter.column)?;
            record.insert("shown".to_owned(), filter.shown.clone().into());
            Ok(Json::Object(record))
        });
        fields["filters"] = Json::Array(records.collect::<Result<_, ApiError>>()?);
    }
    if let Some(layout) = &arguments.layout {
        fields["layout"] = layout.as_str().into();
    }
    let at = range_of(arguments.at.as_deref().unwrap_or("A1"))?;
    if at.cell_count() != 1 {
        let message = format!("the first cell of the pivot table is needed, such as A1: {at}");
        return Err(ApiError::new(ErrorCode::BadAddress, message));
    }
    let mut commands = Vec::new();
    let sheet: Json = match &arguments.sheet {
        Some(name) => sheet_of(workbook, Some(name))?.id().0.into(),
        None => {
            let name = free_name(workbook);
            commands.push(json!({ "type": "addSheet", "name": name }));
            name.into()
        }
    };
    commands.push(json!({
        "type": "setItem", "sheet": sheet, "kind": "pivotTable", "anchors": [at.to_string()], "fields": fields,
    }));
    Ok(commands.into())
}

fn set(record: &mut Map<String, Json>, member: &str, value: Option<Json>) {
    if let Some(value) = value {
        record.insert(member.to_owned(), value);
    }
}

/// A name for the sheet of a pivot table: "Pivot table", "Pivot table 2" …
fn free_name(workbook: &Workbook) -> String {
    let mut names = (1_u32..).map(|number| match number {
        1 => "Pivot table".to_owned(),
        _ => format!("Pivot table {number}"),
    });
    let free = names.find(|name| workbook.sheet_by_name(name).is_none());
    free.expect("a workbook has fewer sheets than there are numbers")
}

/// The list of which a pivot table is made.
struct List<'a> {
    document: &'a Document,
    sheet: &'a Sheet,
    range: Range,
    /// The source as a formula that reads the same from every sheet.
    source: String,
}

impl List<'_> {
    fn find<'a>(document: &'a Document, source: &str) -> Result<List<'a>, ApiError> {
        let workbook = document.workbook();
        let host = Host { sheet: workbook.sheets()[0].id(), cell: CellAddress::default() };
        let template = parse(source.trim().trim_start_matches('='), host, workbook);
        let found = referenced_range(document, host, &template);
        let found = found.and_then(|(id, range)| workbook.sheet(id).map(|sheet| (sheet, range)));
        let Some((sheet, range)) = found else {
            let shortened: String = source.chars().take(100).collect();
            let message =
                format!("the source is a range such as Sheet1!A1:E400, a name or a table: {shortened}");
            return Err(ApiError::new(ErrorCode::BadAddress, message));
        };
        let is_name = matches!(template.expression(), Expression::Name(_));
        let template = if is_name { template } else { absolute(sheet.id(), range) };
        let source = format!("={}", print(&template, host, workbook));
        Ok(List { document, sheet, range, source })
    }

    /// The field of a column that is named by its header, or by its letters.
    fn record(&self, column: &str) -> Result<Map<String, Json>, ApiError> {
        let (first, last) = (self.range.first(), self.range.last());
        let used = self.sheet.used_range().map_or(first.column, |used| used.last().column);
        let columns = (first.column.get()..=last.column.min(used).get()).map(ColumnIndex::clamped);
        let header = |column: ColumnIndex| {
            let cell = CellAddress { row: first.row, column };
            self.document.display(self.sheet.id(), cell).text
        };
        let wanted = column.trim();
        let is_wanted = |text: &str| text.to_lowercase() == wanted.to_lowercase();
        let found = columns.clone().find(|column| is_wanted(&header(*column)));
        let found = found.or_else(|| columns.clone().find(|column| is_wanted(&column_name(*column))));
        let Some(found) = found else {
            let headers: Vec<String> =
                columns.map(header).filter(|header| !header.is_empty()).take(HEADERS_SHOWN_MAX).collect();
            let shortened: String = wanted.chars().take(100).collect();
            let message = format!("the list has no column {shortened}; it has: {}", headers.join(", "));
            return Err(ApiError::new(ErrorCode::BadAddress, message));
        };
        let coordinate = Coordinate::Absolute(found.get());
        let sheet = Some(SheetReference::Sheet(self.sheet.id()));
        let reference = Reference { sheet, area: Area::Columns(coordinate, coordinate) };
        let host = Host { sheet: self.sheet.id(), cell: CellAddress::default() };
        let column = print(&Template::new(Expression::Reference(reference)), host, self.document.workbook());
        Ok(Map::from_iter([("column".to_owned(), format!("={column}").into())]))
    }
}

/// A reference to a range with its sheet.
fn absolute(sheet: SheetId, range: Range) -> Template {
    let corner = |cell: CellAddress| quadrille_formula::CellReference {
        row: Coordinate::Absolute(cell.row.get()),
        column: Coordinate::Absolute(cell.column.get()),
    };
    let area = Area::Cells(corner(range.first()), corner(range.last()));
    Template::new(Expression::Reference(Reference { sheet: Some(SheetReference::Sheet(sheet)), area }))
}
