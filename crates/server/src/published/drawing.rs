//! A sheet of a publication as HTML, and what differs from an earlier drawing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use bytes::Bytes;
use quadrille_access::PublishedPart;
use quadrille_cell::{CellAddress, Dimension, Range, SheetId, Value};
use quadrille_document::{Document, EvaluationContext};
use quadrille_files::rich_text_html;
use quadrille_journal::ImageId;
use quadrille_number_format::Locale;
use quadrille_protocol::Revision;
use quadrille_viewport::cell_markers::Marker;
use quadrille_viewport::cell_marks::CellMark;
use quadrille_viewport::sheet_dimensions::hidden_rows;
use quadrille_viewport::view_settings::ViewSettings;
use quadrille_workbook::{Field, Format, Item, ItemId, ItemKind, Sheet, Workbook};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::cell_html::{CellText, bar_css, cell_html};
use super::cell_style::{cell_style, text_color};
use super::charts::{
    CHART_HEIGHT_PX, CHART_WIDTH_PX, ChartPlace, PublishedCharts, changed_charts, charts_html,
};
use super::compressed::Part;
use super::part::{PublishedSheet, find_part};
use crate::forms::escaped;
use crate::hexadecimal::hex;
use crate::limits;
use crate::rooms::{image_id, image_name};

/// CSS pixels of rows and columns without a size of their own, as in the grid.
const ROW_HEIGHT_PX: u16 = 22;
const COLUMN_WIDTH_PX: u16 = 96;

/// A drawn sheet.
pub struct Drawing {
    pub revision: Revision,
    /// Identifies what is drawn: two drawings that show the same have the same version.
    pub version: String,
    /// The sheets of the publication, in the order of their tabs.
    pub sheets: Vec<(SheetId, String)>,
    /// The sheet that is drawn; `None` when there is nothing to show any more.
    pub sheet: Option<SheetId>,
    pub is_right_to_left: bool,
    /// The charts that the page shows, and the number of those that a limit leaves out.
    pub charts: BTreeMap<ItemId, Json>,
    pub charts_left_out: usize,
    pub are_rows_left_out: bool,
    /// Images beside the workbook that the sheet shows.
    pub images: BTreeSet<ImageId>,
    /// The table, as it is and compressed.
    pub table: Bytes,
    pub compressed_table: Part,
    /// Everything but the cells: drawings that differ here are loaded as a whole.
    layout: [u8; 32],
    cells: BTreeMap<CellAddress, DrawnCell>,
}

/// A cell as the page has it.
#[derive(Clone, PartialEq, Eq, Default)]
struct DrawnCell {
    classes: &'static str,
    style: String,
    html: String,
}

/// What the drawing of a sheet is made from.
pub struct Scene {
    pub workbook: Workbook,
    pub revision: Revision,
    pub time_and_seed: EvaluationContext,
    pub part: PublishedPart,
    /// The sheet of the tab; the first one if it is not published.
    pub sheet: Option<SheetId>,
}

impl Drawing {
    /// Draws a sheet whose formulas have been calculated. Takes long for many cells.
    pub fn new(scene: Scene) -> Drawing {
        let has_pivot_tables = scene.workbook.sheets().iter().any(|sheet| sheet.items().has_pivot_tables());
        let mut document = Document::from_workbook(scene.workbook);
        // The values are those of the workbook; conditions such as "today" need the time.
        document.apply(&Default::default(), scene.time_and_seed);
        if has_pivot_tables {
            // Formats of pivot tables are a result of their calculation.
            document.evaluate(limits::PREVIEW_STEPS);
        }
        let settings = document.workbook().items().get(ItemId::SETTINGS);
        let locale = settings.and_then(|item| item.text(Field::Locale)).map(|tag| Locale::from_tag(tag));
        document.set_locale(locale.unwrap_or(Locale::INVARIANT));
        let parts = find_part(&document, &scene.part);
        let chosen = parts.iter().find(|part| Some(part.sheet) == scene.sheet).or(parts.first());
        let name = |part: &PublishedSheet| {
            document.workbook().sheet(part.sheet).map_or(String::new(), |sheet| sheet.name().to_string())
        };
        let sheets: Vec<_> = parts.iter().map(|part| (part.sheet, name(part))).collect();
        let drawn = chosen.and_then(|part| {
            let sheet = document.workbook().sheet(part.sheet)?;
            Some(match sheet.items().own_sheet_chart().filter(|_| part.range.is_none()) {
                Some(chart) => draw_chart_sheet(&document, sheet, chart),
                None => SheetDrawing::new(&document, sheet, part.range).draw(),
            })
        });
        let drawn = drawn.unwrap_or_default();
        let layout = format!(
            "{sheets:?}{:?}{}{}{}{}",
            chosen, drawn.is_right_to_left, drawn.charts_left_out, drawn.are_rows_left_out, drawn.layout
        );
        let layout: [u8; 32] = Sha256::digest(layout.as_bytes()).into();
        let version = Sha256::new().chain_update(layout).chain_update(drawn.table.as_bytes()).finalize();
        Drawing {
            revision: scene.revision,
            version: hex(&version[..12]),
            sheets,
            sheet: chosen.map(|part| part.sheet),
            is_right_to_left: drawn.is_right_to_left,
            charts: drawn.charts,
            charts_left_out: drawn.charts_left_out,
            are_rows_left_out: drawn.are_rows_left_out,
            images: drawn.images,
            compressed_table: Part::new(drawn.table.as_bytes()),
            table: drawn.table.into(),
            layout,
            cells: drawn.cells,
        }
    }

    /// The cells and charts that differ from an earlier drawing, as JSON for the script of the page:
    /// address, class, style and HTML of each cell. `None` when the page has to be loaded again.
    pub fn changes_since(&self, earlier: &Drawing) -> Option<String> {
        // The texts of charts are in pages with charts only.
        let is_first_chart = earlier.charts.is_empty() && !self.charts.is_empty();
        if self.layout != earlier.layout || is_first_chart {
            return None;
        }
        let blank = DrawnCell::default();
        let addresses: BTreeSet<_> = self.cells.keys().chain(earlier.cells.keys()).collect();
        let mut changed = Vec::new();
        for address in addresses {
            let now = self.cells.get(address).unwrap_or(&blank);
            if now == earlier.cells.get(address).unwrap_or(&blank) {
                continue;
            }
            if changed.len() == limits::PUBLISHED_UPDATE_CELLS_MAX {
                return None;
            }
            changed.push(json!([address.to_string(), now.classes, now.style, now.html]));
        }
        let mut changes = json!({ "version": self.version, "cells": changed });
        let charts = changed_charts(&self.charts, &earlier.charts);
        if !charts.is_empty() {
            changes["charts"] = charts.into();
        }
        let changes = changes.to_string();
        Some(changes).filter(|changes| changes.len() <= limits::PUBLISHED_UPDATE_BYTES_MAX)
    }
}

/// The rows and columns of a drawing, each with its index and its size in CSS pixels.
struct Axis {
    lines: Vec<(u32, u16)>,
    /// The first ones stay in view.
    frozen: usize,
}

impl Axis {
    fn new(
        sheet: &Sheet,
        dimension: Dimension,
        (first, last): (u32, u32),
        hidden: &[(u32, u32)],
        max: usize,
    ) -> Axis {
        let size_default = if dimension == Dimension::Rows { ROW_HEIGHT_PX } else { COLUMN_WIDTH_PX };
        // The runs are in ascending order.
        let is_hidden = |index: u32| {
            let after = hidden.partition_point(|(first, _)| *first <= index);
            after > 0 && index - hidden[after - 1].0 < hidden[after - 1].1
        };
        let shown = (first..=last).filter(|index| !is_hidden(*index)).take(max);
        let lines: Vec<_> =
            shown.map(|index| (index, sheet.size(dimension, index).unwrap_or(size_default))).collect();
        let settings = sheet.item(ItemId::SETTINGS);
        let field = if dimension == Dimension::Rows { Field::FrozenRows } else { Field::FrozenColumns };
        let end = settings.and_then(|item| item.number(field)).unwrap_or(0.0) as u32; // at most 1,000
        let frozen = lines.iter().take_while(|(index, _)| *index < end).count();
        Axis { lines, frozen }
    }

    fn position(&self, index: u32) -> Option<usize> {
        self.lines.binary_search_by_key(&index, |(index, _)| *index).ok()
    }

    /// Pixels before a row or column.
    fn offset(&self, position: usize) -> u32 {
        self.lines[..position].iter().map(|(_, size)| u32::from(*size)).sum()
    }

    /// The positions of those from one index to another.
    fn span(&self, first: u32, last: u32) -> std::ops::Range<usize> {
        let start = self.lines.partition_point(|(index, _)| *index < first);
        start..self.lines.partition_point(|(index, _)| *index <= last)
    }
}

#[derive(Default)]
struct DrawnTable {
    table: String,
    layout: String,
    cells: BTreeMap<CellAddress, DrawnCell>,
    images: BTreeSet<ImageId>,
    charts: BTreeMap<ItemId, Json>,
    charts_left_out: usize,
    are_rows_left_out: bool,
    is_right_to_left: bool,
}

/// Draws a sheet that shows a chart instead of its cells, which do not leave the server.
fn draw_chart_sheet(document: &Document, sheet: &Sheet, (id, item): (ItemId, &Arc<Item>)) -> DrawnTable {
    let mut charts = PublishedCharts::default();
    charts.add(document, sheet.id(), (id, item), Some(ChartPlace { row: 0, x_px: 0.0, y_px: 0.0 }));
    let layout = "<table class=\"chart-sheet\"></table>".to_owned();
    DrawnTable {
        table: layout.clone() + &charts_html(&charts.charts),
        layout,
        charts: charts.charts,
        charts_left_out: charts.left_out,
        ..DrawnTable::default()
    }
}

/// A sheet while it is drawn.
struct SheetDrawing<'a> {
    document: &'a Document,
    sheet: &'a Sheet,
    /// The cells that may leave the server.
    bounds: Range,
    rows: Axis,
    columns: Axis,
    are_rows_left_out: bool,
    /// The cells that others are merged into: rows and columns, and the cell whose contents they show.
    merges: BTreeMap<CellAddress, (usize, usize, Option<CellAddress>)>,
    /// The cells that are merged into another one.
    covered: BTreeSet<CellAddress>,
}

impl<'a> SheetDrawing<'a> {
    fn new(document: &'a Document, sheet: &'a Sheet, range: Option<Range>) -> SheetDrawing<'a> {
        let whole = Range::new(CellAddress::default(), last_in_use(sheet));
        let bounds = match range {
            None => whole,
            // A range of whole columns ends with the last cell in use.
            Some(range) if range.is_whole_rows() || range.is_whole_columns() => {
                range.intersection(whole).unwrap_or(Range::cell(range.first()))
            }
            Some(range) => range,
        };
        let (first, last) = (bounds.first(), bounds.last());
        let hidden_columns: Vec<_> = sheet.hidden_runs(Dimension::Columns).collect();
        let across = (first.column.get(), last.column.get());
        let columns =
            Axis::new(sheet, Dimension::Columns, across, &hidden_columns, limits::PUBLISHED_COLUMNS_MAX);
        let rows_max = limits::PUBLISHED_CELLS_MAX / columns.lines.len().max(1);
        let hidden = hidden_rows(document, sheet.id(), None);
        let down = (first.row.get(), last.row.get());
        let rows = Axis::new(sheet, Dimension::Rows, down, &hidden, rows_max);
        let last_shown = rows.lines.last().map_or(0, |(index, _)| *index);
        let is_row_cut = rows.lines.len() == rows_max && last_shown < down.1;
        let is_column_cut = columns.lines.len() == limits::PUBLISHED_COLUMNS_MAX;
        let mut drawing = SheetDrawing {
            document,
            sheet,
            bounds,
            rows,
            columns,
            are_rows_left_out: is_row_cut || is_column_cut,
            merges: BTreeMap::new(),
            covered: BTreeSet::new(),
        };
        drawing.merge();
        drawing
    }

    fn merge(&mut self) {
        for (_, item) in self.sheet.items().of_kind(ItemKind::Merge) {
            let inside =
                item.anchors.first().and_then(|merge| Some((*merge, merge.intersection(self.bounds)?)));
            let Some((merge, inside)) = inside else { continue };
            let rows = self.rows.span(inside.first().row.get(), inside.last().row.get());
            let columns = self.columns.span(inside.first().column.get(), inside.last().column.get());
            if rows.is_empty() || columns.is_empty() {
                continue;
            }
            // The contents are those of the first cell, unless that is not published.
            let source = Some(merge.first()).filter(|first| self.bounds.contains(*first));
            let at = |row: usize, column: usize| {
                CellAddress::clamped(self.rows.lines[row].0, self.columns.lines[column].0)
            };
            let anchor = at(rows.start, columns.start);
            for row in rows.clone() {
                for column in columns.clone() {
                    self.covered.insert(at(row, column));
                }
            }
            self.covered.remove(&anchor);
            self.merges.insert(anchor, (rows.len(), columns.len(), source));
        }
    }

    fn draw(self) -> DrawnTable {
        let mut cells = self.cells();
        let images = self.add_images(&mut cells);
        let settings = self.sheet.item(ItemId::SETTINGS);
        let is_set = |field| settings.and_then(|item| item.boolean(field));
        let has_lines = is_set(Field::ShowGridlines) != Some(false);
        let width = self.columns.offset(self.columns.lines.len());
        let mut layout = format!(
            "<table class=\"{}\" style=\"width:{width}px\"><colgroup>",
            if has_lines { "lines" } else { "" }
        );
        for (_, size) in &self.columns.lines {
            _ = write!(layout, "<col style=\"width:{size}px\">");
        }
        layout.push_str("</colgroup>");
        let mut table = layout.clone();
        let (top, body) = self.rows.lines.split_at(self.rows.frozen);
        for (name, tag, lines, first) in [("thead", "th", top, 0), ("tbody", "td", body, top.len())] {
            if lines.is_empty() {
                continue;
            }
            _ = write!(table, "<{name}>");
            for (position, (row, height)) in lines.iter().enumerate() {
                let start = format!("<tr style=\"height:{height}px\">");
                _ = write!(layout, "{row}{start}");
                table.push_str(&start);
                self.draw_row(&mut table, &mut layout, first + position, tag, &cells);
                table.push_str("</tr>\n");
            }
            _ = write!(table, "</{name}>");
        }
        table.push_str("</table>");
        let charts = self.charts();
        table.push_str(&charts_html(&charts.charts));
        DrawnTable {
            table,
            layout,
            cells,
            images,
            charts: charts.charts,
            charts_left_out: charts.left_out,
            are_rows_left_out: self.are_rows_left_out,
            is_right_to_left: is_set(Field::RightToLeft) == Some(true),
        }
    }

    fn draw_row(
        &self,
        table: &mut String,
        layout: &mut String,
        position: usize,
        tag: &str,
        cells: &BTreeMap<CellAddress, DrawnCell>,
    ) {
        let (row, _) = self.rows.lines[position];
        for (index, (column, _)) in self.columns.lines.iter().enumerate() {
            let address = CellAddress::clamped(row, *column);
            if self.covered.contains(&address) {
                continue;
            }
            let mut start = format!("<{tag} id=\"{address}\"");
            if let Some((rows, columns, _)) = self.merges.get(&address) {
                for (name, count) in [("rowspan", rows), ("colspan", columns)] {
                    if *count > 1 {
                        _ = write!(start, " {name}=\"{count}\"");
                    }
                }
            }
            let is_top = position < self.rows.frozen;
            if is_top {
                _ = write!(start, " data-top=\"{}\"", self.rows.offset(position));
            }
            if index < self.columns.frozen {
                _ = write!(start, " data-side=\"{}\"", self.columns.offset(index));
            }
            layout.push_str(&start);
            table.push_str(&start);
            let cell = cells.get(&address);
            if let Some(cell) = cell.filter(|cell| !cell.classes.is_empty()) {
                _ = write!(table, " class=\"{}\"", cell.classes);
            }
            let mut style = cell.map_or(String::new(), |cell| cell.style.clone());
            if is_top {
                _ = write!(style, "top:{}px;", self.rows.offset(position));
            }
            if index < self.columns.frozen {
                _ = write!(style, "inset-inline-start:{}px;", self.columns.offset(index));
            }
            if !style.is_empty() {
                _ = write!(table, " style=\"{}\"", escaped(&style));
            }
            _ = write!(table, ">{}</{tag}>", cell.map_or("", |cell| &cell.html));
        }
    }

    /// The cells that are not blank or have a style.
    fn cells(&self) -> BTreeMap<CellAddress, DrawnCell> {
        let settings = ViewSettings::default();
        let mut marker = Marker::new(self.document, Some(self.sheet), self.bounds, &settings);
        let mut drawn: Vec<(CellAddress, DrawnCell, CellText)> = Vec::new();
        for (row, _) in &self.rows.lines {
            for (position, (column, _)) in self.columns.lines.iter().enumerate() {
                let shown = CellAddress::clamped(*row, *column);
                if self.covered.contains(&shown) {
                    continue;
                }
                let merged = self.merges.get(&shown).map(|(_, _, source)| *source);
                let Some(cell) = merged.unwrap_or(Some(shown)) else { continue };
                let value = self.sheet.value(cell);
                let own = self.document.format(self.sheet, cell);
                let formatted = match (own.text_format, &value) {
                    (Some(format), Value::Text(text)) => Some((format, text.to_string())),
                    _ => None,
                };
                let computed = marker.mark(cell, &value, drawn.len() as u32, &own, None);
                let format = computed.as_ref().map_or(&*own, |computed| computed.format());
                let display = self.document.display_value(&value, format);
                let rich = self.sheet.rich_text(cell);
                let rich = rich.filter(|(text, _)| formatted.is_none() && **text == *display.text);
                let style = match &rich {
                    None => cell_style(format, &value, display.color),
                    // Each part has its own lines.
                    Some(_) => {
                        let unlined = Format { underline: false, strikethrough: false, ..format.clone() };
                        cell_style(&unlined, &value, display.color)
                    }
                };
                let color = |color| text_color(format, color);
                let rich = rich.map(|(text, runs)| rich_text_html(&text, runs, format, &color));
                let text = CellText { displayed: display.text, formatted, rich };
                let is_cut = || self.is_followed_by_value(shown, position);
                let classes = match &value {
                    Value::Number(_) => "n",
                    Value::Text(_) if merged.is_none() && !format.wrap && !is_cut() => "o",
                    _ => "",
                };
                drawn.push((shown, DrawnCell { classes, style, html: String::new() }, text));
            }
        }
        let marks: BTreeMap<u32, CellMark> =
            marker.finish().into_iter().map(|marked| (marked.at, marked.mark)).collect();
        let complete = drawn.into_iter().enumerate().map(|(at, (address, mut cell, text))| {
            let mark = marks.get(&(at as u32));
            cell.html = cell_html(&text, mark);
            if let Some(bar) = mark.and_then(|mark| mark.bar.as_ref()) {
                cell.style.push_str(&bar_css(bar));
            }
            (address, cell)
        });
        complete.filter(|(_, cell)| *cell != DrawnCell::default()).collect()
    }

    /// Whether the next cell of the row ends the text of this one.
    fn is_followed_by_value(&self, cell: CellAddress, position: usize) -> bool {
        self.columns.lines.get(position + 1).is_some_and(|(column, _)| {
            let next = CellAddress::clamped(cell.row.get(), *column);
            !self.sheet.value(next).is_blank()
                || self.covered.contains(&next)
                || self.merges.contains_key(&next)
        })
    }

    /// The charts that begin over published cells.
    fn charts(&self) -> PublishedCharts {
        let mut charts = PublishedCharts::default();
        for (id, item) in self.sheet.items().of_kind(ItemKind::Chart) {
            let Some(anchor) = item.anchors.first().map(|anchor| anchor.first()) else { continue };
            if self.bounds.contains(anchor) {
                charts.add(self.document, self.sheet.id(), (id, item), self.place(item, anchor));
            }
        }
        charts
    }

    /// Where a drawing begins; `None` when its cell is left out. In a hidden row or column it begins with
    /// the next one that is shown.
    fn place(&self, item: &Item, anchor: CellAddress) -> Option<ChartPlace> {
        let row = self.rows.lines.partition_point(|(index, _)| *index < anchor.row.get());
        let column = self.columns.lines.partition_point(|(index, _)| *index < anchor.column.get());
        (row < self.rows.lines.len() && column < self.columns.lines.len()).then(|| ChartPlace {
            row,
            x_px: f64::from(self.columns.offset(column)) + item.number(Field::OffsetX).unwrap_or(0.0),
            y_px: item.number(Field::OffsetY).unwrap_or(0.0),
        })
    }

    /// Adds the images to the cells over which they begin. Returns those that are stored beside the workbook.
    fn add_images(&self, cells: &mut BTreeMap<CellAddress, DrawnCell>) -> BTreeSet<ImageId> {
        let mut images = BTreeSet::new();
        for (_, item) in self.sheet.items().of_kind(ItemKind::Image) {
            let Some(anchor) = item.anchors.first().map(|anchor| anchor.first()) else { continue };
            let is_shown = self.rows.position(anchor.row.get()).is_some()
                && self.columns.position(anchor.column.get()).is_some()
                && self.bounds.contains(anchor)
                && !self.covered.contains(&anchor);
            let Some(source) = item.text(Field::Source).filter(|_| is_shown) else { continue };
            let address = match image_id(source) {
                Some(image) => {
                    images.insert(image);
                    format!("?sheet={}&image={}", self.sheet.id().0, image_name(image))
                }
                None if source.starts_with("data:image/") => source.to_string(),
                // An image elsewhere would tell that server who reads the page.
                None => continue,
            };
            let pixels = |field| item.number(field).map(|pixels| pixels.clamp(-10_000.0, 10_000.0));
            let mut style = format!(
                "inset-inline-start:{}px;top:{}px;",
                pixels(Field::OffsetX).unwrap_or(0.0),
                pixels(Field::OffsetY).unwrap_or(0.0)
            );
            for (name, field) in [("width", Field::Width), ("height", Field::Height)] {
                if let Some(size) = pixels(field) {
                    _ = write!(style, "{name}:{size}px;");
                }
            }
            let text = item.text(Field::AltText).map_or(String::new(), |text| escaped(text));
            let cell = cells.entry(anchor).or_default();
            _ = write!(
                cell.html,
                "<img class=\"over\" src=\"{}\" alt=\"{text}\" style=\"{style}\">",
                escaped(&address)
            );
            cell.classes = "i";
        }
        images
    }
}

/// The last row and column with contents, or below the end of a chart or an image.
fn last_in_use(sheet: &Sheet) -> CellAddress {
    let used = sheet.used_range().map_or(CellAddress::default(), Range::last);
    let (mut row, mut column) = (used.row.get(), used.column.get());
    let drawings = [ItemKind::Chart, ItemKind::Image];
    for (_, item) in drawings.into_iter().flat_map(|kind| sheet.items().of_kind(kind)) {
        let Some(anchor) = item.anchors.first().map(|anchor| anchor.first()) else { continue };
        let size_default = match item.kind {
            ItemKind::Chart => (CHART_WIDTH_PX, CHART_HEIGHT_PX),
            _ => (0.0, 0.0),
        };
        let end = |offset: Field, size: Field, size_default: f64| {
            item.number(offset).unwrap_or(0.0) + item.number(size).unwrap_or(size_default)
        };
        let width = end(Field::OffsetX, Field::Width, size_default.0);
        let height = end(Field::OffsetY, Field::Height, size_default.1);
        row = row.max(line_at(sheet, Dimension::Rows, anchor.row.get(), height));
        column = column.max(line_at(sheet, Dimension::Columns, anchor.column.get(), width));
    }
    CellAddress::clamped(row, column)
}

/// The row or column that is `pixels` after the start of another one.
fn line_at(sheet: &Sheet, dimension: Dimension, first: u32, pixels: f64) -> u32 {
    let size_default = if dimension == Dimension::Rows { ROW_HEIGHT_PX } else { COLUMN_WIDTH_PX };
    let mut before = 0.0;
    // Drawings are at most 10,000 pixels long; hidden rows have no height.
    let mut lines = first..first.saturating_add(limits::PUBLISHED_DRAWING_LINES_MAX);
    let last = lines.find(|line| {
        if !sheet.is_hidden(dimension, *line) {
            before += f64::from(sheet.size(dimension, *line).unwrap_or(size_default));
        }
        before >= pixels
    });
    last.unwrap_or(first)
}
