//! [`ReadChart`]: a chart as a file describes it, and the fields of the item that it becomes.

use std::collections::BTreeMap;

use quadrille_operation::ItemValue;
use quadrille_workbook::Field;

use crate::contents::{Contents, FieldTexts};

/// Series of a chart, at most.
pub(crate) const SERIES_MAX: usize = 255;
/// Characters of a title, at most.
pub(crate) const TITLE_LENGTH_MAX: usize = 255;

/// The fields of a series.
pub(super) type Record = BTreeMap<String, ItemValue>;

/// A chart as the file describes it.
#[derive(Default)]
pub(crate) struct ReadChart {
    /// Title; an empty text stands for the name of the only series.
    pub title: Option<String>,
    pub subtitle: Option<String>,
    pub legend: Option<&'static str>,
    pub groups: Vec<Group>,
    pub axes: Vec<Axis>,
    pub leaves_out_hidden: bool,
}

/// Series of the same type on the same axes.
#[derive(Default)]
pub(crate) struct Group {
    /// The chart type, or the type of a series in a combo chart; `None` for unsupported types.
    pub kind: Option<&'static str>,
    pub stacking: &'static str,
    pub has_markers: bool,
    pub has_labels: bool,
    pub series: Vec<Series>,
    /// Identifiers of the axes.
    pub axes: Vec<String>,
}

/// A series.
#[derive(Default)]
pub(crate) struct Series {
    pub order: u32,
    pub fields: Record,
    /// Cached name, used if the cells of the name are not available.
    pub name: String,
    pub has_markers: Option<bool>,
    pub has_labels: Option<bool>,
    pub has_horizontal_error_bars: bool,
    pub has_custom_error_bars: bool,
    pub has_custom_labels: bool,
}

/// An axis.
#[derive(Default)]
pub(crate) struct Axis {
    pub id: String,
    pub is_value: bool,
    pub title: Option<String>,
    pub minimum: Option<f64>,
    pub maximum: Option<f64>,
    pub is_logarithmic: bool,
    pub has_gridlines: bool,
}

impl ReadChart {
    /// The fields of a chart item except its position. Returns `None`, with a warning, if the chart cannot be
    /// drawn.
    pub fn fields(mut self, contents: &mut Contents) -> Option<FieldTexts> {
        let has_volumes = self.put_volumes_first();
        let is_stock = |group: &Group| group.kind == Some("stock");
        if self.groups.len() > 1 && !has_volumes && self.groups.iter().any(is_stock) {
            contents.warn("stock charts with other series are drawn as combo charts".into());
        }
        self.groups.retain(|group| group.kind.is_some() && !group.series.is_empty());
        let first = self.groups.first()?;
        let kind = first.kind?;
        let is_mixed = !has_volumes && self.groups.iter().any(|group| group.kind != Some(kind));
        let mut fields = FieldTexts::default();
        fields.text(Field::Type, Some(if is_mixed { "combo" } else { kind }));
        fields.text(Field::Stacking, Some(first.stacking).filter(|stacking| *stacking != "none"));

        let main = self.value_axis(first);
        let second = self.groups.iter().find_map(|group| {
            let other = self.value_axis(group)?;
            main.is_some_and(|main| main.id != other.id).then_some(other)
        });
        // The labels of a stock chart with volumes are below the volumes.
        let labelled = self.groups.last().filter(|_| has_volumes).unwrap_or(first);
        let horizontal = self.axes.iter().find(|axis| {
            let is_main = [main, second].into_iter().flatten().any(|main| main.id == axis.id);
            labelled.axes.contains(&axis.id) && !is_main
        });
        let titles = match kind == "bar" {
            true => [(Field::XTitle, main), (Field::YTitle, horizontal), (Field::Y2Title, second)],
            false => [(Field::XTitle, horizontal), (Field::YTitle, main), (Field::Y2Title, second)],
        };
        for (field, axis) in titles {
            fields.text(field, axis.and_then(|axis| axis.title.clone()));
        }
        if let Some(axis) = main {
            fields.number(Field::YMin, axis.minimum);
            fields.number(Field::YMax, axis.maximum);
            fields.flag(Field::YLogarithmic, Some(axis.is_logarithmic), false);
            fields.flag(Field::Gridlines, Some(axis.has_gridlines), true);
        }
        if let Some(axis) = horizontal.filter(|axis| axis.is_value) {
            fields.number(Field::XMin, axis.minimum);
            fields.number(Field::XMax, axis.maximum);
            fields.flag(Field::XLogarithmic, Some(axis.is_logarithmic), false);
        }
        fields.text(Field::Legend, Some(self.legend.unwrap_or("none")));
        fields.flag(Field::ShowsHidden, Some(!self.leaves_out_hidden), false);

        let mut series: Vec<(u32, Record, String)> = Vec::new();
        for group in &self.groups {
            let is_second = second.is_some()
                && self.value_axis(group).map(|axis| &axis.id) == second.map(|axis| &axis.id);
            for one in &group.series {
                if one.has_horizontal_error_bars {
                    contents.warn("left out: horizontal error bars of scatter charts".into());
                }
                if one.has_custom_error_bars {
                    contents.warn("left out: error bars with values of their own".into());
                }
                if one.has_custom_labels {
                    contents.warn("left out: data labels with texts of their own".into());
                }
                let mut record = one.fields.clone();
                if !record.contains_key(Field::Values.name()) {
                    contents.warn("left out: series of charts without values".into());
                    continue;
                }
                let mut flag = |field: Field, is_on: bool| {
                    if is_on {
                        record.insert(field.name().into(), ItemValue::Boolean(true));
                    }
                };
                if group.kind == Some("line") {
                    flag(Field::Markers, one.has_markers.unwrap_or(group.has_markers));
                }
                flag(Field::Labels, one.has_labels.unwrap_or(group.has_labels));
                let is_volume = has_volumes && group.kind == Some("column");
                if (is_mixed || is_volume)
                    && let Some(kind) = group.kind
                {
                    let kind = if kind == "stock" { "line" } else { kind };
                    record.insert(Field::Type.name().into(), ItemValue::Text(kind.into()));
                }
                if is_second && !has_volumes {
                    record.insert(Field::Axis.name().into(), ItemValue::Text("secondary".into()));
                }
                series.push((one.order, record, one.name.clone()));
            }
        }
        series.sort_by_key(|(order, ..)| *order);
        series.truncate(SERIES_MAX);
        let only_name = match series.as_slice() {
            [(_, _, name)] => Some(name.clone()),
            _ => None,
        };
        let title = match self.title.take() {
            Some(title) if title.is_empty() => only_name,
            title => title,
        };
        fields.text(Field::Title, title);
        fields.text(Field::Subtitle, self.subtitle.take());
        if series.is_empty() {
            return None;
        }
        let series = series.into_iter().map(|(_, record, _)| ItemValue::Record(record)).collect();
        fields.put(Field::Series, ItemValue::List(series));
        Some(fields)
    }

    /// Finds the prices of a stock chart and one series of columns with the volumes, and makes the prices
    /// the first group and the volumes the first series. Returns whether the chart is one of these.
    fn put_volumes_first(&mut self) -> bool {
        if self.groups.len() != 2 {
            return false;
        }
        let is_stock = |group: &Group| group.kind == Some("stock") && matches!(group.series.len(), 3 | 4);
        let is_columns = |group: &Group| group.kind == Some("column") && group.series.len() == 1;
        let Some(stock) = self.groups.iter().position(is_stock) else { return false };
        if !self.groups.iter().any(is_columns) {
            return false;
        }
        self.groups.swap(0, stock);
        for price in &mut self.groups[0].series {
            price.order = price.order.saturating_add(1);
        }
        self.groups[1].series[0].order = 0;
        true
    }

    /// The value axis of a group; the second one if both axes are value axes.
    fn value_axis(&self, group: &Group) -> Option<&Axis> {
        group.axes.iter().rev().find_map(|id| self.axes.iter().find(|axis| axis.id == *id && axis.is_value))
    }
}

pub(super) fn put_text(fields: &mut Record, field: Field, text: Option<&str>) {
    fields.extend(text.map(|text| (field.name().to_owned(), ItemValue::Text(text.into()))));
}

pub(super) fn put_number(fields: &mut Record, field: Field, number: Option<f64>) {
    fields.extend(number.map(|number| (field.name().to_owned(), ItemValue::Number(number))));
}

pub(super) fn put_flag(fields: &mut Record, field: Field, is_on: bool) {
    fields.extend(is_on.then(|| (field.name().to_owned(), ItemValue::Boolean(true))));
}
