//! Workbook, calculation and operations in one: apply a transaction, get its changes.
