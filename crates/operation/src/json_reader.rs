//! Reads commands, cell contents, format changes and item fields from JSON, one function per type.
//!
//! A new command is a variant of [`Command`], an arm of [`Command::from_json`] and an example in
//! `tests.rs`, which fails when one is missing. Unknown fields of a command are ignored; unknown
//! fields of a format change are an error. Why no decoder is derived: decision 0007.

use std::collections::BTreeMap;

use quadrille_json::{Fields, Json, JsonError};
use quadrille_workbook::ItemId;
use serde::{Deserialize, Deserializer, de};

use crate::format_json::{BorderFormat, FormatChange, TextRunFormat};
use crate::{Axis, CellContent, Command, ItemValue, SortKey};

impl Command {
    /// Reads a command.
    ///
    /// # Errors
    /// When the value is not an object, its `type` is not a command, or a field is missing or has
    /// the wrong type. The error begins with the path to the field.
    pub fn from_json(json: &Json) -> Result<Command, JsonError> {
        let fields = json.fields()?;
        let sheet = || fields.u32("sheet");
        let at = || fields.u32("at");
        let first = || fields.u32("first");
        let count = || fields.u32("count");
        let item = |name| fields.optional(name, |item| item.integer(0, i64::MAX).map(|item| item as u64));
        let item_fields = || match fields.get("fields") {
            None => Ok(BTreeMap::new()),
            Some(object) => object.fields().map(item_values),
        };
        let items = || fields.array("items", |item| item.integer(0, i64::MAX).map(|item| item as u64));
        let range = || fields.string("range");
        let name = || fields.string("name");
        let optional = |name| fields.optional(name, Json::string);
        Ok(match fields.str("type")? {
            "typeText" => Command::TypeText {
                sheet: sheet()?,
                cell: fields.string("cell")?,
                text: fields.string("text")?,
            },
            "typeTexts" => Command::TypeTexts {
                sheet: sheet()?,
                at: fields.string("at")?,
                texts: fields.array("texts", |row| row.array()?.iter().map(Json::string).collect())?,
            },
            "typeEverywhere" => {
                Command::TypeEverywhere { sheet: sheet()?, range: range()?, text: fields.string("text")? }
            }
            "setCells" => Command::SetCells {
                sheet: sheet()?,
                at: fields.string("at")?,
                cells: fields.array("cells", row_of_contents)?,
            },
            "appendRows" => {
                Command::AppendRows { sheet: sheet()?, rows: fields.array("rows", row_of_contents)? }
            }
            "clear" => Command::Clear { sheet: sheet()?, range: range()?, what: fields.variant("what")? },
            "copyPaste" => Command::CopyPaste {
                from_sheet: fields.u32("fromSheet")?,
                source: fields.string("source")?,
                sheet: sheet()?,
                target: fields.string("target")?,
                what: fields.variant("what")?,
                excluded_rows: row_spans(fields, "leavingOut")?,
            },
            "copyToNewSheet" => Command::CopyToNewSheet {
                from_sheet: fields.u32("fromSheet")?,
                source: fields.string("source")?,
                excluded_rows: row_spans(fields, "leavingOut")?,
                position: fields.optional("position", Json::u32)?,
            },
            "cutPaste" => Command::CutPaste {
                from_sheet: fields.u32("fromSheet")?,
                source: fields.string("source")?,
                sheet: sheet()?,
                target: fields.string("target")?,
            },
            "pasteText" => Command::PasteText {
                sheet: sheet()?,
                target: fields.string("target")?,
                text: fields.string("text")?,
            },
            "fill" => Command::Fill {
                sheet: sheet()?,
                source: fields.string("source")?,
                target: fields.string("target")?,
                mode: fields.variant("mode")?,
            },
            "fillDown" => Command::FillDown { sheet: sheet()?, range: range()? },
            "fillRight" => Command::FillRight { sheet: sheet()?, range: range()? },
            "insertRows" => Command::InsertRows { sheet: sheet()?, at: at()?, count: count()? },
            "deleteRows" => Command::DeleteRows { sheet: sheet()?, at: at()?, count: count()? },
            "insertColumns" => Command::InsertColumns { sheet: sheet()?, at: at()?, count: count()? },
            "deleteColumns" => Command::DeleteColumns { sheet: sheet()?, at: at()?, count: count()? },
            "resize" => Command::Resize {
                sheet: sheet()?,
                dimension: axis(fields)?,
                first: first()?,
                count: count()?,
                size: fields
                    .optional("size", |size| size.integer(0, u16::MAX.into()))?
                    .map(|size| size as u16),
            },
            "sort" => Command::Sort {
                sheet: sheet()?,
                range: range()?,
                keys: fields.array("keys", SortKey::from_json)?,
                has_header: fields.boolean("hasHeader")?,
            },
            "removeDuplicates" => Command::RemoveDuplicates {
                sheet: sheet()?,
                range: range()?,
                columns: fields.array("columns", Json::u32)?,
                has_header: fields.boolean("hasHeader")?,
            },
            "splitText" => Command::SplitText {
                sheet: sheet()?,
                range: range()?,
                separator: fields.string("separator")?,
            },
            "trimWhitespace" => Command::TrimWhitespace { sheet: sheet()?, range: range()? },
            "format" => Command::Format {
                sheet: sheet()?,
                range: range()?,
                format: Box::new(FormatChange::from_json(fields.required("format")?)?),
            },
            "toggle" => Command::Toggle {
                sheet: sheet()?,
                range: range()?,
                attribute: fields.variant("attribute")?,
                active: optional("active")?,
            },
            "addSheet" => Command::AddSheet {
                name: optional("name")?,
                position: fields.optional("position", Json::u32)?,
            },
            "renameSheet" => Command::RenameSheet { sheet: sheet()?, name: name()? },
            "moveSheet" => Command::MoveSheet { sheet: sheet()?, position: fields.u32("position")? },
            "removeSheet" => Command::RemoveSheet { sheet: sheet()? },
            "duplicateSheet" => Command::DuplicateSheet { sheet: sheet()?, name: optional("name")? },
            "defineName" => Command::DefineName {
                name: name()?,
                definition: optional("definition")?,
                sheet: sheet()?,
                local: fields.optional("local", Json::boolean)?.unwrap_or(false),
                was: optional("was")?,
            },
            "setItem" => Command::SetItem {
                sheet: fields.optional("sheet", Json::u32)?,
                item: item("item")?,
                kind: optional("kind")?,
                anchors: fields
                    .optional("anchors", |anchors| anchors.array()?.iter().map(Json::string).collect())?,
                fields: item_fields()?,
            },
            "removeItem" => Command::RemoveItem {
                sheet: fields.optional("sheet", Json::u32)?,
                item: item("item")?.ok_or_else(|| JsonError::new("missing field `item`"))?,
            },
            "moveChart" => Command::MoveChart {
                sheet: sheet()?,
                item: item("item")?.ok_or_else(|| JsonError::new("missing field `item`"))?,
                to_sheet: fields.string("toSheet")?,
                own_sheet: fields.boolean("ownSheet")?,
            },
            "merge" => Command::Merge { sheet: sheet()?, range: range()?, how: fields.variant("how")? },
            "unmerge" => Command::Unmerge { sheet: sheet()?, range: range()? },
            "freezePanes" => Command::FreezePanes {
                sheet: sheet()?,
                rows: fields.u32("rows")?,
                columns: fields.u32("columns")?,
            },
            "filterBySlicer" => Command::FilterBySlicer {
                sheet: sheet()?,
                item: item("item")?.ok_or_else(|| JsonError::new("missing field `item`"))?,
                view: item("view")?,
                shown: fields.optional("shown", |shown| shown.array()?.iter().map(Json::string).collect())?,
                from: optional("from")?,
                to: optional("to")?,
            },
            "setHidden" => Command::SetHidden {
                sheet: sheet()?,
                dimension: axis(fields)?,
                first: first()?,
                count: count()?,
                hidden: fields.boolean("hidden")?,
            },
            "moveLines" => Command::MoveDimension {
                sheet: sheet()?,
                dimension: axis(fields)?,
                first: first()?,
                count: count()?,
                to: fields.u32("to")?,
            },
            "suggest" => Command::Suggest {
                command: Box::new(Command::from_json(fields.required("command")?)?),
                fields: item_fields()?,
            },
            "acceptSuggestions" => Command::AcceptSuggestions { sheet: sheet()?, items: items()? },
            "rejectSuggestions" => Command::RejectSuggestions { sheet: sheet()?, items: items()? },
            "many" => Command::Many { commands: fields.array("commands", Command::from_json)? },
            "inSight" => Command::VisibleRows {
                sheet: sheet()?,
                from: fields.optional("from", Json::u32)?,
                hidden: row_spans(fields, "hidden")?,
                rows: fields
                    .optional("rows", |rows| rows.array()?.iter().map(Json::u32).collect())?
                    .unwrap_or_default(),
                command: Box::new(Command::from_json(fields.required("command")?)?),
            },
            other => {
                let other: String = other.chars().take(40).collect();
                return Err(JsonError(["unknown command: ", &other].concat()));
            }
        })
    }
}

// The server deserializes through the tree too, so that both targets accept the same messages.

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Command, D::Error> {
        Command::from_json(&Json::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for CellContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CellContent, D::Error> {
        CellContent::from_json(&Json::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for FormatChange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FormatChange, D::Error> {
        FormatChange::from_json(&Json::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for ItemValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ItemValue, D::Error> {
        Json::deserialize(deserializer).map(|json| ItemValue::from_json(&json))
    }
}

fn axis(fields: Fields<'_>) -> Result<Axis, JsonError> {
    fields.variant("dimension")
}

fn row_of_contents(row: &Json) -> Result<Vec<CellContent>, JsonError> {
    row.array()?.iter().map(CellContent::from_json).collect()
}

/// Reads a list of pairs of first row and count; empty when the field is missing or `null`.
fn row_spans(fields: Fields<'_>, name: &str) -> Result<Vec<(u32, u32)>, JsonError> {
    let span = |json: &Json| match json.array()? {
        [first, count] => Ok((first.u32()?, count.u32()?)),
        _ => Err(JsonError::new("expected two numbers, the first row and the number of rows")),
    };
    let spans = fields.optional(name, |spans| spans.array()?.iter().map(span).collect())?;
    Ok(spans.unwrap_or_default())
}

impl SortKey {
    /// Reads a sort key from its JSON form.
    pub fn from_json(json: &Json) -> Result<SortKey, JsonError> {
        let fields = json.fields()?;
        Ok(SortKey { column: fields.u32("column")?, descending: fields.boolean("descending")? })
    }
}

impl CellContent {
    /// Reads the content of a cell: `"keep"`, `"blank"`, or an object of one field named after the
    /// type of the content.
    ///
    /// # Errors
    /// When the value has another form, or the type and the value of the field do not match.
    pub fn from_json(json: &Json) -> Result<CellContent, JsonError> {
        if let Json::String(name) = json {
            return match name.as_str() {
                "keep" => Ok(CellContent::Keep),
                "blank" => Ok(CellContent::Blank),
                _ => Err(JsonError::unknown_name(name, &["keep", "blank"])),
            };
        }
        let mut fields = json.fields()?.iter();
        let (Some((kind, value)), None) = (fields.next(), fields.next()) else {
            return Err(JsonError::new("the content of a cell is an object of one field"));
        };
        match kind {
            "number" => value.number().map(CellContent::Number),
            "boolean" => value.boolean().map(CellContent::Boolean),
            "text" => value.string().map(CellContent::Text),
            "typed" => value.string().map(CellContent::Typed),
            "formula" => value.string().map(CellContent::Formula),
            "keep" | "blank" => Err(JsonError::new("this kind of content has no value")),
            _ => {
                let kinds = &["keep", "blank", "number", "boolean", "text", "typed", "formula"];
                Err(JsonError::unknown_name(kind, kinds))
            }
        }
    }
}

impl FormatChange {
    const NAMES: &[&str] = &[
        "numberFormat",
        "bold",
        "italic",
        "underline",
        "strikethrough",
        "wrap",
        "horizontal",
        "vertical",
        "textColor",
        "fillColor",
        "borderTop",
        "borderRight",
        "borderBottom",
        "borderLeft",
        "fontFamily",
        "fontSize",
        "indent",
        "rotation",
        "overflow",
        "textFormat",
        "underlineStyle",
        "script",
        "borderDiagonalUp",
        "borderDiagonalDown",
        "fillPattern",
        "fillPatternColor",
        "quotePrefix",
        "readingOrder",
        "textRuns",
        "cellStyle",
    ];

    /// Reads a change of format attributes.
    ///
    /// # Errors
    /// When the value is not an object, or a field is unknown or has the wrong type.
    pub fn from_json(json: &Json) -> Result<FormatChange, JsonError> {
        let fields = json.fields()?;
        fields.deny_unknown(FormatChange::NAMES)?;
        let flag = |name| fields.optional(name, Json::boolean);
        let text = |name| fields.nullable(name, Json::string);
        let border = |name| fields.nullable(name, BorderFormat::from_json);
        Ok(FormatChange {
            number_format: text("numberFormat")?,
            bold: flag("bold")?,
            italic: flag("italic")?,
            underline: flag("underline")?,
            strikethrough: flag("strikethrough")?,
            wrap: flag("wrap")?,
            horizontal: fields.nullable("horizontal", Json::variant)?,
            vertical: fields.nullable("vertical", Json::variant)?,
            text_color: text("textColor")?,
            fill_color: text("fillColor")?,
            border_top: border("borderTop")?,
            border_right: border("borderRight")?,
            border_bottom: border("borderBottom")?,
            border_left: border("borderLeft")?,
            font_family: text("fontFamily")?,
            font_size: fields.nullable("fontSize", Json::number)?,
            indent: fields
                .optional("indent", |indent| indent.integer(0, u8::MAX.into()))?
                .map(|indent| indent as u8),
            rotation: fields
                .optional("rotation", |degrees| degrees.integer(i16::MIN.into(), i16::MAX.into()))?
                .map(|degrees| degrees as i16),
            overflow: fields.nullable("overflow", Json::variant)?,
            text_format: fields.nullable("textFormat", Json::variant)?,
            underline_style: fields.nullable("underlineStyle", Json::variant)?,
            script: fields.nullable("script", Json::variant)?,
            border_diagonal_up: border("borderDiagonalUp")?,
            border_diagonal_down: border("borderDiagonalDown")?,
            fill_pattern: fields.nullable("fillPattern", Json::variant)?,
            fill_pattern_color: text("fillPatternColor")?,
            quote_prefix: flag("quotePrefix")?,
            reading_order: fields.nullable("readingOrder", Json::variant)?,
            text_runs: fields.nullable("textRuns", TextRunFormat::list_from_json)?,
            cell_style: fields
                .nullable("cellStyle", |id| id.integer(1, ItemId::MAX as i64))?
                .map(|id| id.map(|id| id as u64)),
        })
    }
}

impl TextRunFormat {
    /// Reads the parts of a text.
    fn list_from_json(json: &Json) -> Result<Vec<TextRunFormat>, JsonError> {
        let mut parts = Vec::new();
        for part in json.array()? {
            parts.push(TextRunFormat::from_json(part)?);
        }
        Ok(parts)
    }

    // Not part of its caller, whose code the engine has several times.
    #[inline(never)]
    fn from_json(json: &Json) -> Result<TextRunFormat, JsonError> {
        let fields = json.fields()?;
        fields.deny_unknown(&["text", "format"])?;
        let text = fields.string("text")?;
        let format = Box::new(FormatChange::from_json(fields.required("format")?)?);
        Ok(TextRunFormat { text: Some(text), length: None, format })
    }
}

impl BorderFormat {
    fn from_json(json: &Json) -> Result<BorderFormat, JsonError> {
        let fields = json.fields()?;
        fields.deny_unknown(&["style", "color"])?;
        let style = fields.variant("style")?;
        Ok(BorderFormat { style, color: fields.optional("color", Json::string)? })
    }
}

impl ItemValue {
    /// Converts any JSON value; integers become numbers.
    pub fn from_json(json: &Json) -> ItemValue {
        match json {
            Json::Null => ItemValue::None(()),
            Json::Boolean(boolean) => ItemValue::Boolean(*boolean),
            Json::Integer(integer) => ItemValue::Number(*integer as f64),
            Json::Number(number) => ItemValue::Number(*number),
            Json::String(text) => ItemValue::Text(text.clone()),
            Json::Array(values) => ItemValue::List(values.iter().map(ItemValue::from_json).collect()),
            Json::Object(_) => ItemValue::Record(json.fields().map(item_values).unwrap_or_default()),
        }
    }
}

fn item_values(fields: Fields<'_>) -> BTreeMap<String, ItemValue> {
    let mut values = BTreeMap::new();
    for (name, value) in fields.iter() {
        values.insert(name.to_owned(), ItemValue::from_json(value));
    }
    values
}

#[cfg(test)]
mod tests;
