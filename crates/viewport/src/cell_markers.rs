//! What cells in view show besides text: corners of notes, boxes to check, arrows of lists, bars, icons, sparklines.
//! Only cells in view are looked at; what a mark needs of the whole sheet is the document's.

use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_document::{
    ConditionalFormats, Document, Sparkline, SparklineKind, Validations, is_sparkline, open_filters,
};
use quadrille_formula::Host;
use quadrille_workbook::{Color, Field, Format, Item, ItemId, ItemKind, Sheet};
use serde::Serialize;
use ts_rs::TS;

use crate::table_styles::table_style;
use crate::view_settings::ViewSettings;

/// A window's fonts and marked cells.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct WindowMarks {
    /// Styles name them by their place here, counted from one.
    pub fonts: Vec<String>,
    pub cells: Vec<MarkedCell>,
}

#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct MarkedCell {
    /// The cell's number in the window.
    pub at: u32,
    pub mark: CellMark,
}

/// Everything absent is not there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CellMark {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub has_comment: Option<bool>,
    /// Values are chosen from a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub has_list: Option<bool>,
    /// The header of a filtered column; whether it filters now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub is_filtering: Option<bool>,
    /// Shown as a box to check.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub is_checked: Option<bool>,
    /// The value breaks the cell's rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub is_invalid: Option<bool>,
    /// The text is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hides_value: Option<bool>,
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

/// From the axis to the value, as shares of the cell's width.
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

#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct RuleIcon {
    pub set: String,
    /// From the lowest values on.
    pub index: u32,
}

/// A small chart; everything absent is as usual.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SparklineMark {
    /// `line`, `column`, `winLoss` or `bar`.
    pub kind: &'static str,
    pub values: Vec<Option<f64>>,
    pub color: u32,
    /// Of negative values, the lowest, the highest, the first and the last; of every other part of a bar; of the axis,
    /// which is not there without one.
    pub colors: SparkColors,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_width: Option<f64>,
    pub is_from_right: bool,
}

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

/// Links look as in every browser, unless the cell says otherwise.
const LINK_COLOR: Color = Color(0x0b57d0);

const SPARK_COLOR: Color = Color(0x1f_6f_5c);
const AXIS_COLOR: Color = Color(0x80_80_80);
/// More points than a cell has pixels.
const SPARK_POINTS_MAX: usize = 500;

/// The items that have something to say about cells in view.
pub struct Marker<'a> {
    document: &'a Document,
    items: Vec<(ItemId, &'a Item)>,
    rules: Option<ConditionalFormats<'a>>,
    validations: Option<Validations<'a>>,
    /// The filters whose headers have arrows, each with the columns by which it filters now.
    filters: Vec<(ItemId, Vec<u32>)>,
    sheet: Option<SheetId>,
    /// Formulas are shown instead of what they yield.
    shows_formulas: bool,
    marked: Vec<MarkedCell>,
}

/// A format that is not the cell's own alone.
pub struct ComputedFormat(Format);

impl ComputedFormat {
    pub fn format(&self) -> &Format {
        &self.0
    }
}

impl<'a> Marker<'a> {
    pub fn new(
        document: &'a Document,
        sheet: Option<&'a Sheet>,
        range: Range,
        look: &ViewSettings,
    ) -> Marker<'a> {
        let view = sheet.and_then(|sheet| look.filter_view(sheet.id()));
        let filters = sheet.map_or_else(Vec::new, |sheet| filters(sheet, view));
        let items = sheet.into_iter().flat_map(|sheet| sheet.items().iter());
        let is_open = |(id, item): &(ItemId, &Arc<Item>)| {
            let is_filter = matches!(item.kind, ItemKind::AutoFilter | ItemKind::FilterView);
            !is_filter || filters.iter().any(|(open, _)| open == id)
        };
        let is_seen = |item: &Item| item.anchors.iter().any(|anchor| anchor.intersects(range));
        let items = items.filter(is_open).map(|(id, item)| (id, &**item));
        let items = items.filter(|(_, item)| is_marking(item) && is_seen(item)).collect();
        let rules = sheet.map(|sheet| document.rules(sheet.id(), range)).filter(|rules| !rules.is_empty());
        let validations = sheet.map(|sheet| document.validations(sheet.id(), range));
        let validations = validations.filter(|validations| !validations.is_empty());
        let sheet = sheet.map(Sheet::id);
        Marker {
            document,
            items,
            rules,
            validations,
            filters,
            sheet,
            shows_formulas: look.shows_formulas,
            marked: Vec::new(),
        }
    }

    /// Notes the marks of a cell; yields its format where others than its own show.
    pub fn mark(
        &mut self,
        cell: CellAddress,
        value: &Value,
        at: u32,
        own: &Format,
    ) -> Option<ComputedFormat> {
        let spark = self.spark_of_formula(cell, value);
        if self.items.is_empty() && self.rules.is_none() && spark.is_none() {
            return None;
        }
        let mut mark =
            CellMark { hides_value: spark.is_some().then_some(true), spark, ..CellMark::default() };
        let mut format = None;
        for (id, item) in &self.items {
            let Some(anchor) = item.anchors.iter().find(|anchor| anchor.contains(cell)) else { continue };
            match item.kind {
                ItemKind::Note => mark.note = item.text(Field::Text).map(ToString::to_string),
                ItemKind::CommentThread => {
                    let is_open = item.boolean(Field::Resolved) != Some(true);
                    mark.has_comment = is_open.then_some(true).or(mark.has_comment);
                }
                ItemKind::Validation => mark_validation(item, value, &mut mark),
                ItemKind::AutoFilter | ItemKind::FilterView if cell.row == anchor.first().row => {
                    let columns = self.filters.iter().find(|(filter, _)| filter == id);
                    mark.is_filtering = columns.map(|(_, columns)| columns.contains(&cell.column.get()));
                }
                ItemKind::Link => {
                    mark.link = item.text(Field::Url).map(ToString::to_string);
                    let look = format.get_or_insert_with(|| own.clone());
                    look.text_color = look.text_color.or(Some(LINK_COLOR));
                    look.underline = true;
                }
                ItemKind::Sparkline => mark.spark = self.spark(item, cell),
                ItemKind::AlternatingColors => {
                    let look = format.get_or_insert_with(|| own.clone());
                    look.fill_color = look.fill_color.or_else(|| alternating(item, *anchor, cell));
                }
                ItemKind::Table => {
                    let look = format.as_ref().unwrap_or(own);
                    format = Some(table_style(item, *anchor, cell, look));
                }
                _ => {}
            }
        }
        let ruled =
            self.rules.as_ref().and_then(|rules| rules.style_of(cell, value, format.as_ref().unwrap_or(own)));
        if let Some(look) = ruled {
            format = look.format.or(format);
            mark.bar = look.bar.map(|bar| DataBar {
                start: bar.start,
                end: bar.end,
                color: bar.color.0,
                is_gradient: bar.is_gradient,
            });
            mark.icon = look.icon.map(|icon| RuleIcon { set: icon.set.to_string(), index: icon.index });
            mark.hides_value = look.hides_value.then_some(true).or(mark.hides_value);
        }
        let breaks = |validations: &Validations<'_>| validations.broken(cell, value).is_some();
        if !value.is_blank() && self.validations.as_ref().is_some_and(breaks) {
            mark.is_invalid = Some(true);
        }
        if mark != CellMark::default() {
            self.marked.push(MarkedCell { at, mark });
        }
        format.map(ComputedFormat)
    }

    /// The numbers of the first row or column of what the sparkline looks at.
    fn spark(&self, item: &Item, cell: CellAddress) -> Option<SparklineMark> {
        let (_, template) = item.formula(Field::Source)?;
        let sheet = self.sheet?;
        let (source, range) = self.document.range_of(Host { sheet, cell }, template)?;
        let found = self.document.workbook().sheet(source)?;
        let number = |cell: CellAddress| match found.value(cell) {
            Value::Number(number) => Some(number),
            _ => None,
        };
        Some(spark(Sparkline {
            kind: match item.text(Field::Type).map(|kind| &**kind) {
                Some("column") => SparklineKind::Column,
                Some("winLoss") => SparklineKind::WinLoss,
                _ => SparklineKind::Line,
            },
            values: range.cells().take(SPARK_POINTS_MAX).map(number).collect(),
            low: item.number(Field::YMin),
            high: item.number(Field::YMax),
            color: item.color(Field::Color),
            negative_color: item.color(Field::NegativeColor),
            low_color: item.color(Field::LowColor),
            high_color: item.color(Field::HighColor),
            first_color: item.color(Field::FirstColor),
            last_color: item.color(Field::LastColor),
            ..Sparkline::default()
        }))
    }

    /// A formula that failed shows its error.
    fn spark_of_formula(&self, cell: CellAddress, value: &Value) -> Option<SparklineMark> {
        if self.shows_formulas || !matches!(value, Value::Text(_)) {
            return None;
        }
        self.document.sparkline(self.sheet?, cell).map(spark)
    }

    pub fn finish(self) -> Vec<MarkedCell> {
        self.marked
    }
}

fn spark(drawn: Sparkline) -> SparklineMark {
    let number = |color: Option<Color>| color.map(|color| color.0);
    SparklineMark {
        kind: match drawn.kind {
            SparklineKind::Line => "line",
            SparklineKind::Column => "column",
            SparklineKind::WinLoss => "winLoss",
            SparklineKind::Bar => "bar",
        },
        values: drawn.values,
        color: drawn.color.unwrap_or(SPARK_COLOR).0,
        colors: SparkColors {
            negative: number(drawn.negative_color),
            low: number(drawn.low_color),
            high: number(drawn.high_color),
            first: number(drawn.first_color),
            last: number(drawn.last_color),
            second: number(drawn.second_color),
            axis: drawn.has_axis.then(|| drawn.axis_color.unwrap_or(AXIS_COLOR).0),
        },
        low: drawn.low,
        high: drawn.high,
        line_width: drawn.line_width,
        is_from_right: drawn.is_from_right,
    }
}

/// Whether looks of these cells may depend on cells anywhere.
pub fn has_rules(document: &Document, sheet: SheetId, ranges: &[Range]) -> bool {
    let found = document.workbook().sheet(sheet);
    let mut runs =
        ranges.iter().flat_map(|range| found.into_iter().flat_map(|found| found.formula_runs(*range)));
    // The text that stands for a sparkline is coarser than its image, and may stay when that changes.
    if runs.any(|(_, _, _, template)| is_sparkline(template)) {
        return true;
    }
    let items = document.workbook().sheet(sheet).into_iter().flat_map(|sheet| sheet.items().iter());
    items.into_iter().any(|(_, item)| {
        matches!(item.kind, ItemKind::ConditionalRule | ItemKind::Sparkline | ItemKind::Validation)
    })
}

/// The filter of all, or the view that is open, with the columns that have a condition.
fn filters(sheet: &Sheet, view: Option<ItemId>) -> Vec<(ItemId, Vec<u32>)> {
    let columns = |id| {
        let own =
            sheet.items().of_kind(ItemKind::FilterColumn).filter(move |(_, item)| item.parent() == Some(id));
        own.filter_map(|(_, item)| Some(item.anchors.first()?.first().column.get())).collect()
    };
    open_filters(sheet, view).into_iter().map(|(id, _)| (id, columns(id))).collect()
}

fn is_marking(item: &Item) -> bool {
    matches!(
        item.kind,
        ItemKind::Note
            | ItemKind::CommentThread
            | ItemKind::Validation
            | ItemKind::AutoFilter
            | ItemKind::FilterView
            | ItemKind::Link
            | ItemKind::AlternatingColors
            | ItemKind::Table
            | ItemKind::Sparkline
    )
}

fn mark_validation(item: &Item, value: &Value, mark: &mut CellMark) {
    match item.text(Field::Rule).map(|rule| &**rule) {
        Some("list") if item.boolean(Field::ShowDropdown) != Some(false) => mark.has_list = Some(true),
        Some("checkbox") => {
            let checked = item.text(Field::CheckedValue).map(|text| &**text);
            let is_checked = match value {
                Value::Boolean(is_true) => *is_true,
                Value::Text(text) => checked == Some(&**text),
                Value::Number(number) => checked == Some(number.to_string().as_str()),
                Value::Blank | Value::Error(_) => false,
            };
            mark.is_checked = Some(is_checked);
            mark.hides_value = Some(true);
        }
        _ => {}
    }
}

/// The first row is the header's, the last the footer's, when these have colours.
fn alternating(item: &Item, range: Range, cell: CellAddress) -> Option<Color> {
    let row = cell.row.get() - range.first().row.get();
    let header = item.color(Field::HeaderColor);
    let footer = item.color(Field::FooterColor);
    if row == 0 && header.is_some() {
        return header;
    }
    if cell.row == range.last().row && footer.is_some() {
        return footer;
    }
    let body = row - u32::from(header.is_some());
    item.color(if body.is_multiple_of(2) { Field::FirstColor } else { Field::SecondColor })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_document;

    fn spark_of(cells: &str, at: (u32, u32)) -> Option<SparklineMark> {
        let document = test_document(cells);
        let sheet = document.workbook().sheet(SheetId(1)).expect("the first sheet has number 1");
        let range = Range::from_indices(0, 0, 20, 10).expect("within the sheet");
        let mut marker = Marker::new(&document, Some(sheet), range, &ViewSettings::default());
        let cell = CellAddress::clamped(at.0, at.1);
        marker.mark(cell, &sheet.value(cell), 0, &Format::default());
        marker.finish().pop().and_then(|marked| marked.mark.spark)
    }

    #[test]
    fn a_sparkline_is_drawn_of_its_range_with_its_options() {
        let cells = "A1: 3 | A2: x | A4: -1 | B1: =SPARKLINE(A1:A4,{\"charttype\",\"column\";\"negcolor\",\"Red\";\"color\",\"#abc\";\"ymin\",-2;\"axis\",true})";
        let spark = spark_of(cells, (0, 1)).expect("a sparkline");
        assert_eq!(spark.kind, "column");
        assert_eq!(spark.values, [Some(3.0), None, None, Some(-1.0)]);
        assert_eq!((spark.low, spark.high), (Some(-2.0), None));
        assert_eq!((spark.color, spark.colors.negative), (0xaa_bb_cc, Some(0xff_00_00)));
        assert_eq!(spark.colors.axis, Some(AXIS_COLOR.0));
    }

    #[test]
    fn blanks_and_texts_are_what_the_options_say() {
        let options = "{\"empty\",\"zero\";\"nan\",\"convert\"}";
        let spark = spark_of(&format!("A1: 3 | A2: x | A4: 1 | B1: =SPARKLINE(A1:A4,{options})"), (0, 1));
        assert_eq!(spark.expect("a sparkline").values, [Some(3.0), Some(0.0), Some(0.0), Some(1.0)]);
    }

    #[test]
    fn drawn_cells_may_be_calculated() {
        let spark = spark_of("A1: 3 | A2: 1 | B1: =SPARKLINE(A1:A2*2)", (0, 1));
        assert_eq!(spark.expect("a sparkline").values, [Some(6.0), Some(2.0)]);
    }

    #[test]
    fn an_error_and_another_formula_show_themselves() {
        assert_eq!(spark_of("A1: 3 | B1: =SPARKLINE(A1:A2,{\"charttype\",\"pie\"})", (0, 1)), None);
        assert_eq!(spark_of("A1: 3 | B1: =REPT(\"|\",A1)", (0, 1)), None);
    }

    #[test]
    fn a_sheet_with_a_sparkline_in_view_looks_at_cells_anywhere() {
        let document = test_document("A1: 3 | B1: =SPARKLINE(A1:A2)");
        let range = |left, right| [Range::from_indices(0, left, 5, right).expect("within the sheet")];
        assert!(has_rules(&document, SheetId(1), &range(0, 3)));
        assert!(!has_rules(&document, SheetId(1), &range(2, 3)));
    }
}
