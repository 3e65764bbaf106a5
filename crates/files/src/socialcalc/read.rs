//! Reads a save as one sheet. Borders, comments, merged cells and locked cells are not imported,
//! with a warning.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{CellAddress, ErrorValue, Range, Value, canonical_number, parse_column_name};
use quadrille_workbook::{Color, Format, HorizontalAlignment, VerticalAlignment};

use super::{decode, envelope};
use crate::contents::{Contents, FormulaSource};
use crate::error::{FileError, FileErrorCode};
use crate::limits::{FORMULA_LENGTH_MAX, NAMES_MAX};

/// Reads a save. Fails with `InvalidEncoding`, `BadSave` or a limit that is exceeded.
pub(crate) fn read(bytes: &[u8], sheet_name: &str) -> Result<Contents, FileError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        FileError::new(
            FileErrorCode::InvalidEncoding,
            format!("a save is UTF-8, but byte {} is not", error.valid_up_to()),
        )
    })?;
    let sheet = envelope::unwrap(text.trim_start_matches('\u{feff}'))?;
    let mut save = Save::default();
    save.contents.add_sheet(sheet_name)?;
    let mut cells = Vec::new();
    for (number, line) in sheet.lines().enumerate() {
        let fields: Vec<&str> = line.trim_end_matches('\r').split(':').collect();
        let bad =
            |reason: String| FileError::new(FileErrorCode::BadSave, format!("line {}: {reason}", number + 1));
        match *fields.first().unwrap_or(&"") {
            "cell" => {
                let address = fields.get(1).copied().unwrap_or_default();
                let address = CellAddress::parse_a1(address).map_err(|error| bad(error.to_string()))?;
                cells.push((address, number, fields));
            }
            "col" => save.column(&fields).ok_or_else(|| bad("not a column".to_owned()))?,
            "row" => save.row(&fields).ok_or_else(|| bad("not a row".to_owned()))?,
            "name" => save.name(&fields),
            kind @ ("font" | "color" | "layout" | "cellformat" | "valueformat") => {
                save.read_format(kind, &fields)
            }
            // The editor's state, defaults and additions of later versions are ignored.
            _ => {}
        }
    }
    if cells.is_empty() && !sheet.trim_start().starts_with("version:") {
        return Err(FileError::new(FileErrorCode::BadSave, "not a SocialCalc save: no version and no cell"));
    }
    cells.sort_by_key(|(address, ..)| (address.column, address.row));
    for (address, number, fields) in &cells {
        save.cell(*address, &fields[2..]).map_err(|error| FileError {
            reason: format!("line {}: {}", number + 1, error.reason),
            ..error
        })?;
    }
    let warnings = save.left_out.iter().map(|what| format!("left out: {what}"));
    save.contents.warnings.extend(warnings);
    Ok(save.contents)
}

/// The state of the reader.
#[derive(Default)]
struct Save {
    contents: Contents,
    /// Entries of the numbered format tables, by table and number.
    formats: BTreeMap<(&'static str, usize), String>,
    /// Kinds of contents that were not imported.
    left_out: BTreeSet<&'static str>,
}

impl Save {
    /// Reads `col:B:w:120`.
    fn column(&mut self, fields: &[&str]) -> Option<()> {
        let column = parse_column_name(fields.get(1)?)?;
        if let Some(width) = attribute(fields, "w").and_then(|width| width.parse().ok()) {
            self.sheet().column_widths.push((column.get(), 1, width));
        }
        Some(())
    }

    /// Reads `row:3:h:40`.
    fn row(&mut self, fields: &[&str]) -> Option<()> {
        let row: u32 = fields.get(1)?.parse().ok()?;
        if let Some(height) = attribute(fields, "h").and_then(|height| height.parse().ok()) {
            self.sheet().row_heights.push((row.checked_sub(1)?, 1, height));
        }
        Some(())
    }

    /// Reads `name:TAX:description:A1`.
    fn name(&mut self, fields: &[&str]) {
        let [_, name, _, definition, ..] = fields else { return };
        let definition = decode(definition);
        let absolute = match (definition.strip_prefix('='), Range::parse_a1(&definition)) {
            (Some(formula), _) => formula.to_owned(),
            (None, Ok(_)) => absolute(&definition),
            (None, Err(_)) => return,
        };
        if self.contents.names.len() < NAMES_MAX {
            self.contents.names.push((decode(name), absolute));
        }
    }

    /// Reads `font:1:italic bold * *` and the other format tables.
    fn read_format(&mut self, kind: &str, fields: &[&str]) {
        let tables = ["font", "color", "layout", "cellformat", "valueformat"];
        let table = tables.into_iter().find(|table| *table == kind);
        if let (Some(table), Some(Ok(number)), Some(entry)) =
            (table, fields.get(1).map(|n| n.parse()), fields.get(2))
        {
            self.formats.insert((table, number), decode(entry));
        }
    }

    fn cell(&mut self, address: CellAddress, attributes: &[&str]) -> Result<(), FileError> {
        let mut format = Format::default();
        let mut rest = attributes.iter().copied();
        while let Some(key) = rest.next() {
            let mut next = || rest.next().unwrap_or_default();
            match key {
                "v" => {
                    let value = number(next());
                    self.contents.put(address.row.get(), address.column.get(), value)?;
                }
                "t" => self.text(address, &decode(next()))?,
                "vt" => {
                    let (kind, value) = (next(), decode(next()));
                    self.constant(address, kind, &value, &mut format)?;
                }
                "vtc" => {
                    let (kind, value, _source) = (next(), decode(next()), next());
                    self.constant(address, kind, &value, &mut format)?;
                }
                "vtf" => {
                    let (kind, _value, formula) = (next(), next(), decode(next()));
                    format.number_format = default_format(kind);
                    if formula.len() > FORMULA_LENGTH_MAX {
                        let reason =
                            format!("{address}: a formula of more than {FORMULA_LENGTH_MAX} characters");
                        return Err(FileError::new(FileErrorCode::TextTooLong, reason));
                    }
                    let source = FormulaSource::Text(formula.into());
                    self.contents.put_formula(address.row.get(), address.column.get(), source)?;
                }
                "f" => self.font(next(), &mut format),
                "c" => format.text_color = self.color(next()),
                "bg" => format.fill_color = self.color(next()),
                "l" => format.vertical = self.entry("layout", next()).and_then(vertical),
                "cf" => format.horizontal = self.entry("cellformat", next()).and_then(horizontal),
                "ntvf" => {
                    if let Some(code) = self.entry("valueformat", next()).and_then(number_format) {
                        format.number_format = Some(code.into());
                    }
                }
                "b" => {
                    for _side in 0..4 {
                        next();
                    }
                    self.left_out.insert("borders");
                }
                "comment" => {
                    next();
                    self.left_out.insert("comments");
                }
                "colspan" | "rowspan" => {
                    next();
                    self.left_out.insert("merged cells");
                }
                "ro" => {
                    next();
                    self.left_out.insert("locked cells");
                }
                // Other attributes have one value each and are not displayed.
                _ => {
                    next();
                }
            }
        }
        if format != Format::default() {
            self.contents.put_format(Range::cell(address), format)?;
        }
        Ok(())
    }

    fn text(&mut self, address: CellAddress, text: &str) -> Result<(), FileError> {
        if text.is_empty() {
            return Ok(());
        }
        self.contents.put_text(address.row.get(), address.column.get(), text)
    }

    /// Sets a typed constant: `nl:1` is TRUE, `nd:45352` is a date.
    fn constant(
        &mut self,
        address: CellAddress,
        kind: &str,
        value: &str,
        format: &mut Format,
    ) -> Result<(), FileError> {
        let value = match kind.as_bytes() {
            [b't', ..] => return self.text(address, value),
            [b'b', ..] | [] => return Ok(()),
            b"nl" => Value::Boolean(value != "0" && !value.is_empty()),
            [b'e', ..] => Value::Error(ErrorValue::parse(&kind[1..]).unwrap_or(ErrorValue::Value)),
            _ => {
                format.number_format = default_format(kind);
                number(value)
            }
        };
        self.contents.put(address.row.get(), address.column.get(), value)
    }

    fn font(&self, number: &str, format: &mut Format) {
        let Some(font) = self.entry("font", number) else { return };
        let mut words = font.split(' ');
        format.italic = words.next() == Some("italic");
        format.bold = words.next() == Some("bold");
    }

    fn color(&self, number: &str) -> Option<Color> {
        let rgb = self.entry("color", number)?.strip_prefix("rgb(")?.strip_suffix(')')?;
        let mut parts = rgb.split(',').map(|part| part.trim().parse::<u8>());
        let mut part = || parts.next()?.ok().map(u32::from);
        Some(Color(part()? << 16 | part()? << 8 | part()?))
    }

    fn entry(&self, table: &'static str, number: &str) -> Option<&str> {
        self.formats.get(&(table, number.parse().ok()?)).map(String::as_str)
    }

    fn sheet(&mut self) -> &mut crate::contents::SheetContents {
        self.contents.sheets.last_mut().expect("the sheet was added before its lines are read")
    }
}

/// The value of an attribute in a line of alternating keys and values.
fn attribute<'a>(fields: &[&'a str], key: &str) -> Option<&'a str> {
    let at = fields.iter().skip(2).step_by(2).position(|field| *field == key)?;
    fields.get(2 + at * 2 + 1).copied()
}

fn number(text: &str) -> Value {
    let number = text.parse::<f64>().ok().and_then(canonical_number);
    number.map_or(Value::Error(ErrorValue::Number), Value::Number)
}

/// The number format in which SocialCalc displays a typed value without a format.
fn default_format(kind: &str) -> Option<std::sync::Arc<str>> {
    let code = match kind {
        "n%" => "0.00%",
        "n$" => "$#,##0.00",
        "nd" => "d-mmm-yyyy",
        "nt" => "[h]:mm:ss",
        "ndt" => "d-mmm-yyyy h:mm:ss",
        _ => return None,
    };
    Some(code.into())
}

/// SocialCalc's number formats are Excel's, except for a few keywords.
fn number_format(code: &str) -> Option<&str> {
    let is_word =
        ["general", "none", "hidden", "logical", "formula"].contains(&code.to_ascii_lowercase().as_str());
    (!is_word && !code.starts_with("text-")).then_some(code)
}

fn horizontal(name: &str) -> Option<HorizontalAlignment> {
    match name {
        "left" => Some(HorizontalAlignment::Left),
        "center" => Some(HorizontalAlignment::Center),
        "right" => Some(HorizontalAlignment::Right),
        _ => None,
    }
}

fn vertical(layout: &str) -> Option<VerticalAlignment> {
    match layout.split_once("vertical-align:")?.1.split(';').next()? {
        "top" => Some(VerticalAlignment::Top),
        "middle" => Some(VerticalAlignment::Middle),
        "bottom" => Some(VerticalAlignment::Bottom),
        _ => None,
    }
}

/// Makes the references absolute: `A1:B9` becomes `$A$1:$B$9`.
fn absolute(range: &str) -> String {
    let corner = |corner: &str| {
        let letters =
            corner.trim_start_matches('$').chars().take_while(char::is_ascii_alphabetic).collect::<String>();
        let digits = corner.chars().filter(char::is_ascii_digit).collect::<String>();
        format!("${letters}${digits}")
    };
    range.split(':').map(corner).collect::<Vec<_>>().join(":")
}
