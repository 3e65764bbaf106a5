//! The contents of a workbook in a form that tests compare: two workbooks with equal contents are
//! equal to their users.

use std::collections::BTreeMap;
use std::fmt;

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_formula::{Host, Template, print};
use quadrille_workbook::{Format, Input, Item, ItemId, Items, Literal, Sheet, Workbook};

/// Inputs, formats, row and column sizes, names, items and sheets of a workbook; without formula
/// results.
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    pub sheets: Vec<SheetContent>,
    pub names: Vec<(String, Template)>,
    pub items: Vec<(ItemId, Item)>,
    /// The contents as text, for failure messages.
    description: Description,
}

/// Contents of one sheet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SheetContent {
    pub id: SheetId,
    pub name: String,
    pub inputs: BTreeMap<CellAddress, Input>,
    /// Formats by columns from left to right; neighboring columns with equal formats are joined.
    pub formats: Vec<ColumnFormats>,
    pub sizes: Vec<(Dimension, u32, u32, u16)>,
    pub hidden: Vec<(Dimension, u32, u32)>,
    pub items: Vec<(ItemId, Item)>,
}

/// First and last column, and the format runs of these columns: first row, last row, format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnFormats {
    pub columns: (u32, u32),
    pub runs: Vec<(u32, u32, Format)>,
}

/// A description that is ignored in comparisons.
#[derive(Clone)]
struct Description(String);

impl PartialEq for Description {
    fn eq(&self, _: &Description) -> bool {
        true
    }
}

impl Eq for Description {}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.description.0)
    }
}

impl Content {
    /// Collects the contents of `workbook`, in time proportional to its size.
    pub fn of(workbook: &Workbook) -> Content {
        let sheets: Vec<SheetContent> = workbook.sheets().iter().map(|sheet| sheet_content(sheet)).collect();
        let names = workbook.names().map(|(name, template)| (name.to_string(), template.clone())).collect();
        let items = items_of(workbook.items());
        let mut content = Content { sheets, names, items, description: Description(String::new()) };
        content.description = Description(describe(&content, workbook));
        content
    }

    /// Ignores formats, sizes and hidden rows and columns in the last 64 rows and columns of each
    /// sheet, where insertions push rows off the sheet and deletions bring in empty ones.
    pub fn without_edges(mut self) -> Content {
        const EDGE: u32 = 64;
        let trim = |first: u32, last: u32, len: u32| {
            (first < len - EDGE).then_some((first, if last >= len - EDGE { len - 1 } else { last }))
        };
        for sheet in &mut self.sheets {
            sheet.formats.retain_mut(|ColumnFormats { columns: span, runs }| {
                runs.retain_mut(|run| {
                    let trimmed = trim(run.0, run.1, Dimension::Rows.len_max());
                    (run.0, run.1) = trimmed.unwrap_or_default();
                    trimmed.is_some()
                });
                let trimmed = trim(span.0, span.1, Dimension::Columns.len_max());
                *span = trimmed.unwrap_or_default();
                trimmed.is_some() && !runs.is_empty()
            });
            sheet.sizes.retain_mut(|(dimension, first, count, _)| {
                let trimmed = trim(*first, *first + *count - 1, dimension.len_max());
                *count = trimmed.map_or(1, |(first, last)| last - first + 1);
                trimmed.is_some()
            });
            sheet.hidden.retain_mut(|(dimension, first, count)| {
                let trimmed = trim(*first, *first + *count - 1, dimension.len_max());
                *count = trimmed.map_or(1, |(first, last)| last - first + 1);
                trimmed.is_some()
            });
        }
        self
    }

    /// Replaces every formula by the same placeholder and removes names: only the cells with
    /// formulas remain comparable.
    pub fn without_formulas(mut self) -> Content {
        for sheet in &mut self.sheets {
            for input in sheet.inputs.values_mut() {
                if matches!(input, Input::Formula(_)) {
                    *input = Input::Value(Literal::Boolean(true));
                }
            }
        }
        self.names.clear();
        self
    }
}

fn sheet_content(sheet: &Sheet) -> SheetContent {
    let mut columns: Vec<ColumnFormats> = Vec::new();
    for (area, format) in sheet.format_runs(Range::whole_sheet()) {
        let span = (area.first().column.get(), area.last().column.get());
        let run = (area.first().row.get(), area.last().row.get(), format.clone());
        match columns.last_mut() {
            Some(last) if last.columns == span => last.runs.push(run),
            _ => columns.push(ColumnFormats { columns: span, runs: vec![run] }),
        }
    }
    let mut formats: Vec<ColumnFormats> = Vec::new();
    for ColumnFormats { columns: span, mut runs } in columns {
        runs.dedup_by(|next, run| {
            let joins = run.1 + 1 == next.0 && run.2 == next.2;
            if joins {
                run.1 = next.1;
            }
            joins
        });
        match formats.last_mut() {
            Some(last) if last.columns.1 + 1 == span.0 && last.runs == runs => last.columns.1 = span.1,
            _ => formats.push(ColumnFormats { columns: span, runs }),
        }
    }
    let sizes = [Dimension::Rows, Dimension::Columns].into_iter().flat_map(|dimension| {
        sheet.size_runs(dimension).map(move |(first, count, size)| (dimension, first, count, size))
    });
    let hidden = [Dimension::Rows, Dimension::Columns].into_iter().flat_map(|dimension| {
        sheet.hidden_runs(dimension).map(move |(first, count)| (dimension, first, count))
    });
    SheetContent {
        id: sheet.id(),
        name: sheet.name().to_string(),
        inputs: sheet.inputs_in(Range::whole_sheet()).collect(),
        formats,
        sizes: sizes.collect(),
        hidden: hidden.collect(),
        items: items_of(sheet.items()),
    }
}

fn items_of(items: &Items) -> Vec<(ItemId, Item)> {
    items.iter().map(|(id, item)| (id, Item::clone(item))).collect()
}

fn describe(content: &Content, workbook: &Workbook) -> String {
    let mut text = String::new();
    for sheet in &content.sheets {
        text += &format!("\n{:?} {}:", sheet.id, sheet.name);
        for (cell, input) in &sheet.inputs {
            let input = match input {
                Input::Formula(template) => {
                    format!("={}", print(template, Host { sheet: sheet.id, cell: *cell }, workbook))
                }
                Input::Value(literal) => format!("{literal:?}"),
                Input::Blank => String::new(),
            };
            text += &format!("\n  {cell}: {input}");
        }
        for ColumnFormats { columns: (left, right), runs } in &sheet.formats {
            for (top, bottom, format) in runs {
                text += &format!("\n  columns {left}..={right} rows {top}..={bottom}: {format:?}");
            }
        }
        for (dimension, first, count, size) in &sheet.sizes {
            text += &format!("\n  {dimension:?} {first}+{count}: {size}px");
        }
        for (dimension, first, count) in &sheet.hidden {
            text += &format!("\n  {dimension:?} {first}+{count} hidden");
        }
        for (id, item) in &sheet.items {
            text += &format!("\n  item {}: {item:?}", id.0);
        }
    }
    for (name, template) in &content.names {
        text += &format!("\n{name}: {:?}", template.expression());
    }
    for (id, item) in &content.items {
        text += &format!("\nitem {}: {item:?}", id.0);
    }
    text
}
