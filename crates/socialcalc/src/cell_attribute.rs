//! [`CellAttribute`]: what `set A1:B2 …` changes.

use quadrille_cell::{ErrorValue, Value, canonical_number};
use quadrille_files::socialcalc_dialect::from_socialcalc;
use quadrille_files::socialcalc_escapes::decode;
use quadrille_files::socialcalc_styles::{format_of_type, text_format};
use quadrille_operation::{FormatChange, TextFormatName};

use crate::style;

/// A change of cells.
#[derive(Clone, PartialEq, Debug)]
pub enum CellAttribute {
    /// A value, with the number format of its type.
    Value {
        value: Value,
        number_format: Option<String>,
    },
    /// A text whose type says how it is shown.
    FormattedText {
        text: String,
        format: TextFormatName,
    },
    /// A formula without `=`; the same text in each cell.
    Formula(String),
    /// Clears the content and keeps the format.
    Empty,
    /// Clears everything, then sets these attributes.
    All(Vec<CellAttribute>),
    /// Boxed, because it is much larger than the others.
    Format(Box<FormatChange>),
    /// Sets or removes the comment.
    Comment(Option<String>),
    Locked(bool),
    /// Merges the cell with those to its right and below it, in all as many rows and columns.
    Merged {
        rows: u32,
        columns: u32,
    },
    /// Changes nothing here: classes and styles of HTML.
    Nothing,
}

/// Rows or columns of merged cells, at most: the rows of a sheet.
const SPAN_MAX: u32 = quadrille_cell::ROWS_MAX;

/// Reads the attribute and value of `set A1:B2 ATTRIBUTE VALUE`.
///
/// # Errors
/// An unknown attribute or a value that it cannot have.
pub fn parse(attribute: &str, value: &str) -> Result<CellAttribute, String> {
    match attribute {
        "value" => {
            let (value_type, value) = value.split_once(' ').unwrap_or((value, ""));
            typed_number(value_type, value)
        }
        "text" => {
            let (value_type, text) = value.split_once(' ').unwrap_or((value, ""));
            Ok(typed_text(value_type, &decode(text)))
        }
        "formula" if value.trim().is_empty() => Err("'formula' needs a formula without its =".to_owned()),
        "formula" => Ok(CellAttribute::Formula(from_socialcalc(value).into_owned())),
        "constant" => {
            let mut words = value.splitn(3, ' ');
            constant(words.next().unwrap_or_default(), words.next().unwrap_or_default())
        }
        "empty" => Ok(CellAttribute::Empty),
        "all" => Ok(CellAttribute::All(saved_attributes(value)?)),
        "bt" | "br" | "bb" | "bl" => {
            let border = Some(style::border(value)?);
            Ok(format(match attribute {
                "bt" => FormatChange { border_top: border, ..FormatChange::default() },
                "br" => FormatChange { border_right: border, ..FormatChange::default() },
                "bb" => FormatChange { border_bottom: border, ..FormatChange::default() },
                _ => FormatChange { border_left: border, ..FormatChange::default() },
            }))
        }
        "color" => {
            Ok(format(FormatChange { text_color: Some(style::color(value)?), ..FormatChange::default() }))
        }
        "bgcolor" => {
            Ok(format(FormatChange { fill_color: Some(style::color(value)?), ..FormatChange::default() }))
        }
        "layout" => {
            Ok(format(FormatChange { vertical: Some(style::vertical(value)), ..FormatChange::default() }))
        }
        "cellformat" => Ok(format(FormatChange {
            horizontal: Some(style::horizontal(value)?),
            ..FormatChange::default()
        })),
        "font" => {
            let font = style::font(value)?;
            Ok(format(FormatChange {
                bold: Some(font.is_bold),
                italic: Some(font.is_italic),
                font_size: Some(font.size),
                font_family: Some(font.family),
                ..FormatChange::default()
            }))
        }
        "nontextvalueformat" => Ok(number_format(style::number_format(value))),
        "comment" => Ok(comment(value)),
        "readonly" => Ok(CellAttribute::Locked(value.eq_ignore_ascii_case("yes"))),
        "textvalueformat" => Ok(format(FormatChange {
            text_format: Some(text_format(value.trim()).map(TextFormatName::from)),
            ..FormatChange::default()
        })),
        "cssc" | "csss" | "mod" => Ok(CellAttribute::Nothing),
        unknown => Err(format!("'{unknown}' is not an attribute of a cell")),
    }
}

/// Reads the attributes of a cell as a save has them, `:v:5` or `:t:text:comment:…`. Numbers of styles
/// belong to the tables of a save, which a command does not have; they change nothing.
fn saved_attributes(text: &str) -> Result<Vec<CellAttribute>, String> {
    let mut attributes = Vec::new();
    let (mut rows, mut columns) = (1, 1);
    let mut fields = text.trim_start_matches(':').split(':').filter(|_| !text.is_empty());
    while let Some(key) = fields.next() {
        let mut next = || fields.next().unwrap_or_default();
        match key {
            "v" => attributes.push(typed_number("n", next())?),
            "t" => attributes.push(self::text(&decode(next()))),
            "vt" => attributes.push(constant(next(), &decode(next()))?),
            "vtf" => {
                let (value_type, _) = (next(), next());
                attributes.push(CellAttribute::Formula(from_socialcalc(&decode(next())).into_owned()));
                attributes.extend(format_of_type(value_type).map(|code| number_format(Some(code.into()))));
            }
            "vtc" => {
                attributes.push(constant(next(), &decode(next()))?);
                next();
            }
            "e" => attributes.push(constant(&format!("e{}", next()), "0")?),
            "comment" => attributes.push(comment(next())),
            "ro" => attributes.push(CellAttribute::Locked(next().eq_ignore_ascii_case("yes"))),
            "b" => (0..4).for_each(|_| _ = next()),
            "colspan" => columns = span(next())?,
            "rowspan" => rows = span(next())?,
            "l" | "f" | "c" | "bg" | "cf" | "cvf" | "tvf" | "ntvf" | "cssc" | "csss" | "mod" => _ = next(),
            unknown => return Err(format!("'{unknown}' is not an attribute of a cell in a save")),
        }
    }
    if (rows, columns) != (1, 1) {
        attributes.push(CellAttribute::Merged { rows, columns });
    }
    Ok(attributes)
}

/// The number of rows or columns of merged cells.
fn span(text: &str) -> Result<u32, String> {
    let count = text.parse().ok().filter(|count| (1..=SPAN_MAX).contains(count));
    count.ok_or_else(|| format!("'{text}' is not a number of merged rows or columns, 1 to {SPAN_MAX}"))
}

fn typed_number(value_type: &str, value: &str) -> Result<CellAttribute, String> {
    let number = value.trim().parse::<f64>().ok().and_then(canonical_number);
    let number = number.ok_or_else(|| format!("'{value}' is not a number"))?;
    let value = match value_type {
        "nl" => Value::Boolean(number != 0.0),
        _ if value_type.starts_with('n') => Value::Number(number),
        other => return Err(format!("'{other}' is not the type of a number, such as n, n% or nd")),
    };
    let number_format = format_of_type(value_type).map(str::to_owned);
    Ok(CellAttribute::Value { value, number_format })
}

/// A value whose type says what it is: `nd 45352` is a date, `nl 1` is TRUE, `e#N/A 0` an error.
fn constant(value_type: &str, value: &str) -> Result<CellAttribute, String> {
    match value_type.as_bytes() {
        [b't', ..] => Ok(typed_text(value_type, value)),
        [b'b', ..] => Ok(CellAttribute::Empty),
        [b'e', ..] => {
            let error = ErrorValue::parse(&value_type[1..]);
            let error = error.ok_or_else(|| format!("'{value_type}' is not an error such as e#N/A"))?;
            Ok(CellAttribute::Value { value: Value::Error(error), number_format: None })
        }
        _ => typed_number(value_type, value),
    }
}

/// A text of a type such as `th`, which SocialCalc shows as HTML.
fn typed_text(value_type: &str, text: &str) -> CellAttribute {
    let format = match value_type {
        "th" => TextFormatName::Html,
        "tw" | "tr" => TextFormatName::Wiki,
        "tl" => TextFormatName::Link,
        _ => return self::text(text),
    };
    match text.is_empty() {
        true => CellAttribute::Empty,
        false => CellAttribute::FormattedText { text: text.to_owned(), format },
    }
}

fn text(text: &str) -> CellAttribute {
    match text.is_empty() {
        true => CellAttribute::Empty,
        false => CellAttribute::Value { value: Value::Text(text.into()), number_format: None },
    }
}

fn comment(text: &str) -> CellAttribute {
    CellAttribute::Comment(Some(decode(text)).filter(|text| !text.is_empty()))
}

fn number_format(code: Option<String>) -> CellAttribute {
    format(FormatChange { number_format: Some(code), ..FormatChange::default() })
}

fn format(change: FormatChange) -> CellAttribute {
    CellAttribute::Format(Box::new(change))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: impl Into<Value>, number_format: Option<&str>) -> CellAttribute {
        CellAttribute::Value { value: value.into(), number_format: number_format.map(str::to_owned) }
    }

    fn formatted(text: &str, format: TextFormatName) -> CellAttribute {
        CellAttribute::FormattedText { text: text.to_owned(), format }
    }

    #[test]
    fn contents_have_a_type() {
        for (attribute, given, expected) in [
            ("value", "n 5", value(Value::Number(5.0), None)),
            ("value", "n% 0.05", value(Value::Number(0.05), Some("#,##0.0%"))),
            ("text", "t a\\cb\\nc", value(Value::Text("a:b\nc".into()), None)),
            ("text", "th <b>x</b>", formatted("<b>x</b>", TextFormatName::Html)),
            ("text", "t ", CellAttribute::Empty),
            ("text", "t", CellAttribute::Empty),
            ("formula", "SUM(A1:A3)", CellAttribute::Formula("SUM(A1:A3)".into())),
            // The natural logarithm.
            ("formula", "LOG(A1)", CellAttribute::Formula("LN(A1)".into())),
            ("constant", "nd 45352 1-Mar-2024", value(Value::Number(45352.0), Some("d-mmm-yyyy"))),
            ("constant", "nl 1 TRUE", value(Value::Boolean(true), None)),
            ("constant", "e#N/A 0 #N/A", value(Value::Error(ErrorValue::NotAvailable), None)),
            ("empty", "", CellAttribute::Empty),
            ("empty", "multi-cascade", CellAttribute::Empty),
            ("comment", "see\\c there", CellAttribute::Comment(Some("see: there".into()))),
            ("comment", "", CellAttribute::Comment(None)),
            ("readonly", "YES", CellAttribute::Locked(true)),
            ("csss", "color:red", CellAttribute::Nothing),
        ] {
            assert_eq!(parse(attribute, given), Ok(expected), "{attribute} {given}");
        }
        for (attribute, given) in [
            ("value", "n five"),
            ("value", "x 5"),
            ("formula", " "),
            ("constant", "e#WHAT 0"),
            ("value", "n inf"),
        ] {
            assert!(parse(attribute, given).is_err(), "{attribute} {given}");
        }
    }

    #[test]
    fn all_attributes_come_as_in_a_save() {
        let parsed = parse("all", ":vtf:n%:0.5:A1*2:f:3:b:1:::2:comment:why\\c");
        let percent =
            FormatChange { number_format: Some(Some("#,##0.0%".into())), ..FormatChange::default() };
        let expected = vec![
            CellAttribute::Formula("A1*2".into()),
            CellAttribute::Format(Box::new(percent)),
            CellAttribute::Comment(Some("why:".into())),
        ];
        assert_eq!(parsed, Ok(CellAttribute::All(expected)));
        assert_eq!(parse("all", ""), Ok(CellAttribute::All(vec![])));
        assert!(parse("all", ":what:5").is_err());
    }
}
