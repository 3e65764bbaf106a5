//! `cargo xtask test arm64`: the server for ARM64, compiled as its packages are but without optimization, runs by
//! QEMU, and so does the test that compares the engine with the WebAssembly module.

use std::fs;
use std::path::{Path, PathBuf};

use super::platform::Platform;
use super::{compilation, compilers, out_folder, smoke_test, static_program};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::setup;
use crate::step::Steps;

const TRIPLE: &str = "aarch64-unknown-linux-musl";

/// The profile of `Cargo.toml`. It has a folder of its own, so that no other step compiles anything again or waits.
const PROFILE: &str = "emulated";

/// A test of `quadrille-wasm`, whose results are the same bytes on every processor.
const SAME_BITS: &str = "same_bits";

/// Builds and runs the program and the test. Needs the web client and the module, which are built. Skipped where the
/// emulator, the target of Rust or the compiler cannot be installed.
///
/// # Errors
/// When a build fails, or a program does not do what it should.
pub fn test(project: &Project, steps: &mut Steps) -> Outcome {
    let platform = Platform::chosen(&[TRIPLE.to_owned()])?[0];
    let out = out_folder(project)?;
    let tools = match prepare(project, platform, &out, steps) {
        Ok(tools) => tools,
        Err(reason) => {
            steps.skip("ARM64", &reason);
            return Ok(());
        }
    };
    // One command, since the features of libraries depend on the packages that are built together.
    let mut build = compilation(project, platform, &tools)?;
    build.args(["--profile", PROFILE, "--package", "quadrille-server", "--bin", "quadrille"]);
    build.args(["--package", "quadrille-wasm", "--test", SAME_BITS]);
    steps.run("ARM64: build the server and a test", &mut build)?;
    let folder = project.target.join(TRIPLE).join(PROFILE);
    let program = folder.join("quadrille");
    steps.perform("ARM64: the program is static", || static_program::check(&program))?;
    steps.perform("ARM64: serve a workbook", || smoke_test::run(platform, &program, &out))?;
    let mut same_bits = platform.command(newest_test(&folder.join("deps"), SAME_BITS)?)?;
    same_bits.current_dir(&project.root).arg("--ignored");
    steps.run("ARM64 and WebAssembly give the same bits", &mut same_bits)
}

/// Installs what is missing. Returns the folder of the compilers.
///
/// # Errors
/// Says what this machine lacks.
fn prepare(project: &Project, platform: &Platform, out: &Path, steps: &mut Steps) -> Result<PathBuf, String> {
    platform.emulator()?;
    setup::rust_target(platform.triple, steps)?;
    compilers(project, out, steps)
}

/// The program of an integration test that cargo has linked last: `NAME-HASH`, beside files of that name with an
/// extension.
fn newest_test(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_program = |path: &PathBuf| {
        let stem = path.file_name().and_then(|file| file.to_str()?.strip_prefix(name)?.strip_prefix('-'));
        stem.is_some_and(|hash| hash.chars().all(|digit| digit.is_ascii_hexdigit()))
    };
    let programs = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_program);
    let newest = programs.max_by_key(|path| setup::modified(path));
    newest.ok_or_else(|| format!("there is no program of the test {name} in {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn the_newest_program_of_a_test_is_found_among_other_files() {
        let folder = std::env::temp_dir().join(format!("quadrille-newest-test-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("writable");
        let files =
            ["same_bits-0a1b", "same_bits-77ff", "same_bits-77ff.d", "same_bits_more-0a1b", "same_bits"];
        for (file, age_s) in files.into_iter().zip([50, 40, 30, 20, 10]) {
            let created = fs::File::create(folder.join(file)).expect("writable");
            created.set_modified(SystemTime::now() - Duration::from_secs(age_s)).expect("writable");
        }
        assert_eq!(newest_test(&folder, "same_bits"), Ok(folder.join("same_bits-77ff")));
        let error = newest_test(&folder, "other_bits").expect_err("missing");
        assert!(error.contains("other_bits"), "{error}");
        fs::remove_dir_all(folder).expect("removable");
    }
}
