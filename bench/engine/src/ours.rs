//! [`Ours`]: a workbook with dependency graph and evaluation.

use quadrille_bench_tasks::{Engine, Outcome, TaskError};
use quadrille_calc::{Budget, Calculation, EvaluationContext};
use quadrille_cell::{CellAddress, ColumnIndex, Dimension, EditKind, Range, SheetId, StructuralEdit, Value};
use quadrille_formula::{Host, parse};
use quadrille_operation::{Command, Operation, SortKey, Touch, apply_operation, plan};
use quadrille_workbook::{Input, Literal, Workbook};

pub struct Ours {
    pub workbook: Workbook,
    calculation: Calculation,
    /// The time of the next evaluation; each evaluation has another, as after an operation, so that volatile
    /// functions are evaluated again.
    time_and_seed: EvaluationContext,
    /// The first sheet, which the tasks use.
    sheet: SheetId,
}

pub fn wrong(reason: impl std::fmt::Display) -> TaskError {
    TaskError::Wrong(reason.to_string())
}

pub fn cells(first_row: u32, first_column: u32, last_row: u32, last_column: u32) -> Outcome<Range> {
    Range::from_indices(first_row, first_column, last_row, last_column)
        .ok_or_else(|| wrong("outside the sheet"))
}

impl Ours {
    pub fn from_workbook(workbook: Workbook) -> Ours {
        let sheet = workbook.sheets()[0].id();
        let calculation = Calculation::new(&workbook);
        Ours { workbook, calculation, time_and_seed: EvaluationContext::default(), sheet }
    }

    fn write(&mut self, sheet: SheetId, range: Range, input: &Input) -> Outcome<()> {
        let written = self.workbook.sheet_mut(sheet).ok_or_else(|| wrong("no such sheet"))?;
        if range.row_count() == 1 {
            written.set_input(range.first(), input);
        } else {
            written.fill_input(range, input);
        }
        self.calculation.inputs_changed(&self.workbook, sheet, range);
        Ok(())
    }

    fn read(&self, text: &str, cell: CellAddress) -> Input {
        Input::Formula(parse(text, Host { sheet: self.sheet, cell }, &self.workbook))
    }
}

impl Engine for Ours {
    fn new() -> Ours {
        Ours::from_workbook(Workbook::new())
    }

    fn load_columns(&mut self, columns: &[Vec<f64>]) -> Outcome<()> {
        for (column, numbers) in (0..).zip(columns) {
            let sheet = self.workbook.sheet_mut(self.sheet).ok_or_else(|| wrong("no sheet"))?;
            sheet.set_column_numbers(ColumnIndex::clamped(column), 0, numbers);
            let written = cells(0, column, numbers.len() as u32 - 1, column)?;
            self.calculation.inputs_changed(&self.workbook, self.sheet, written);
        }
        Ok(())
    }

    fn set_formulas(&mut self, column: u32, first_row: u32, texts: &[String]) -> Outcome<()> {
        for (row, text) in (first_row..).zip(texts) {
            let cell = CellAddress::clamped(row, column);
            let input = self.read(text, cell);
            self.write(self.sheet, Range::cell(cell), &input)?;
        }
        Ok(())
    }

    fn fill_formula(&mut self, column: u32, first_row: u32, last_row: u32, text: &str) -> Outcome<()> {
        let input = self.read(text, CellAddress::clamped(first_row, column));
        self.write(self.sheet, cells(first_row, column, last_row, column)?, &input)
    }

    fn set_number(&mut self, row: u32, column: u32, number: f64) -> Outcome<()> {
        let input = Input::Value(Literal::Number(number));
        self.write(self.sheet, Range::cell(CellAddress::clamped(row, column)), &input)
    }

    fn evaluate(&mut self) -> Outcome<()> {
        self.time_and_seed.time_ms += 1;
        let mut budget = Budget::UNLIMITED;
        let evaluated = self.calculation.evaluate(&mut self.workbook, self.time_and_seed, &mut budget);
        if evaluated.finished { Ok(()) } else { Err(wrong("the evaluation did not end")) }
    }

    fn number(&self, row: u32, column: u32) -> Outcome<f64> {
        let sheet = self.workbook.sheet(self.sheet).ok_or_else(|| wrong("no sheet"))?;
        match sheet.value(CellAddress::clamped(row, column)) {
            Value::Number(number) => Ok(number),
            other => Err(wrong(format!("row {row}, column {column} is {other:?}"))),
        }
    }

    fn insert_row_above(&mut self) -> Outcome<()> {
        let edit = StructuralEdit {
            sheet: self.sheet,
            dimension: Dimension::Rows,
            kind: EditKind::Insert,
            at: 0,
            count: 1,
        };
        let step = apply_operation(&mut self.workbook, &Operation::Restructure(edit));
        for touch in &step.touched.changes {
            match touch {
                Touch::Contents(sheet, range) => {
                    self.calculation.inputs_changed(&self.workbook, *sheet, *range)
                }
                Touch::Restructured(edit) => self.calculation.restructured(&self.workbook, edit),
                Touch::Names => self.calculation.names_changed(&self.workbook),
                _ => {}
            }
        }
        Ok(())
    }

    fn parse(&mut self, texts: &[String]) -> Outcome<()> {
        for (row, text) in (0..).zip(texts) {
            let input = self.read(text, CellAddress::clamped(row, 10));
            std::hint::black_box(input);
        }
        Ok(())
    }

    fn sort_by_two(&mut self, rows: u32, columns: u32) -> Outcome<()> {
        let range = cells(0, 0, rows - 1, columns - 1)?;
        let key = |column| SortKey { column, descending: false };
        let command = Command::Sort {
            sheet: self.sheet.0,
            range: range.to_string(),
            keys: vec![key(0), key(1)],
            has_header: false,
        };
        let transaction = plan(&command, &self.workbook, &mut || SheetId(u32::MAX)).map_err(wrong)?;
        for operation in &transaction.operations {
            let Operation::PermuteRows { range, order, .. } = operation else {
                return Err(wrong("sorting is a permutation of rows"));
            };
            self.workbook.sheet_mut(self.sheet).ok_or_else(|| wrong("no sheet"))?.permute_rows(*range, order);
            self.calculation.inputs_changed(&self.workbook, self.sheet, *range);
        }
        Ok(())
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn open(path: &str, bytes: &[u8]) -> Outcome<Ours> {
        use quadrille_files::{FileFormat, ReadOptions, ShouldContinue, read};
        let format = FileFormat::from_name(path).ok_or(TaskError::Unsupported)?;
        let imported = read(format, bytes, &ReadOptions::for_file(path), &mut |_| ShouldContinue::Continue)
            .map_err(|error| wrong(format!("{error:?}")))?;
        Ok(Ours::from_workbook(imported.workbook))
    }

    #[cfg(target_arch = "wasm32")]
    fn open(_path: &str, _bytes: &[u8]) -> Outcome<Ours> {
        Err(TaskError::Unsupported)
    }

    fn set_number_in(&mut self, sheet: &str, row: u32, column: u32, number: f64) -> Outcome<()> {
        let sheet =
            self.workbook.sheet_by_name(sheet).ok_or_else(|| wrong(format!("no sheet {sheet}")))?.id();
        let input = Input::Value(Literal::Number(number));
        self.write(sheet, Range::cell(CellAddress::clamped(row, column)), &input)
    }
}
