//! The files of the tests that targets damage, and the inputs that targets start from.

use std::path::Path;
use std::{env, fs};

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_bytes!(concat!("../../crates/files/tests/fixtures/", $name)))),*]
    };
}

/// Archives, by name. A seed names its archive by the index, so new ones belong at the end.
#[allow(dead_code, reason = "not every target damages archives")]
pub static ARCHIVES: [(&str, &[u8]); 38] = files![
    "libreoffice.xlsx",
    "charts.xlsx",
    "charts-libreoffice.xlsx",
    "chart-statistics.xlsx",
    "rare-charts.xlsx",
    "references.xlsx",
    "pivot-tables-libreoffice.xlsx",
    "hidden-rows.xlsx",
    "package-parts.xlsm",
    "cell-formats.xlsx",
    "cell-styles.xlsx",
    "protected.xlsx",
    "scenarios.xlsx",
    "rich-text.xlsx",
    "calamine-issues.xlsb",
    "calamine-any-sheets.xlsb",
    "pivot-groups-libreoffice.ods",
    "pivot-tables-libreoffice.ods",
    "names-libreoffice.ods",
    "filters.ods",
    "validations.ods",
    "conditional-formats.ods",
    "page-setup.ods",
    "groups.ods",
    "slicers.xlsx",
    "charts-libreoffice.ods",
    "chart-statistics-libreoffice.ods",
    "stock-charts-libreoffice.ods",
    "images-libreoffice.ods",
    "shapes.xlsx",
    "smart-art.xlsx",
    "checkboxes.xlsx",
    "images-in-cells.xlsx",
    "shapes-libreoffice.ods",
    "form-controls.xlsx",
    "embedded-objects.xlsx",
    "active-x.xlsx",
    "button-xlsxwriter.xlsm",
];

/// Compound files, by name.
#[allow(dead_code, reason = "not every target damages compound files")]
pub static COMPOUND_FILES: [(&str, &[u8]); 2] = files!["xlwt.xls", "calamine-issues.xls"];

/// The parts of an archive with their names.
#[allow(dead_code, reason = "not every target damages archives")]
pub fn parts(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(archive)).expect("a sound archive");
    let mut parts = Vec::new();
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).expect("a sound archive");
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut part, &mut bytes).expect("a sound part");
        let name = part.name().expect("a name").into_owned();
        parts.push((name, bytes));
    }
    parts
}

/// Writes inputs to the folder that the environment variable `QUADRILLE_SEEDS` names, if it is set.
pub fn write_seeds(seeds: impl IntoIterator<Item = Vec<u8>>) {
    let Some(folder) = env::var_os("QUADRILLE_SEEDS") else { return };
    fs::create_dir_all(&folder).expect("the folder of the seeds can be made");
    for (number, seed) in seeds.into_iter().enumerate() {
        let file = Path::new(&folder).join(format!("seed-{number:04}"));
        fs::write(file, seed).expect("the folder of the seeds can be written");
    }
}

/// The files of a folder of the repository.
#[allow(dead_code, reason = "not every target starts from files")]
pub fn files_of(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the folder exists").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
        .iter()
        .filter(|path| path.is_file())
        .map(|path| fs::read(path).expect("files can be read"))
        .collect()
}
