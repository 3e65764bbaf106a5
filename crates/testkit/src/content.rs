//! Everything a workbook was given, in one comparable form: what must be equal when documents are.

use std::collections::BTreeMap;
use std::fmt;

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_formula::{Host, Template, print};
use quadrille_workbook::{Format, Input, Item, ItemId, Items, Literal, Sheet, Workbook};

/// Inputs, formats, sizes, names and sheets; not what formulas gave.
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    pub sheets: Vec<SheetContent>,
    pub names: Vec<(String, Template)>,
    pub items: Vec<(ItemId, Item)>,
    /// For messages.
    workbook: Shown,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SheetContent {
    pub id: SheetId,
    pub name: String,
    pub inputs: BTreeMap<CellAddress, Input>,
    /// Columns from left to right, each with its runs from above; neighbouring columns that look alike are one.
    pub formats: Vec<ColumnFormats>,
    pub sizes: Vec<(Dimension, u32, u32, u16)>,
    pub hidden: Vec<(Dimension, u32, u32)>,
    pub items: Vec<(ItemId, Item)>,
}

/// First and last column, and what their rows look like: first row, last row, format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnFormats {
    pub columns: (u32, u32),
    pub runs: Vec<(u32, u32, Format)>,
}

/// The content as text; equal contents are equal without it.
#[derive(Clone)]
struct Shown(String);

impl PartialEq for Shown {
    fn eq(&self, _: &Shown) -> bool {
        true
    }
}

impl Eq for Shown {}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.workbook.0)
    }
}

impl Content {
    pub fn of(workbook: &Workbook) -> Content {
        let sheets: Vec<SheetContent> = workbook.sheets().iter().map(|sheet| sheet_content(sheet)).collect();
        let names = workbook.names().map(|(name, template)| (name.to_string(), template.clone())).collect();
        let items = items_of(workbook.items());
        let mut content = Content { sheets, names, items, workbook: Shown(String::new()) };
        content.workbook = Shown(show(&content, workbook));
        content
    }

    /// The same without what looks and sizes do in the sheet's last lines, where insertions push lines off
    /// and deletions bring plain ones in.
    pub fn without_edges(mut self) -> Content {
        const LINES: u32 = 64;
        let trim = |first: u32, last: u32, len: u32| {
            (first < len - LINES).then_some((first, if last >= len - LINES { len - 1 } else { last }))
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

    /// The same without what formulas say; where they stand remains.
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

fn show(content: &Content, workbook: &Workbook) -> String {
    let mut text = String::new();
    for sheet in &content.sheets {
        text += &format!("\n{:?} {}:", sheet.id, sheet.name);
        for (cell, input) in &sheet.inputs {
            let shown = match input {
                Input::Formula(template) => {
                    format!("={}", print(template, Host { sheet: sheet.id, cell: *cell }, workbook))
                }
                Input::Value(literal) => format!("{literal:?}"),
                Input::Blank => String::new(),
            };
            text += &format!("\n  {cell}: {shown}");
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
