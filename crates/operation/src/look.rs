//! Formats as JSON, for commands and for what the page and the API show of a cell.

use std::sync::Arc;

use quadrille_workbook::{Color, Format, FormatPatch, HorizontalAlignment, VerticalAlignment};
use serde::{Deserialize, Deserializer, Serialize};
use ts_rs::TS;

use crate::CommandError;

/// Attributes to change. A field left out stays as it is; `null` returns to the default.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[ts(export, optional_fields)]
pub struct FormatChange {
    /// Code in Excel's format language: `0.00%`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[ts(as = "Option<String>", optional = nullable)]
    pub number_format: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bold: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub italic: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub underline: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strikethrough: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrap: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[ts(as = "Option<HorizontalName>", optional = nullable)]
    pub horizontal: Option<Option<HorizontalName>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[ts(as = "Option<VerticalName>", optional = nullable)]
    pub vertical: Option<Option<VerticalName>>,
    /// `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[ts(as = "Option<String>", optional = nullable)]
    pub text_color: Option<Option<String>>,
    /// `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[ts(as = "Option<String>", optional = nullable)]
    pub fill_color: Option<Option<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum HorizontalName {
    Left,
    Center,
    Right,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum VerticalName {
    Top,
    Middle,
    Bottom,
}

/// Tells `null` (given, and none) from a field left out.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

impl FormatChange {
    pub fn to_patch(&self) -> Result<FormatPatch, CommandError> {
        let color = |text: &Option<Option<String>>| match text {
            None => Ok(None),
            Some(None) => Ok(Some(None)),
            Some(Some(text)) => read_color(text).map(|color| Some(Some(color))),
        };
        Ok(FormatPatch {
            number_format: self.number_format.as_ref().map(|code| match code.as_deref() {
                None | Some("" | "General") => None,
                Some(code) => Some(Arc::from(code)),
            }),
            bold: self.bold,
            italic: self.italic,
            underline: self.underline,
            strikethrough: self.strikethrough,
            wrap: self.wrap,
            horizontal: self.horizontal.map(|name| name.map(HorizontalAlignment::from)),
            vertical: self.vertical.map(|name| name.map(VerticalAlignment::from)),
            text_color: color(&self.text_color)?,
            fill_color: color(&self.fill_color)?,
        })
    }
}

/// What differs from the look of an untouched cell.
impl From<&Format> for FormatChange {
    fn from(format: &Format) -> FormatChange {
        let set = |flag: bool| flag.then_some(true);
        let color = |color: Option<Color>| color.map(|color| Some(print_color(color)));
        FormatChange {
            number_format: format.number_format.as_ref().map(|code| Some(code.to_string())),
            bold: set(format.bold),
            italic: set(format.italic),
            underline: set(format.underline),
            strikethrough: set(format.strikethrough),
            wrap: set(format.wrap),
            horizontal: format.horizontal.map(|alignment| Some(alignment.into())),
            vertical: format.vertical.map(|alignment| Some(alignment.into())),
            text_color: color(format.text_color),
            fill_color: color(format.fill_color),
        }
    }
}

/// Reads `#rrggbb`.
pub fn read_color(text: &str) -> Result<Color, CommandError> {
    let digits = text.strip_prefix('#').unwrap_or_default();
    match u32::from_str_radix(digits, 16) {
        Ok(color) if digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Ok(Color(color))
        }
        _ => Err(CommandError::BadColor { text: text.chars().take(32).collect() }),
    }
}

pub fn print_color(color: Color) -> String {
    format!("#{:06x}", color.0)
}

impl From<HorizontalName> for HorizontalAlignment {
    fn from(name: HorizontalName) -> HorizontalAlignment {
        match name {
            HorizontalName::Left => HorizontalAlignment::Left,
            HorizontalName::Center => HorizontalAlignment::Center,
            HorizontalName::Right => HorizontalAlignment::Right,
        }
    }
}

impl From<HorizontalAlignment> for HorizontalName {
    fn from(alignment: HorizontalAlignment) -> HorizontalName {
        match alignment {
            HorizontalAlignment::Left => HorizontalName::Left,
            HorizontalAlignment::Center => HorizontalName::Center,
            HorizontalAlignment::Right => HorizontalName::Right,
        }
    }
}

impl From<VerticalName> for VerticalAlignment {
    fn from(name: VerticalName) -> VerticalAlignment {
        match name {
            VerticalName::Top => VerticalAlignment::Top,
            VerticalName::Middle => VerticalAlignment::Middle,
            VerticalName::Bottom => VerticalAlignment::Bottom,
        }
    }
}

impl From<VerticalAlignment> for VerticalName {
    fn from(alignment: VerticalAlignment) -> VerticalName {
        match alignment {
            VerticalAlignment::Top => VerticalName::Top,
            VerticalAlignment::Middle => VerticalName::Middle,
            VerticalAlignment::Bottom => VerticalName::Bottom,
        }
    }
}
