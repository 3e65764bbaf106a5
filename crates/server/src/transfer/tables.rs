//! Copying the tables of access stores.

use quadrille_access::tables::{TABLES, Table, TableRow, TableStore, TableValue};

use super::stores::{of_source_tables, of_target_tables};

/// Rows that are read at once, and stored by one commit.
const ROWS_AT_ONCE: usize = 1_000;

/// Makes the tables of `to` those of `from`.
pub fn copy(from: &mut dyn TableStore, to: &mut dyn TableStore) -> Result<(), String> {
    to.clear().map_err(of_target_tables)?;
    for table in &TABLES {
        for_each_page(from, table, &mut |rows| to.insert(table, rows).map_err(of_target_tables))?;
        if table.is_numbered {
            let number = from.last_number(table).map_err(of_source_tables)?;
            to.set_last_number(table, number).map_err(of_target_tables)?;
        }
    }
    Ok(())
}

/// Calls `work` for all rows of a table, page by page, in the order of the key.
pub fn for_each_page(
    store: &mut dyn TableStore,
    table: &'static Table,
    work: &mut dyn FnMut(&[TableRow]) -> Result<(), String>,
) -> Result<(), String> {
    let mut after: Option<Vec<TableValue>> = None;
    loop {
        let rows = store.rows(table, after.as_deref(), ROWS_AT_ONCE).map_err(of_source_tables)?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = Some(last[..table.key_columns].to_vec());
        work(&rows)?;
    }
}
