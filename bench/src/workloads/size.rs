//! How large the binary is, and what a browser downloads until the sheet can be edited.

use std::fs;
use std::path::Path;

use crate::report::Figures;
use crate::{Outcome, Setting};

const KILOBYTE: f64 = 1000.0;

pub fn run(setting: &Setting) -> Outcome<Figures> {
    let mut figures =
        Figures::new("the release binary, and the files of the page, chunks loaded later included");
    figures.add("binary", size(&setting.binary)? / 1e6, "MB");
    let dist = setting.root.join("web/dist");
    let mut totals = [0.0; 3];
    for kind in ["html", "js", "css", "wasm"] {
        let sizes = sizes_of(&dist, kind)?;
        for (total, size) in totals.iter_mut().zip(sizes) {
            *total += size;
        }
        for (encoding, size) in ["plain", "gzip", "brotli"].iter().zip(sizes) {
            figures.add(format!("{kind}, {encoding}"), size / KILOBYTE, "KB");
        }
    }
    for (encoding, total) in ["plain", "gzip", "brotli"].iter().zip(totals) {
        figures.add(format!("all together, {encoding}"), total / KILOBYTE, "KB");
    }
    Ok(figures)
}

/// Plain, gzip and brotli bytes of all files of a kind; the build leaves the packed ones beside the plain ones.
fn sizes_of(folder: &Path, kind: &str) -> Outcome<[f64; 3]> {
    let mut sums = [0.0; 3];
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            for (sum, below) in sums.iter_mut().zip(sizes_of(&path, kind)?) {
                *sum += below;
            }
        } else if path.extension().is_some_and(|extension| extension == kind) {
            let plain = size(&path)?;
            // A file too small to pack is sent as it is.
            let packed = |suffix: &str| packed_size(&path, suffix).unwrap_or(plain);
            for (sum, size) in sums.iter_mut().zip([plain, packed(".gz"), packed(".br")]) {
                *sum += size;
            }
        }
    }
    Ok(sums)
}

/// Bytes of the packed file beside `file`, if there is one.
pub fn packed_size(file: &Path, suffix: &str) -> Option<f64> {
    let mut name = file.to_owned().into_os_string();
    name.push(suffix);
    size(Path::new(&name)).ok()
}

fn size(file: &Path) -> Outcome<f64> {
    let metadata = fs::metadata(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(metadata.len() as f64)
}
