//! `quadrille admin audit`: prints the audit log as JSON lines.

use std::io::Write;
use std::path::Path;

use quadrille_access::{AccountId, AuditEvent, AuditFilter};

use super::connection::open_store;
use super::remote;
use crate::admin_command_line::{AdminServer, AuditArguments};
use crate::commands::CommandError;
use crate::http::audit_entry_json;
use crate::storage_location::StorageLocation;

/// Entries that are read at once.
const BATCH: usize = 1_000;

/// Prints the audit log, oldest entry first.
///
/// # Errors
/// Fails when the server or the data directory cannot be read, or a filter is not valid.
pub fn audit(server: &AdminServer, arguments: &AuditArguments) -> Result<(), CommandError> {
    match &arguments.data {
        Some(data) => print(data, filter(arguments)?),
        None => remote::audit(server, arguments),
    }
}

fn filter(arguments: &AuditArguments) -> Result<AuditFilter, CommandError> {
    let invalid = |what: &str, text: &str| CommandError::Failed(format!("not {what}: {text}"));
    let event = |name: &String| AuditEvent::parse(name).ok_or_else(|| invalid("an event", name));
    let account =
        |text: &String| AccountId::parse(text).ok_or_else(|| invalid("the identifier of an account", text));
    Ok(AuditFilter {
        event: arguments.event.as_ref().map(event).transpose()?,
        account: arguments.account.as_ref().map(account).transpose()?,
        room: arguments.room.clone(),
        since_ms: arguments.since_ms,
        until_ms: arguments.until_ms,
        ..AuditFilter::default()
    })
}

fn print(data: &Path, mut filter: AuditFilter) -> Result<(), CommandError> {
    let mut opened = open_store(&StorageLocation::Directory(data.to_owned()))?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let failed = |error: std::io::Error| CommandError::Failed(format!("cannot write: {error}"));
    loop {
        let entries =
            opened.store.audit(&filter, BATCH).map_err(|error| CommandError::Failed(error.to_string()))?;
        for entry in &entries {
            writeln!(out, "{}", audit_entry_json(entry)).map_err(failed)?;
            filter.after = entry.number;
        }
        if entries.len() < BATCH {
            return out.flush().map_err(failed);
        }
    }
}
