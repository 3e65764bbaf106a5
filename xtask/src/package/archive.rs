//! The archive `quadrille-VERSION-ARCHITECTURE.tar.gz`.

use std::path::PathBuf;
use std::process::Command;

use super::parts::Parts;
use crate::step::execute;

/// Packs the folder of the platform. Needs GNU tar.
///
/// # Errors
/// When tar fails.
pub fn make(parts: &Parts) -> Result<PathBuf, String> {
    let name = parts.name();
    let archive = parts.out.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    // Without -n, gzip writes a time into the archive.
    tar.args(["--use-compress-program=gzip -n", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--mtime=@{}", parts.time)).arg("-C").arg(&parts.out);
    execute(tar.arg("-cf").arg(&archive).arg(&name))?;
    Ok(archive)
}
