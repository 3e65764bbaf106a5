//! Checks that a program needs no dynamic linker and no shared library.

use std::fs;
use std::path::Path;

use crate::outcome::Outcome;

/// The type of the program header that names a dynamic linker, in the Executable and Linkable Format (`elf(5)`).
const PT_INTERP: u32 = 3;

/// Reads the program headers of a 64-bit little-endian ELF file.
///
/// # Errors
/// When the program names a dynamic linker, or is no such file.
pub fn check(program: &Path) -> Outcome {
    let bytes = fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    match has_dynamic_linker(&bytes) {
        Some(false) => Ok(()),
        Some(true) => Err(format!("{} needs a dynamic linker", program.display())),
        None => Err(format!("{} is no 64-bit little-endian ELF file", program.display())),
    }
}

/// `None` for anything but a 64-bit little-endian ELF file.
fn has_dynamic_linker(bytes: &[u8]) -> Option<bool> {
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let read = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let headers = usize::try_from(u64::from_le_bytes(bytes.get(32..40)?.try_into().ok()?)).ok()?;
    let (size, count) = (usize::from(read(54)?), usize::from(read(56)?));
    for index in 0..count {
        let at = headers.checked_add(index * size)?;
        if u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?) == PT_INTERP {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
    fn a_program_that_links_to_glibc_needs_a_dynamic_linker() {
        let program = fs::read(std::env::current_exe().expect("a path")).expect("readable");
        assert_eq!(has_dynamic_linker(&program), Some(true));
    }

    #[test]
    fn other_files_are_refused() {
        for bytes in [&b"#!/bin/sh"[..], b"\x7fELF", b"\x7fELF\x02\x01", b""] {
            assert_eq!(has_dynamic_linker(bytes), None, "{bytes:?}");
        }
    }
}
