//! The MIME multipart message around a sheet.

use crate::error::{FileError, FileErrorCode};

const BOUNDARY: &str = "SocialCalcSpreadsheetControlSave";

/// Wraps a sheet in the multipart message that EtherCalc stores.
pub fn wrap(sheet: &str) -> String {
    let part = "Content-type: text/plain; charset=UTF-8";
    format!(
        "socialcalc:version:1.0\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary={BOUNDARY}\n\
         --{BOUNDARY}\n{part}\n\n# SocialCalc Spreadsheet Control Save\nversion:1.0\npart:sheet\npart:edit\npart:audit\n\
         --{BOUNDARY}\n{part}\n\n{sheet}\
         --{BOUNDARY}\n{part}\n\nversion:1.0\necell:A1\n\
         --{BOUNDARY}\n{part}\n\n\
         --{BOUNDARY}--\n"
    )
}

/// The part of the message that contains the sheet; a bare sheet is returned unchanged. Fails with
/// `BadSave`.
pub fn unwrap(save: &str) -> Result<&str, FileError> {
    if !save.starts_with("socialcalc:version:") {
        return Ok(save);
    }
    let bad = |reason: &str| FileError::new(FileErrorCode::BadSave, reason);
    let boundary = save.split_once("boundary=").ok_or_else(|| bad("the save names no boundary"))?.1;
    let boundary = boundary.lines().next().unwrap_or_default().trim();
    if boundary.is_empty() {
        return Err(bad("the save names no boundary"));
    }
    let delimiter = format!("\n--{boundary}");
    let mut parts = save.split(&*delimiter).skip(1).map(body);
    let contents = parts.next().ok_or_else(|| bad("the save has no parts"))?;
    let names = contents.lines().filter_map(|line| line.strip_prefix("part:"));
    let mut named = names.zip(parts);
    let sheet = named.find(|(name, _)| name.trim() == "sheet");
    Ok(sheet.ok_or_else(|| bad("the save has no part with a sheet"))?.1)
}

/// The body of a part, after its headers.
fn body(part: &str) -> &str {
    let part = part.trim_start_matches(['\r', '\n']);
    let ends = ["\n\n", "\r\n\r\n"].into_iter().filter_map(|end| part.find(end).map(|at| at + end.len()));
    ends.min().map_or("", |at| &part[at..])
}
