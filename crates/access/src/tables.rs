//! The tables of access stores as plain rows, to copy one store to another of another engine.
//!
//! All engines have these tables and columns. Further columns of an engine, which it only searches by, are
//! derived from the document. Notices between servers are not among them: they are of a moment.

use crate::access_error::AccessError;

/// A value in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableValue {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// A row: a value for each column of its table.
pub type TableRow = Vec<TableValue>;

/// The type of a column. All may be null, as far as the engine allows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    Integer,
    Text,
    Bytes,
}

/// A table.
#[derive(Debug)]
pub struct Table {
    pub name: &'static str,
    pub columns: &'static [(&'static str, ColumnType)],
    /// How many of the first columns are the primary key.
    pub key_columns: usize,
    /// Whether the key is a number that is never given twice (A3), which the store counts.
    pub is_numbered: bool,
}

use ColumnType::{Bytes, Integer, Text};

const fn table(
    name: &'static str,
    columns: &'static [(&'static str, ColumnType)],
    key_columns: usize,
) -> Table {
    Table { name, columns, key_columns, is_numbered: false }
}

const fn numbered(name: &'static str, columns: &'static [(&'static str, ColumnType)]) -> Table {
    Table { name, columns, key_columns: 1, is_numbered: true }
}

/// All tables.
pub static TABLES: [Table; 15] = [
    table(
        "workbook",
        &[("room", Text), ("version", Integer), ("trashed_ms", Integer), ("document", Text)],
        1,
    ),
    table("workbook_person", &[("person", Text), ("room", Text)], 2),
    table("workbook_facts", &[("room", Text), ("title", Text), ("changed_ms", Integer)], 1),
    table("account", &[("id", Text), ("version", Integer), ("document", Text)], 1),
    table("account_key", &[("key", Text), ("account", Text)], 1),
    table("session", EXPIRING, 1),
    table("token", EXPIRING, 1),
    table(
        "request",
        &[("room", Text), ("id", Text), ("account", Text), ("created_ms", Integer), ("document", Text)],
        2,
    ),
    numbered(
        "audit",
        &[
            ("number", Integer),
            ("time_ms", Integer),
            ("room", Text),
            ("event", Text),
            ("actor", Text),
            ("document", Text),
        ],
    ),
    table("quota", &[("subject", Text), ("document", Text)], 1),
    table("server_secret", &[("name", Text), ("value", Bytes)], 1),
    table("keyed_request", &[("key", Text), ("room", Text), ("created_ms", Integer), ("document", Text)], 1),
    table("webhook", &[("id", Text), ("room", Text), ("created_ms", Integer), ("document", Text)], 1),
    table(
        "webhook_position",
        &[("webhook", Text), ("room", Text), ("up_to", Integer), ("after", Integer)],
        3,
    ),
    numbered("dead_letter", &[("number", Integer), ("webhook", Text), ("document", Text)]),
];

const EXPIRING: &[(&str, ColumnType)] =
    &[("id", Text), ("account", Text), ("created_ms", Integer), ("expires_ms", Integer), ("document", Text)];

impl Table {
    /// The names of the columns, quoted and separated by commas.
    pub fn column_list(&self) -> String {
        list(self.columns)
    }

    /// The names of the key's columns, quoted and separated by commas.
    pub fn key_list(&self) -> String {
        list(&self.columns[..self.key_columns])
    }
}

fn list(columns: &[(&str, ColumnType)]) -> String {
    // Some are words of SQL.
    let names: Vec<String> = columns.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    names.join(", ")
}

/// A store whose rows can be read and replaced. Only one program uses a store that is written.
pub trait TableStore: Send {
    /// Returns at most `count` rows in the order of the key, after the row with the key `after`.
    ///
    /// # Errors
    /// Those of the engine.
    fn rows(
        &mut self,
        table: &'static Table,
        after: Option<&[TableValue]>,
        count: usize,
    ) -> Result<Vec<TableRow>, AccessError>;

    /// Returns the row with a key.
    ///
    /// # Errors
    /// Those of the engine.
    fn row(&mut self, table: &'static Table, key: &[TableValue]) -> Result<Option<TableRow>, AccessError>;

    /// Returns the highest number that a numbered table has ever given.
    ///
    /// # Errors
    /// Those of the engine.
    fn last_number(&mut self, table: &'static Table) -> Result<i64, AccessError>;

    /// Removes all rows of all tables.
    ///
    /// # Errors
    /// Those of the engine.
    fn clear(&mut self) -> Result<(), AccessError>;

    /// Adds rows in one commit.
    ///
    /// # Errors
    /// Those of the engine.
    fn insert(&mut self, table: &'static Table, rows: &[TableRow]) -> Result<(), AccessError>;

    /// Lets a numbered table go on after a number.
    ///
    /// # Errors
    /// Those of the engine.
    fn set_last_number(&mut self, table: &'static Table, number: i64) -> Result<(), AccessError>;
}
