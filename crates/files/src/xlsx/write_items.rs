//! Writes the items of a sheet. Items that Excel does not allow are left out, so that the rest of
//! the file can be written.

use std::collections::{BTreeMap, HashMap, HashSet};

use quadrille_cell::{CellAddress, Dimension, Range, Value};
use quadrille_workbook::{Field, Input, Item, ItemId, ItemKind, Literal, Sheet, Workbook};
use rust_xlsxwriter as xlsx;

use super::chart_ranges::sheet_and_range;
use super::page_setup::{PAPERS, odd_footer, odd_header, write_page_breaks};
use super::threaded_comments::{CellThread, threads};
use super::write_filters::{FilterPlace, place_of_filter};
use super::write_newer_charts::{frame_name, is_newer_chart};
use super::write_target::{Target, corners, range_list, rgb};
use crate::alternating_colors::rules_of_alternating_colors;

impl Target<'_> {
    /// Writes merged ranges, links and tables, which write into cells; the contents of the cells
    /// follow.
    pub fn write_before_cells(&self, target: &mut xlsx::Worksheet, style: &dyn Fn(Range) -> xlsx::Format) {
        for (id, item) in self.sheet.items().iter() {
            let Some(range) = item.anchors.first().copied() else { continue };
            let _rejected = match item.kind {
                ItemKind::Merge => {
                    let (top, left, bottom, right) = corners(range);
                    target.merge_range(top, left, bottom, right, "", &style(range)).map(drop)
                }
                ItemKind::Link => self.write_link(target, range, item, &style(range)),
                ItemKind::Table => self.write_table(target, range, id, item),
                _ => Ok(()),
            };
        }
    }

    /// Writes the sheet's settings, hidden rows and columns, protection and all other items.
    pub fn write_after_cells(&self, target: &mut xlsx::Worksheet) {
        if let Some(settings) = self.sheet.item(ItemId::SETTINGS) {
            write_settings(target, settings);
        }
        for dimension in [Dimension::Rows, Dimension::Columns] {
            for (first, count) in self.sheet.hidden_runs(dimension) {
                for index in first..first + count {
                    let _rejected = match dimension {
                        Dimension::Rows => target.set_row_hidden(index).map(drop),
                        Dimension::Columns => target.set_column_hidden(index as u16).map(drop),
                    };
                }
            }
        }
        let _rejected = super::protection::write(self.sheet, target);
        let mut rules: Vec<&Item> = Vec::new();
        let threads = threads(self.sheet);
        for (id, item) in self.sheet.items().iter() {
            let _rejected = match item.kind {
                // A thread has the note of its cell.
                ItemKind::Note if has_thread(item, &threads) => Ok(()),
                ItemKind::ConditionalRule => {
                    rules.push(item);
                    Ok(())
                }
                ItemKind::Validation => self.write_validation(target, item),
                ItemKind::Note => write_note(target, item),
                ItemKind::AutoFilter => self.write_filter(target, id, item),
                ItemKind::Chart => {
                    let name = is_newer_chart(item).then(|| frame_name(id));
                    super::write_charts::write(self, target, item, name)
                }
                ItemKind::Sparkline => self.write_sparkline(target, item),
                ItemKind::OutlineGroup => write_group(target, item),
                ItemKind::PrintArea => write_print_area(target, item),
                ItemKind::PrintTitles => write_print_titles(target, item),
                // Written before the cells or with another item, or not supported by the file
                // format.
                ItemKind::SheetSettings
                | ItemKind::WorkbookSettings
                | ItemKind::Merge
                | ItemKind::Link
                | ItemKind::Table
                | ItemKind::TableColumn
                | ItemKind::FilterColumn
                | ItemKind::FilterView
                | ItemKind::Slicer
                | ItemKind::NamedFunction
                | ItemKind::Scenario
                | ItemKind::Suggestion
                | ItemKind::Reaction
                | ItemKind::CellStyle
                | ItemKind::PivotTable
                | ItemKind::Import
                | ItemKind::ImportPart
                | ItemKind::NamedVersion
                | ItemKind::PackageParts
                | ItemKind::CommentThread
                | ItemKind::Comment
                | ItemKind::PageBreak
                | ItemKind::Image
                | ItemKind::ProtectedRange
                | ItemKind::AlternatingColors => Ok(()),
            };
        }
        for (cell, thread) in &threads {
            let note = xlsx::Note::new(thread.note_text()).set_author(thread.note_author());
            let note = note.add_author_prefix(false);
            let _rejected = target.insert_note(cell.row.get(), cell.column.get() as u16, &note).map(drop);
        }
        let _rejected = write_page_breaks(self.sheet, target);
        // In a file, the order of the rules determines their priority.
        rules.sort_by(|a, b| {
            let priority = |item: &Item| item.number(Field::Priority).unwrap_or(0.0);
            priority(a).total_cmp(&priority(b))
        });
        let alternating = rules_of_alternating_colors(self.workbook, self.sheet);
        for rule in rules.into_iter().chain(&alternating) {
            let _rejected = super::write_conditional_formats::write(self, target, rule);
        }
    }

    fn write_link(
        &self,
        target: &mut xlsx::Worksheet,
        range: Range,
        item: &Item,
        style: &xlsx::Format,
    ) -> Result<(), xlsx::XlsxError> {
        let Some(url) = item.text(Field::Url) else { return Ok(()) };
        let address = match url.strip_prefix('#') {
            Some(location) => format!("internal:{location}"),
            None => url.to_string(),
        };
        let link = xlsx::Url::new(address);
        let link = match item.text(Field::Tooltip) {
            Some(tip) => link.set_tip(tip.to_string()),
            None => link,
        };
        let (top, left, _, _) = corners(range);
        let text = match self.sheet.value(range.first()) {
            Value::Text(text) => text.to_string(),
            _ => url.to_string(),
        };
        target.write_url_with_format(top, left, link.set_text(text), style).map(drop)
    }

    fn write_table(
        &self,
        target: &mut xlsx::Worksheet,
        range: Range,
        id: ItemId,
        item: &Item,
    ) -> Result<(), xlsx::XlsxError> {
        let has_header = has_header(item);
        let headers = if has_header { self.headers(range) } else { Vec::new() };
        let mut table = xlsx::Table::new()
            .set_header_row(has_header)
            .set_total_row(item.boolean(Field::TotalRow).unwrap_or(false))
            .set_banded_rows(item.boolean(Field::BandedRows).unwrap_or(false))
            .set_banded_columns(item.boolean(Field::BandedColumns).unwrap_or(false))
            .set_first_column(item.boolean(Field::FirstColumn).unwrap_or(false))
            .set_last_column(item.boolean(Field::LastColumn).unwrap_or(false));
        if let Some(name) = item.text(Field::Name) {
            table = table.set_name(name.to_string());
        }
        let style = item.text(Field::Style).map(|style| table_style(style));
        table = table.set_style(style.unwrap_or(xlsx::TableStyle::None));
        let columns: Vec<xlsx::TableColumn> = (range.first().column.get()..=range.last().column.get())
            .map(|column| self.table_column(range, id, column, has_header, &headers))
            .collect();
        let (top, left, bottom, right) = corners(range);
        target.add_table(top, left, bottom, right, &table.set_columns(&columns)).map(drop)
    }

    /// The texts of the header row of a table. Excel requires different ones, in cells with text. The cost is
    /// proportional to the number of columns.
    fn headers(&self, range: Range) -> Vec<String> {
        let mut headers: Vec<String> = Vec::new();
        let mut taken: HashSet<String> = HashSet::new();
        // The number with which the search for a free name goes on, by the text in lower case.
        let mut next_numbers: HashMap<String, usize> = HashMap::new();
        let row = range.first().row.get();
        for (position, column) in (range.first().column.get()..=range.last().column.get()).enumerate() {
            let text = match self.sheet.value(CellAddress::clamped(row, column)) {
                Value::Blank => format!("Column{}", position + 1),
                Value::Text(text) if text.is_empty() => format!("Column{}", position + 1),
                Value::Text(text) => text.to_string(),
                Value::Number(number) => number.to_string(),
                Value::Boolean(boolean) => if boolean { "TRUE" } else { "FALSE" }.to_owned(),
                Value::Error(error) => error.text().to_owned(),
            };
            let number = next_numbers.entry(text.to_lowercase()).or_insert(2);
            let mut name = text.clone();
            while !taken.insert(name.to_lowercase()) {
                name = format!("{text}{number}");
                *number += 1;
            }
            headers.push(name);
        }
        headers
    }

    /// The header cells of tables whose content is not the text that the file has in them.
    pub fn table_headers(&self) -> Vec<(CellAddress, String)> {
        let mut cells = Vec::new();
        for (_, item) in self.sheet.items().of_kind(ItemKind::Table) {
            let Some(range) = item.anchors.first().filter(|_| has_header(item)) else { continue };
            let (row, left) = (range.first().row.get(), range.first().column.get());
            for (column, name) in (left..).zip(self.headers(*range)) {
                let cell = CellAddress::clamped(row, column);
                let is_same =
                    matches!(self.sheet.input(cell), Input::Value(Literal::Text(text)) if *text == *name);
                if !is_same {
                    cells.push((cell, name));
                }
            }
        }
        cells
    }

    fn table_column(
        &self,
        range: Range,
        table: ItemId,
        column: u32,
        has_header: bool,
        headers: &[String],
    ) -> xlsx::TableColumn {
        let header = CellAddress::clamped(range.first().row.get(), column);
        let properties = self.sheet.items().of_kind(ItemKind::TableColumn).find(|(_, item)| {
            item.parent() == Some(table) && item.anchors.iter().any(|anchor| anchor.contains(header))
        });
        let name = match has_header {
            true => Some(headers[(column - range.first().column.get()) as usize].clone()),
            false => properties.and_then(|(_, item)| item.text(Field::Name)).map(|name| name.to_string()),
        };
        let mut column = xlsx::TableColumn::new();
        if let Some(name) = name {
            column = column.set_header(name);
        }
        let Some((_, item)) = properties else { return column };
        if let Some(label) = item.text(Field::TotalLabel) {
            column = column.set_total_label(label.to_string());
        }
        match item.text(Field::TotalFunction).map(|function| &**function) {
            Some("sum") => column.set_total_function(xlsx::TableFunction::Sum),
            Some("average") => column.set_total_function(xlsx::TableFunction::Average),
            Some("count") => column.set_total_function(xlsx::TableFunction::Count),
            Some("countNumbers") => column.set_total_function(xlsx::TableFunction::CountNumbers),
            Some("minimum") => column.set_total_function(xlsx::TableFunction::Min),
            Some("maximum") => column.set_total_function(xlsx::TableFunction::Max),
            Some("deviation") => column.set_total_function(xlsx::TableFunction::StdDev),
            Some("variance") => column.set_total_function(xlsx::TableFunction::Var),
            _ => column,
        }
    }

    fn write_validation(&self, target: &mut xlsx::Worksheet, item: &Item) -> Result<(), xlsx::XlsxError> {
        let Some(range) = item.anchors.first() else { return Ok(()) };
        let Some(mut rule) = super::write_conditional_formats::validation(self, item)? else { return Ok(()) };
        if item.anchors.len() > 1 {
            rule = rule.set_multi_range(range_list(&item.anchors));
        }
        let (top, left, bottom, right) = corners(*range);
        target.add_data_validation(top, left, bottom, right, &rule).map(drop)
    }

    /// Writes the buttons of a filter of the sheet; the conditions follow when the file is written.
    fn write_filter(
        &self,
        target: &mut xlsx::Worksheet,
        id: ItemId,
        item: &Item,
    ) -> Result<(), xlsx::XlsxError> {
        let Some(range) = item.anchors.first() else { return Ok(()) };
        if place_of_filter(self.sheet, id) != Some(FilterPlace::Sheet) {
            return Ok(());
        }
        let (top, left, bottom, right) = corners(*range);
        target.autofilter(top, left, bottom, right).map(drop)
    }

    fn sparkline_source(&self, item: &Item) -> Option<String> {
        self.chart_formula(item, item.fields.get(&Field::Source)?)
    }

    fn write_sparkline(&self, target: &mut xlsx::Worksheet, item: &Item) -> Result<(), xlsx::XlsxError> {
        let (Some(anchor), Some(source)) = (item.anchors.first(), self.sparkline_source(item)) else {
            return Ok(());
        };
        let mut sparkline = xlsx::Sparkline::new();
        if let Some((sheet, range)) = sheet_and_range(&source) {
            let (top, left, bottom, right) = corners(range);
            sparkline = sparkline.set_range((sheet.as_str(), top, left, bottom, right));
        }
        sparkline = match item.text(Field::Type).map(|kind| &**kind) {
            Some("column") => sparkline.set_type(xlsx::SparklineType::Column),
            Some("winLoss") => sparkline.set_type(xlsx::SparklineType::WinLose),
            _ => sparkline,
        };
        if let Some(color) = item.color(Field::Color) {
            sparkline = sparkline.set_sparkline_color(rgb(color));
        }
        if let Some(color) = item.color(Field::NegativeColor) {
            sparkline = sparkline.show_negative_points(true).set_negative_points_color(rgb(color));
        }
        if let Some(color) = item.color(Field::HighColor) {
            sparkline = sparkline.show_high_point(true).set_high_point_color(rgb(color));
        }
        if let Some(color) = item.color(Field::LowColor) {
            sparkline = sparkline.show_low_point(true).set_low_point_color(rgb(color));
        }
        sparkline = sparkline.show_markers(item.boolean(Field::Markers).unwrap_or(false));
        let (top, left, _, _) = corners(*anchor);
        target.add_sparkline(top, left, &sparkline).map(drop)
    }

    /// Adds the sheet name to a reference, which charts and sparklines require.
    pub fn with_sheet(&self, formula: String) -> String {
        match formula.strip_prefix('=') {
            Some(reference) if !reference.contains('!') => {
                format!("='{}'!{reference}", self.sheet.name().replace('\'', "''"))
            }
            _ => formula,
        }
    }
}

/// Whether a file has the sparkline. The sheets of the workbook have the names that the file has.
pub(crate) fn is_written_sparkline(workbook: &Workbook, sheet: &Sheet, item: &Item) -> bool {
    let target = Target { workbook, sheet };
    target.sparkline_source(item).is_some()
        && target.write_sparkline(&mut xlsx::Worksheet::new(), item).is_ok()
}

fn has_header(table: &Item) -> bool {
    table.boolean(Field::HeaderRow).unwrap_or(true)
}

fn write_note(target: &mut xlsx::Worksheet, item: &Item) -> Result<(), xlsx::XlsxError> {
    let (Some(anchor), Some(text)) = (item.anchors.first(), item.text(Field::Text)) else { return Ok(()) };
    let mut note = xlsx::Note::new(text.to_string()).add_author_prefix(false);
    if let Some(author) = item.text(Field::Author) {
        note = note.set_author(author.to_string());
    }
    let (top, left, _, _) = corners(*anchor);
    target.insert_note(top, left, &note).map(drop)
}

fn has_thread(item: &Item, threads: &BTreeMap<CellAddress, CellThread>) -> bool {
    item.anchors.first().is_some_and(|anchor| threads.contains_key(&anchor.first()))
}

fn write_group(target: &mut xlsx::Worksheet, item: &Item) -> Result<(), xlsx::XlsxError> {
    let Some(anchor) = item.anchors.first() else { return Ok(()) };
    let (top, left, bottom, right) = corners(*anchor);
    let is_collapsed = item.boolean(Field::Collapsed).unwrap_or(false);
    let is_rows = item.text(Field::Dimension).is_none_or(|dimension| &**dimension == "rows");
    match (is_rows, is_collapsed) {
        (true, false) => target.group_rows(top, bottom).map(drop),
        (true, true) => target.group_rows_collapsed(top, bottom).map(drop),
        (false, false) => target.group_columns(left, right).map(drop),
        (false, true) => target.group_columns_collapsed(left, right).map(drop),
    }
}

fn write_print_area(target: &mut xlsx::Worksheet, item: &Item) -> Result<(), xlsx::XlsxError> {
    let Some(anchor) = item.anchors.first() else { return Ok(()) };
    let (top, left, bottom, right) = corners(*anchor);
    target.set_print_area(top, left, bottom, right).map(drop)
}

fn write_print_titles(target: &mut xlsx::Worksheet, item: &Item) -> Result<(), xlsx::XlsxError> {
    for anchor in &item.anchors {
        let (top, left, bottom, right) = corners(*anchor);
        if anchor.is_whole_rows() {
            target.set_repeat_rows(top, bottom)?;
        } else if anchor.is_whole_columns() {
            target.set_repeat_columns(left, right)?;
        }
    }
    Ok(())
}

fn write_settings(target: &mut xlsx::Worksheet, settings: &Item) {
    let whole = |field: Field| settings.number(field).map(|number| number as u16);
    let (rows, columns) = (settings.number(Field::FrozenRows), settings.number(Field::FrozenColumns));
    if rows.is_some() || columns.is_some() {
        let _rejected = target.set_freeze_panes(rows.unwrap_or(0.0) as u32, columns.unwrap_or(0.0) as u16);
    }
    if settings.boolean(Field::RightToLeft) == Some(true) {
        target.set_right_to_left(true);
    }
    if settings.boolean(Field::ShowGridlines) == Some(false) {
        target.set_screen_gridlines(false);
    }
    if settings.boolean(Field::ShowZeros) == Some(false) {
        target.set_hidden_zeroes(true);
    }
    if let Some(zoom) = whole(Field::Zoom) {
        target.set_zoom(zoom);
    }
    if let Some(scale) = whole(Field::Scale) {
        target.set_print_scale(scale);
    }
    if let (Some(width), Some(height)) = (whole(Field::FitToWidth), whole(Field::FitToHeight)) {
        target.set_print_fit_to_pages(width, height);
    }
    target.set_print_gridlines(settings.boolean(Field::PrintGridlines).unwrap_or(false));
    target.set_print_headings(settings.boolean(Field::PrintHeadings).unwrap_or(false));
    target.set_print_center_horizontally(settings.boolean(Field::CenterHorizontally).unwrap_or(false));
    target.set_print_center_vertically(settings.boolean(Field::CenterVertically).unwrap_or(false));
    write_page_settings(target, settings);
}

/// Writes the settings that a chart sheet has too: of its tab, its paper, its headers and footers.
pub fn write_page_settings(target: &mut xlsx::Worksheet, settings: &Item) {
    if let Some(color) = settings.color(Field::TabColor) {
        target.set_tab_color(rgb(color));
    }
    if settings.boolean(Field::Hidden) == Some(true) {
        target.set_hidden(true);
    }
    let paper = settings.text(Field::Paper);
    if let Some((number, _)) = PAPERS.iter().find(|(_, name)| paper.is_some_and(|paper| **paper == **name)) {
        target.set_paper_size(*number);
    }
    match settings.text(Field::Orientation).map(|orientation| &**orientation) {
        Some("landscape") => drop(target.set_landscape()),
        Some(_) => drop(target.set_portrait()),
        // The default of the sheet's kind.
        None => {}
    }
    let margin = |field: Field| settings.number(field).unwrap_or(-1.0); // negative: default margin
    target.set_margins(
        margin(Field::MarginLeft),
        margin(Field::MarginRight),
        margin(Field::MarginTop),
        margin(Field::MarginBottom),
        margin(Field::MarginHeader),
        margin(Field::MarginFooter),
    );
    let (header, footer) = (odd_header(settings), odd_footer(settings));
    if !header.is_empty() {
        target.set_header(header);
    }
    if !footer.is_empty() {
        target.set_footer(footer);
    }
}

/// The built-in table style with this name, or no style.
fn table_style(name: &str) -> xlsx::TableStyle {
    macro_rules! styles {
        ($($style:ident,)+) => {
            match name.strip_prefix("TableStyle").unwrap_or_default() {
                $(stringify!($style) => xlsx::TableStyle::$style,)+
                _ => xlsx::TableStyle::None,
            }
        };
    }
    styles! {
            Light1, Light2, Light3, Light4, Light5, Light6, Light7, Light8, Light9, Light10, Light11,
            Light12, Light13, Light14, Light15, Light16, Light17, Light18, Light19, Light20, Light21,
            Medium1, Medium2, Medium3, Medium4, Medium5, Medium6, Medium7, Medium8, Medium9, Medium10,
            Medium11, Medium12, Medium13, Medium14, Medium15, Medium16, Medium17, Medium18, Medium19,
            Medium20, Medium21, Medium22, Medium23, Medium24, Medium25, Medium26, Medium27, Medium28, Dark1,
            Dark2, Dark3, Dark4, Dark5, Dark6, Dark7, Dark8, Dark9, Dark10, Dark11,
    }
}
