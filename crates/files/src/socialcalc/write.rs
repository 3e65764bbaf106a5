//! Writes one sheet as a save.

use quadrille_cell::{CellAddress, ColumnIndex, DateSystem, Dimension, Range, Value, column_name};
use quadrille_formula::{Host, name_scope, print};
use quadrille_number_format::NumberFormat;
use quadrille_workbook::{Color, Format, HorizontalAlignment, Input, Sheet, VerticalAlignment, Workbook};

use super::{encode, envelope};
use crate::date_system::{day_offset, shows_day};
use crate::displayed_rows::shortest_number;

/// Returns the save as EtherCalc stores it.
pub(crate) fn write(workbook: &Workbook, sheet: &Sheet) -> String {
    let mut tables = FormatTables::default();
    let mut cells = String::new();
    let formatted = formatted_blanks(sheet);
    for (cell, input) in sheet.inputs_in(Range::whole_sheet()) {
        let format = sheet.format(cell);
        let content = content(workbook, sheet, cell, &input, format);
        cells.push_str(&format!("cell:{cell}{content}{}\n", tables.attributes(format)));
    }
    for (cell, format) in formatted {
        cells.push_str(&format!("cell:{cell}{}\n", tables.attributes(format)));
    }
    let mut text = format!("version:1.5\n{cells}");
    for (first, count, width) in sheet.size_runs(Dimension::Columns) {
        for column in first..first + count {
            text.push_str(&format!("col:{}:w:{width}\n", column_name(ColumnIndex::clamped(column))));
        }
    }
    for (first, count, height) in sheet.size_runs(Dimension::Rows) {
        for row in first..first + count {
            text.push_str(&format!("row:{}:h:{height}\n", row + 1));
        }
    }
    let (columns, rows) =
        sheet.used_range().map_or((1, 1), |used| (used.last().column.get() + 1, used.last().row.get() + 1));
    text.push_str(&format!("sheet:c:{columns}:r:{rows}\n"));
    let host = Host { sheet: sheet.id(), cell: CellAddress::default() };
    for (name, definition) in workbook.names() {
        // A save has the names of one sheet; names with the scope of other sheets are left out.
        let name = match name_scope(name) {
            Some((own, local)) if own == sheet.id() => local,
            Some(_) => continue,
            None => name,
        };
        let definition = print(definition, host, workbook);
        let own_sheet = format!("{}!", sheet.name());
        let definition = match definition.strip_prefix(&own_sheet).map(|area| (Range::parse_a1(area), area)) {
            Some((Ok(_), area)) => area.to_owned(),
            _ => format!("={definition}"),
        };
        text.push_str(&format!("name:{}::{}\n", encode(&name.to_uppercase()), encode(&definition)));
    }
    text.push_str(&tables.lines());
    envelope::wrap(&text)
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
        let formula = encode(&print(template, Host { sheet: sheet.id(), cell }, workbook));
        let (kind, cached) = kind_and_value(&value);
        let error = if let Value::Error(error) = value { format!(":e:{error}") } else { String::new() };
        return format!(":vtf:{kind}:{}:{formula}{error}", encode(&cached));
    }
    match &value {
        Value::Text(text) => format!(":t:{}", encode(text)),
        Value::Number(number) => {
            let kind = kind_of_number(format);
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

fn kind_of_number(format: &Format) -> &'static str {
    let Some(code) = &format.number_format else { return "n" };
    let has = |letters: [char; 2]| code.contains(letters);
    match (NumberFormat::parse(code).is_date(), code.ends_with('%')) {
        (true, _) if has(['y', 'd']) && has(['h', 's']) => "ndt",
        (true, _) if has(['y', 'd']) => "nd",
        (true, _) => "nt",
        (false, true) => "n%",
        (false, false) => "n",
    }
}

/// Blank cells with a format within the used range, so that a filled header bar is preserved. Whole
/// formatted columns would take a million lines.
fn formatted_blanks(sheet: &Sheet) -> Vec<(CellAddress, &Format)> {
    let mut cells = Vec::new();
    let Some(used) = sheet.used_range() else { return cells };
    for (range, format) in sheet.format_runs(used) {
        for row in range.first().row.get()..=range.last().row.get() {
            for column in range.first().column.get()..=range.last().column.get() {
                let cell = CellAddress::clamped(row, column);
                if sheet.input(cell) == Input::Blank {
                    cells.push((cell, format));
                }
            }
        }
    }
    cells
}

/// The numbered tables of fonts, colors and formats at the end of a save.
#[derive(Default)]
struct FormatTables {
    fonts: Vec<String>,
    colors: Vec<String>,
    layouts: Vec<String>,
    cell_formats: Vec<String>,
    value_formats: Vec<String>,
}

impl FormatTables {
    /// The format attributes of a cell, such as `:f:1:bg:2`, which refer to entries of the tables.
    fn attributes(&mut self, format: &Format) -> String {
        let mut attributes = String::new();
        if let Some(vertical) = format.vertical {
            let layout = format!("padding:* * * *;vertical-align:{};", vertical_name(vertical));
            attributes.push_str(&format!(":l:{}", number(&mut self.layouts, layout)));
        }
        if format.bold || format.italic {
            let (style, weight) = (
                if format.italic { "italic" } else { "normal" },
                if format.bold { "bold" } else { "normal" },
            );
            attributes.push_str(&format!(":f:{}", number(&mut self.fonts, format!("{style} {weight} * *"))));
        }
        for (key, color) in [("c", format.text_color), ("bg", format.fill_color)] {
            if let Some(color) = color {
                attributes.push_str(&format!(":{key}:{}", number(&mut self.colors, rgb(color))));
            }
        }
        if let Some(horizontal) = format.horizontal {
            let name = horizontal_name(horizontal).to_owned();
            attributes.push_str(&format!(":cf:{}", number(&mut self.cell_formats, name)));
        }
        if let Some(code) = &format.number_format {
            attributes.push_str(&format!(":ntvf:{}", number(&mut self.value_formats, code.to_string())));
        }
        attributes
    }

    fn lines(&self) -> String {
        let mut lines = String::new();
        for (key, table) in [
            ("font", &self.fonts),
            ("color", &self.colors),
            ("layout", &self.layouts),
            ("cellformat", &self.cell_formats),
            ("valueformat", &self.value_formats),
        ] {
            for (index, entry) in table.iter().enumerate() {
                lines.push_str(&format!("{key}:{}:{}\n", index + 1, encode(entry)));
            }
        }
        lines
    }
}

/// Number of `entry` in the table, counted from 1; adds it if it is missing.
fn number(table: &mut Vec<String>, entry: String) -> usize {
    let position = table.iter().position(|existing| *existing == entry);
    position.unwrap_or_else(|| {
        table.push(entry);
        table.len() - 1
    }) + 1
}

fn rgb(Color(color): Color) -> String {
    format!("rgb({},{},{})", color >> 16 & 255, color >> 8 & 255, color & 255)
}

fn horizontal_name(alignment: HorizontalAlignment) -> &'static str {
    match alignment {
        HorizontalAlignment::Left => "left",
        HorizontalAlignment::Center => "center",
        HorizontalAlignment::Right => "right",
    }
}

fn vertical_name(alignment: VerticalAlignment) -> &'static str {
    match alignment {
        VerticalAlignment::Top => "top",
        VerticalAlignment::Middle => "middle",
        VerticalAlignment::Bottom => "bottom",
    }
}
