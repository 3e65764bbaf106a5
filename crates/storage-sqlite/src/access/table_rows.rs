//! The tables as plain rows, for copies to and from another engine.

use quadrille_access::AccessError;
use quadrille_access::tables::{TABLES, Table, TableRow, TableStore, TableValue};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{OptionalExtension, params_from_iter};

use super::error::engine;
use super::store::SqliteAccessStore;

impl TableStore for SqliteAccessStore {
    fn rows(
        &mut self,
        table: &'static Table,
        after: Option<&[TableValue]>,
        count: usize,
    ) -> Result<Vec<TableRow>, AccessError> {
        let (columns, key) = (table.column_list(), table.key_list());
        let condition = match after {
            Some(_) => format!("WHERE ({key}) > ({})", vec!["?"; table.key_columns].join(", ")),
            None => String::new(),
        };
        let select = format!("SELECT {columns} FROM {} {condition} ORDER BY {key} LIMIT {count}", table.name);
        let mut select = self.database.prepare_cached(&select).map_err(engine)?;
        let after = params_from_iter(after.unwrap_or_default().iter().map(value));
        let read = |row: &rusqlite::Row<'_>| {
            (0..table.columns.len()).map(|column| Ok(from_value(row.get_ref(column)?))).collect()
        };
        let rows = select.query_map(after, read).map_err(engine)?;
        rows.collect::<Result<_, _>>().map_err(engine)
    }

    fn row(&mut self, table: &'static Table, key: &[TableValue]) -> Result<Option<TableRow>, AccessError> {
        let select = format!(
            "SELECT {} FROM {} WHERE ({}) = ({})",
            table.column_list(),
            table.name,
            table.key_list(),
            vec!["?"; table.key_columns].join(", ")
        );
        let mut select = self.database.prepare_cached(&select).map_err(engine)?;
        let read = |row: &rusqlite::Row<'_>| {
            (0..table.columns.len()).map(|column| Ok(from_value(row.get_ref(column)?))).collect()
        };
        select.query_row(params_from_iter(key.iter().map(value)), read).optional().map_err(engine)
    }

    fn last_number(&mut self, table: &'static Table) -> Result<i64, AccessError> {
        let select = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
        let number = self.database.query_row(select, [table.name], |row| row.get(0)).optional();
        Ok(number.map_err(engine)?.unwrap_or(0))
    }

    fn clear(&mut self) -> Result<(), AccessError> {
        self.write(|transaction| {
            for table in &TABLES {
                transaction.execute(&format!("DELETE FROM {}", table.name), []).map_err(engine)?;
            }
            Ok(())
        })
    }

    fn insert(&mut self, table: &'static Table, rows: &[TableRow]) -> Result<(), AccessError> {
        let places = vec!["?"; table.columns.len()].join(", ");
        let insert = format!("INSERT INTO {} ({}) VALUES ({places})", table.name, table.column_list());
        self.write(|transaction| {
            let mut insert = transaction.prepare_cached(&insert).map_err(engine)?;
            for row in rows {
                insert.execute(params_from_iter(row.iter().map(value))).map_err(engine)?;
            }
            Ok(())
        })
    }

    fn set_last_number(&mut self, table: &'static Table, number: i64) -> Result<(), AccessError> {
        self.write(|transaction| {
            let delete = "DELETE FROM sqlite_sequence WHERE name = ?1";
            transaction.execute(delete, [table.name]).map_err(engine)?;
            let insert = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
            transaction.execute(insert, rusqlite::params![table.name, number]).map_err(engine)?;
            Ok(())
        })
    }
}

impl SqliteAccessStore {
    /// Removes the rows with these keys in one commit. A key that no row has is ignored.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn remove(&mut self, table: &'static Table, keys: &[Vec<TableValue>]) -> Result<(), AccessError> {
        let places = vec!["?"; table.key_columns].join(", ");
        let delete = format!("DELETE FROM {} WHERE ({}) = ({places})", table.name, table.key_list());
        self.write(|transaction| {
            let mut delete = transaction.prepare_cached(&delete).map_err(engine)?;
            for key in keys {
                delete.execute(params_from_iter(key.iter().map(value))).map_err(engine)?;
            }
            Ok(())
        })
    }

    /// Removes the rows of a numbered table before a number.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn remove_before(&mut self, table: &'static Table, number: i64) -> Result<(), AccessError> {
        let delete = format!("DELETE FROM {} WHERE {} < ?1", table.name, table.key_list());
        self.write(|transaction| transaction.execute(&delete, [number]).map(drop).map_err(engine))
    }
}

fn value(value: &TableValue) -> Value {
    match value {
        TableValue::Null => Value::Null,
        TableValue::Integer(number) => Value::Integer(*number),
        TableValue::Text(text) => Value::Text(text.clone()),
        TableValue::Bytes(bytes) => Value::Blob(bytes.clone()),
    }
}

/// The tables are strict: the only types are those of their columns.
fn from_value(value: ValueRef<'_>) -> TableValue {
    match value {
        ValueRef::Null | ValueRef::Real(_) => TableValue::Null,
        ValueRef::Integer(number) => TableValue::Integer(number),
        ValueRef::Text(text) => TableValue::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => TableValue::Bytes(bytes.to_owned()),
    }
}
