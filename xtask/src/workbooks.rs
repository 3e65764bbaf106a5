//! `cargo xtask test workbooks`: real workbooks are read, written again, and both files are compared by
//! openpyxl (`crates/files/tests/round_trips`). The workbooks are files in crates of pinned versions. With
//! LibreOffice on the machine, openpyxl also compares the charts of `.ods` files that it has read.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::outcome::Outcome;
use crate::project::{Project, cargo};
use crate::python::{environment, pip_install};
use crate::setup;
use crate::step::{Steps, execute, succeeds};

/// Larger files take openpyxl most of a minute each.
const BYTES_MAX: u64 = 400_000;
/// Workbooks, at least; fewer mean that a package has changed.
const WORKBOOKS_MIN: usize = 340;

/// Compares every workbook with the file that is written from it.
pub fn compare(project: &Project, steps: &mut Steps) -> Outcome {
    let tests = project.root.join("crates/files/tests/round_trips");
    let target = project.target.join("round-trips");
    let written = target.join("written");
    fs::create_dir_all(&written).map_err(|error| format!("{}: {error}", written.display()))?;
    setup::python_venv(steps)?;
    let tools = environment(&target.join("environment"), steps)?;
    let requirements = tests.join("requirements.txt");
    steps.run("openpyxl: install", pip_install(&tools).arg("-r").arg(requirements))?;
    let (list, report) = (target.join("workbooks.txt"), target.join("report.jsonl"));
    steps.perform("real workbooks: download", || {
        let mut workbooks = Vec::new();
        for package in packages(&tests.join("packages"))? {
            find(&package, &mut workbooks)?;
        }
        workbooks.sort();
        if workbooks.len() < WORKBOOKS_MIN {
            return Err(format!("{} workbooks instead of at least {WORKBOOKS_MIN}", workbooks.len()));
        }
        let lines: Vec<String> = workbooks.iter().map(|path| path.display().to_string()).collect();
        fs::write(&list, lines.join("\n")).map_err(|error| format!("{}: {error}", list.display()))
    })?;
    let program = project.program("debug/examples", "round_trip");
    let mut write = Command::new(&program);
    let output = File::create(&report).map_err(|error| format!("{}: {error}", report.display()))?;
    // `Steps::run` would print what goes into the report, in a lane.
    steps.perform("real workbooks: read and write", || {
        execute(write.arg(&list).arg(&written).stdout(output))
    })?;
    let mut compare = Command::new(tools.join("python"));
    compare.arg(tests.join("compare.py")).args([&report, &written]);
    steps.run("real workbooks: compare", compare.arg("--allow").arg(tests.join("differences.tsv")))?;
    if !succeeds(Command::new("soffice").arg("--version")) {
        return Ok(());
    }
    let mut charts = Command::new(tools.join("python"));
    charts.arg(tests.join("libreoffice_charts.py")).arg("compare");
    steps.run("charts of .ods files: compare with LibreOffice", charts.arg(program))
}

/// The folders of the packages that the manifest in `folder` names.
fn packages(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let arguments = ["metadata", "--format-version", "1", "--locked"];
    let output = Command::new(cargo()).current_dir(folder).args(arguments).output();
    let output = output.map_err(|error| format!("cargo metadata: {error}"))?;
    let failed = || format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|_| failed())?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let named = |package: &Value| {
        let root = packages.clone().find(|package| package["name"] == "round-trip-packages");
        let mut named =
            root.into_iter().flat_map(|root| root["dependencies"].as_array().into_iter().flatten());
        named.any(|dependency| dependency["name"] == package["name"])
    };
    let manifests = packages.clone().filter(|package| named(package));
    let manifests = manifests.filter_map(|package| package["manifest_path"].as_str());
    Ok(manifests.filter_map(|manifest| Path::new(manifest).parent()).map(Path::to_owned).collect())
}

/// Collects the workbooks below a folder that are not too large.
fn find(folder: &Path, workbooks: &mut Vec<PathBuf>) -> Outcome {
    let failed = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, metadata) = (entry.path(), entry.metadata().map_err(failed)?);
        let is_workbook =
            path.extension().is_some_and(|extension| extension == "xlsx" || extension == "xlsm");
        if metadata.is_dir() {
            find(&path, workbooks)?;
        } else if is_workbook && metadata.len() < BYTES_MAX {
            workbooks.push(path);
        }
    }
    Ok(())
}
