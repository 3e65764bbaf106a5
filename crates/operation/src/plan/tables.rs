//! Names of tables in plans: formulas follow renamed columns and renamed or removed tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::CellAddress;
use quadrille_formula::{
    Expression, Reference, SheetReference, TableRows, Template, map_names, map_names_to_references,
    optional_parameter, structured_name, visit_calls, visit_names,
};
use quadrille_workbook::{Field, ItemKind, Sheet, TableColumns, Workbook};

use super::names::{formulas_rewritten, with_other_names};
use super::table_growth::table_left_of;
use crate::{Operation, Transaction, apply};

/// Adds the name of the table that contains the cell to references such as `[@Amount]`, or of the table
/// that will extend over the cell because of such a reference.
pub(super) fn with_own_table(template: Template, sheet: &Sheet, cell: CellAddress) -> Template {
    let mut tables = sheet.items().of_kind(ItemKind::Table).map(|(_, table)| table);
    let own = tables.find(|table| table.anchors.iter().any(|anchor| anchor.contains(cell)));
    let own = own.or_else(|| {
        let mut is_of_row = false;
        visit_names(&template, &mut |name| is_of_row |= name.starts_with("[@"));
        let (_, table) = is_of_row.then(|| table_left_of(sheet, cell)).flatten()?;
        Some(table)
    });
    let Some(name) = own.and_then(|table| table.text(Field::Name)) else { return template };
    // `[y]` may also be an optional parameter of LAMBDA.
    let mut parameters: Vec<Arc<str>> = Vec::new();
    visit_calls(&template, &mut |function, arguments| {
        for argument in arguments {
            match argument {
                Expression::Name(name) if function == "LAMBDA" && optional_parameter(name).is_some() => {
                    parameters.push(name.clone());
                }
                _ => {}
            }
        }
    });
    let is_parameter = |written: &str| parameters.iter().any(|parameter| **parameter == *written);
    let named = map_names(&template, &mut |written| {
        (written.starts_with('[') && !is_parameter(written)).then(|| match written {
            "[#Data]" => name.to_string(),
            columns => format!("{name}{columns}"),
        })
    });
    named.unwrap_or(template)
}

/// Returns the operations that rewrite formulas naming tables or columns that `plan` renames.
pub(super) fn renamed_formulas(workbook: &Workbook, plan: &[Operation]) -> Vec<Operation> {
    let can_rename = plan.iter().any(|operation| match operation {
        Operation::SetCells { sheet, range, .. } | Operation::FillCells { sheet, range, .. } => {
            workbook.has_table_headers(*sheet, *range)
        }
        Operation::PutItem { content, .. } => is_of_table(content.kind),
        Operation::PatchItem { patch, .. } => is_of_table(patch.kind) && !patch.fields.is_empty(),
        _ => false,
    });
    if !can_rename {
        return Vec::new();
    }
    let mut after = workbook.clone();
    apply(&mut after, &Transaction { operations: plan.to_vec() });
    let tables_after = after.table_columns();
    let mut renamed: BTreeMap<String, String> = BTreeMap::new();
    for before in workbook.table_columns() {
        let same = |table: &&TableColumns| (table.sheet, table.item) == (before.sheet, before.item);
        if let Some(after) = tables_after.iter().find(same).filter(|after| after.area == before.area) {
            collect_renamed(&before, after, &mut renamed);
        }
    }
    if renamed.is_empty() {
        return Vec::new();
    }
    formulas_rewritten(&after, &|_, template| {
        with_other_names(template, &|name| renamed.get(&name.to_lowercase()).cloned())
    })
}

/// Returns the operations that replace references to tables that `plan` removes by references to
/// their cells, so that the results do not change.
pub(super) fn formulas_without_tables(workbook: &Workbook, plan: &[Operation]) -> Vec<Operation> {
    let is_table = |operation: &Operation| match operation {
        Operation::RemoveItem { sheet: Some(sheet), item } => {
            let item = workbook.sheet(*sheet).and_then(|sheet| sheet.item(*item));
            item.filter(|item| item.kind == ItemKind::Table)?
                .text(Field::Name)
                .map(|name| name.to_lowercase())
        }
        _ => None,
    };
    // If rows or columns move as well, the cells of the table are elsewhere then.
    let are_elsewhere = plan.iter().any(|operation| matches!(operation, Operation::Restructure(_)));
    let removed: Vec<String> = plan.iter().filter_map(is_table).collect();
    if removed.is_empty() || are_elsewhere {
        return Vec::new();
    }
    let mut after = workbook.clone();
    apply(&mut after, &Transaction { operations: plan.to_vec() });
    formulas_rewritten(&after, &|sheet, template| {
        let mut free = Vec::new();
        visit_names(template, &mut |name| free.push(name.to_lowercase()));
        let is_removed = |name: &str| removed.iter().any(|table| name.split('[').next() == Some(table));
        if !free.iter().any(|name| is_removed(name)) {
            return None;
        }
        map_names_to_references(template, &mut |name| {
            let name = name.to_lowercase();
            if !is_removed(&name) || !free.contains(&name) {
                return None;
            }
            let Expression::Reference(cells) = workbook.name(&name)?.expression() else { return None };
            let is_own = matches!(cells.sheet, Some(SheetReference::Sheet(own)) if Some(own) == sheet);
            Some(Reference { sheet: cells.sheet.clone().filter(|_| !is_own), area: cells.area })
        })
    })
}

fn is_of_table(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Table | ItemKind::TableColumn)
}

fn collect_renamed(before: &TableColumns, after: &TableColumns, renamed: &mut BTreeMap<String, String>) {
    const ROWS: [TableRows; 5] =
        [TableRows::Data, TableRows::All, TableRows::Headers, TableRows::Totals, TableRows::This];
    let is_renamed = before.name != after.name;
    let whole = is_renamed.then_some((None, None));
    let columns = before.columns.iter().zip(&after.columns).filter_map(|(before, after)| {
        let (before, after) = (before.as_deref()?, after.as_deref()?);
        (is_renamed || before != after).then_some((Some(before), Some(after)))
    });
    for (old, new) in whole.into_iter().chain(columns) {
        for rows in ROWS {
            let name = structured_name(&before.name, rows, old).to_lowercase();
            // If two columns have the same name, the name means the first.
            renamed.entry(name).or_insert_with(|| structured_name(&after.name, rows, new));
        }
    }
}

#[cfg(test)]
mod tests {
    use quadrille_cell::Range;

    use super::*;

    #[test]
    fn a_renamed_column_is_replaced_in_every_reference_form() {
        let table = |column: &str| TableColumns {
            sheet: quadrille_cell::SheetId(1),
            item: quadrille_workbook::ItemId(7),
            area: Range::parse_a1("A1:B9").expect("valid"),
            name: "Stock".to_owned(),
            columns: vec![Some("Item".to_owned()), Some(column.to_owned())],
        };
        let mut renamed = BTreeMap::new();
        collect_renamed(&table("Amount"), &table("How many"), &mut renamed);
        let found: Vec<String> = renamed.iter().map(|(old, new)| format!("{old} {new}")).collect();
        assert_eq!(
            found,
            [
                "stock[@amount] Stock[@[How many]]",
                "stock[[#all],[amount]] Stock[[#All],[How many]]",
                "stock[[#headers],[amount]] Stock[[#Headers],[How many]]",
                "stock[[#totals],[amount]] Stock[[#Totals],[How many]]",
                "stock[amount] Stock[How many]",
            ]
        );
    }
}
