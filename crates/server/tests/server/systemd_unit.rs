//! The systemd unit of `docs/operations-guide.md`, checked by systemd's own programs.

use std::process::{Command, Output};

const PAGE: &str = include_str!("../../../../docs/operations-guide.md");

/// The exposure that `systemd-analyze security` may find, of 100: "OK" ends at 40.
const EXPOSURE_MAX: &str = "20";

#[test]
fn systemd_accepts_the_unit_of_the_guide_and_finds_it_confined() {
    let unit = PAGE.split_once("```ini\n").expect("a unit").1.split_once("```").expect("an end").0;
    // The program has to exist.
    let unit = unit.replace("/usr/local/bin/quadrille", env!("CARGO_BIN_EXE_quadrille"));
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("quadrille.service");
    std::fs::write(&path, unit).expect("writable");
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
