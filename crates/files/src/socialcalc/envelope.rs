//! The MIME multipart message around a sheet.

use crate::error::{FileError, FileErrorCode};

const BOUNDARY: &str = "SocialCalcSpreadsheetControlSave";

/// The parts of a save that are read.
#[derive(Default)]
pub struct Parts<'a> {
    pub sheet: &'a str,
    /// The state of the editor.
    pub edit: &'a str,
    /// The commands that were carried out.
    pub audit: &'a str,
}

/// Wraps a sheet and the state of the editor in the multipart message that EtherCalc stores.
pub fn wrap(sheet: &str, edit: &str) -> String {
    let part = "Content-type: text/plain; charset=UTF-8";
    format!(
        "socialcalc:version:1.0\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary={BOUNDARY}\n\
         --{BOUNDARY}\n{part}\n\n# SocialCalc Spreadsheet Control Save\nversion:1.0\npart:sheet\npart:edit\npart:audit\n\
         --{BOUNDARY}\n{part}\n\n{sheet}\
         --{BOUNDARY}\n{part}\n\n{edit}\
         --{BOUNDARY}\n{part}\n\n\
         --{BOUNDARY}--\n"
    )
}

/// The parts of the message; a bare sheet is the only part of itself. Fails with `BadSave`.
pub fn unwrap(save: &str) -> Result<Parts<'_>, FileError> {
    if !save.starts_with("socialcalc:version:") {
        return Ok(Parts { sheet: save, ..Parts::default() });
    }
    let bad = |reason: &str| FileError::new(FileErrorCode::BadSave, reason);
    let boundary = save.split_once("boundary=").ok_or_else(|| bad("the save names no boundary"))?.1;
    let boundary = boundary.lines().next().unwrap_or_default().trim();
    if boundary.is_empty() {
        return Err(bad("the save names no boundary"));
    }
    let delimiter = format!("\n--{boundary}");
    let mut bodies = save.split(&*delimiter).skip(1).map(body);
    let contents = bodies.next().ok_or_else(|| bad("the save has no parts"))?;
    let names = contents.lines().filter_map(|line| line.strip_prefix("part:"));
    let (mut parts, mut sheet) = (Parts::default(), None);
    for (name, body) in names.zip(bodies) {
        match name.trim() {
            "sheet" => sheet = sheet.or(Some(body)),
            "edit" => parts.edit = body,
            "audit" => parts.audit = body,
            // Other parts belong to programs around SocialCalc.
            _ => {}
        }
    }
    parts.sheet = sheet.ok_or_else(|| bad("the save has no part with a sheet"))?;
    Ok(parts)
}

/// The body of a part, after its headers.
fn body(part: &str) -> &str {
    let part = part.trim_start_matches(['\r', '\n']);
    let ends = ["\n\n", "\r\n\r\n"].into_iter().filter_map(|end| part.find(end).map(|at| at + end.len()));
    ends.min().map_or("", |at| &part[at..])
}
