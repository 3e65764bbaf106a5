//! Descriptions of circular references.

use quadrille_cell::{CellAddress, SheetId};
use quadrille_formula::SheetNames;

use crate::Document;

impl Document {
    /// Describes the circular reference that a cell is on, as `A1 → B1 → A1`, with sheet names for
    /// cells of other sheets. Returns `None` when the cell is on none.
    pub fn circular_reference(&self, sheet: SheetId, cell: CellAddress) -> Option<String> {
        let cycle = self.calculation().circular_reference(sheet, cell)?;
        let name = |(at, cell): &(SheetId, CellAddress)| match self.workbook().sheet_name(*at) {
            Some(name) if *at != sheet => format!("{name}!{cell}"),
            _ => cell.to_string(),
        };
        let mut steps: Vec<String> = cycle.cells.iter().map(name).collect();
        if cycle.length > cycle.cells.len() {
            steps.push("…".to_owned());
        }
        steps.extend(cycle.cells.first().map(name));
        Some(steps.join(" → "))
    }
}

#[cfg(test)]
mod tests {
    use quadrille_cell::Range;
    use quadrille_operation::{Operation, Transaction};
    use quadrille_workbook::{Field, FieldValue, Input, Item, ItemId, ItemKind};

    use super::*;
    use crate::EvaluationContext;

    #[test]
    fn a_circular_reference_is_described_as_a_path() {
        let mut document = Document::new();
        let sheet = SheetId(1);
        let at = |a1: &str| CellAddress::parse_a1(a1).expect("test addresses are valid");
        for (cell, text) in [("A1", "B1+1"), ("B1", "A1*0.5"), ("C1", "A1")] {
            let host = quadrille_formula::Host { sheet, cell: at(cell) };
            let input = Input::Formula(quadrille_formula::parse(text, host, document.workbook()));
            let operation = Operation::FillCells { sheet, range: Range::cell(at(cell)), input };
            document.apply(&Transaction { operations: vec![operation] }, EvaluationContext::default());
        }
        document.evaluate(u64::MAX);
        assert_eq!(document.circular_reference(sheet, at("B1")).as_deref(), Some("A1 → B1 → A1"));
        assert_eq!(document.circular_reference(sheet, at("C1")), None);
        // Iterative calculation gives the cells values.
        let mut settings = Item::new(ItemKind::WorkbookSettings);
        settings.fields.insert(Field::Iterative, FieldValue::Boolean(true));
        let item = std::sync::Arc::new(settings);
        let operation = Operation::PutItem { sheet: None, item: ItemId::SETTINGS, content: item };
        document.apply(&Transaction { operations: vec![operation] }, EvaluationContext::default());
        assert!(!document.is_calculated());
        document.evaluate(u64::MAX);
        let value = document.workbook().sheet(sheet).map(|sheet| sheet.value(at("A1")));
        let Some(quadrille_cell::Value::Number(value)) = value else { panic!("{value:?}") };
        assert!((value - 2.0).abs() < 0.01, "{value}");
    }
}
