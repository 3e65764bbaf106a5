//! The tables as plain rows, for copies to and from another engine.

use quadrille_access::AccessError;
use quadrille_access::tables::{ColumnType, TABLES, Table, TableRow, TableStore, TableValue};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::address::Address;
use crate::connection::{Connection, RETRY_DELAY_MAX, new_name};
use crate::error::Failure;

/// The tables of access documents, accounts and the audit log in a database.
pub struct PostgresTables {
    connection: Connection,
}

impl PostgresTables {
    /// Connects to a database that has the tables.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub fn open(address: &Address) -> Result<PostgresTables, AccessError> {
        Ok(PostgresTables { connection: Connection::open(address, new_name(), RETRY_DELAY_MAX)? })
    }

    /// Reads over a connection with a read transaction.
    pub(crate) fn in_snapshot(connection: Connection) -> PostgresTables {
        PostgresTables { connection }
    }

    /// Begins a read transaction with an exported snapshot.
    pub(crate) fn begin_transaction(&mut self, snapshot: &str) -> Result<(), Failure> {
        let begin = format!("{BEGIN}; SET TRANSACTION SNAPSHOT '{snapshot}'");
        self.connection.run(|session| session.batch(&begin))
    }

    /// Ends the read transaction.
    pub(crate) fn end_transaction(&mut self) -> Result<(), Failure> {
        self.connection.run(|session| session.batch("COMMIT"))
    }
}

/// Begins a transaction whose reads share one snapshot.
pub(crate) const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/// Reads a row with the columns of a table's key.
pub(crate) fn key_of(table: &Table, row: &Row) -> Vec<TableValue> {
    first_values(table, row, table.key_columns)
}

impl TableStore for PostgresTables {
    fn rows(
        &mut self,
        table: &'static Table,
        after: Option<&[TableValue]>,
        count: usize,
    ) -> Result<Vec<TableRow>, AccessError> {
        let (columns, key) = (table.column_list(), table.key_list());
        let places: Vec<String> = (1..=table.key_columns).map(|place| format!("${place}")).collect();
        let condition = match after {
            Some(_) => format!("WHERE ({key}) > ({})", places.join(", ")),
            None => String::new(),
        };
        let select = format!("SELECT {columns} FROM {} {condition} ORDER BY {key} LIMIT {count}", table.name);
        let after: Vec<Box<dyn ToSql + Sync>> = after.unwrap_or_default().iter().map(parameter).collect();
        let after: Vec<&(dyn ToSql + Sync)> = after.iter().map(|value| &**value).collect();
        let rows = self.connection.run(|session| session.query_once(&select, &after))?;
        Ok(rows.iter().map(|row| values(table, row)).collect())
    }

    fn row(&mut self, table: &'static Table, key: &[TableValue]) -> Result<Option<TableRow>, AccessError> {
        let places: Vec<String> = (1..=table.key_columns).map(|place| format!("${place}")).collect();
        let select = format!(
            "SELECT {} FROM {} WHERE ({}) = ({})",
            table.column_list(),
            table.name,
            table.key_list(),
            places.join(", ")
        );
        let key: Vec<Box<dyn ToSql + Sync>> = key.iter().map(parameter).collect();
        let key: Vec<&(dyn ToSql + Sync)> = key.iter().map(|value| &**value).collect();
        let rows = self.connection.run(|session| session.query_once(&select, &key))?;
        Ok(rows.first().map(|row| values(table, row)))
    }

    fn last_number(&mut self, table: &'static Table) -> Result<i64, AccessError> {
        let select =
            format!("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {}_number_seq", table.name);
        Ok(self.connection.run(|session| session.query_once(&select, &[]))?[0].get(0))
    }

    fn clear(&mut self) -> Result<(), AccessError> {
        let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        let clear = format!("TRUNCATE {}, notice", names.join(", "));
        Ok(self.connection.run(|session| session.batch(&clear))?)
    }

    fn insert(&mut self, table: &'static Table, rows: &[TableRow]) -> Result<(), AccessError> {
        let arrays: Vec<String> = (table.columns.iter().zip(1..))
            .map(|((_, kind), place)| format!("${place}::{}[]", type_name(*kind)))
            .collect();
        let (columns, derived) = (table.column_list(), derived_columns(table));
        let names: String = derived.iter().map(|(name, _)| format!(", {name}")).collect();
        let values: String = derived.iter().map(|(_, value)| format!(", {value}")).collect();
        let insert = format!(
            "INSERT INTO {} ({columns}{names}) OVERRIDING SYSTEM VALUE
             SELECT {columns}{values} FROM unnest({}) AS given ({columns})",
            table.name,
            arrays.join(", "),
        );
        let columns: Vec<Box<dyn ToSql + Sync>> =
            table.columns.iter().enumerate().map(|(column, (_, kind))| array(rows, column, *kind)).collect();
        let columns: Vec<&(dyn ToSql + Sync)> = columns.iter().map(|array| &**array).collect();
        self.connection.run(|session| session.query_once(&insert, &columns))?;
        Ok(())
    }

    fn set_last_number(&mut self, table: &'static Table, number: i64) -> Result<(), AccessError> {
        // A sequence begins at 1; one that has given no number yet says so.
        let set =
            format!("SELECT setval('{}_number_seq', greatest($1::bigint, 1), $1::bigint > 0)", table.name);
        self.connection.run(|session| session.query_once(&set, &[&number]))?;
        Ok(())
    }
}

/// The columns that only this engine has, with the expressions that give them.
fn derived_columns(table: &Table) -> &'static [(&'static str, &'static str)] {
    match table.name {
        "account" => &[
            ("is_admin", "coalesce((document::json ->> 'is_admin')::boolean, false)"),
            ("is_disabled", "coalesce((document::json ->> 'is_disabled')::boolean, false)"),
        ],
        "request" => &[("email", "document::json ->> 'email'")],
        "audit" => &[("target", "coalesce(document::json ->> 'target', '')")],
        _ => &[],
    }
}

fn type_name(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Integer => "bigint",
        ColumnType::Text => "text",
        ColumnType::Bytes => "bytea",
    }
}

/// The values of a row. Its columns have the types of the table, which the program has created.
fn values(table: &Table, row: &Row) -> TableRow {
    first_values(table, row, table.columns.len())
}

fn first_values(table: &Table, row: &Row, count: usize) -> TableRow {
    let value = |(column, (_, kind)): (usize, &(&str, ColumnType))| match kind {
        ColumnType::Integer => row.get::<_, Option<i64>>(column).map(TableValue::Integer),
        ColumnType::Text => row.get::<_, Option<String>>(column).map(TableValue::Text),
        ColumnType::Bytes => row.get::<_, Option<Vec<u8>>>(column).map(TableValue::Bytes),
    };
    table.columns[..count]
        .iter()
        .enumerate()
        .map(|column| value(column).unwrap_or(TableValue::Null))
        .collect()
}

/// A column of rows as an array.
fn array(rows: &[TableRow], column: usize, kind: ColumnType) -> Box<dyn ToSql + Sync> {
    let values = rows.iter().map(|row| &row[column]);
    match kind {
        ColumnType::Integer => {
            let number = |value: &TableValue| match value {
                TableValue::Integer(number) => Some(*number),
                _ => None,
            };
            Box::new(values.map(number).collect::<Vec<_>>())
        }
        ColumnType::Text => {
            let text = |value: &TableValue| match value {
                TableValue::Text(text) => Some(text.clone()),
                _ => None,
            };
            Box::new(values.map(text).collect::<Vec<_>>())
        }
        ColumnType::Bytes => {
            let bytes = |value: &TableValue| match value {
                TableValue::Bytes(bytes) => Some(bytes.clone()),
                _ => None,
            };
            Box::new(values.map(bytes).collect::<Vec<_>>())
        }
    }
}

/// A value of a key as a parameter.
fn parameter(value: &TableValue) -> Box<dyn ToSql + Sync> {
    match value {
        TableValue::Null => Box::new(Option::<String>::None),
        TableValue::Integer(number) => Box::new(*number),
        TableValue::Text(text) => Box::new(text.clone()),
        TableValue::Bytes(bytes) => Box::new(bytes.clone()),
    }
}
