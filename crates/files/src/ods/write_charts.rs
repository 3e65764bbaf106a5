//! Writes charts: a frame over the cells, and a document with the chart (ODF 1.3 part 3, chapter 11).

use std::collections::BTreeMap;

use quadrille_workbook::{Field, Item, ItemKind, Sheet, Workbook};

use super::chart_addresses::ChartCells;
use super::lengths::POINT_PX;
use super::numbers::escaped;
use super::write_chart_styles::{
    GRID, PAPER, Styles, axis_properties, error_bars, plot_area_properties, series_properties,
    slice_properties, trend_line,
};
use super::write_local_table::{Columns, Part};
use crate::charts::{Record, WrittenChart, series_with_values, text_of};

pub(super) const CHART_MEDIA_TYPE: &str = "application/vnd.oasis.opendocument.chart";
const NAMESPACES: &str = "xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
    xmlns:style=\"urn:oasis:names:tc:opendocument:xmlns:style:1.0\" \
    xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" \
    xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" \
    xmlns:draw=\"urn:oasis:names:tc:opendocument:xmlns:drawing:1.0\" \
    xmlns:fo=\"urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0\" \
    xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
    xmlns:chart=\"urn:oasis:names:tc:opendocument:xmlns:chart:1.0\" \
    xmlns:svg=\"urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0\" \
    xmlns:loext=\"urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0\" \
    office:version=\"1.3\"";

/// Cells of a workbook whose values the charts have beside their addresses, at most. No program that knows
/// the cells needs them.
const CELLS_MAX: usize = 200_000;

/// Slices of a pie with a color of their own, at most.
const SLICES_MAX: usize = 100;

/// The charts of a workbook while it is written.
#[derive(Default)]
pub(super) struct Charts {
    /// Whether the file is one document, which has the charts within the frames.
    is_flat: bool,
    /// The documents of the charts in an archive, in the order of their numbers from 1 on.
    pub documents: Vec<String>,
    /// The number of charts so far.
    pub count: usize,
    /// The number of cells whose values are in the tables of charts so far.
    cells: usize,
}

/// The frames of a sheet by row and column.
pub(super) type Frames = BTreeMap<(u32, u32), String>;

impl Charts {
    /// The charts of a file that is one document.
    pub fn flat() -> Charts {
        Charts { is_flat: true, ..Charts::default() }
    }

    /// Writes the charts of a sheet, and returns their frames.
    pub fn frames(&mut self, workbook: &Workbook, sheet: &Sheet) -> Frames {
        let mut frames = Frames::new();
        for (_, item) in sheet.items().of_kind(ItemKind::Chart) {
            let Some(anchor) = item.anchors.first().filter(|_| is_chart_written(workbook, sheet, item))
            else {
                continue;
            };
            let cell = (anchor.first().row.get(), anchor.first().column.get());
            let frame = self.frame(workbook, sheet, item);
            frames.entry(cell).or_default().push_str(&frame);
        }
        frames
    }

    fn frame(&mut self, workbook: &Workbook, sheet: &Sheet, item: &Item) -> String {
        let written = WrittenChart::of(item);
        let points = |pixels: u32| format!("{}pt", f64::from(pixels) / POINT_PX);
        let ((width, height), (x, y)) = (written.size(), written.offset());
        let size = format!("svg:width=\"{}\" svg:height=\"{}\"", points(width), points(height));
        let mut cells_left = CELLS_MAX.saturating_sub(self.cells);
        let contents = document(workbook, sheet, &written, &size, &mut cells_left);
        self.cells = CELLS_MAX - cells_left;
        self.count += 1;
        let number = self.count;
        let object = match self.is_flat {
            true => format!(
                "<draw:object><office:document {NAMESPACES} office:mimetype=\"{CHART_MEDIA_TYPE}\">{contents}\
                 </office:document></draw:object>"
            ),
            false => {
                self.documents.push(format!(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<office:document-content {NAMESPACES}>{contents}\
                     </office:document-content>"
                ));
                format!(
                    "<draw:object xlink:href=\"./Object {number}\" xlink:type=\"simple\" xlink:show=\"embed\" \
                     xlink:actuate=\"onLoad\"/>"
                )
            }
        };
        let description =
            item.text(Field::AltText).map(|text| format!("<svg:desc>{}</svg:desc>", escaped(text)));
        format!(
            "<draw:frame draw:name=\"Chart {number}\" draw:z-index=\"{}\" {size} svg:x=\"{}\" svg:y=\"{}\">\
             {object}{}</draw:frame>",
            number - 1,
            points(x),
            points(y),
            description.unwrap_or_default()
        )
    }
}

/// Whether a file has a chart: one of its series has cells or constants.
pub(crate) fn is_chart_written(workbook: &Workbook, sheet: &Sheet, item: &Item) -> bool {
    let has_values =
        |fields: &Record| !ChartCells::of(workbook, sheet, fields.get(&Field::Values)).is_empty();
    series_with_values(item).into_iter().any(has_values)
}

/// Whether a file has a chart with its type and those of its series.
pub(crate) fn is_chart_type_written(item: &Item) -> bool {
    let written = WrittenChart::of(item);
    let is_own = match item.text(Field::Type) {
        Some(kind) => **kind == *written.kind,
        None => true,
    };
    let is_known = |index: usize| written.kind_of(index) == kind_of(&written, index);
    is_own && (0..written.series.len()).all(is_known)
}

/// The type of a series in a file: one that OpenDocument has, and in a combo chart one with the axes of the
/// other series. Other types become columns or bars, as in other files.
fn kind_of<'a>(written: &WrittenChart<'a>, index: usize) -> &'a str {
    match (written.kind_of(index), written.kind) {
        (kind @ ("line" | "area" | "column"), _) => kind,
        (_, "combo") => "column",
        ("funnel", _) => "bar",
        (kind @ ("bar" | "pie" | "doughnut" | "scatter" | "bubble" | "radar" | "stock"), _) => kind,
        _ => "column",
    }
}

/// The styles and the body of the document of a chart.
fn document(
    workbook: &Workbook,
    sheet: &Sheet,
    written: &WrittenChart,
    size: &str,
    cells_left: &mut usize,
) -> String {
    let mut styles = Styles::default();
    let item = written.item;
    let columns = Columns::of(workbook, sheet, written, cells_left);
    let class = class_of(if written.kind == "combo" { "column" } else { written.kind });
    let title = |element: &str, field: Field| {
        let text = item.text(field).map(|text| escaped(text));
        text.map(|text| format!("<chart:{element}><text:p>{text}</text:p></chart:{element}>"))
            .unwrap_or_default()
    };
    let legend = match written.legend() {
        "none" => String::new(),
        position => {
            let (position, expansion) = match position {
                "top" => ("top", "wide"),
                "bottom" => ("bottom", "wide"),
                "left" => ("start", "high"),
                _ => ("end", "high"),
            };
            format!(
                "<chart:legend chart:legend-position=\"{position}\" style:legend-expansion=\"{expansion}\"/>"
            )
        }
    };
    let is_horizontal = matches!(written.kind, "bar" | "funnel");
    let plot_style = styles.attribute(plot_area_properties(written, is_horizontal));
    let axes = axes(written, is_horizontal, &columns, &mut styles, &title);
    let order = file_order(written).into_iter().filter(|index| columns.point_count(*index) > 0);
    let series: String = order.map(|index| series(written, index, class, &columns, &mut styles)).collect();
    let stock = match written.kind {
        "stock" => "<chart:stock-gain-marker/><chart:stock-loss-marker/><chart:stock-range-line/>",
        _ => "",
    };
    let paper = styles.attribute(PAPER.to_owned());
    // A chart with cells of the sheets has them from the document that it is in.
    let source = if columns.has_cells() { " xlink:href=\"..\" xlink:type=\"simple\"" } else { "" };
    format!(
        "<office:automatic-styles>{}</office:automatic-styles><office:body><office:chart>\
         <chart:chart chart:class=\"{class}\" {size}{source}{paper}>{}{}{legend}\
         <chart:plot-area{plot_style} chart:data-source-has-labels=\"none\">{axes}{series}{stock}\
         <chart:wall{paper}/><chart:floor/></chart:plot-area>{}</chart:chart></office:chart></office:body>",
        styles.written(),
        title("title", Field::Title),
        title("subtitle", Field::Subtitle),
        columns.table()
    )
}

fn axes(
    written: &WrittenChart,
    is_horizontal: bool,
    columns: &Columns,
    styles: &mut Styles,
    title: &dyn Fn(&str, Field) -> String,
) -> String {
    let item = written.item;
    // The fields are named by the place on the screen.
    let (x_title, y_title) =
        if is_horizontal { (Field::YTitle, Field::XTitle) } else { (Field::XTitle, Field::YTitle) };
    let has_numbers = matches!(written.kind, "scatter" | "bubble");
    let x_scale = has_numbers.then_some([Field::XMin, Field::XMax]);
    let is_x_logarithmic = has_numbers && item.boolean(Field::XLogarithmic) == Some(true);
    let x_style = styles.attribute(axis_properties(item, x_scale, is_x_logarithmic));
    let categories = match columns.categories() {
        Some(cells) if !has_numbers => {
            format!("<chart:categories table:cell-range-address=\"{}\"/>", escaped(&cells))
        }
        _ => String::new(),
    };
    let is_logarithmic = item.boolean(Field::YLogarithmic) == Some(true);
    let scaled = axis_properties(item, Some([Field::YMin, Field::YMax]), is_logarithmic);
    let plain = axis_properties(item, None, false);
    let grid = match item.boolean(Field::Gridlines).unwrap_or(true) {
        true => format!("<chart:grid chart:class=\"major\"{}/>", styles.attribute(GRID.to_owned())),
        false => String::new(),
    };
    // The volumes of a stock chart are on the first axis, as in LibreOffice.
    let main = (scaled, y_title);
    let other = (plain, Field::Y2Title);
    let [first, second] = if written.has_volumes { [other, main] } else { [main, other] };
    let mut axes = format!(
        "<chart:axis chart:dimension=\"x\" chart:name=\"primary-x\"{x_style}>{}{categories}</chart:axis>",
        title("title", x_title),
    );
    let mut axis = |name: &str, (properties, field): (String, Field), grid: &str| {
        let style = styles.attribute(properties);
        axes += &format!(
            "<chart:axis chart:dimension=\"y\" chart:name=\"{name}\"{style}>{}{grid}</chart:axis>",
            title("title", field)
        );
    };
    axis("primary-y", first, &grid);
    if (0..written.series.len()).any(|index| is_secondary(written, index)) {
        axis("secondary-y", second, "");
    }
    axes
}

/// The order of the series: the prices of a stock chart are opening, low, high and closing ones.
fn file_order(written: &WrittenChart) -> Vec<usize> {
    let mut order: Vec<usize> = (0..written.series.len()).collect();
    if written.kind == "stock" {
        order.swap(written.series.len() - 3, written.series.len() - 2);
    }
    order
}

/// Whether the values of a series are on the second axis.
fn is_secondary(written: &WrittenChart, index: usize) -> bool {
    match written.has_volumes {
        true => index > 0,
        false => text_of(written.series[index], Field::Axis) == Some("secondary"),
    }
}

fn series(
    written: &WrittenChart,
    index: usize,
    class: &str,
    columns: &Columns,
    styles: &mut Styles,
) -> String {
    let fields = written.series[index];
    let kind = kind_of(written, index);
    let own_class = class_of(kind);
    let style = styles.attribute(series_properties(fields, kind, index));
    let attribute = |name: &str, address: Option<String>| match address {
        Some(address) => format!(" {name}=\"{}\"", escaped(&address)),
        None => String::new(),
    };
    let domain = |part: Part| {
        let address = columns.address(index, part);
        address
            .map(|address| format!("<chart:domain table:cell-range-address=\"{}\"/>", escaped(&address)))
            .unwrap_or_default()
    };
    // The values of bubbles are their sizes.
    let (values, domains) = match own_class {
        "chart:bubble" => (Part::Sizes, domain(Part::Values) + &domain(Part::Categories)),
        "chart:scatter" => (Part::Values, domain(Part::Categories)),
        _ => (Part::Values, String::new()),
    };
    let slices: String = match kind {
        "pie" | "doughnut" => {
            let slice = |index| format!("<chart:data-point{}/>", styles.attribute(slice_properties(index)));
            (0..columns.point_count(index).min(SLICES_MAX)).map(slice).collect()
        }
        _ => String::new(),
    };
    let axis = if is_secondary(written, index) { "secondary-y" } else { "primary-y" };
    let of_class = if own_class == class { String::new() } else { format!(" chart:class=\"{own_class}\"") };
    format!(
        "<chart:series{style}{}{}{of_class} chart:attached-axis=\"{axis}\">{domains}{}{}{slices}</chart:series>",
        attribute("chart:values-cell-range-address", columns.address(index, values)),
        match columns.own_name(index) {
            Some(name) => attribute("loext:label-string", Some(name)),
            None => attribute("chart:label-cell-address", columns.address(index, Part::Name)),
        },
        trend_line(fields, index, styles).unwrap_or_default(),
        error_bars(fields, styles).unwrap_or_default(),
    )
}

/// The class of a type.
fn class_of(kind: &str) -> &'static str {
    match kind {
        "line" => "chart:line",
        "area" => "chart:area",
        "pie" => "chart:circle",
        "doughnut" => "chart:ring",
        "scatter" => "chart:scatter",
        "bubble" => "chart:bubble",
        "radar" => "chart:radar",
        "stock" => "chart:stock",
        _ => "chart:bar",
    }
}
