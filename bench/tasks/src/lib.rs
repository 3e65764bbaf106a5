//! The tasks of the engine benchmark, written once for all engines.
//!
//! An engine implements [`Engine`]; [`run`] runs a *task* and returns the figures of one or more rows.
//! Each task builds its own workbook in a process of its own, so that memory figures are comparable, and
//! checks the results: a wrong result is an error. Clock and memory are read through [`Probe`], so that
//! the same code runs natively and in WebAssembly. Start reading with `tasks.rs`.

mod limits;
mod measure;
#[cfg(not(target_arch = "wasm32"))]
pub mod native;
mod tasks;
mod workbooks;

pub use limits::limit;
pub use measure::{Figure, Figures, Probe, Repeat, quantile};
pub use tasks::{TASKS, flat, run};
pub use workbooks::{InputCell, read_inputs, workbook};

/// The reason why a row has no figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskError {
    /// The engine does not support the task.
    Unsupported,
    /// The engine failed or gave a wrong result.
    Wrong(String),
}

impl std::fmt::Display for TaskError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TaskError::Unsupported => write!(f, "not supported"),
            TaskError::Wrong(reason) => write!(f, "wrong: {reason}"),
        }
    }
}

pub type Outcome<T> = Result<T, TaskError>;

/// A spreadsheet engine with one empty sheet. Indices are zero-based.
///
/// Each method uses the fastest public function of the engine.
pub trait Engine: Sized {
    fn new() -> Self;

    /// Writes columns of numbers of equal length from A1 on; called only on a new workbook.
    fn load_columns(&mut self, columns: &[Vec<f64>]) -> Outcome<()>;

    /// Writes formulas (without `=`) into a column, each parsed from its own text.
    fn set_formulas(&mut self, column: u32, first_row: u32, texts: &[String]) -> Outcome<()>;

    /// Fills one formula down in one operation; `text` is relative to `first_row`.
    fn fill_formula(&mut self, column: u32, first_row: u32, last_row: u32, text: &str) -> Outcome<()>;

    fn set_number(&mut self, row: u32, column: u32, number: f64) -> Outcome<()>;

    /// Evaluates all dirty cells.
    fn evaluate(&mut self) -> Outcome<()>;

    fn number(&self, row: u32, column: u32) -> Outcome<f64>;

    /// Inserts a row above the first row.
    fn insert_row_above(&mut self) -> Outcome<()>;

    /// Parses formulas without storing them.
    fn parse(&mut self, texts: &[String]) -> Outcome<()>;

    /// Sorts rows `0..rows` of the first `columns` columns by the first and then the second column,
    /// ascending.
    fn sort_by_two(&mut self, rows: u32, columns: u32) -> Outcome<()>;

    /// Reads a file without evaluating it.
    fn open(path: &str, bytes: &[u8]) -> Outcome<Self>;

    /// As [`set_number`](Engine::set_number), in the sheet of this name.
    fn set_number_in(&mut self, sheet: &str, row: u32, column: u32, number: f64) -> Outcome<()>;
}
