//! Charts of OpenDocument files: round trips, and files of LibreOffice.

use quadrille_files::{FileFormat, Imported, Loss, WriteOptions, losses, write};
use quadrille_workbook::Workbook;

use crate::charts::charts;
use crate::notation::{commanded, import};
use crate::page_setup::part;

fn written(workbook: &Workbook) -> Vec<u8> {
    write(workbook, FileFormat::Ods, &WriteOptions::default()).expect("written")
}

/// The workbook after writing and reading it.
fn again(workbook: &Workbook) -> Imported {
    import(FileFormat::Ods, &written(workbook)).expect("readable")
}

fn lost(workbook: &Workbook) -> Vec<String> {
    let lost = losses(workbook, FileFormat::Ods, &WriteOptions::default(), &Default::default());
    lost.iter().map(Loss::text).collect()
}

/// The files of other programs with every type, trendlines, error bars and prices.
#[test]
fn charts_of_every_type_round_trip() {
    for (name, file) in [
        ("charts", &include_bytes!("../fixtures/charts.xlsx")[..]),
        ("statistics", include_bytes!("../fixtures/chart-statistics.xlsx")),
        ("forecasts", include_bytes!("../fixtures/chart-forecasts.xlsx")),
        ("stock", include_bytes!("../fixtures/stock-charts.xlsx")),
        ("bubbles", include_bytes!("../fixtures/rare-charts.xlsx")),
    ] {
        let read = import(FileFormat::Xlsx, file).expect("readable");
        let again = again(&read.workbook);
        assert_eq!(again.warnings, [] as [String; 0], "{name}");
        // Addresses of OpenDocument files have no relative rows and columns, and the color that the second
        // series of a chart has anyway is not its own.
        let expected = charts(&read.workbook)
            .into_iter()
            .map(|line| line.replace("Data!B1", "Data!$B$1").replace(r##""color":"#d9822b","##, ""));
        assert_eq!(charts(&again.workbook), expected.collect::<Vec<_>>(), "{name}");
        assert_eq!(lost(&read.workbook), [] as [String; 0], "{name}");
    }
}

#[test]
fn dump() {
    if let Some(folder) = std::env::var_os("DUMP") {
        let folder = std::path::Path::new(&folder);
        for file in std::fs::read_dir(folder.join("in")).expect("folder").flatten() {
            let bytes = std::fs::read(file.path()).expect("read");
            let name = file.file_name().into_string().expect("name");
            let format = FileFormat::from_name(&name).expect("format");
            let read = import(format, &bytes).expect("readable");
            println!(
                "{name} {:?}\n{}\nlost {:?}",
                read.warnings,
                charts(&read.workbook).join("\n"),
                lost(&read.workbook)
            );
            let stem = name.split('.').next().expect("stem");
            let again = again(&read.workbook);
            println!("AGAIN {name} {:?}\n{}", again.warnings, charts(&again.workbook).join("\n"));
            std::fs::write(folder.join(format!("{stem}.ods")), written(&read.workbook)).expect("w");
            let flat = write(&read.workbook, FileFormat::Fods, &WriteOptions::default()).expect("written");
            std::fs::write(folder.join(format!("{stem}.fods")), flat).expect("w");
        }
    }
    let _ = (commanded, part);
}
