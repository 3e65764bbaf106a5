//! Reads the attributes of a cell, `cell:A1:v:5:f:1`.

use std::sync::Arc;

use quadrille_cell::{CellAddress, ErrorValue, Range, Value, canonical_number};
use quadrille_workbook::{Border, Field, Format, ItemKind, TextFormat};

use super::read::Save;
use super::{decode, dialect, links, styles};
use crate::contents::{FieldTexts, FormulaSource};
use crate::error::{FileError, FileErrorCode};
use crate::limits::{FORMULA_LENGTH_MAX, TEXT_LENGTH_MAX};

/// What the attributes of a cell say, before all of them are known.
#[derive(Default)]
struct CellState<'a> {
    format: Format,
    /// The type of the value, such as `n`, `nd` or `t`.
    value_type: &'a str,
    /// A text that is not the result of a formula.
    text: Option<String>,
    /// Numbers of entries of the format tables.
    horizontal: &'a str,
    number_format: &'a str,
    text_format: &'a str,
    columns: u32,
    rows: u32,
}

impl Save {
    /// Reads the line of a cell.
    pub fn cell(&mut self, address: CellAddress, line: &str) -> Result<(), FileError> {
        let (row, column) = (address.row.get(), address.column.get());
        let mut cell = CellState { format: self.defaults.format.clone(), ..CellState::default() };
        let mut rest = line.split(':').skip(2);
        while let Some(key) = rest.next() {
            let mut next = || rest.next().unwrap_or_default();
            match key {
                "v" => {
                    cell.value_type = "n";
                    self.contents.put(row, column, number(&decode(next())))?;
                }
                "t" => {
                    cell.value_type = "t";
                    cell.text = Some(decode(next()));
                }
                "vt" | "vtc" => {
                    cell.value_type = next();
                    let value = decode(next());
                    if key == "vtc" {
                        // The text as it was typed.
                        next();
                    }
                    match cell.value_type.starts_with('t') {
                        true => cell.text = Some(value),
                        false => self.constant(address, cell.value_type, &value)?,
                    }
                }
                "vtf" => {
                    cell.value_type = next();
                    // The result of the last calculation.
                    next();
                    self.formula(address, &decode(next()))?;
                }
                "f" => self.font(next(), &mut cell.format),
                "c" => cell.format.text_color = self.color(next()).or(cell.format.text_color),
                "bg" => cell.format.fill_color = self.color(next()).or(cell.format.fill_color),
                "l" => self.layout(next(), &mut cell.format),
                "cf" => cell.horizontal = next(),
                "ntvf" => cell.number_format = next(),
                "tvf" => cell.text_format = next(),
                "b" => {
                    cell.format.border_top = self.border(next());
                    cell.format.border_right = self.border(next());
                    cell.format.border_bottom = self.border(next());
                    cell.format.border_left = self.border(next());
                }
                "comment" => self.comment(address, &decode(next())),
                "colspan" => cell.columns = next().parse().unwrap_or(1),
                "rowspan" => cell.rows = next().parse().unwrap_or(1),
                "ro" => {
                    if next().eq_ignore_ascii_case("yes") {
                        self.locked.push(address);
                    }
                }
                "cssc" | "csss" => {
                    next();
                    self.left_out.insert("CSS classes and styles");
                }
                // The text of an error follows from the formula; the mark of a change is not shown.
                "e" | "mod" => {
                    next();
                }
                "" => {}
                _ => {
                    next();
                    self.left_out.insert("features of later versions of SocialCalc");
                }
            }
        }
        self.align(&mut cell);
        self.display(&mut cell);
        if let Some(text) = cell.text.take() {
            self.text(address, text, &cell)?;
        }
        self.span(address, &cell);
        if cell.format != self.defaults.format {
            self.contents.put_format(Range::cell(address), cell.format)?;
        }
        Ok(())
    }

    /// Sets a typed constant: `nl` 1 is TRUE, `nd` 45352 is a date.
    fn constant(&mut self, address: CellAddress, value_type: &str, value: &str) -> Result<(), FileError> {
        let value = match value_type.as_bytes() {
            [b'b', ..] | [] => return Ok(()),
            b"nl" => Value::Boolean(value != "0" && !value.is_empty()),
            [b'e', ..] => Value::Error(ErrorValue::parse(&value_type[1..]).unwrap_or(ErrorValue::Value)),
            _ => number(value),
        };
        self.contents.put(address.row.get(), address.column.get(), value)
    }

    fn formula(&mut self, address: CellAddress, formula: &str) -> Result<(), FileError> {
        if formula.len() > FORMULA_LENGTH_MAX {
            let reason = format!("{address}: a formula of more than {FORMULA_LENGTH_MAX} characters");
            return Err(FileError::new(FileErrorCode::TextTooLong, reason));
        }
        let source = FormulaSource::Text(dialect::from_socialcalc(formula).into());
        self.contents.put_formula(address.row.get(), address.column.get(), source)
    }

    /// Sets the text of a cell, or the text and the address of a link.
    fn text(&mut self, address: CellAddress, text: String, cell: &CellState<'_>) -> Result<(), FileError> {
        let format = self.text_format(cell);
        let is_custom = format.starts_with("text-custom") || format.starts_with("custom");
        let link = link(format, &text);
        self.left_out.extend(is_custom.then_some("texts in formats of their own"));
        let text = match link {
            Some(link) => {
                let mut fields = FieldTexts::default();
                fields.text(Field::Url, Some(link.url));
                self.item(ItemKind::Link, vec![Range::cell(address)], fields);
                link.text
            }
            None => text,
        };
        match text.is_empty() {
            true => Ok(()),
            false => self.contents.put_text(address.row.get(), address.column.get(), &text),
        }
    }

    /// How the cell shows its text. EtherCalc shows every text of a sheet as wiki text: only those with
    /// markup are kept as such.
    fn shown_as(&self, cell: &CellState<'_>) -> Option<TextFormat> {
        let has_own = self.entry("valueformat", cell.text_format).is_some_and(|format| !format.is_empty());
        if !cell.value_type.starts_with('t') && !has_own {
            return None;
        }
        let format = self.text_format(cell);
        let shown = styles::text_format(format)?;
        let text = cell.text.as_deref();
        let is_kept = match shown {
            TextFormat::Wiki => has_own || text.is_some_and(styles::has_wiki_markup),
            TextFormat::Link => text.is_none_or(|text| link(format, text).is_none()),
            TextFormat::Html | TextFormat::Image => true,
        };
        is_kept.then_some(shown)
    }

    /// The format of a text: its own, that of the sheet, or that of its type.
    fn text_format(&self, cell: &CellState<'_>) -> &str {
        let own = self.entry("valueformat", cell.text_format).filter(|format| !format.is_empty());
        let format =
            own.or_else(|| self.entry("valueformat", &self.defaults.text_format)).unwrap_or_default();
        match (format, cell.value_type) {
            ("" | "none" | "General", "th") => "text-html",
            ("" | "none" | "General", "tw" | "tr") => "text-wiki",
            ("" | "none" | "General", "tl") => "text-link",
            (format, _) => format,
        }
    }

    /// Sets the horizontal alignment: its own, or that of texts or numbers of the sheet.
    fn align(&self, cell: &mut CellState<'_>) {
        let default = match cell.value_type.starts_with('t') {
            true => &self.defaults.text_alignment,
            false => &self.defaults.number_alignment,
        };
        let own = self.entry("cellformat", cell.horizontal).and_then(styles::horizontal);
        let alignment = own.or_else(|| self.entry("cellformat", default).and_then(styles::horizontal));
        cell.format.horizontal = alignment;
    }

    /// Sets the number format: its own, that of the sheet, or that of the type.
    fn display(&mut self, cell: &mut CellState<'_>) {
        let own = self.entry("valueformat", cell.number_format).filter(|format| !format.is_empty());
        if let Some(code) = own {
            let read = styles::number_format(code).map(Arc::from);
            let is_lost = matches!(code, "formula" | "forcetext" | "logical");
            if read.is_some() {
                cell.format.number_format = read;
            }
            self.left_out.extend(is_lost.then_some("the number formats formula, forcetext and logical"));
        }
        if cell.format.number_format.is_none() {
            cell.format.number_format = styles::format_of_type(cell.value_type).map(Arc::from);
        }
        cell.format.text_format = self.shown_as(cell);
        if cell.value_type.starts_with('t') && self.text_format(cell) == "hidden" {
            cell.format.number_format = Some(styles::HIDDEN.into());
        }
    }

    fn border(&mut self, number: &str) -> Option<Border> {
        let entry = self.entry("border", number)?;
        let border = styles::border(entry);
        let is_same = border.is_none_or(|border| styles::is_same_line(border, entry));
        self.left_out.extend((!is_same).then_some("widths and styles of borders that cells cannot have"));
        border
    }

    fn comment(&mut self, address: CellAddress, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut fields = FieldTexts::default();
        fields.text(Field::Text, Some(text.chars().take(TEXT_LENGTH_MAX).collect::<String>()));
        self.item(ItemKind::Note, vec![Range::cell(address)], fields);
    }

    /// Notes the merged range of which this cell is the first.
    fn span(&mut self, address: CellAddress, cell: &CellState<'_>) {
        if cell.columns <= 1 && cell.rows <= 1 {
            return;
        }
        let last = |first: u32, count: u32| first.saturating_add(count.max(1) - 1);
        let (row, column) = (address.row.get(), address.column.get());
        match Range::from_indices(row, column, last(row, cell.rows), last(column, cell.columns)) {
            Some(range) => self.merged.push(range),
            None => {
                self.left_out.insert("merged cells beyond the edge of the sheet");
            }
        }
    }
}

/// The link of a text in the format `text-link` or `text-url`.
fn link(format: &str, text: &str) -> Option<links::Link> {
    matches!(format, "text-link" | "text-url").then(|| links::parse(text, format == "text-link")).flatten()
}

fn number(text: &str) -> Value {
    let number = text.parse::<f64>().ok().and_then(canonical_number);
    number.map_or(Value::Error(ErrorValue::Number), Value::Number)
}
