//! Formualizer in the engine benchmark: `Workbook` in its fastest mode (no change log, graph built at once),
//! on one thread.

use formualizer_common::LiteralValue;
use formualizer_workbook::workbook::WorkbookConfig;
use formualizer_workbook::{CalamineAdapter, LoadStrategy, SpreadsheetReader, Workbook};
use quadrille_bench_tasks::{Engine, Outcome, TaskError, native};

const SHEET: &str = "Sheet1";

struct Formualizer {
    workbook: Workbook,
}

fn wrong(reason: impl std::fmt::Debug) -> TaskError {
    TaskError::Wrong(format!("{reason:?}"))
}

fn config() -> WorkbookConfig {
    let mut config = WorkbookConfig::ephemeral();
    config.eval.enable_parallel = false;
    config
}

impl Engine for Formualizer {
    fn new() -> Formualizer {
        let mut workbook = Workbook::new_with_config(config());
        if !workbook.has_sheet(SHEET) {
            workbook.add_sheet(SHEET).expect("there is no such sheet yet");
        }
        Formualizer { workbook }
    }

    fn load_columns(&mut self, columns: &[Vec<f64>]) -> Outcome<()> {
        const CHUNK_ROWS: usize = 32 * 1024;
        let mut ingest = self.workbook.engine_mut().begin_bulk_ingest_arrow();
        ingest.add_sheet(SHEET, columns.len(), CHUNK_ROWS);
        let mut line = vec![LiteralValue::Empty; columns.len()];
        for row in 0..columns.first().map_or(0, Vec::len) {
            for (cell, numbers) in line.iter_mut().zip(columns) {
                *cell = LiteralValue::Number(numbers[row]);
            }
            ingest.append_row(SHEET, &line).map_err(wrong)?;
        }
        ingest.finish().map_err(wrong)?;
        Ok(())
    }

    fn set_formulas(&mut self, column: u32, first_row: u32, texts: &[String]) -> Outcome<()> {
        let rows: Vec<Vec<String>> = texts.iter().map(|text| vec![format!("={text}")]).collect();
        self.workbook.set_formulas(SHEET, first_row + 1, column + 1, &rows).map_err(wrong)
    }

    fn fill_formula(&mut self, _: u32, _: u32, _: u32, _: &str) -> Outcome<()> {
        Err(TaskError::Unsupported)
    }

    fn set_number(&mut self, row: u32, column: u32, number: f64) -> Outcome<()> {
        self.set_number_in(SHEET, row, column, number)
    }

    fn evaluate(&mut self) -> Outcome<()> {
        self.workbook.evaluate_all().map_err(wrong)?;
        Ok(())
    }

    fn number(&self, row: u32, column: u32) -> Outcome<f64> {
        match self.workbook.get_value(SHEET, row + 1, column + 1) {
            Some(LiteralValue::Number(number)) => Ok(number),
            Some(LiteralValue::Int(number)) => Ok(number as f64),
            other => Err(wrong(format!("row {row}, column {column} is {other:?}"))),
        }
    }

    fn insert_row_above(&mut self) -> Outcome<()> {
        self.workbook.engine_mut().insert_rows(SHEET, 1, 1).map_err(wrong)?;
        Ok(())
    }

    fn parse(&mut self, texts: &[String]) -> Outcome<()> {
        for text in texts {
            std::hint::black_box(formualizer_parse::parser::parse(format!("={text}")).map_err(wrong)?);
        }
        Ok(())
    }

    fn sort_by_two(&mut self, _: u32, _: u32) -> Outcome<()> {
        Err(TaskError::Unsupported)
    }

    fn open(path: &str, bytes: &[u8]) -> Outcome<Formualizer> {
        if !path.ends_with(".xlsx") {
            return Err(TaskError::Unsupported);
        }
        let reader = CalamineAdapter::open_bytes(bytes.to_vec()).map_err(wrong)?;
        let workbook = Workbook::from_reader(reader, LoadStrategy::EagerAll, config()).map_err(wrong)?;
        Ok(Formualizer { workbook })
    }

    fn set_number_in(&mut self, sheet: &str, row: u32, column: u32, number: f64) -> Outcome<()> {
        self.workbook.set_value(sheet, row + 1, column + 1, LiteralValue::Number(number)).map_err(wrong)
    }
}

fn main() {
    println!("{}", native::perform::<Formualizer>(|_, _| None));
}
