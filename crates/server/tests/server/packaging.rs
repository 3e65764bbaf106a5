//! What `packaging/` and the operator's guide install, checked by the programs that read it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::binary;

const GUIDE: &str = include_str!("../../../../docs/operations-guide.md");
const UNIT: &str = include_str!("../../../../packaging/systemd/quadrille.service");

/// The exposure that `systemd-analyze security` may find, of 100: "OK" ends at 40.
const EXPOSURE_MAX: &str = "20";

fn packaging() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging")
}

/// Lets systemd check a unit.
fn check_unit(unit: &str) {
    // The program has to exist.
    let unit = unit.replace("/usr/bin/quadrille", env!("CARGO_BIN_EXE_quadrille"));
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("quadrille.service");
    fs::write(&path, unit).expect("writable");
    let analyze = |arguments: &[&str]| -> Output {
        let output = Command::new("systemd-analyze").args(arguments).arg(&path).output();
        output.expect("systemd is installed (apt-get install systemd)")
    };
    let verified = analyze(&["verify", "--man=no"]);
    assert!(verified.status.success() && verified.stderr.is_empty(), "{verified:?}");
    let threshold = format!("--threshold={EXPOSURE_MAX}");
    let confined = analyze(&["security", "--offline=true", "--no-pager", &threshold]);
    assert!(confined.status.success(), "{}", String::from_utf8_lossy(&confined.stdout));
}

#[test]
fn systemd_accepts_the_unit_and_finds_it_confined() {
    check_unit(UNIT);
    // With files that have passwords, and with the right to listen on port 443, as the guide says.
    let (unit, install) = UNIT.split_once("[Install]").expect("the last section");
    for (beginning, of_edited) in [("```conf\n", "storage-password"), ("```ini\n", "CAP_NET_BIND_SERVICE")] {
        let edited =
            GUIDE.split_once(beginning).expect("a part of a unit").1.split_once("```").expect("an end").0;
        assert!(edited.contains(of_edited), "{edited}");
        check_unit(&format!("{unit}{edited}[Install]{install}"));
    }
}

/// All files below a directory with their contents.
fn files(directory: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(directory).expect("lists") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push((path.clone(), fs::read_to_string(&path).expect("text"))),
        }
    }
}

#[test]
fn packages_set_only_settings_that_exist() {
    let help = binary().args(["serve", "--help"]).output().expect("the binary starts");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let variables = |text: &str| -> BTreeSet<String> {
        let is_part = |character: char| character.is_ascii_uppercase() || character == '_';
        let name =
            |at: usize| text[at..].split(|character| !is_part(character)).next().expect("a name").to_owned();
        text.match_indices("QUADRILLE_").map(|(at, _)| name(at)).filter(|name| name.len() > 10).collect()
    };
    let known = variables(&help);
    let mut found = Vec::new();
    files(&packaging(), &mut found);
    assert!(found.len() > 10, "{found:?}");
    let mut used = 0;
    for (path, text) in &found {
        for name in variables(text) {
            assert!(known.contains(&name), "{}: no such setting: {name}", path.display());
            used += 1;
        }
        assert!(!text.contains('\t'), "{}: YAML has no tabs", path.display());
    }
    assert!(used > 10);
    let chart = found.iter().find(|(path, _)| path.ends_with("Chart.yaml")).expect("a chart");
    let version = format!("appVersion: \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(chart.1.contains(&version), "the chart is of another version than {version}");
    let toml = packaging().join("debian/quadrille.toml");
    let checked = binary()
        .args(["doctor", "--listen", "127.0.0.1:0", "--data", "/nowhere", "--config"])
        .arg(toml)
        .output();
    let checked = checked.expect("the binary starts");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

#[test]
fn nginx_accepts_the_configuration_for_several_servers() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("nginx.conf");
    let text = fs::read_to_string(packaging().join("compose/nginx.conf")).expect("readable");
    // The names are those of the containers.
    let mut text = format!("pid {}/pid;\n{text}", directory.path().display());
    for number in ["1", "2", "3"] {
        text = text.replace(&format!("server{number}:8000"), &format!("127.0.0.{number}:8000"));
    }
    fs::write(&path, text).expect("writable");
    let output = Command::new("nginx").arg("-t").arg("-c").arg(&path).output().expect("nginx is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The guide has the same map, for those who have a configuration of their own.
    for line in fs::read_to_string(packaging().join("compose/nginx.conf")).expect("readable").lines() {
        if line.contains("?<room>") {
            assert!(GUIDE.contains(line.trim()), "the guide lacks {line}");
        }
    }
}
