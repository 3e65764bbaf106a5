//! Sizes of the binary and of the files that a browser downloads. The limits are 650 KB in brotli for the
//! engine's module and 750 KB for everything until a workbook is editable (decision 0007).

use std::fs;
use std::path::Path;

use crate::report::Figures;
use crate::setting::{Outcome, Setting};

const KILOBYTE: f64 = 1000.0;

/// Runs the workload.
pub fn run(setting: &Setting) -> Outcome<Figures> {
    let mut figures =
        Figures::new("the release binary and the files of the web client, including chunks that load later");
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

/// Sizes of all files with an extension: plain, gzip and brotli. The build writes the compressed files.
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
            // A file that is too small to compress is sent plain.
            let compressed = |suffix: &str| compressed_size(&path, suffix).unwrap_or(plain);
            for (sum, size) in sums.iter_mut().zip([plain, compressed(".gz"), compressed(".br")]) {
                *sum += size;
            }
        }
    }
    Ok(sums)
}

/// Size in bytes of the compressed version of a file; `None` when there is none.
pub fn compressed_size(file: &Path, suffix: &str) -> Option<f64> {
    let mut name = file.to_owned().into_os_string();
    name.push(suffix);
    size(Path::new(&name)).ok()
}

fn size(file: &Path) -> Outcome<f64> {
    let metadata = fs::metadata(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(metadata.len() as f64)
}
