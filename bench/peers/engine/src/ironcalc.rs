//! IronCalc in the engine benchmark: `Model`, its engine without undo history.

use ironcalc_base::Model;
use ironcalc_base::cell::CellValue;
use ironcalc_base::expressions::parser::new_parser_english;
use ironcalc_base::expressions::types::CellReferenceRC;
use quadrille_bench_tasks::{Engine, Outcome, TaskError, native};

struct IronCalc {
    model: Model<'static>,
}

fn wrong(reason: impl std::fmt::Display) -> TaskError {
    TaskError::Wrong(reason.to_string())
}

impl IronCalc {
    fn sheet(&self, name: &str) -> Outcome<u32> {
        let sheets = self.model.get_worksheets_properties();
        let index = sheets.iter().position(|sheet| sheet.name == name);
        index.map(|index| index as u32).ok_or_else(|| wrong(format!("no sheet {name}")))
    }

    fn write(&mut self, sheet: u32, row: u32, column: u32, number: f64) -> Outcome<()> {
        self.model.update_cell_with_number(sheet, row as i32 + 1, column as i32 + 1, number).map_err(wrong)
    }
}

impl Engine for IronCalc {
    fn new() -> IronCalc {
        let model = Model::new_empty("bench", "en", "UTC", "en").expect("its own example");
        IronCalc { model }
    }

    fn load_columns(&mut self, columns: &[Vec<f64>]) -> Outcome<()> {
        let rows = columns.first().map_or(0, Vec::len);
        for row in 0..rows {
            for (column, numbers) in columns.iter().enumerate() {
                self.write(0, row as u32, column as u32, numbers[row])?;
            }
        }
        Ok(())
    }

    fn set_formulas(&mut self, column: u32, first_row: u32, texts: &[String]) -> Outcome<()> {
        for (row, text) in (first_row..).zip(texts) {
            let formula = format!("={text}");
            self.model
                .update_cell_with_formula(0, row as i32 + 1, column as i32 + 1, formula)
                .map_err(wrong)?;
        }
        Ok(())
    }

    /// `extend_to` copies one cell at a time, each through its text.
    fn fill_formula(&mut self, _: u32, _: u32, _: u32, _: &str) -> Outcome<()> {
        Err(TaskError::Unsupported)
    }

    fn set_number(&mut self, row: u32, column: u32, number: f64) -> Outcome<()> {
        self.write(0, row, column, number)
    }

    fn evaluate(&mut self) -> Outcome<()> {
        self.model.evaluate();
        Ok(())
    }

    fn number(&self, row: u32, column: u32) -> Outcome<f64> {
        match self.model.get_cell_value_by_index(0, row as i32 + 1, column as i32 + 1).map_err(wrong)? {
            CellValue::Number(number) => Ok(number),
            other => Err(wrong(format!("row {row}, column {column} is {other:?}"))),
        }
    }

    fn insert_row_above(&mut self) -> Outcome<()> {
        self.model.insert_rows(0, 1, 1).map_err(wrong)
    }

    fn parse(&mut self, texts: &[String]) -> Outcome<()> {
        let mut parser = new_parser_english(vec!["Sheet1".to_owned()], Vec::new(), Default::default());
        for (row, text) in (1..).zip(texts) {
            let cell = CellReferenceRC { sheet: "Sheet1".to_owned(), row, column: 11 };
            std::hint::black_box(parser.parse(text, &cell));
        }
        Ok(())
    }

    fn sort_by_two(&mut self, _: u32, _: u32) -> Outcome<()> {
        Err(TaskError::Unsupported)
    }

    fn open(path: &str, bytes: &[u8]) -> Outcome<IronCalc> {
        if !path.ends_with(".xlsx") {
            return Err(TaskError::Unsupported);
        }
        let workbook = ironcalc::import::load_from_xlsx_bytes(bytes, "bench", "en", "UTC")
            .map_err(|error| wrong(format!("{error:?}")))?;
        Ok(IronCalc { model: Model::from_workbook(workbook, "en").map_err(wrong)? })
    }

    fn set_number_in(&mut self, sheet: &str, row: u32, column: u32, number: f64) -> Outcome<()> {
        let sheet = self.sheet(sheet)?;
        self.write(sheet, row, column, number)
    }
}

fn main() {
    println!("{}", native::perform::<IronCalc>(|_, _| None));
}
