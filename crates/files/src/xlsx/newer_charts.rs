//! Reads charts of the types that are newer than Excel 2007, such as waterfalls and treemaps, which are parts of
//! another format ([MS-ODRAWXML] 2.24.3).

use quadrille_cell::Range;
use quadrille_operation::{ItemValue, print_color};
use quadrille_workbook::{Color, Field};

use super::archive::Part;
use super::colors::Theme;
use super::references::absolute;
use super::xml::Node;
use crate::charts::{Axis, Group, ReadChart, SERIES_MAX, Series, SeriesData, TITLE_LENGTH_MAX};
use crate::contents::{Contents, FieldTexts};
use crate::error::FileError;
use crate::limits::SHAPE_BYTES_MAX;
use crate::shapes::{XmlElement, plain_text, solid_color};

/// Begins the hidden names that Excel defines for the ranges of such charts.
pub(super) const NAMES: &str = "_xlchart.";

/// Reads the fields of a chart item except its position. Returns `None`, with a warning, if the chart cannot be
/// drawn.
pub fn read(mut part: Part, theme: &Theme, contents: &mut Contents) -> Result<Option<FieldTexts>, FileError> {
    let root = loop {
        match part.next()? {
            Node::Start(element) => {
                let mut bytes_left = SHAPE_BYTES_MAX;
                break XmlElement::start(&element).read(&mut part, &mut bytes_left)?;
            }
            Node::EndOfPart => break None,
            _ => {}
        }
    };
    let chart = root.as_ref().and_then(|root| Some((root.child("chartData")?, root.child("chart")?)));
    let Some((data, chart)) = chart else {
        contents.warn("left out: charts of unknown types".into());
        return Ok(None);
    };
    let mut read = ReadChart { leaves_out_hidden: true, ..ReadChart::default() };
    read.title = chart.child("title").map(title);
    read.legend = chart.child("legend").map(|legend| match legend.attribute("pos") {
        Some("t") => "top",
        Some("b") => "bottom",
        Some("l") => "left",
        _ => "right",
    });
    if let Some(area) = chart.child("plotArea") {
        let axes = area.elements().filter(|element| element.local_name() == "axis");
        read.axes = axes.map(axis).collect();
        read.groups.extend(group(data, area, theme, contents));
    }
    if let Some(group) = read.groups.first_mut() {
        group.axes = read.axes.iter().map(|axis| axis.id.clone()).collect();
    }
    Ok(read.fields(contents))
}

/// The text of a title in one line; empty for one that the program chooses.
fn title(title: &XmlElement) -> String {
    let text = match title.at(&["tx", "rich"]) {
        Some(rich) => plain_text(rich),
        None => title.at(&["tx", "txData", "v"]).map(XmlElement::text).unwrap_or_default(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TITLE_LENGTH_MAX).collect()
}

fn axis(axis: &XmlElement) -> Axis {
    let scaling = axis.child("valScaling");
    // `auto` is not a number.
    let limit = |name: &str| scaling.and_then(|scaling| scaling.number(name));
    Axis {
        id: axis.attribute("id").unwrap_or_default().to_owned(),
        is_value: scaling.is_some(),
        title: axis.child("title").map(title).filter(|title| !title.is_empty()),
        minimum: limit("min"),
        maximum: limit("max"),
        is_logarithmic: false,
        has_gridlines: axis.child("majorGridlines").is_some(),
    }
}

/// The series of the type of the first one.
fn group(data: &XmlElement, area: &XmlElement, theme: &Theme, contents: &mut Contents) -> Option<Group> {
    let all = area.child("plotAreaRegion").into_iter().flat_map(XmlElement::elements);
    let all: Vec<&XmlElement> = all.filter(|element| element.local_name() == "series").collect();
    let is_pareto = all.iter().any(|series| series.attribute("layoutId") == Some("paretoLine"));
    let first = all.iter().find(|series| series.attribute("layoutId") != Some("paretoLine"))?;
    let layout = first.attribute("layoutId")?;
    let is_binned = first.at(&["layoutPr", "binning"]).is_some();
    let (kind, change) = match layout {
        "waterfall" => ("waterfall", None),
        "treemap" => ("treemap", None),
        "sunburst" => ("treemap", Some("sunburst charts are drawn as treemaps")),
        "funnel" => ("funnel", None),
        "boxWhisker" => ("boxPlot", None),
        "regionMap" => ("map", None),
        "clusteredColumn" if is_pareto => (
            if is_binned { "histogram" } else { "column" },
            Some("Pareto charts are drawn without their line"),
        ),
        "clusteredColumn" => (if is_binned { "histogram" } else { "column" }, None),
        _ => {
            contents.warn("left out: charts of unknown types".into());
            return None;
        }
    };
    if let Some(change) = change {
        contents.warn(change.into());
    }
    let of_type = all.iter().filter(|series| series.attribute("layoutId") == Some(layout));
    let series = of_type.take(SERIES_MAX).enumerate().map(|(order, element)| {
        let mut series = series(element, data, theme, contents);
        series.order = order as u32;
        series
    });
    let series = series.collect();
    Some(Group { kind: Some(kind), stacking: "none", series, ..Group::default() })
}

fn series(element: &XmlElement, data: &XmlElement, theme: &Theme, contents: &mut Contents) -> Series {
    let mut series = Series::default();
    let mut put = |field: Field, text: Option<String>| {
        series.fields.extend(text.map(|text| (field.name().to_owned(), ItemValue::Text(text))));
    };
    let color = element.child("spPr").and_then(|properties| solid_color(properties, theme));
    put(Field::Color, color.map(|color| print_color(Color(color))));
    let id = element.child("dataId").and_then(|id| id.attribute("val"));
    let data = data.elements().find(|one| one.local_name() == "data" && one.attribute("id") == id);
    let dimensions = || data.into_iter().flat_map(XmlElement::elements);
    let values = dimensions()
        .find(|one| one.local_name() == "numDim" && !matches!(one.attribute("type"), Some("cat" | "x")));
    let categories = dimensions()
        .find(|one| one.local_name() == "strDim" || matches!(one.attribute("type"), Some("cat" | "x")));
    let points = values.and_then(|values| values.child("lvl")?.number("ptCount")).unwrap_or(0.0);
    let totals: Vec<f64> = element
        .at(&["layoutPr", "subtotals"])
        .into_iter()
        .flat_map(XmlElement::elements)
        .filter_map(|total| total.number("val"))
        .collect();
    // The total at the end, which is drawn anyway, is not a step.
    let has_total_cell = points > 1.0 && totals == [points - 1.0];
    if !totals.is_empty() && !has_total_cell {
        contents.warn("subtotals of waterfall charts are drawn as steps".into());
    }
    for (field, dimension) in [(Field::Values, values), (Field::Categories, categories)] {
        let formula = dimension.and_then(|dimension| formula(dimension, contents));
        put(
            field,
            match has_total_cell {
                true => formula.map(|formula| without_last(&formula).unwrap_or(formula)),
                false => formula,
            },
        );
    }
    let name = element.at(&["tx", "txData"]);
    let cached = name.and_then(|name| name.child("v")).map(XmlElement::text).unwrap_or_default();
    let mut source = SeriesData::from(name.and_then(|name| reference(name, contents)), false);
    source.push(cached.clone());
    if source.formula.is_some() || !cached.is_empty() {
        put(Field::Name, source.formula(true));
    }
    series.name = cached;
    let labels = element.child("dataLabels");
    let is_off = |visibility: &XmlElement| matches!(visibility.attribute("value"), Some("0" | "false"));
    series.has_labels = Some(labels.is_some_and(|labels| !labels.child("visibility").is_some_and(is_off)));
    series
}

/// The reference of a dimension, or its values as constants.
fn formula(dimension: &XmlElement, contents: &Contents) -> Option<String> {
    let is_numbers = dimension.local_name() == "numDim";
    let mut data = SeriesData::from(reference(dimension, contents), is_numbers);
    let points = dimension.child("lvl").into_iter().flat_map(XmlElement::elements);
    points.for_each(|point| data.push(point.text()));
    data.formula(false)
}

/// The reference of the element `f`.
fn reference(parent: &XmlElement, contents: &Contents) -> Option<String> {
    let text = parent.child("f")?.text().trim().to_owned();
    let defined = contents.names.iter().find(|(name, _)| name.eq_ignore_ascii_case(&text));
    let text = defined.filter(|_| text.starts_with(NAMES)).map_or(text, |(_, definition)| definition.clone());
    Some(text).filter(|text| !text.is_empty())
}

/// The formula of a range without its last cell; `None` for other formulas.
fn without_last(formula: &str) -> Option<String> {
    let (sheet, range) = formula.rsplit_once('!')?;
    let range = Range::parse_a1(&range.replace('$', "")).ok()?;
    let (first, last) = (range.first(), range.last());
    let (row, column) = (last.row.get(), last.column.get());
    let (row, column) = if row > first.row.get() { (row - 1, column) } else { (row, column.checked_sub(1)?) };
    let shorter = Range::from_indices(first.row.get(), first.column.get(), row, column)?;
    Some(format!("{sheet}!{}", absolute(shorter)))
}
