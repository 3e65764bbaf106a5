//! The markers of cells as they are sent to the grid. [`cell_markers`](crate::cell_markers) computes them.

use serde::Serialize;
use ts_rs::TS;

/// Fonts and marked cells of a cell window, encoded as JSON behind its cells.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct WindowMarks {
    /// Font families; a style refers to one by its position here, counted from 1.
    pub fonts: Vec<String>,
    pub cells: Vec<MarkedCell>,
}

/// A cell of the window that has at least one marker.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct MarkedCell {
    /// Index of the cell in the window, row by row, counted from 0.
    pub at: u32,
    pub mark: CellMark,
}

/// The markers of one cell; absent fields mean that the cell has no such marker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CellMark {
    /// Text of the cell's note.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<String>,
    /// Whether the cell has an unresolved comment thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub has_comment: Option<bool>,
    /// Whether the cell has a dropdown list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub has_list: Option<bool>,
    /// The choices of a dropdown list in the cell, each drawn as a chip.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub chips: Option<Vec<ChipMark>>,
    /// Present on header cells of a filter: whether the column has a filter condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub is_filtering: Option<bool>,
    /// Present on checkboxes: whether the checkbox is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub is_checked: Option<bool>,
    /// Stars that the grid draws in place of the text, from 0 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rating: Option<u32>,
    /// The form control that the cell's formula makes: `button`, `field`, `list`, `checkbox` or `radio`;
    /// `people` if the chips are names of people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "string")]
    pub control: Option<&'static str>,
    /// Address of the image that a button shows in place of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub image: Option<String>,
    /// Whether the value fails the cell's data validation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub is_invalid: Option<bool>,
    /// Whether the grid draws no text in the cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hides_value: Option<bool>,
    /// Formats of parts of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub runs: Option<Vec<TextRun>>,
    /// Address of the cell's link; of several in a text, the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub link: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub bar: Option<DataBar>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub icon: Option<RuleIcon>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub spark: Option<SparklineMark>,
}

/// A choice in a cell, drawn as a chip.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct ChipMark {
    /// Start of the choice in the cell's text, in UTF-16 code units.
    pub start: u32,
    /// End of the choice; the default is the end of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub end: Option<u32>,
    /// `0xRRGGBB`; the default is a gray of the theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub color: Option<u32>,
}

/// A part of a text with a format of its own; the other attributes are those of the cell.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct TextRun {
    /// End in the cell's text, in UTF-16 code units; a run begins where the one before it ends.
    pub end: u32,
    /// Number of the style of the part in the window. If present, it holds in place of all that
    /// follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cell_style: Option<u16>,
    /// Bits: 1 bold, 2 italic, 4 underline, 8 strikethrough, 16 monospace.
    pub style: u8,
    /// Percent of the size of the cell's font.
    pub size: u16,
    /// `0xRRGGBB`; the default is the text color of the cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub color: Option<u32>,
}

/// A data bar: it extends from `start` (the axis) to `end` (the value), in fractions of the cell's
/// width.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct DataBar {
    pub start: f64,
    pub end: f64,
    /// `0xRRGGBB`.
    pub color: u32,
    pub is_gradient: bool,
}

/// An icon of an icon set.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct RuleIcon {
    pub set: String,
    /// Position of the icon in its set; 0 is the icon of the lowest values.
    pub index: u32,
}

/// A sparkline; absent fields mean the default.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SparklineMark {
    /// `line`, `column`, `winLoss` or `bar`.
    pub kind: &'static str,
    pub values: Vec<Option<f64>>,
    pub color: u32,
    /// Colors of special points and of the axis.
    pub colors: SparkColors,
    /// Lower limit of the value axis.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper limit of the value axis.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Width of the line in pixels.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_width: Option<f64>,
    /// Whether the first value is drawn at the right edge.
    pub is_from_right: bool,
}

/// Colors of special points of a sparkline. `second` is the color of every other part of a bar;
/// `axis` is present only when the axis is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct SparkColors {
    pub negative: Option<u32>,
    pub low: Option<u32>,
    pub high: Option<u32>,
    pub first: Option<u32>,
    pub last: Option<u32>,
    pub second: Option<u32>,
    pub axis: Option<u32>,
}
