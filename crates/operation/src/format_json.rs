//! Formats as JSON, for commands and for what the page and the API show of a cell.

use std::sync::Arc;

use quadrille_workbook::{
    Border, BorderStyle, Color, FontSize, Format, FormatPatch, HorizontalAlignment, Overflow, Rotation,
    VerticalAlignment,
};
use serde::Serialize;
use ts_rs::TS;

use crate::{CommandError, OperationError};

/// Attributes to change. A field left out stays as it is; `null` returns to the default.
#[derive(Clone, PartialEq, Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export, optional_fields)]
pub struct FormatChange {
    /// Code in Excel's format language: `0.00%`.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<HorizontalName>", optional = nullable)]
    pub horizontal: Option<Option<HorizontalName>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<VerticalName>", optional = nullable)]
    pub vertical: Option<Option<VerticalName>>,
    /// `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<String>", optional = nullable)]
    pub text_color: Option<Option<String>>,
    /// `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<String>", optional = nullable)]
    pub fill_color: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<BorderFormat>", optional = nullable)]
    pub border_top: Option<Option<BorderFormat>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<BorderFormat>", optional = nullable)]
    pub border_right: Option<Option<BorderFormat>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<BorderFormat>", optional = nullable)]
    pub border_bottom: Option<Option<BorderFormat>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<BorderFormat>", optional = nullable)]
    pub border_left: Option<Option<BorderFormat>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<String>", optional = nullable)]
    pub font_family: Option<Option<String>>,
    /// In points, to a tenth.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<f64>", optional = nullable)]
    pub font_size: Option<Option<f64>>,
    /// Steps from the side the text is aligned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indent: Option<u8>,
    /// Degrees counter-clockwise, -90 to 90; 255 puts letters below one another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<i16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<OverflowName>", optional = nullable)]
    pub overflow: Option<Option<OverflowName>>,
}

/// A line along one side of a cell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export, optional_fields)]
pub struct BorderFormat {
    pub style: BorderName,
    /// `#rrggbb`; without it, the colour of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum BorderName {
    Thin,
    Medium,
    Thick,
    Dashed,
    Dotted,
    Double,
    Hair,
    MediumDashed,
    DashDot,
    MediumDashDot,
    DashDotDot,
    MediumDashDotDot,
    SlantDashDot,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum OverflowName {
    Clip,
    Shrink,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum HorizontalName {
    Left,
    Center,
    Right,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum VerticalName {
    Top,
    Middle,
    Bottom,
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
            border_top: border_from(&self.border_top)?,
            border_right: border_from(&self.border_right)?,
            border_bottom: border_from(&self.border_bottom)?,
            border_left: border_from(&self.border_left)?,
            font_family: self
                .font_family
                .as_ref()
                .map(|family| family.as_deref().filter(|family| !family.is_empty()).map(Arc::from)),
            font_size: match self.font_size {
                None => None,
                Some(None) => Some(None),
                Some(Some(points)) => {
                    let bad = OperationError::BadFontSize { points: points.to_string() };
                    Some(Some(FontSize::from_points(points).ok_or(bad)?))
                }
            },
            indent: self.indent,
            rotation: match self.rotation {
                None => None,
                Some(degrees) => Some(Rotation::new(degrees).ok_or(CommandError::BadRotation { degrees })?),
            },
            overflow: self.overflow.map(|name| name.map(Overflow::from)),
        })
    }
}

fn border_from(look: &Option<Option<BorderFormat>>) -> Result<Option<Option<Border>>, CommandError> {
    Ok(match look {
        None => None,
        Some(None) => Some(None),
        Some(Some(look)) => {
            let color = look.color.as_deref().map(read_color).transpose()?;
            Some(Some(Border { style: look.style.into(), color }))
        }
    })
}

impl From<Border> for BorderFormat {
    fn from(border: Border) -> BorderFormat {
        BorderFormat { style: border.style.into(), color: border.color.map(print_color) }
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
            border_top: format.border_top.map(|border| Some(border.into())),
            border_right: format.border_right.map(|border| Some(border.into())),
            border_bottom: format.border_bottom.map(|border| Some(border.into())),
            border_left: format.border_left.map(|border| Some(border.into())),
            font_family: format.font_family.as_ref().map(|family| Some(family.to_string())),
            font_size: format.font_size.map(|size| Some(size.points())),
            indent: (format.indent > 0).then_some(format.indent),
            rotation: (format.rotation != Rotation::NONE).then_some(format.rotation.degrees()),
            overflow: format.overflow.map(|overflow| Some(overflow.into())),
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

impl From<BorderName> for BorderStyle {
    fn from(name: BorderName) -> BorderStyle {
        match name {
            BorderName::Thin => BorderStyle::Thin,
            BorderName::Medium => BorderStyle::Medium,
            BorderName::Thick => BorderStyle::Thick,
            BorderName::Dashed => BorderStyle::Dashed,
            BorderName::Dotted => BorderStyle::Dotted,
            BorderName::Double => BorderStyle::Double,
            BorderName::Hair => BorderStyle::Hair,
            BorderName::MediumDashed => BorderStyle::MediumDashed,
            BorderName::DashDot => BorderStyle::DashDot,
            BorderName::MediumDashDot => BorderStyle::MediumDashDot,
            BorderName::DashDotDot => BorderStyle::DashDotDot,
            BorderName::MediumDashDotDot => BorderStyle::MediumDashDotDot,
            BorderName::SlantDashDot => BorderStyle::SlantDashDot,
        }
    }
}

impl From<BorderStyle> for BorderName {
    fn from(style: BorderStyle) -> BorderName {
        match style {
            BorderStyle::Thin => BorderName::Thin,
            BorderStyle::Medium => BorderName::Medium,
            BorderStyle::Thick => BorderName::Thick,
            BorderStyle::Dashed => BorderName::Dashed,
            BorderStyle::Dotted => BorderName::Dotted,
            BorderStyle::Double => BorderName::Double,
            BorderStyle::Hair => BorderName::Hair,
            BorderStyle::MediumDashed => BorderName::MediumDashed,
            BorderStyle::DashDot => BorderName::DashDot,
            BorderStyle::MediumDashDot => BorderName::MediumDashDot,
            BorderStyle::DashDotDot => BorderName::DashDotDot,
            BorderStyle::MediumDashDotDot => BorderName::MediumDashDotDot,
            BorderStyle::SlantDashDot => BorderName::SlantDashDot,
        }
    }
}

impl From<OverflowName> for Overflow {
    fn from(name: OverflowName) -> Overflow {
        match name {
            OverflowName::Clip => Overflow::Clip,
            OverflowName::Shrink => Overflow::Shrink,
        }
    }
}

impl From<Overflow> for OverflowName {
    fn from(overflow: Overflow) -> OverflowName {
        match overflow {
            Overflow::Clip => OverflowName::Clip,
            Overflow::Shrink => OverflowName::Shrink,
        }
    }
}
