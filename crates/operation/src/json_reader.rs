//! Commands, formats and items from JSON: one small function for each type. Fields that a command does not have are
//! ignored, as they always were; those of a format are refused.

use std::collections::BTreeMap;

use quadrille_json::{Fields, Json, JsonError, name_index};
use serde::{Deserialize, Deserializer, de};

use crate::format_json::{
    BorderFormat, BorderName, FormatChange, HorizontalName, OverflowName, VerticalName,
};
use crate::{
    Axis, CellContent, ClearScope, Command, FillMode, ItemValue, MergeKind, PasteScope, SortKey,
    ToggleAttribute,
};

impl Command {
    pub fn from_json(json: &Json) -> Result<Command, JsonError> {
        let fields = json.fields()?;
        let sheet = || fields.u32("sheet");
        let at = || fields.u32("at");
        let first = || fields.u32("first");
        let count = || fields.u32("count");
        let item = |name| fields.optional(name, |item| item.whole(0, i64::MAX).map(|item| item as u64));
        let range = || fields.string("range");
        let name = || fields.string("name");
        let optional = |name| fields.optional(name, string);
        Ok(match fields.text("type")? {
            "typeText" => Command::TypeText {
                sheet: sheet()?,
                cell: fields.string("cell")?,
                text: fields.string("text")?,
            },
            "typeTexts" => Command::TypeTexts {
                sheet: sheet()?,
                at: fields.string("at")?,
                texts: fields.list("texts", |row| row.list()?.iter().map(string).collect())?,
            },
            "typeEverywhere" => {
                Command::TypeEverywhere { sheet: sheet()?, range: range()?, text: fields.string("text")? }
            }
            "setCells" => Command::SetCells {
                sheet: sheet()?,
                at: fields.string("at")?,
                cells: fields.list("cells", contents)?,
            },
            "appendRows" => Command::AppendRows { sheet: sheet()?, rows: fields.list("rows", contents)? },
            "clear" => Command::Clear {
                sheet: sheet()?,
                range: range()?,
                what: ClearScope::ALL[fields.index("what", ClearScope::NAMES)?],
            },
            "copyPaste" => Command::CopyPaste {
                from_sheet: fields.u32("fromSheet")?,
                source: fields.string("source")?,
                sheet: sheet()?,
                target: fields.string("target")?,
                what: PasteScope::ALL[fields.index("what", PasteScope::NAMES)?],
                leaving_out: runs(fields, "leavingOut")?,
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
                mode: FillMode::ALL[fields.index("mode", FillMode::NAMES)?],
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
                size: fields.optional("size", |size| size.whole(0, u16::MAX.into()))?.map(|size| size as u16),
            },
            "sort" => Command::Sort {
                sheet: sheet()?,
                range: range()?,
                keys: fields.list("keys", sort_key)?,
                has_header: fields.boolean("hasHeader")?,
            },
            "removeDuplicates" => Command::RemoveDuplicates {
                sheet: sheet()?,
                range: range()?,
                columns: fields.list("columns", Json::u32)?,
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
                format: FormatChange::from_json(fields.required("format")?)?,
            },
            "toggle" => Command::Toggle {
                sheet: sheet()?,
                range: range()?,
                attribute: ToggleAttribute::ALL[fields.index("attribute", ToggleAttribute::NAMES)?],
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
                    .optional("anchors", |anchors| anchors.list()?.iter().map(string).collect())?,
                fields: match fields.get("fields") {
                    None => BTreeMap::new(),
                    Some(record) => item_values(record.fields()?),
                },
            },
            "removeItem" => Command::RemoveItem {
                sheet: fields.optional("sheet", Json::u32)?,
                item: item("item")?.ok_or_else(|| JsonError::new("missing field `item`"))?,
            },
            "merge" => Command::Merge {
                sheet: sheet()?,
                range: range()?,
                how: MergeKind::ALL[fields.index("how", MergeKind::NAMES)?],
            },
            "unmerge" => Command::Unmerge { sheet: sheet()?, range: range()? },
            "freezePanes" => Command::FreezePanes {
                sheet: sheet()?,
                rows: fields.u32("rows")?,
                columns: fields.u32("columns")?,
            },
            "setHidden" => Command::SetHidden {
                sheet: sheet()?,
                dimension: axis(fields)?,
                first: first()?,
                count: count()?,
                hidden: fields.boolean("hidden")?,
            },
            "moveLines" => Command::MoveLines {
                sheet: sheet()?,
                dimension: axis(fields)?,
                first: first()?,
                count: count()?,
                to: fields.u32("to")?,
            },
            "many" => Command::Many { commands: fields.list("commands", Command::from_json)? },
            "inSight" => Command::InSight {
                sheet: sheet()?,
                from: fields.optional("from", Json::u32)?,
                hidden: runs(fields, "hidden")?,
                command: Box::new(Command::from_json(fields.required("command")?)?),
            },
            other => {
                let other: String = other.chars().take(40).collect();
                return Err(JsonError(["unknown command: ", &other].concat()));
            }
        })
    }
}

/// Through the tree, so that commands are read in one way whoever brings them.
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

fn string(json: &Json) -> Result<String, JsonError> {
    json.text().map(str::to_owned)
}

fn axis(fields: Fields<'_>) -> Result<Axis, JsonError> {
    Ok(Axis::ALL[fields.index("dimension", Axis::NAMES)?])
}

fn contents(row: &Json) -> Result<Vec<CellContent>, JsonError> {
    row.list()?.iter().map(CellContent::from_json).collect()
}

/// First row and count each.
fn runs(fields: Fields<'_>, name: &str) -> Result<Vec<(u32, u32)>, JsonError> {
    let run = |json: &Json| match json.list()? {
        [first, count] => Ok((first.u32()?, count.u32()?)),
        _ => Err(JsonError::new("expected two numbers, the first row and how many")),
    };
    let runs = fields.optional(name, |runs| runs.list()?.iter().map(run).collect())?;
    Ok(runs.unwrap_or_default())
}

fn sort_key(json: &Json) -> Result<SortKey, JsonError> {
    let fields = json.fields()?;
    Ok(SortKey { column: fields.u32("column")?, descending: fields.boolean("descending")? })
}

impl CellContent {
    pub fn from_json(json: &Json) -> Result<CellContent, JsonError> {
        if let Json::Text(text) = json {
            let words = [CellContent::Keep, CellContent::Blank];
            return Ok(words[name_index(text, &["keep", "blank"])?].clone());
        }
        let fields = json.fields()?;
        let mut iter = fields.iter();
        let (Some((kind, value)), None) = (iter.next(), iter.next()) else {
            return Err(JsonError::new("the content of a cell is a record of one field"));
        };
        match kind {
            "number" => value.number().map(CellContent::Number),
            "boolean" => value.boolean().map(CellContent::Boolean),
            "text" => string(value).map(CellContent::Text),
            "typed" => string(value).map(CellContent::Typed),
            "formula" => string(value).map(CellContent::Formula),
            _ => {
                let names = &["keep", "blank", "number", "boolean", "text", "typed", "formula"];
                name_index(kind, names).and(Err(JsonError::new("this kind of content has no value")))
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
    ];

    pub fn from_json(json: &Json) -> Result<FormatChange, JsonError> {
        let fields = json.fields()?;
        fields.only(FormatChange::NAMES)?;
        let flag = |name| fields.optional(name, Json::boolean);
        let text = |name| fields.nullable(name, string);
        let border = |name| fields.nullable(name, BorderFormat::from_json);
        Ok(FormatChange {
            number_format: text("numberFormat")?,
            bold: flag("bold")?,
            italic: flag("italic")?,
            underline: flag("underline")?,
            strikethrough: flag("strikethrough")?,
            wrap: flag("wrap")?,
            horizontal: fields.nullable("horizontal", |name| {
                Ok(HorizontalName::ALL[name_index(name.text()?, HorizontalName::NAMES)?])
            })?,
            vertical: fields.nullable("vertical", |name| {
                Ok(VerticalName::ALL[name_index(name.text()?, VerticalName::NAMES)?])
            })?,
            text_color: text("textColor")?,
            fill_color: text("fillColor")?,
            border_top: border("borderTop")?,
            border_right: border("borderRight")?,
            border_bottom: border("borderBottom")?,
            border_left: border("borderLeft")?,
            font_family: text("fontFamily")?,
            font_size: fields.nullable("fontSize", Json::number)?,
            indent: fields
                .optional("indent", |indent| indent.whole(0, u8::MAX.into()))?
                .map(|indent| indent as u8),
            rotation: fields
                .optional("rotation", |degrees| degrees.whole(i16::MIN.into(), i16::MAX.into()))?
                .map(|degrees| degrees as i16),
            overflow: fields.nullable("overflow", |name| {
                Ok(OverflowName::ALL[name_index(name.text()?, OverflowName::NAMES)?])
            })?,
        })
    }
}

impl BorderFormat {
    fn from_json(json: &Json) -> Result<BorderFormat, JsonError> {
        let fields = json.fields()?;
        fields.only(&["style", "color"])?;
        let style = BorderName::ALL[fields.index("style", BorderName::NAMES)?];
        Ok(BorderFormat { style, color: fields.optional("color", string)? })
    }
}

impl ItemValue {
    pub fn from_json(json: &Json) -> ItemValue {
        match json {
            Json::Null => ItemValue::None(()),
            Json::Boolean(boolean) => ItemValue::Boolean(*boolean),
            Json::Whole(whole) => ItemValue::Number(*whole as f64),
            Json::Number(number) => ItemValue::Number(*number),
            Json::Text(text) => ItemValue::Text(text.clone()),
            Json::List(values) => ItemValue::List(values.iter().map(ItemValue::from_json).collect()),
            Json::Record(_) => ItemValue::Record(json.fields().map(item_values).unwrap_or_default()),
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

/// All values of an enumeration beside their names in JSON, in the same order.
macro_rules! names {
    ($($type:ident { $($value:ident = $name:literal),* })*) => {
        $(impl $type {
            pub(crate) const ALL: &[$type] = &[$($type::$value),*];
            pub(crate) const NAMES: &[&str] = &[$($name),*];
        })*
    };
}

names! {
    MergeKind { All = "all", Rows = "rows", Columns = "columns" }
    ClearScope { Contents = "contents", Formats = "formats", All = "all" }
    PasteScope { All = "all", Contents = "contents", Values = "values", Formats = "formats", Transposed = "transposed" }
    FillMode { Series = "series", Copy = "copy" }
    Axis { Rows = "rows", Columns = "columns" }
    ToggleAttribute {
        Bold = "bold", Italic = "italic", Underline = "underline", Strikethrough = "strikethrough", Wrap = "wrap"
    }
    HorizontalName { Left = "left", Center = "center", Right = "right" }
    VerticalName { Top = "top", Middle = "middle", Bottom = "bottom" }
    OverflowName { Clip = "clip", Shrink = "shrink" }
    BorderName {
        Thin = "thin", Medium = "medium", Thick = "thick", Dashed = "dashed", Dotted = "dotted", Double = "double",
        Hair = "hair", MediumDashed = "mediumDashed", DashDot = "dashDot", MediumDashDot = "mediumDashDot",
        DashDotDot = "dashDotDot", MediumDashDotDot = "mediumDashDotDot", SlantDashDot = "slantDashDot"
    }
}

#[cfg(test)]
mod tests;
