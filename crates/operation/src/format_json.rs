//! Cell formats as JSON, for commands and for the cell details that the client and the REST API
//! read.

use std::sync::Arc;

use quadrille_cell::CellAddress;
use quadrille_workbook::{
    Border, BorderStyle, Color, FillPattern, FontScript, FontSize, Format, FormatPatch, HorizontalAlignment,
    ItemId, Overflow, ReadingOrder, Rotation, Sheet, TextFont, TextFormat, TextRun, TextRuns, UnderlineStyle,
    VerticalAlignment,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CommandError, OperationError};

/// A change of format attributes. A missing field leaves the attribute unchanged; `null` restores
/// its default.
#[derive(Clone, PartialEq, Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export, optional_fields)]
pub struct FormatChange {
    /// Number format code in Excel's syntax, for example `0.00%`.
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
    /// Font size in points, in tenths.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<f64>", optional = nullable)]
    pub font_size: Option<Option<f64>>,
    /// Indentation steps from the side to which the text is aligned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indent: Option<u8>,
    /// Degrees counter-clockwise, -90 to 90; 255 means stacked letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<i16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<OverflowName>", optional = nullable)]
    pub overflow: Option<Option<OverflowName>>,
    /// How a text is shown; `null` is plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<TextFormatName>", optional = nullable)]
    pub text_format: Option<Option<TextFormatName>>,
    /// Form of the line of an underlined text; `null` is a single line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<UnderlineStyleName>", optional = nullable)]
    pub underline_style: Option<Option<UnderlineStyleName>>,
    /// Superscript or subscript; `null` is neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<FontScriptName>", optional = nullable)]
    pub script: Option<Option<FontScriptName>>,
    /// The line from the lower left to the upper right corner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<BorderFormat>", optional = nullable)]
    pub border_diagonal_up: Option<Option<BorderFormat>>,
    /// The line from the upper left to the lower right corner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<BorderFormat>", optional = nullable)]
    pub border_diagonal_down: Option<Option<BorderFormat>>,
    /// Pattern over the fill color; `null` is a solid fill.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<FillPatternName>", optional = nullable)]
    pub fill_pattern: Option<Option<FillPatternName>>,
    /// Color of the pattern as `#rrggbb`; the default is the text color.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<String>", optional = nullable)]
    pub fill_pattern_color: Option<Option<String>>,
    /// Whether the text was entered after an apostrophe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote_prefix: Option<bool>,
    /// Base direction of the text; by default the first letter decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<ReadingOrderName>", optional = nullable)]
    pub reading_order: Option<Option<ReadingOrderName>>,
    /// The id of an item of kind `cellStyle`; `null` is the style "Normal". A style sets all
    /// attributes, except those that the change has as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<f64>", optional = nullable)]
    pub cell_style: Option<Option<u64>>,
    /// Fonts of the parts of the text; `null` is one font. In a cell with another text they have no
    /// effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<Vec<TextRunFormat>>", optional = nullable)]
    pub text_runs: Option<Option<Vec<TextRunFormat>>>,
}

/// A part of a cell's text with its font.
#[derive(Clone, PartialEq, Debug, Default, Serialize, TS)]
#[ts(export, optional_fields)]
pub struct TextRunFormat {
    /// The text of the part. Absent only in recorded changes, which do not have the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Length of the part in UTF-16 code units, where `text` is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
    /// The font attributes that differ from those of the cell.
    pub format: Box<FormatChange>,
}

/// A border on one side of a cell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export, optional_fields)]
pub struct BorderFormat {
    pub style: BorderName,
    /// Color as `#rrggbb`; the default is the text color.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

/// Border styles, named as in OOXML (`ST_BorderStyle`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
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

/// How text that is wider than its cell is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum OverflowName {
    Clip,
    Shrink,
}

/// How a cell shows a text that is more than plain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum TextFormatName {
    Html,
    Wiki,
    Link,
    Image,
}

/// Horizontal alignments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum HorizontalName {
    Left,
    Center,
    Right,
    Justify,
    Distributed,
    Fill,
    CenterContinuous,
}

/// Vertical alignments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum VerticalName {
    Top,
    Middle,
    Bottom,
    Justify,
    Distributed,
}

/// Defines the names of an attribute's values in JSON, with conversions both ways.
macro_rules! names {
    ($(#[$documentation:meta])* $names:ident of $attribute:ident: $($value:ident),+) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
        #[serde(rename_all = "camelCase")]
        #[ts(export)]
        pub enum $names {
            $($value),+
        }

        impl From<$names> for $attribute {
            fn from(name: $names) -> $attribute {
                match name {
                    $($names::$value => $attribute::$value),+
                }
            }
        }

        impl From<$attribute> for $names {
            fn from(value: $attribute) -> $names {
                match value {
                    $($attribute::$value => $names::$value),+
                }
            }
        }
    };
}

names! {
    /// Forms of underlines other than a single line.
    UnderlineStyleName of UnderlineStyle: Double, SingleAccounting, DoubleAccounting
}

names! {
    /// Vertical alignments of a font.
    FontScriptName of FontScript: Superscript, Subscript
}

names! {
    /// Base directions of a text.
    ReadingOrderName of ReadingOrder: LeftToRight, RightToLeft
}

names! {
    /// Fill patterns, named as in OOXML (`ST_PatternType`).
    FillPatternName of FillPattern:
    MediumGray, DarkGray, LightGray, DarkHorizontal, DarkVertical, DarkDown, DarkUp, DarkGrid, DarkTrellis,
    LightHorizontal, LightVertical, LightDown, LightUp, LightGrid, LightTrellis, Gray125, Gray0625
}

impl FormatChange {
    /// This change with the fonts of the parts of the text of a cell, if there are any.
    pub fn with_text_runs(mut self, sheet: &Sheet, cell: CellAddress) -> FormatChange {
        self.text_runs = sheet.rich_text(cell).and_then(|(text, runs)| parts_of(runs, &text)).map(Some);
        self
    }

    /// Converts the change into a patch.
    ///
    /// # Errors
    ///
    /// Fails if a color, font size, rotation or the font of a part of the text is invalid.
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
            text_format: self.text_format.map(|name| name.map(TextFormat::from)),
            underline_style: self.underline_style.map(|name| name.map(UnderlineStyle::from)),
            script: self.script.map(|name| name.map(FontScript::from)),
            border_diagonal_up: border_from(&self.border_diagonal_up)?,
            border_diagonal_down: border_from(&self.border_diagonal_down)?,
            fill_pattern: self.fill_pattern.map(|name| name.map(FillPattern::from)),
            fill_pattern_color: color(&self.fill_pattern_color)?,
            quote_prefix: self.quote_prefix,
            reading_order: self.reading_order.map(|name| name.map(ReadingOrder::from)),
            text_runs: match &self.text_runs {
                None => None,
                Some(None) => Some(None),
                Some(Some(parts)) => Some(to_text_runs(parts)?),
            },
            cell_style: self.cell_style.map(|id| id.map(ItemId)),
        })
    }
}

fn border_from(border: &Option<Option<BorderFormat>>) -> Result<Option<Option<Border>>, CommandError> {
    Ok(match border {
        None => None,
        Some(None) => Some(None),
        Some(Some(border)) => {
            let color = border.color.as_deref().map(read_color).transpose()?;
            Some(Some(Border { style: border.style.into(), color }))
        }
    })
}

impl From<Border> for BorderFormat {
    fn from(border: Border) -> BorderFormat {
        BorderFormat { style: border.style.into(), color: border.color.map(print_color) }
    }
}

/// The attributes that differ from the default format, without the fonts of the parts of a text.
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
            text_format: format.text_format.map(|format| Some(format.into())),
            underline_style: format.underline_style.map(|style| Some(style.into())),
            script: format.script.map(|script| Some(script.into())),
            border_diagonal_up: format.border_diagonal_up.map(|border| Some(border.into())),
            border_diagonal_down: format.border_diagonal_down.map(|border| Some(border.into())),
            fill_pattern: format.fill_pattern.map(|pattern| Some(pattern.into())),
            fill_pattern_color: color(format.fill_pattern_color),
            quote_prefix: set(format.quote_prefix),
            reading_order: format.reading_order.map(|order| Some(order.into())),
            text_runs: None,
            cell_style: format.cell_style.map(|id| Some(id.0)),
        }
    }
}

/// The attributes that the patch sets.
impl From<&FormatPatch> for FormatChange {
    fn from(patch: &FormatPatch) -> FormatChange {
        let color = |color: Option<Option<Color>>| color.map(|color| color.map(print_color));
        let border = |border: Option<Option<Border>>| border.map(|border| border.map(BorderFormat::from));
        let text = |text: &Option<Option<Arc<str>>>| {
            text.as_ref().map(|text| text.as_ref().map(|text| text.to_string()))
        };
        FormatChange {
            number_format: text(&patch.number_format),
            bold: patch.bold,
            italic: patch.italic,
            underline: patch.underline,
            strikethrough: patch.strikethrough,
            wrap: patch.wrap,
            horizontal: patch.horizontal.map(|alignment| alignment.map(HorizontalName::from)),
            vertical: patch.vertical.map(|alignment| alignment.map(VerticalName::from)),
            text_color: color(patch.text_color),
            fill_color: color(patch.fill_color),
            border_top: border(patch.border_top),
            border_right: border(patch.border_right),
            border_bottom: border(patch.border_bottom),
            border_left: border(patch.border_left),
            font_family: text(&patch.font_family),
            font_size: patch.font_size.map(|size| size.map(|size| size.points())),
            indent: patch.indent,
            rotation: patch.rotation.map(|rotation| rotation.degrees()),
            overflow: patch.overflow.map(|overflow| overflow.map(OverflowName::from)),
            text_format: patch.text_format.map(|format| format.map(TextFormatName::from)),
            underline_style: patch.underline_style.map(|style| style.map(UnderlineStyleName::from)),
            script: patch.script.map(|script| script.map(FontScriptName::from)),
            border_diagonal_up: border(patch.border_diagonal_up),
            border_diagonal_down: border(patch.border_diagonal_down),
            fill_pattern: patch.fill_pattern.map(|pattern| pattern.map(FillPatternName::from)),
            fill_pattern_color: color(patch.fill_pattern_color),
            quote_prefix: patch.quote_prefix,
            reading_order: patch.reading_order.map(|order| order.map(ReadingOrderName::from)),
            text_runs: patch.text_runs.as_ref().map(|runs| runs.as_ref().map(|runs| lengths_of(runs))),
            cell_style: patch.cell_style.map(|id| id.map(|id| id.0)),
        }
    }
}

/// The parts of `text`; `None` if the runs were made for another text.
fn parts_of(runs: &TextRuns, text: &str) -> Option<Vec<TextRunFormat>> {
    let part = |(text, font): (&str, FormatPatch)| TextRunFormat {
        text: Some(text.to_owned()),
        length: None,
        format: font_change(font),
    };
    Some(runs.parts(text)?.into_iter().map(part).collect())
}

/// The parts of a text that is unknown here.
fn lengths_of(runs: &TextRuns) -> Vec<TextRunFormat> {
    let part = |run: &TextRun| TextRunFormat {
        text: None,
        length: Some(run.length),
        format: font_change(run.font.to_patch()),
    };
    runs.runs().iter().map(part).collect()
}

/// The attributes of a font. Not by way of all attributes, which the client does not need.
fn font_change(font: FormatPatch) -> Box<FormatChange> {
    Box::new(FormatChange {
        bold: font.bold,
        italic: font.italic,
        underline: font.underline,
        underline_style: font.underline_style.map(|style| style.map(Into::into)),
        strikethrough: font.strikethrough,
        script: font.script.map(|script| script.map(Into::into)),
        text_color: font.text_color.map(|color| color.map(print_color)),
        font_family: font.font_family.map(|family| family.map(|family| family.to_string())),
        font_size: font.font_size.map(|size| size.map(|size| size.points())),
        ..FormatChange::default()
    })
}

/// Joins the parts.
///
/// # Errors
///
/// Fails if an attribute is invalid or none of a font.
fn to_text_runs(parts: &[TextRunFormat]) -> Result<Option<Arc<TextRuns>>, CommandError> {
    let mut fonts = Vec::with_capacity(parts.len());
    for part in parts {
        let patch = part.format.to_patch()?;
        if TextFont::of(&patch).to_patch() != patch {
            return Err(CommandError::Refused(OperationError::BadTextRuns));
        }
        fonts.push((part.text.as_deref().unwrap_or_default(), patch));
    }
    Ok(TextRuns::from_parts(fonts).map(Arc::new))
}

/// Parses a color of the form `#rrggbb`.
///
/// # Errors
///
/// Fails with [`CommandError::BadColor`].
pub fn read_color(text: &str) -> Result<Color, CommandError> {
    let digits = text.strip_prefix('#').unwrap_or_default();
    match u32::from_str_radix(digits, 16) {
        Ok(color) if digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Ok(Color(color))
        }
        _ => Err(CommandError::BadColor { text: text.chars().take(32).collect() }),
    }
}

/// Formats a color as `#rrggbb`.
pub fn print_color(color: Color) -> String {
    format!("#{:06x}", color.0)
}

impl From<HorizontalName> for HorizontalAlignment {
    fn from(name: HorizontalName) -> HorizontalAlignment {
        match name {
            HorizontalName::Left => HorizontalAlignment::Left,
            HorizontalName::Center => HorizontalAlignment::Center,
            HorizontalName::Right => HorizontalAlignment::Right,
            HorizontalName::Justify => HorizontalAlignment::Justify,
            HorizontalName::Distributed => HorizontalAlignment::Distributed,
            HorizontalName::Fill => HorizontalAlignment::Fill,
            HorizontalName::CenterContinuous => HorizontalAlignment::CenterContinuous,
        }
    }
}

impl From<HorizontalAlignment> for HorizontalName {
    fn from(alignment: HorizontalAlignment) -> HorizontalName {
        match alignment {
            HorizontalAlignment::Left => HorizontalName::Left,
            HorizontalAlignment::Center => HorizontalName::Center,
            HorizontalAlignment::Right => HorizontalName::Right,
            HorizontalAlignment::Justify => HorizontalName::Justify,
            HorizontalAlignment::Distributed => HorizontalName::Distributed,
            HorizontalAlignment::Fill => HorizontalName::Fill,
            HorizontalAlignment::CenterContinuous => HorizontalName::CenterContinuous,
        }
    }
}

impl From<VerticalName> for VerticalAlignment {
    fn from(name: VerticalName) -> VerticalAlignment {
        match name {
            VerticalName::Top => VerticalAlignment::Top,
            VerticalName::Middle => VerticalAlignment::Middle,
            VerticalName::Bottom => VerticalAlignment::Bottom,
            VerticalName::Justify => VerticalAlignment::Justify,
            VerticalName::Distributed => VerticalAlignment::Distributed,
        }
    }
}

impl From<VerticalAlignment> for VerticalName {
    fn from(alignment: VerticalAlignment) -> VerticalName {
        match alignment {
            VerticalAlignment::Top => VerticalName::Top,
            VerticalAlignment::Middle => VerticalName::Middle,
            VerticalAlignment::Bottom => VerticalName::Bottom,
            VerticalAlignment::Justify => VerticalName::Justify,
            VerticalAlignment::Distributed => VerticalName::Distributed,
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

impl From<TextFormatName> for TextFormat {
    fn from(name: TextFormatName) -> TextFormat {
        match name {
            TextFormatName::Html => TextFormat::Html,
            TextFormatName::Wiki => TextFormat::Wiki,
            TextFormatName::Link => TextFormat::Link,
            TextFormatName::Image => TextFormat::Image,
        }
    }
}

impl From<TextFormat> for TextFormatName {
    fn from(format: TextFormat) -> TextFormatName {
        match format {
            TextFormat::Html => TextFormatName::Html,
            TextFormat::Wiki => TextFormatName::Wiki,
            TextFormat::Link => TextFormatName::Link,
            TextFormat::Image => TextFormatName::Image,
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
