//! EtherCalc's graph, a line of the part `edit`: `graph:range:B2\cB9:type:piechart:minmax:,,,`.
//!
//! A sheet has one graph. It shows a column of numbers with the labels to its left, or a row with the
//! labels above it.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Range};
use quadrille_formula::{Expression, Reference, SheetReference, resolve_area};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Sheet};

use super::{decode, encode};
use crate::contents::{FieldTexts, ItemContents};

/// EtherCalc's types of graphs, with the types of charts here.
const TYPES: [(&str, &str); 5] = [
    ("verticalbar", "column"),
    ("horizontalbar", "bar"),
    ("piechart", "pie"),
    ("linechart", "line"),
    ("scatterchart", "scatter"),
];

/// The size of EtherCalc's graph in pixels.
const SIZE: (f64, f64) = (500.0, 400.0);

/// A graph of one row or column.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Graph {
    values: Range,
    /// A type of charts here.
    kind: &'static str,
}

/// Reads the line. Returns `None` when no graph was made.
///
/// # Errors
/// The name of a graph that is left out.
pub(super) fn read(line: &str) -> Result<Option<Graph>, &'static str> {
    let fields: Vec<&str> = line.split(':').collect();
    let field = |name: &str| {
        let at = fields.iter().skip(1).step_by(2).position(|key| *key == name)?;
        fields.get(2 * at + 2).map(|value| decode(value))
    };
    // A client that shows no graph saves undefined variables of JavaScript.
    let is_set = |text: &String| !matches!(&**text, "" | "undefined" | "null");
    let Some(range) = field("range").filter(is_set) else { return Ok(None) };
    let range = Range::parse_a1(&range).map_err(|_| "the graph of a named range")?;
    let kind = field("type").filter(is_set).unwrap_or_else(|| TYPES[0].0.to_owned());
    let kind = TYPES.iter().find(|(name, _)| *name == kind).ok_or("a graph of an unknown type")?.1;
    // Of several rows and columns EtherCalc shows the first row.
    let values = match range.column_count() {
        1 => range,
        _ => Range::new(range.first(), CellAddress { row: range.first().row, ..range.last() }),
    };
    Ok(Some(Graph { values, kind }))
}

impl Graph {
    /// The graph as a chart beside the cells of the sheet.
    pub fn chart(&self, sheet_name: &str, columns: u32) -> ItemContents {
        let reference = |range: Range| {
            let absolute = super::absolute::absolute(&range.to_string());
            ItemValue::Text(format!("='{}'!{absolute}", sheet_name.replace('\'', "''")))
        };
        let mut series = BTreeMap::from([(Field::Values.name().to_owned(), reference(self.values))]);
        if let Some(labels) = labels(self.values) {
            series.insert(Field::Categories.name().to_owned(), reference(labels));
        }
        let mut fields = FieldTexts::default();
        fields.text(Field::Type, Some(self.kind));
        fields.put(Field::Series, ItemValue::List(vec![ItemValue::Record(series)]));
        fields.number(Field::Width, Some(SIZE.0));
        fields.number(Field::Height, Some(SIZE.1));
        let anchor = Range::cell(CellAddress::clamped(0, columns + 1));
        ItemContents { kind: ItemKind::Chart, anchors: vec![anchor], fields, parent: None }
    }
}

/// The labels of a graph: the cells to the left of a column, or above a row.
fn labels(values: Range) -> Option<Range> {
    let (first, last) = (values.first(), values.last());
    match values.column_count() {
        1 => {
            let column = first.column.get().checked_sub(1)?;
            Range::from_indices(first.row.get(), column, last.row.get(), column)
        }
        _ => {
            let row = first.row.get().checked_sub(1)?;
            Range::from_indices(row, first.column.get(), row, last.column.get())
        }
    }
}

/// The chart that EtherCalc can show, and its line: the first one with one series of a row or column and
/// the labels beside it.
pub(super) fn write(sheet: &Sheet) -> Option<(ItemId, String)> {
    sheet.items().of_kind(ItemKind::Chart).find_map(|(id, chart)| {
        let graph = of_chart(sheet, chart)?;
        let kind = TYPES.iter().find(|(_, kind)| *kind == graph.kind)?.0;
        let range = encode(&graph.values.to_string());
        Some((id, format!("graph:range:{range}:type:{kind}:minmax:,,,\n")))
    })
}

fn of_chart(sheet: &Sheet, chart: &Item) -> Option<Graph> {
    let kind = chart.text(Field::Type)?;
    let kind = TYPES.iter().find(|(_, name)| *name == &**kind)?.1;
    let FieldValue::List(series) = chart.fields.get(&Field::Series)? else { return None };
    let [FieldValue::Record(series)] = &series[..] else { return None };
    let range = |field: Field| {
        let Some(FieldValue::Formula { at, template }) = series.get(&field) else { return None };
        match template.expression() {
            Expression::Reference(Reference { sheet: of, area }) => {
                let is_own = of.as_ref().is_none_or(|of| *of == SheetReference::Sheet(sheet.id()));
                resolve_area(area, *at).filter(|_| is_own)
            }
            _ => None,
        }
    };
    let values = range(Field::Values).filter(|range| range.column_count() == 1 || range.row_count() == 1)?;
    let has_labels = match series.contains_key(&Field::Categories) {
        true => range(Field::Categories) == labels(values),
        false => labels(values).is_none(),
    };
    has_labels.then_some(Graph { values, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_is_a_row_or_a_column() {
        for (line, values, kind) in [
            ("graph:range:B2\\cB9:type:piechart:minmax:0,1,2,3", "B2:B9", "pie"),
            ("graph:range:B2\\cE2:type:horizontalbar:minmax:,,,", "B2:E2", "bar"),
            ("graph:range:B2\\cE9:type::minmax:,,,", "B2:E2", "column"),
        ] {
            let values = Range::parse_a1(values).expect("a range");
            assert_eq!(read(line), Ok(Some(Graph { values, kind })), "{line}");
        }
        let none = "graph:range:undefined:type:undefined:minmax:undefined,undefined,undefined,undefined";
        assert_eq!(read(none), Ok(None));
        assert_eq!(read("graph:range:SALES:type:piechart"), Err("the graph of a named range"));
        assert_eq!(read("graph:range:A1\\cA2:type:radar"), Err("a graph of an unknown type"));
    }
}
