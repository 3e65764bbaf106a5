//! A document edited by commands of the client.

use quadrille_calc::evaluate_from_scratch_with;
use quadrille_cell::{CellAddress, SheetId};
use quadrille_document::{Changes, Document, EvaluationContext, SheetFilters};
use quadrille_formula::FunctionNames;
use quadrille_operation::{Command, InputContext, Transaction, plan_displayed};

pub const CONTEXT: EvaluationContext = EvaluationContext { time_ms: 1_700_000_000_000, seed: 7 };

pub struct Sheet {
    pub document: Document,
    undo: Vec<Transaction>,
    next: u32,
}

impl Sheet {
    /// Creates a document and applies commands in JSON.
    pub fn new(commands: &str) -> Sheet {
        let mut sheet = Sheet { document: Document::new(), undo: Vec::new(), next: 100 };
        let commands: Vec<Command> =
            serde_json::from_str(commands).expect("commands as the page writes them");
        for command in &commands {
            sheet.apply(command).expect("commands that can be carried out");
        }
        sheet.evaluate();
        sheet
    }

    /// Applies a command without evaluating. Fails with the reason when it cannot be planned.
    pub fn apply(&mut self, command: &Command) -> Result<(), String> {
        let next = &mut self.next;
        let format =
            |sheet: &quadrille_workbook::Sheet, cell| Some(self.document.format(sheet, cell).into_owned());
        let (typing, names) = (InputContext::default(), &FunctionNames::ENGLISH);
        let planned = plan_displayed(command, self.document.workbook(), typing, names, &format, &mut || {
            *next += 1;
            SheetId(*next)
        });
        let applied = self.document.apply(&planned.map_err(|error| error.to_string())?, CONTEXT);
        self.undo.push(applied.inverse);
        Ok(())
    }

    /// Why a person's command in JSON is refused; empty if it is not.
    pub fn refusal(&mut self, json: &str) -> String {
        let command: Command = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
        let (typing, names) = (InputContext::default(), &FunctionNames::ENGLISH);
        let planned = self.document.plan(&command, typing, names, &mut || SheetId(99));
        planned.err().map(|error| error.to_string()).unwrap_or_default()
    }

    /// Evaluates until every value is up to date.
    pub fn evaluate(&mut self) -> Changes {
        let mut changes = Changes::default();
        while !changes.finished || !self.document.is_calculated() {
            changes.merge(self.document.evaluate(u64::MAX));
        }
        changes
    }

    /// Applies a command in JSON and evaluates.
    pub fn run(&mut self, json: &str) {
        let command: Command = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
        self.apply(&command).unwrap_or_else(|error| panic!("{json}: {error}"));
        self.evaluate();
    }

    /// Applies a command and returns the cells of the first sheet whose values it changed.
    pub fn changed_by(&mut self, json: &str) -> Vec<String> {
        let command: Command = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
        self.apply(&command).unwrap_or_else(|error| panic!("{json}: {error}"));
        let changed = self.evaluate().ranges.into_iter().filter(|(sheet, _)| *sheet == SheetId(1));
        changed.flat_map(|(_, range)| range.cells().take(100)).map(|cell| cell.to_string()).collect()
    }

    /// Types a text into a cell of the first sheet.
    pub fn set(&mut self, cell: &str, text: &str) {
        self.set_in(1, cell, text);
    }

    pub fn set_in(&mut self, sheet: u32, cell: &str, text: &str) {
        let command = Command::TypeText { sheet, cell: cell.to_owned(), text: text.to_owned() };
        self.apply(&command).unwrap_or_else(|error| panic!("{cell}: {text}: {error}"));
        self.evaluate();
    }

    /// Undoes the last command; returns `false` when there is none.
    pub fn undo(&mut self) -> bool {
        let Some(inverse) = self.undo.pop() else { return false };
        self.document.apply(&inverse, CONTEXT);
        self.evaluate();
        true
    }

    /// The display texts of cells, separated by spaces.
    pub fn show(&self, cells: &str) -> String {
        self.show_in(1, cells)
    }

    pub fn show_in(&self, sheet: u32, cells: &str) -> String {
        let text =
            |cell: &str| self.document.display(SheetId(sheet), CellAddress::parse_a1(cell).expect(cell)).text;
        cells.split(' ').map(text).collect::<Vec<_>>().join(" ")
    }

    pub fn formula(&self, cell: &str) -> String {
        self.document.edit_text(SheetId(1), CellAddress::parse_a1(cell).expect(cell))
    }

    /// The rows that the shared filters of the first sheet hide.
    pub fn hidden(&self) -> String {
        let rows = self.document.filtered_rows(SheetId(1), None).into_iter();
        let rows = rows.flat_map(|(first, count)| first + 1..=first + count);
        rows.map(|row| row.to_string()).collect::<Vec<_>>().join(" ")
    }

    /// Asserts that all values equal those of a new document and of the reference evaluator.
    pub fn assert_matches_scratch(&self, what: &str) {
        let mut anew = Document::from_workbook(self.document.snapshot());
        anew.apply(&Transaction { operations: Vec::new() }, CONTEXT);
        while !anew.evaluate(u64::MAX).finished {}
        let plainly = evaluate_from_scratch_with(self.document.workbook(), CONTEXT, &SheetFilters);
        for sheet in self.document.workbook().sheets() {
            let other = anew.workbook().sheet(sheet.id()).expect("the same workbook");
            for cell in sheet.used_range().into_iter().flat_map(|used| used.cells()) {
                let value = sheet.value(cell);
                assert_eq!(value, other.value(cell), "{what}: {cell} anew");
                let plain = plainly.get(&(sheet.id(), cell)).cloned().unwrap_or_default();
                assert_eq!(value, plain, "{what}: {cell} plainly");
            }
        }
    }
}
