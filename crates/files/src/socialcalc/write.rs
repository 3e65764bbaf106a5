//! Writes one sheet as a save.

use std::collections::{BTreeMap, HashMap};

use quadrille_cell::{CellAddress, ColumnIndex, DateSystem, Dimension, Range, Value, column_name};
use quadrille_formula::{Host, name_scope};
use quadrille_number_format::NumberFormat;
use quadrille_workbook::{Field, Format, Input, Item, ItemKind, Sheet, Workbook};

use super::comments::comment_texts;
use super::dialect::to_socialcalc;
use super::format_tables::FormatTables;
use super::{edit, encode, envelope, links, styles};
use crate::date_system::{day_offset, shows_day};
use crate::displayed_rows::shortest_number;
use crate::limits::SAVE_BLANKS_MAX;

/// The last column of SocialCalc, ZZ, counted from 1.
pub(super) const COLUMNS_MAX: u32 = 702;

/// Returns the save as EtherCalc stores it.
pub(crate) fn write(workbook: &Workbook, sheet: &Sheet) -> String {
    let mut extras = extras(sheet);
    let mut writer = CellWriter { workbook, sheet, tables: FormatTables::default(), seen: HashMap::new() };
    let mut text = "version:1.5\n".to_owned();
    for (cell, input) in sheet.inputs_in(Range::whole_sheet()) {
        text.push_str(&writer.line(cell, &input, extras.remove(&cell)));
    }
    let mut left = SAVE_BLANKS_MAX;
    for (range, _) in sheet.format_runs(Range::whole_sheet()) {
        for cell in written_blanks(sheet, range, &mut left).into_iter().flat_map(Range::cells) {
            if sheet.input(cell) == Input::Blank {
                text.push_str(&writer.line(cell, &Input::Blank, extras.remove(&cell)));
            }
        }
    }
    for (cell, extra) in extras {
        text.push_str(&writer.line(cell, &Input::Blank, Some(extra)));
    }
    text.push_str(&dimensions(sheet));
    text.push_str(&writer.tables.lines());
    text.push_str(&names(workbook, sheet));
    envelope::wrap(&text, &edit::write(sheet))
}

/// The cells of a range of blanks that are written one by one: a whole formatted column would take a
/// million lines, so that only its cells within the used range are. Returns the part of the range, and
/// subtracts its cells from those that are `left`.
pub(super) fn written_blanks(sheet: &Sheet, range: Range, left: &mut u64) -> Option<Range> {
    let within =
        if range.cell_count() <= *left { Some(range) } else { range.intersection(sheet.used_range()?) };
    within.inspect(|within| *left = left.saturating_sub(within.cell_count()))
}

/// What a cell has beside its content and its format.
#[derive(Default)]
struct Extra {
    comment: Option<String>,
    url: Option<String>,
    columns: u32,
    rows: u32,
    is_locked: bool,
}

fn extras(sheet: &Sheet) -> BTreeMap<CellAddress, Extra> {
    let mut extras: BTreeMap<CellAddress, Extra> = BTreeMap::new();
    let mut left = SAVE_BLANKS_MAX;
    for (cell, text) in comment_texts(sheet) {
        extras.entry(cell).or_default().comment = Some(text);
    }
    for (_, item) in sheet.items().iter() {
        let Some(anchor) = item.anchors.first() else {
            if item.kind == ItemKind::ProtectedRange {
                lock(sheet, item, &mut left, &mut extras);
            }
            continue;
        };
        match item.kind {
            ItemKind::Merge => {
                let extra = extras.entry(anchor.first()).or_default();
                (extra.columns, extra.rows) = (anchor.column_count(), anchor.row_count());
            }
            ItemKind::Link => {
                let url = item.text(Field::Url).filter(|url| !url.starts_with('#'));
                extras.entry(anchor.first()).or_default().url = url.map(|url| url.to_string());
            }
            ItemKind::ProtectedRange => lock(sheet, item, &mut left, &mut extras),
            _ => {}
        }
    }
    extras
}

/// Locks the cells of a protection that refuses changes.
fn lock(sheet: &Sheet, item: &Item, left: &mut u64, extras: &mut BTreeMap<CellAddress, Extra>) {
    if item.boolean(Field::WarningOnly) == Some(true) {
        return;
    }
    let ranges = match item.boolean(Field::WholeSheet) {
        // The anchors are the cells that are not protected.
        Some(true) => {
            let mut ranges: Vec<Range> = sheet.used_range().into_iter().collect();
            for open in &item.anchors {
                ranges = ranges.into_iter().flat_map(|range| range.subtract(*open)).collect();
            }
            ranges
        }
        _ => item.anchors.clone(),
    };
    for range in ranges {
        for cell in written_blanks(sheet, range, left).into_iter().flat_map(Range::cells) {
            extras.entry(cell).or_default().is_locked = true;
        }
    }
}

/// Writes the lines of cells.
struct CellWriter<'a> {
    workbook: &'a Workbook,
    sheet: &'a Sheet,
    tables: FormatTables,
    /// The attributes of formats that occurred before.
    seen: HashMap<(&'a Format, bool), String>,
}

impl CellWriter<'_> {
    fn line(&mut self, cell: CellAddress, input: &Input, extra: Option<Extra>) -> String {
        let format = self.sheet.format(cell);
        let extra = extra.unwrap_or_default();
        let value = self.sheet.value(cell);
        let is_number = shows_number_format(&value);
        let link = match (input, value) {
            (Input::Value(_), Value::Text(text)) => extra.url.map(|url| links::print(&text, &url)),
            _ => None,
        };
        let mut line = format!("cell:{cell}");
        line += &match &link {
            Some(link) => format!(":t:{}", encode(link)),
            None => content(self.workbook, self.sheet, cell, input, format),
        };
        if extra.is_locked {
            line += ":ro:yes";
        }
        let tables = &mut self.tables;
        let attributes = self.seen.entry((format, is_number));
        line += attributes.or_insert_with(|| tables.attributes(format, is_number));
        if link.is_some() {
            line += &self.tables.text_format("text-link");
        }
        if extra.columns > 1 {
            line += &format!(":colspan:{}", extra.columns);
        }
        if extra.rows > 1 {
            line += &format!(":rowspan:{}", extra.rows);
        }
        if let Some(comment) = &extra.comment {
            line += &format!(":comment:{}", encode(comment));
        }
        line + "\n"
    }
}

/// The lines of columns, rows and the sheet.
fn dimensions(sheet: &Sheet) -> String {
    let mut text = String::new();
    for (first, count, width) in sheet.size_runs(Dimension::Columns) {
        for column in first..first + count {
            text.push_str(&format!("col:{}:w:{width}\n", column_name(ColumnIndex::clamped(column))));
        }
    }
    for (first, count) in sheet.hidden_runs(Dimension::Columns) {
        for column in first..first + count {
            text.push_str(&format!("col:{}:hide:yes\n", column_name(ColumnIndex::clamped(column))));
        }
    }
    for (first, count, height) in sheet.size_runs(Dimension::Rows) {
        for row in first..first + count {
            text.push_str(&format!("row:{}:h:{height}\n", row + 1));
        }
    }
    for (first, count) in sheet.hidden_runs(Dimension::Rows) {
        for row in first..first + count {
            text.push_str(&format!("row:{}:hide:yes\n", row + 1));
        }
    }
    // SocialCalc looks for merged cells up to the last row and column only.
    let merges = sheet.items().of_kind(ItemKind::Merge).flat_map(|(_, merge)| merge.anchors.iter().copied());
    let size = sheet.used_range().into_iter().chain(merges).reduce(Range::union);
    let (columns, rows) =
        size.map_or((1, 1), |size| (size.last().column.get() + 1, size.last().row.get() + 1));
    text + &format!("sheet:c:{}:r:{rows}\n", columns.min(COLUMNS_MAX))
}

/// The defined names. A save has the names of one sheet; names with the scope of other sheets are left
/// out.
fn names(workbook: &Workbook, sheet: &Sheet) -> String {
    let mut text = String::new();
    let host = Host { sheet: sheet.id(), cell: CellAddress::default() };
    let own_sheet = format!("{}!", sheet.name());
    for (name, definition) in workbook.names() {
        let name = match name_scope(name) {
            Some((own, local)) if own == sheet.id() => local,
            Some(_) => continue,
            None => name,
        };
        let definition = to_socialcalc(definition, host, workbook);
        let area = definition.strip_prefix(&own_sheet).unwrap_or(&definition);
        let definition = match Range::parse_a1(area) {
            Ok(_) => area.to_owned(),
            Err(_) => format!("={definition}"),
        };
        text.push_str(&format!("name:{}::{}\n", encode(&name.to_uppercase()), encode(&definition)));
    }
    text
}

/// Whether SocialCalc and Quadrille agree on the display of a value in a number format.
pub(super) fn shows_number_format(value: &Value) -> bool {
    !matches!(value, Value::Text(_) | Value::Boolean(_))
}

/// Returns the content of a cell as a save has it, such as `t:text`, `v:5` or `vtf:n:10:A1*2`; `None`
/// for a blank cell.
///
/// Fields are escaped: `\c` is a colon, `\n` a line break and `\b` a backslash.
pub fn socialcalc_content(workbook: &Workbook, sheet: &Sheet, cell: CellAddress) -> Option<String> {
    let content = content(workbook, sheet, cell, &sheet.input(cell), sheet.format(cell));
    content.strip_prefix(':').map(str::to_owned)
}

/// The content attributes of a cell, such as `:t:text`, `:v:5` or `:vtf:n:5:A1*2`.
fn content(workbook: &Workbook, sheet: &Sheet, cell: CellAddress, input: &Input, format: &Format) -> String {
    let value = sheet.value(cell);
    let value = from_1900(value, workbook, format);
    if let Input::Formula(template) = input {
        let formula = encode(&to_socialcalc(template, Host { sheet: sheet.id(), cell }, workbook));
        let (kind, cached) = kind_and_value(&value);
        let error = if let Value::Error(error) = value { format!(":e:{error}") } else { String::new() };
        return format!(":vtf:{kind}:{}:{formula}{error}", encode(&cached));
    }
    match &value {
        Value::Text(text) => format!(":t:{}", encode(text)),
        Value::Number(number) => {
            let kind = styles::type_of_number(format);
            match kind {
                "n" => format!(":v:{}", shortest_number(*number)),
                kind => {
                    let code = format.number_format.as_deref().unwrap_or_default();
                    let displayed = NumberFormat::parse(code).format(&value).text;
                    format!(":vtc:{kind}:{}:{}", shortest_number(*number), encode(&displayed))
                }
            }
        }
        Value::Blank => String::new(),
        value => {
            let (kind, number) = kind_and_value(value);
            let typed = match value {
                Value::Boolean(true) => "TRUE".to_owned(),
                Value::Boolean(false) => "FALSE".to_owned(),
                Value::Error(error) => error.text().to_owned(),
                _ => number.clone(),
            };
            format!(":vtc:{kind}:{number}:{typed}")
        }
    }
}

/// Converts a date to the date system 1900, which SocialCalc uses.
fn from_1900(value: Value, workbook: &Workbook, format: &Format) -> Value {
    let offset = day_offset(workbook.date_system(), DateSystem::From1900);
    match value {
        Value::Number(number) if offset != 0.0 && number >= 0.0 && shows_day(format) => {
            Value::number(number + offset)
        }
        value => value,
    }
}

/// SocialCalc's type code and the stored form of a value.
fn kind_and_value(value: &Value) -> (String, String) {
    match value {
        Value::Blank => ("b".to_owned(), String::new()),
        Value::Number(number) => ("n".to_owned(), shortest_number(*number)),
        Value::Boolean(boolean) => ("nl".to_owned(), u8::from(*boolean).to_string()),
        Value::Text(text) => ("t".to_owned(), text.to_string()),
        Value::Error(error) => (format!("e{error}"), "0".to_owned()),
    }
}
