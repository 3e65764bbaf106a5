//! Builds a workbook from the contents of a file: values in bulk, formulas as templates and runs.

use std::collections::HashMap;

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, Range, SheetId};
use quadrille_formula::{
    Expression, Host, SheetReference, Template, map_unknown_sheets, parse, visit_references,
};
use quadrille_operation::{FormatChange, Operation, apply_operation, read_item, refresh_cell_styles};
use quadrille_workbook::{Field, FieldValue, Format, FormatPatch, Input, Item, ItemId, ItemKind, Workbook};

use crate::contents::{
    CellStyle, ColumnContents, Contents, FieldTexts, FormulaSource, OtherSheets, RunValues, SheetContents,
    fingerprint,
};
use crate::fitted_rows::fit_rows;
use crate::limits::{CELL_STYLES_MAX, FORMULA_LENGTH_MAX};

/// The item with the parts of an imported file. Other items of a workbook have small or random ids.
const PACKAGE_PARTS: ItemId = ItemId(0x7061_7274_7300);
/// The first id of descriptions of names.
const NAMED_FUNCTIONS: u64 = 0x6e61_0000_0000;
/// Characters of the comment of a name in Excel.
const COMMENT_LENGTH_MAX: usize = 255;

/// Builds the workbook. Sheets get the ids 1, 2, 3, … in tab order; contents that are rejected
/// become warnings.
pub(crate) fn build_workbook(contents: &mut Contents) -> Workbook {
    let mut workbook = with_sheets(&contents.sheets);
    // Formulas and names can refer to any sheet, so all sheets exist before the first formula is
    // parsed.
    for (name, definition) in &contents.names {
        let host = Host { sheet: SheetId(1), cell: CellAddress::default() };
        let definition = with_other_workbooks(parse(definition, host, &workbook), &contents.other_sheets);
        // `Sheet2!rate` is a name with the scope of one sheet.
        let scoped_name = if name.contains('!') { Some(parse(name, host, &workbook)) } else { None };
        match scoped_name.as_ref().map(Template::expression) {
            None => workbook.define_name(name, Some(definition)),
            Some(Expression::Name(scoped)) => workbook.define_name(scoped, Some(definition)),
            Some(_) => None,
        };
    }
    put_named_functions(&mut workbook, &contents.name_comments);
    put_cell_styles(&mut workbook, contents);
    if !contents.settings.0.is_empty() {
        let (id, kind) = (ItemId::SETTINGS, ItemKind::WorkbookSettings);
        match read_item(None, id, kind, &[], &contents.settings.0, &workbook) {
            Ok(item) => {
                let operation = Operation::PutItem { sheet: None, item: id, content: item.into() };
                apply_operation(&mut workbook, &operation);
            }
            Err(error) => contents.warn(format!("left out: {error}")),
        }
    }
    if let Some(source) = &contents.package_parts {
        let mut item = Item::new(ItemKind::PackageParts);
        item.fields.insert(Field::Source, FieldValue::Text(source.as_str().into()));
        workbook.set_item(None, PACKAGE_PARTS, Some(item));
    }
    let mut sheets = std::mem::take(&mut contents.sheets);
    for (index, sheet) in sheets.iter_mut().enumerate() {
        let id = SheetId(index as u32 + 1);
        for reason in put_items(&mut workbook, id, sheet) {
            contents.warn(format!("left out: {reason}"));
        }
        if has_chart_of_missing_sheet(&workbook, id) {
            contents.warn("charts whose data is in sheets that the file does not have are empty".to_owned());
        }
        fill_values(&mut workbook, id, std::mem::take(&mut sheet.columns));
    }
    // Structured references in formulas need the column names of tables, which come from header
    // cells.
    workbook.refresh_tables();
    for (index, sheet) in sheets.into_iter().enumerate() {
        fill(&mut workbook, SheetId(index as u32 + 1), sheet, &contents.other_sheets);
    }
    workbook.refresh_tables();
    refresh_cell_styles(&mut workbook);
    workbook
}

/// Adds the cell styles. Styles beyond the limit are left out; their cells keep the attributes.
fn put_cell_styles(workbook: &mut Workbook, contents: &mut Contents) {
    let mut is_full = false;
    for (index, style) in contents.cell_styles.iter().enumerate() {
        is_full |= index >= CELL_STYLES_MAX;
        if !is_full && let Some(item) = style_item(style, workbook) {
            workbook.set_item(None, style.id, Some(item));
        }
    }
    if is_full {
        contents.warn(format!("left out: cell styles beyond {CELL_STYLES_MAX}"));
    }
}

fn style_item(style: &CellStyle, workbook: &Workbook) -> Option<Item> {
    let mut fields = FieldTexts::default();
    fields.text(Field::Name, Some(style.name.as_str()));
    fields.number(Field::BuiltinId, style.builtin_id.map(f64::from));
    fields.flag(Field::Partial, Some(style.is_partial), false);
    let format = Format { cell_style: None, text_format: None, ..style.format.clone() };
    let format = serde_json::to_value(FormatChange::from(&format)).ok()?;
    fields.put(Field::Format, serde_json::from_value(format).ok()?);
    read_item(None, style.id, ItemKind::CellStyle, &[], &fields.0, workbook).ok()
}

/// Adds the descriptions of the names whose value is a LAMBDA.
fn put_named_functions(workbook: &mut Workbook, comments: &[(String, String)]) {
    let is_lambda = |template: &Template| matches!(template.expression(), Expression::Call { function, .. } if &**function == "LAMBDA");
    for (name, comment) in comments {
        if !workbook.name(name).is_some_and(is_lambda) {
            continue;
        }
        // By the name, so that functions of several files do not replace one another's.
        let id = NAMED_FUNCTIONS + u64::from(fingerprint(&name.to_lowercase()));
        let mut fields = FieldTexts::default();
        fields.text(Field::Formula, Some(format!("={name}")));
        fields.text(Field::Description, Some(comment.chars().take(COMMENT_LENGTH_MAX).collect::<String>()));
        let kind = ItemKind::NamedFunction;
        if let Ok(item) = read_item(None, ItemId(id), kind, &[], &fields.0, workbook) {
            workbook.set_item(None, ItemId(id), Some(item));
        }
    }
}

/// A workbook of empty sheets with the requested names, made unique with a number in parentheses.
fn with_sheets(sheets: &[SheetContents]) -> Workbook {
    let mut workbook = Workbook::new();
    for (index, sheet) in sheets.iter().enumerate() {
        let id = SheetId(index as u32 + 1);
        let requested =
            if sheet.name.trim().is_empty() { format!("Sheet{}", index + 1) } else { sheet.name.clone() };
        let candidates =
            std::iter::once(requested.clone()).chain((2..).map(|n| format!("{requested} ({n})")));
        for name in candidates {
            let is_done = match index {
                0 => workbook.rename_sheet(id, &name),
                _ => workbook.add_sheet(id, &name, index),
            };
            if is_done {
                break;
            }
        }
    }
    workbook
}

fn fill_values(workbook: &mut Workbook, id: SheetId, columns: Vec<ColumnContents>) {
    let sheet = workbook.sheet_mut(id).expect("the sheet was added above");
    for (column, values) in columns.into_iter().enumerate() {
        let column = ColumnIndex::clamped(column as u32);
        for run in values.runs {
            match run.values {
                RunValues::Numbers(numbers) => sheet.set_column_numbers(column, run.first_row, &numbers),
                RunValues::Mixed(values) => sheet.set_column_values(column, run.first_row, &values),
            }
        }
    }
}

/// Sets formulas, formats, sizes and hidden rows and columns over the values.
fn fill(workbook: &mut Workbook, id: SheetId, contents: SheetContents, other_sheets: &OtherSheets) {
    let formulas = templates(workbook, id, &contents, other_sheets);
    let sheet = workbook.sheet_mut(id).expect("the sheet was added above");
    for (range, template) in formulas {
        sheet.fill_input(range, &Input::Formula(template));
    }
    for (range, format) in contents.formats {
        sheet.set_format(range, format);
    }
    sheet.deduplicate_formats();
    for (cell, runs) in contents.text_runs {
        let patch = FormatPatch { text_runs: Some(Some(runs)), ..FormatPatch::default() };
        sheet.patch_format(Range::cell(cell), &patch);
    }
    for (dimension, sizes) in
        [(Dimension::Columns, contents.column_widths), (Dimension::Rows, contents.row_heights)]
    {
        for (first, count, size) in sizes {
            sheet.set_sizes(dimension, first, count, Some(size));
        }
    }
    if let Some(known) = &contents.rows_of_one_line {
        fit_rows(sheet, known);
    }
    for (dimension, hidden) in
        [(Dimension::Columns, contents.hidden_columns), (Dimension::Rows, contents.hidden_rows)]
    {
        for (first, count) in hidden {
            sheet.set_hidden(dimension, first, count, true);
        }
    }
}

/// Adds the items with the ids 1, 2, 3, … in the order of the file. Returns the reasons why items
/// were rejected.
fn put_items(workbook: &mut Workbook, id: SheetId, contents: &SheetContents) -> Vec<String> {
    let mut rejected = Vec::new();
    let mut put = |workbook: &mut Workbook, number: ItemId, kind, anchors: &[Range], fields: &FieldTexts| {
        match read_item(Some(id), number, kind, anchors, &fields.0, workbook) {
            Ok(item) => {
                let operation = Operation::PutItem { sheet: Some(id), item: number, content: item.into() };
                apply_operation(workbook, &operation);
            }
            Err(error) => rejected.push(error.to_string()),
        }
    };
    if !contents.settings.0.is_empty() {
        put(workbook, ItemId::SETTINGS, ItemKind::SheetSettings, &[], &contents.settings);
    }
    for (item, number) in contents.items.iter().zip(1..) {
        let mut fields = item.fields.clone();
        fields.number(Field::Parent, item.parent.map(|parent| (parent + 1) as f64));
        put(workbook, ItemId(number), item.kind, &item.anchors, &fields);
    }
    rejected.dedup();
    rejected
}

/// Whether a chart of the sheet refers to a sheet that does not exist.
fn has_chart_of_missing_sheet(workbook: &Workbook, sheet: SheetId) -> bool {
    let charts = workbook.sheet(sheet).into_iter().flat_map(|sheet| sheet.items().of_kind(ItemKind::Chart));
    charts.into_iter().any(|(_, chart)| chart.fields.values().any(refers_to_missing_sheet))
}

fn refers_to_missing_sheet(value: &FieldValue) -> bool {
    match value {
        FieldValue::Formula { template, .. } => {
            let mut is_missing = false;
            visit_references(template, &mut |reference| {
                let sheet = reference.sheet.as_ref();
                is_missing |= sheet.is_some_and(|sheet| {
                    matches!(sheet, SheetReference::Unknown(_)) && sheet.other_workbook().is_none()
                });
            });
            is_missing
        }
        FieldValue::List(values) => values.iter().any(refers_to_missing_sheet),
        FieldValue::Record(fields) => fields.values().any(refers_to_missing_sheet),
        _ => false,
    }
}

/// The formulas of a sheet as runs: consecutive cells of a column with equal templates become one
/// range.
fn templates(
    workbook: &Workbook,
    sheet: SheetId,
    contents: &SheetContents,
    other_sheets: &OtherSheets,
) -> Vec<(Range, Template)> {
    let host = |cell: CellAddress| Host { sheet, cell };
    let shared = contents.shared_formulas.iter();
    let shared: Vec<Template> = shared.map(|(cell, text)| legacy(text, host(*cell), workbook)).collect();
    // In column order, so that the cells of a run are consecutive.
    let mut cells: Vec<_> = contents.formulas.iter().collect();
    cells.sort_by_key(|formula| (formula.cell.column, formula.cell.row));

    let mut interned: HashMap<&Template, Template> = HashMap::new();
    let mut parsed: Vec<(CellAddress, Template)> = Vec::with_capacity(cells.len());
    for formula in cells {
        let template = match &formula.source {
            FormulaSource::Text(text) if text.len() > FORMULA_LENGTH_MAX => continue,
            FormulaSource::Text(text) => parse(text, host(formula.cell), workbook),
            #[cfg(feature = "xlsx")]
            FormulaSource::Legacy(text) => legacy(text, host(formula.cell), workbook),
            FormulaSource::Shared(index) => match shared.get(*index) {
                Some(template) => template.clone(),
                None => continue,
            },
        };
        parsed.push((formula.cell, with_other_workbooks(template, other_sheets)));
    }
    let mut runs: Vec<(Range, Template)> = Vec::new();
    for (cell, template) in &parsed {
        // Equal templates share one allocation, even in different columns.
        let template = interned.entry(template).or_insert_with(|| template.clone()).clone();
        if let Some((range, open)) = runs.last_mut()
            && range.last().column == cell.column
            && range.last().row.get() + 1 >= cell.row.get()
            && open.is_same(&template)
        {
            *range = range.union(Range::cell(*cell));
            continue;
        }
        runs.push((Range::cell(*cell), template));
    }
    runs
}

/// The formula with references to other workbooks in the form that they have here.
fn with_other_workbooks(template: Template, other_sheets: &OtherSheets) -> Template {
    map_unknown_sheets(&template, &mut |written| other_sheets.name(written)).unwrap_or(template)
}

/// Parses a formula that is subject to implicit intersection.
#[cfg(feature = "xlsx")]
fn legacy(text: &str, host: Host, workbook: &Workbook) -> Template {
    let template = parse(text, host, workbook);
    crate::xlsx::with_implicit_intersection(&template, workbook).unwrap_or(template)
}

/// Only `.xlsx` and `.ods` contain such formulas.
#[cfg(not(feature = "xlsx"))]
fn legacy(text: &str, host: Host, workbook: &Workbook) -> Template {
    parse(text, host, workbook)
}
