//! `quadrille import --from-ethercalc`: the command line of the import, and its summary.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{BufWriter, Write};

use super::command_error::CommandError;
use crate::cli::ImportArguments;
use crate::ethercalc_import::{Counts, Import, import};
use crate::room_name;
use crate::secret_setting::SecretSetting;
use crate::storage_location::StorageLocation;

/// Imports the rooms of EtherCalc. The report goes to standard output or to a file.
///
/// # Errors
/// When the source or the storage fails, and when some rooms were not imported.
pub fn import_ethercalc(arguments: &ImportArguments, from: &str) -> Result<(), CommandError> {
    let misconfigured = CommandError::Misconfigured;
    let password = match &arguments.ethercalc.from_password_file {
        Some(file) => SecretSetting::default().or_file("from_password", file).map_err(misconfigured)?,
        None => None,
    };
    let location = StorageLocation::of_command(&arguments.location.database, &arguments.location.data);
    let out: Box<dyn Write> = match &arguments.ethercalc.report {
        // Appended, so that an import that goes on where it was interrupted has one report.
        Some(path) => {
            let file = OpenOptions::new().create(true).append(true).open(path);
            let file = file.map_err(|error| CommandError::Failed(format!("{}: {error}", path.display())))?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(BufWriter::new(std::io::stdout())),
    };
    let request = Import {
        from: from.to_owned(),
        password,
        location: location.map_err(misconfigured)?,
        data: arguments.location.data.clone(),
        is_dry_run: arguments.ethercalc.dry_run,
        replaces: arguments.ethercalc.replace,
        renames: renames(&arguments.ethercalc.rename)?,
    };
    let counts = import(&request, out).map_err(CommandError::Failed)?;
    for line in summary(&counts, request.is_dry_run) {
        eprintln!("quadrille: {line}");
    }
    match counts.failed + counts.kept {
        0 => Ok(()),
        missing => Err(CommandError::Failed(format!(
            "{missing} {} not imported: the report names {} with the reason",
            if missing == 1 { "room was" } else { "rooms were" },
            if missing == 1 { "it" } else { "them" },
        ))),
    }
}

fn renames(given: &[String]) -> Result<BTreeMap<String, quadrille_protocol::RoomName>, CommandError> {
    let mut renames = BTreeMap::new();
    for rename in given {
        let misconfigured =
            |reason: &str| CommandError::Misconfigured(format!("--rename {rename}: {reason}"));
        let (old, new) = rename.rsplit_once('=').ok_or_else(|| misconfigured("it is OLD=NEW"))?;
        let new = room_name::parse(new).map_err(|error| misconfigured(&error.message))?;
        renames.insert(old.to_owned(), new);
    }
    Ok(renames)
}

/// The result, for people.
fn summary(counts: &Counts, is_dry_run: bool) -> Vec<String> {
    let would = if is_dry_run { "would be " } else { "" };
    let mut lines = vec![format!(
        "{} rooms {would}imported, {} of them with several sheets; {} chat messages, {} mail formulas",
        counts.imported + counts.updated + counts.replaced,
        counts.workbooks,
        counts.messages,
        counts.triggers,
    )];
    if counts.updated + counts.replaced > 0 {
        let (updated, replaced) = (counts.updated, counts.replaced);
        lines.push(format!(
            "{updated} of these {would}updated, since EtherCalc has changed them; {replaced} replaced"
        ));
    }
    if counts.unchanged > 0 {
        lines.push(format!("{} rooms are unchanged since they were imported", counts.unchanged));
    }
    if counts.kept > 0 {
        lines.push(format!(
            "{} rooms were changed here, or are not of EtherCalc, and are kept; --replace replaces them",
            counts.kept
        ));
    }
    if counts.values > 0 {
        let known = match counts.explained {
            0 => String::new(),
            explained => format!(", {explained} of them because of the time or of other rooms"),
        };
        lines.push(format!("{} formulas have another result than EtherCalc saved{known}", counts.values));
    }
    if counts.findings > 0 {
        lines.push(format!("{} other differences are in the report", counts.findings));
    }
    lines
}
