//! Imported data, as the server writes it beside the edits of people.

use std::sync::Arc;

use quadrille_cell::{Array, SheetId, Value};
use quadrille_operation::{Command, Operation, Transaction, plan};
use quadrille_workbook::{
    ImportFailure, ImportFunction, ImportSource, Imported, Item, ItemId, Workbook, import_of,
};

use crate::random::Random;
use crate::random_values::cell;

/// Writes or removes what there is of one of three sources, and a formula that reads it.
pub fn random_import(random: &mut Random, workbook: &Workbook) -> Transaction {
    let range = *random.pick(&["A1:B2", "data!A:A", "total"]);
    let source =
        ImportSource { function: ImportFunction::Range, arguments: vec!["other".into(), range.into()] };
    let items: Vec<(ItemId, Item)> = match random.between(0, 5) {
        0 => Vec::new(),
        1 => Imported::Failure(ImportFailure::NoAccess, "".into()).items(&source),
        2 => Imported::Values(numbers(random, 1_500)).items(&source),
        _ => {
            let rows = random.between(1, 3) as u32;
            Imported::Values(numbers(random, rows)).items(&source)
        }
    };
    let of_source = workbook.items().iter().filter(|(item, _)| import_of(*item) == source.item());
    let unwanted = of_source.filter(|(item, _)| items.iter().all(|(wanted, _)| wanted != item));
    let mut operations: Vec<Operation> =
        unwanted.map(|(item, _)| Operation::RemoveItem { sheet: None, item }).collect();
    for (item, content) in items {
        operations.push(Operation::PutItem { sheet: None, item, content: Arc::new(content) });
    }
    let typed = Command::TypeText {
        sheet: workbook.sheets()[0].id().0,
        cell: cell(random),
        text: format!("={source}"),
    };
    if let Ok(typed) = plan(&typed, workbook, &mut || SheetId(0)) {
        operations.extend(typed.operations);
    }
    Transaction { operations }
}

fn numbers(random: &mut Random, rows: u32) -> Array {
    let values: Vec<Value> = (0..rows).map(|_| Value::Number(random.between(0, 99) as f64)).collect();
    Array::new(rows, 1, values).expect("one number in each row")
}
