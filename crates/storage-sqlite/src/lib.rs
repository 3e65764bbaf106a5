//! The embedded storage: one shared log in SQLite, group-committed.
