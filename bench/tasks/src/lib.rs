//! The rows of the engine benchmark, written once for every engine that is measured.
//!
//! An engine implements [`Engine`]; [`run`] performs one *task* on it and returns the figures of the rows that the
//! task stands for. Each task builds its own workbook, so that a process per task gives honest memory figures. Each
//! checks what came out: a row that calculates the wrong thing is an error, not a figure. Clock and memory come by
//! [`Probe`], so that the same code runs natively and in WebAssembly. Start with `tasks.rs`.

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

/// Why a row has no figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The engine has no way of doing this.
    Unsupported,
    /// It calculated something else, or failed.
    Wrong(String),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trouble::Unsupported => write!(f, "not supported"),
            Trouble::Wrong(reason) => write!(f, "wrong: {reason}"),
        }
    }
}

pub type Outcome<T> = Result<T, Trouble>;

/// One spreadsheet engine with one empty sheet. Rows and columns count from zero.
///
/// Each method takes the engine's fastest public way, so that nobody loses by our choice of call.
pub trait Engine: Sized {
    fn new() -> Self;

    /// Columns of numbers of equal length from A1 on; only called on a new workbook.
    fn load_columns(&mut self, columns: &[Vec<f64>]) -> Outcome<()>;

    /// Formulas (without `=`) down one column, each from its own text.
    fn set_formulas(&mut self, column: u32, first_row: u32, texts: &[String]) -> Outcome<()>;

    /// One formula filled down as one operation; `text` is meant for `first_row`.
    fn fill_formula(&mut self, column: u32, first_row: u32, last_row: u32, text: &str) -> Outcome<()>;

    fn set_number(&mut self, row: u32, column: u32, number: f64) -> Outcome<()>;

    /// Brings every value up to date.
    fn evaluate(&mut self) -> Outcome<()>;

    fn number(&self, row: u32, column: u32) -> Outcome<f64>;

    /// Inserts one row above the first.
    fn insert_row_above(&mut self) -> Outcome<()>;

    /// Reads formula texts without storing them.
    fn parse(&mut self, texts: &[String]) -> Outcome<()>;

    /// Sorts rows `0..rows` of the first `columns` columns, ascending by the first and then the second.
    fn sort_by_two(&mut self, rows: u32, columns: u32) -> Outcome<()>;

    /// Reads a file; calculates nothing yet.
    fn open(path: &str, bytes: &[u8]) -> Outcome<Self>;

    /// As [`set_number`](Engine::set_number) in the sheet of this name.
    fn set_number_in(&mut self, sheet: &str, row: u32, column: u32, number: f64) -> Outcome<()>;
}
