//! Markers that cells of a window have besides their text: note corners, checkboxes, dropdown
//! arrows, data bars, icons and sparklines.
//!
//! The cost depends on the cells of the window. Conditions that need the whole sheet, such as ranks
//! and duplicates, are evaluated by `quadrille_document`.

use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId, SmallMap, Value};
use quadrille_document::{
    ChoiceColors, ConditionalFormats, Document, Sparkline, SparklineKind, Validations, is_sparkline,
    open_filters,
};
use quadrille_formula::Host;
use quadrille_rich_text::{RichText, Run, css_format};
use quadrille_workbook::{Color, Field, Format, Item, ItemId, ItemKind, Sheet};

use crate::cell_marks::{CellMark, DataBar, MarkedCell, RuleIcon, SparkColors, SparklineMark, TextRun};
use crate::chips::chip_marks;
use crate::form_controls::{control, control_style, image_of_button};
use crate::table_styles::table_style;
use crate::validation_marks::mark_validation;
use crate::view_settings::ViewSettings;

/// Text color of links whose cell has no text color.
const LINK_COLOR: Color = Color(0x0b57d0);

const SPARK_COLOR: Color = Color(0x1f_6f_5c);
const AXIS_COLOR: Color = Color(0x80_80_80);
/// Points of a sparkline, at most: more than a cell has pixels.
const SPARK_POINTS_MAX: usize = 500;

/// Computes the markers and formats of the cells of one window.
pub struct Marker<'a> {
    document: &'a Document,
    items: Vec<(ItemId, &'a Item)>,
    rules: Option<ConditionalFormats<'a>>,
    validations: Option<Validations<'a>>,
    /// Of the validations that are drawn as chips.
    choice_colors: SmallMap<ItemId, ChoiceColors>,
    /// Active filters, each with the columns that have a condition.
    filters: Vec<(ItemId, Vec<u32>)>,
    sheet: Option<SheetId>,
    /// Whether the grid shows formulas instead of their results.
    shows_formulas: bool,
    marked: Vec<MarkedCell>,
}

/// A format that differs from the cell's own format because of an item or a conditional format.
pub struct ComputedFormat(Format);

impl ComputedFormat {
    /// The format to draw the cell with.
    pub fn format(&self) -> &Format {
        &self.0
    }
}

impl<'a> Marker<'a> {
    /// Collects the items, conditional formats and validations that intersect `range`.
    pub fn new(
        document: &'a Document,
        sheet: Option<&'a Sheet>,
        range: Range,
        settings: &ViewSettings,
    ) -> Marker<'a> {
        let view = sheet.and_then(|sheet| settings.filter_view(sheet.id()));
        let filters = sheet.map_or_else(Vec::new, |sheet| filters(sheet, view));
        let items = sheet.into_iter().flat_map(|sheet| sheet.items().iter());
        let is_open = |(id, item): &(ItemId, &Arc<Item>)| {
            let is_filter = matches!(item.kind, ItemKind::AutoFilter | ItemKind::FilterView);
            !is_filter || filters.iter().any(|(open, _)| open == id)
        };
        let is_in_range = |item: &Item| item.anchors.iter().any(|anchor| anchor.intersects(range));
        let items = items.filter(is_open).map(|(id, item)| (id, &**item));
        let items: Vec<(ItemId, &Item)> =
            items.filter(|(_, item)| has_marker(item) && is_in_range(item)).collect();
        let dates = document.workbook().date_system();
        let lists = items.iter().filter(|(_, item)| item.kind == ItemKind::Validation);
        let lists = lists.filter(|_| !settings.shows_formulas);
        let choice_colors = quadrille_cell::collect_by_insertion(
            lists.filter_map(|(id, item)| Some((*id, ChoiceColors::new(item, dates)?))),
        );
        let rules = sheet
            .map(|sheet| document.conditional_formats(sheet.id(), range))
            .filter(|rules| !rules.is_empty());
        let validations = sheet.map(|sheet| document.validations(sheet.id(), range));
        let validations = validations.filter(|validations| !validations.is_empty());
        let sheet = sheet.map(Sheet::id);
        Marker {
            document,
            items,
            rules,
            validations,
            choice_colors,
            filters,
            sheet,
            shows_formulas: settings.shows_formulas,
            marked: Vec::new(),
        }
    }

    /// Records the markers of a cell and returns its format if it differs from `own`, the cell's
    /// own format. `at` is the index of the cell in the window, `rich` the formats within its text.
    pub fn mark(
        &mut self,
        cell: CellAddress,
        value: &Value,
        at: u32,
        own: &Format,
        rich: Option<&RichText>,
    ) -> Option<ComputedFormat> {
        let spark = self.formula_sparkline(cell, value);
        let control = self.formula_control(cell, value);
        if self.items.is_empty()
            && self.rules.is_none()
            && spark.is_none()
            && control.is_none()
            && rich.is_none()
        {
            return None;
        }
        let mut mark = CellMark { spark, control, ..CellMark::default() };
        mark.runs = rich.map(|rich| rich.runs.iter().map(text_run).collect());
        mark.link = rich.and_then(|rich| rich.runs.iter().find_map(|run| run.link.clone()));
        let is_box = matches!(control, Some("checkbox" | "radio"));
        mark.hides_value = (mark.spark.is_some() || is_box).then_some(true);
        mark.is_checked = is_box.then(|| *value != Value::Number(0.0));
        mark.has_list = (control == Some("list")).then_some(true);
        mark.image = control.and_then(|_| self.button_image(cell, value));
        let mut format = control.and_then(|_| self.control_format(cell, own));
        for (id, item) in &self.items {
            let Some(anchor) = item.anchors.iter().find(|anchor| anchor.contains(cell)) else { continue };
            match item.kind {
                ItemKind::Note => mark.note = item.text(Field::Text).map(ToString::to_string),
                ItemKind::CommentThread => {
                    let is_open = item.boolean(Field::Resolved) != Some(true);
                    mark.has_comment = is_open.then_some(true).or(mark.has_comment);
                }
                ItemKind::Validation => {
                    mark_validation(item, value, &mut mark);
                    let colors = self.choice_colors.get(id);
                    mark.chips = colors.and_then(|colors| chip_marks(colors, self.document, value, own));
                    if colors.is_some_and(|colors| colors.is_people) {
                        mark.has_list = Some(true);
                        mark.control.get_or_insert("people");
                    }
                }
                ItemKind::AutoFilter | ItemKind::FilterView if cell.row == anchor.first().row => {
                    let columns = self.filters.iter().find(|(filter, _)| filter == id);
                    mark.is_filtering = columns.map(|(_, columns)| columns.contains(&cell.column.get()));
                }
                ItemKind::Link => {
                    mark.link = item.text(Field::Url).map(ToString::to_string);
                    let style = format.get_or_insert_with(|| own.clone());
                    style.text_color = style.text_color.or(Some(LINK_COLOR));
                    style.underline = true;
                }
                ItemKind::Sparkline => mark.spark = self.item_sparkline(item, cell),
                ItemKind::AlternatingColors => {
                    let style = format.get_or_insert_with(|| own.clone());
                    style.fill_color = style.fill_color.or_else(|| alternating(item, *anchor, cell));
                }
                ItemKind::Table => {
                    let base = format.as_ref().unwrap_or(own);
                    format = Some(table_style(item, *anchor, cell, base));
                }
                _ => {}
            }
        }
        let conditional =
            self.rules.as_ref().and_then(|rules| rules.style_of(cell, value, format.as_ref().unwrap_or(own)));
        if let Some(style) = conditional {
            format = style.format.or(format);
            mark.bar = style.bar.map(|bar| DataBar {
                start: bar.start,
                end: bar.end,
                color: bar.color.0,
                is_gradient: bar.is_gradient,
            });
            mark.icon = style.icon.map(|icon| RuleIcon { set: icon.set.to_string(), index: icon.index });
            mark.hides_value = style.hides_value.then_some(true).or(mark.hides_value);
        }
        let is_broken = |validations: &Validations<'_>| validations.violated_rule(cell, value).is_some();
        if !value.is_blank() && self.validations.as_ref().is_some_and(is_broken) {
            mark.is_invalid = Some(true);
        }
        if mark != CellMark::default() {
            self.marked.push(MarkedCell { at, mark });
        }
        format.map(ComputedFormat)
    }

    /// The sparkline of an item, from at most [`SPARK_POINTS_MAX`] cells of its source range; cells
    /// without a number are gaps.
    fn item_sparkline(&self, item: &Item, cell: CellAddress) -> Option<SparklineMark> {
        let (_, template) = item.formula(Field::Source)?;
        let sheet = self.sheet?;
        let (source, range) = self.document.referenced_range(Host { sheet, cell }, template)?;
        let source_sheet = self.document.workbook().sheet(source)?;
        let number = |cell: CellAddress| match source_sheet.value(cell) {
            Value::Number(number) => Some(number),
            _ => None,
        };
        Some(sparkline_mark(Sparkline {
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

    /// The sparkline of a `SPARKLINE` formula. `None` if its result is an error, which the cell
    /// then shows.
    fn formula_sparkline(&self, cell: CellAddress, value: &Value) -> Option<SparklineMark> {
        if self.shows_formulas || !matches!(value, Value::Text(_)) {
            return None;
        }
        self.document.sparkline(self.sheet?, cell).map(sparkline_mark)
    }

    /// The form control of a formula. `None` if its result is an error, which the cell then shows.
    fn formula_control(&self, cell: CellAddress, value: &Value) -> Option<&'static str> {
        // A box that is ticked or not is 1 or 0.
        let is_possible = match value {
            Value::Text(_) => true,
            Value::Number(number) => *number == 0.0 || *number == 1.0,
            Value::Blank | Value::Boolean(_) | Value::Error(_) => false,
        };
        if self.shows_formulas || !is_possible {
            return None;
        }
        control(self.document.workbook().sheet(self.sheet?)?.formula(cell)?)
    }

    fn button_image(&self, cell: CellAddress, value: &Value) -> Option<String> {
        let sheet = self.document.workbook().sheet(self.sheet?)?;
        image_of_button(sheet.formula(cell)?, value).map(str::to_owned)
    }

    /// The format of a control with the style that its formula adds.
    fn control_format(&self, cell: CellAddress, own: &Format) -> Option<Format> {
        let sheet = self.document.workbook().sheet(self.sheet?)?;
        let css = css_format(control_style(sheet.formula(cell)?)?);
        let mut format = own.clone();
        format.text_color = css.color.map(Color).or(format.text_color);
        format.fill_color = css.fill.map(Color).or(format.fill_color);
        format.bold = css.bold.unwrap_or(format.bold);
        format.italic = css.italic.unwrap_or(format.italic);
        format.underline = css.underline.unwrap_or(format.underline);
        format.strikethrough = css.strikethrough.unwrap_or(format.strikethrough);
        (format != *own).then_some(format)
    }

    /// Adds the formats of parts of a text to the markers of the cell at index `at`, the last that
    /// was marked.
    pub fn put_runs(&mut self, at: u32, runs: Vec<TextRun>) {
        match self.marked.last_mut() {
            Some(last) if last.at == at => last.mark.runs = Some(runs),
            _ => {
                let mark = CellMark { runs: Some(runs), ..CellMark::default() };
                self.marked.push(MarkedCell { at, mark });
            }
        }
    }

    /// The marked cells, in the order of the calls of [`mark`](Marker::mark).
    pub fn finish(self) -> Vec<MarkedCell> {
        self.marked
    }
}

fn text_run(run: &Run) -> TextRun {
    let style = u8::from(run.bold)
        | u8::from(run.italic) << 1
        | u8::from(run.underline) << 2
        | u8::from(run.strikethrough) << 3
        | u8::from(run.monospace) << 4;
    let link_color = run.link.as_ref().map(|_| LINK_COLOR.0);
    TextRun { end: run.end, cell_style: None, style, size: run.size, color: run.color.or(link_color) }
}

fn sparkline_mark(sparkline: Sparkline) -> SparklineMark {
    let number = |color: Option<Color>| color.map(|color| color.0);
    SparklineMark {
        kind: match sparkline.kind {
            SparklineKind::Line => "line",
            SparklineKind::Column => "column",
            SparklineKind::WinLoss => "winLoss",
            SparklineKind::Bar => "bar",
        },
        values: sparkline.values,
        color: sparkline.color.unwrap_or(SPARK_COLOR).0,
        colors: SparkColors {
            negative: number(sparkline.negative_color),
            low: number(sparkline.low_color),
            high: number(sparkline.high_color),
            first: number(sparkline.first_color),
            last: number(sparkline.last_color),
            second: number(sparkline.second_color),
            axis: sparkline.has_axis.then(|| sparkline.axis_color.unwrap_or(AXIS_COLOR).0),
        },
        low: sparkline.low,
        high: sparkline.high,
        line_width: sparkline.line_width,
        is_from_right: sparkline.is_from_right,
    }
}

/// Whether markers or formats of cells of `ranges` can depend on cells outside of `ranges`: the
/// sheet has conditional formats, validations or sparklines.
pub fn has_nonlocal_formats(document: &Document, sheet_id: SheetId, ranges: &[Range]) -> bool {
    let sheet = document.workbook().sheet(sheet_id);
    let mut runs =
        ranges.iter().flat_map(|range| sheet.into_iter().flat_map(|sheet| sheet.formula_runs(*range)));
    // The text value of a sparkline is coarser than its drawing: the drawing can change while the
    // value does not.
    if runs.any(|(_, _, _, template)| is_sparkline(template)) {
        return true;
    }
    let mut items = sheet.into_iter().flat_map(|sheet| sheet.items().iter());
    items.any(|(_, item)| {
        matches!(item.kind, ItemKind::ConditionalRule | ItemKind::Sparkline | ItemKind::Validation)
    })
}

/// The active filters (the sheet's filter, or the filter view `view`) with the columns that have a
/// condition.
fn filters(sheet: &Sheet, view: Option<ItemId>) -> Vec<(ItemId, Vec<u32>)> {
    let columns = |id| {
        // A column by which a view is sorted has no condition.
        let has_condition =
            |item: &Item| item.text(Field::Order).is_none() || item.text(Field::Rule).is_some();
        let own = sheet
            .items()
            .of_kind(ItemKind::FilterColumn)
            .filter(move |(_, item)| item.parent() == Some(id) && has_condition(item));
        own.filter_map(|(_, item)| Some(item.anchors.first()?.first().column.get())).collect()
    };
    open_filters(sheet, view).into_iter().map(|(id, _)| (id, columns(id))).collect()
}

fn has_marker(item: &Item) -> bool {
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

/// Fill color of a cell in a range with alternating colors. The first row is a header if the header
/// color is set; the last row is a footer if the footer color is set.
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
    use std::collections::BTreeMap;

    use quadrille_workbook::FieldValue;

    use crate::cell_marks::ChipMark;

    use super::*;
    use crate::test_document;

    fn spark_of(cells: &str, at: (u32, u32)) -> Option<SparklineMark> {
        let document = test_document(cells);
        let sheet = document.workbook().sheet(SheetId(1)).expect("the first sheet has number 1");
        let range = Range::from_indices(0, 0, 20, 10).expect("within the sheet");
        let mut marker = Marker::new(&document, Some(sheet), range, &ViewSettings::default());
        let cell = CellAddress::clamped(at.0, at.1);
        marker.mark(cell, &sheet.value(cell), 0, &Format::default(), None);
        marker.finish().pop().and_then(|marked| marked.mark.spark)
    }

    #[test]
    fn a_sparkline_formula_passes_its_range_and_options_to_the_marker() {
        let cells = "A1: 3 | A2: x | A4: -1 | B1: =SPARKLINE(A1:A4,{\"charttype\",\"column\";\"negcolor\",\"Red\";\"color\",\"#abc\";\"ymin\",-2;\"axis\",true})";
        let spark = spark_of(cells, (0, 1)).expect("a sparkline");
        assert_eq!(spark.kind, "column");
        assert_eq!(spark.values, [Some(3.0), None, None, Some(-1.0)]);
        assert_eq!((spark.low, spark.high), (Some(-2.0), None));
        assert_eq!((spark.color, spark.colors.negative), (0xaa_bb_cc, Some(0xff_00_00)));
        assert_eq!(spark.colors.axis, Some(AXIS_COLOR.0));
    }

    #[test]
    fn sparkline_options_decide_how_blanks_and_texts_are_drawn() {
        let options = "{\"empty\",\"zero\";\"nan\",\"convert\"}";
        let spark = spark_of(&format!("A1: 3 | A2: x | A4: 1 | B1: =SPARKLINE(A1:A4,{options})"), (0, 1));
        assert_eq!(spark.expect("a sparkline").values, [Some(3.0), Some(0.0), Some(0.0), Some(1.0)]);
    }

    #[test]
    fn a_sparkline_can_draw_a_calculated_array() {
        let spark = spark_of("A1: 3 | A2: 1 | B1: =SPARKLINE(A1:A2*2)", (0, 1));
        assert_eq!(spark.expect("a sparkline").values, [Some(6.0), Some(2.0)]);
    }

    #[test]
    fn a_failed_sparkline_and_other_formulas_have_no_marker() {
        assert_eq!(spark_of("A1: 3 | B1: =SPARKLINE(A1:A2,{\"charttype\",\"pie\"})", (0, 1)), None);
        assert_eq!(spark_of("A1: 3 | B1: =REPT(\"|\",A1)", (0, 1)), None);
    }

    #[test]
    fn form_controls_of_formulas_are_drawn_as_such() {
        let mark = |formula: &str| {
            let document = test_document(&format!("A1: ={formula}"));
            let sheet = document.workbook().sheet(SheetId(1)).expect("the first sheet has number 1");
            let mut marker = Marker::new(
                &document,
                Some(sheet),
                Range::cell(CellAddress::default()),
                &ViewSettings::default(),
            );
            let value = sheet.value(CellAddress::default());
            marker.mark(CellAddress::default(), &value, 0, &Format::default(), None);
            marker.finish().pop().map(|marked| marked.mark).unwrap_or_default()
        };
        for (formula, control) in [
            ("BUTTON(\"Send\")", Some("button")),
            ("SUBMIT()", Some("button")),
            ("TEXTBOX(\"\")", Some("field")),
            ("TEXTBOX(\"a\")&STYLE(\"margin: 0\")", Some("field")),
            ("SELECT(\"a\",\"a,b\")", Some("list")),
            ("UPPER(TEXTBOX(\"a\"))", None),
            ("TEXTBOX(1/0)", None),
        ] {
            assert_eq!(mark(formula).control, control, "{formula}");
        }
        assert_eq!(mark("SELECT(\"a\",\"a,b\")").has_list, Some(true));
        let checkbox = mark("CHECKBOX(\"TRUE\")");
        assert_eq!((checkbox.is_checked, checkbox.hides_value), (Some(true), Some(true)));
        assert_eq!(mark("RADIOBUTTON(0,\"size\")").is_checked, Some(false));
    }

    #[test]
    fn a_control_has_the_colors_of_its_style() {
        let document =
            test_document("A1: =TEXTBOX(\"a\")+STYLE(\"color: red; background:#ff0; margin: 8px\")");
        let sheet = document.workbook().sheet(SheetId(1)).expect("the first sheet has number 1");
        let cell = CellAddress::default();
        assert_eq!(sheet.value(cell), Value::text("a"));
        let settings = ViewSettings::default();
        let mut marker = Marker::new(&document, Some(sheet), Range::cell(cell), &settings);
        let computed = marker.mark(cell, &sheet.value(cell), 0, &Format::default(), None);
        let colors = computed.map(|computed| (computed.format().text_color, computed.format().fill_color));
        assert_eq!(colors, Some((Some(Color(0xff0000)), Some(Color(0xffff00)))));
    }

    #[test]
    fn a_sparkline_in_the_range_makes_its_formats_nonlocal() {
        let document = test_document("A1: 3 | B1: =SPARKLINE(A1:A2)");
        let range = |left, right| [Range::from_indices(0, left, 5, right).expect("within the sheet")];
        assert!(has_nonlocal_formats(&document, SheetId(1), &range(0, 3)));
        assert!(!has_nonlocal_formats(&document, SheetId(1), &range(2, 3)));
    }

    #[test]
    fn choices_of_a_list_are_chips_with_their_colors() {
        let mut workbook = test_document("A1: Done | A2: 😀, Done | A3: other").snapshot();
        let text = |text: &str| FieldValue::Text(text.into());
        let color =
            BTreeMap::from([(Field::Value, text("Done")), (Field::Color, FieldValue::Color(Color(7)))]);
        let mut list = Item::new(ItemKind::Validation);
        list.anchors.push(Range::from_indices(0, 0, 3, 0).expect("within the sheet"));
        list.fields.insert(Field::Rule, text("list"));
        list.fields.insert(Field::DisplayStyle, text("chip"));
        list.fields.insert(Field::AllowMultiple, FieldValue::Boolean(true));
        list.fields.insert(Field::ChoiceColors, FieldValue::List(vec![FieldValue::Record(color)]));
        workbook.sheet_mut(SheetId(1)).expect("the first sheet").set_item(ItemId(5), Some(list));
        let document = Document::from_workbook(workbook);
        let sheet = document.workbook().sheet(SheetId(1)).expect("the first sheet");
        let range = Range::from_indices(0, 0, 3, 0).expect("within the sheet");
        let mut marker = Marker::new(&document, Some(sheet), range, &ViewSettings::default());
        for row in 0..4 {
            let cell = CellAddress::clamped(row, 0);
            marker.mark(cell, &sheet.value(cell), row, &Format::default(), None);
        }
        let chip = |start, end, color| ChipMark { start, end, color };
        let chips = marker.finish().into_iter().map(|marked| marked.mark.chips).collect::<Vec<_>>();
        let expected = [
            Some(vec![chip(0, None, Some(7))]),
            // The emoji has two UTF-16 code units.
            Some(vec![chip(0, Some(2), None), chip(4, Some(8), Some(7))]),
            Some(vec![chip(0, None, None)]),
            None,
        ];
        assert_eq!(chips, expected);
    }
}
