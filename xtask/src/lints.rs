//! Clippy and rustdoc as parts of the compilation of the tests.
//!
//! `cargo clippy` and `cargo doc` check every crate and all dependencies in compilations of their own,
//! which cannot use what `cargo test` has compiled. Therefore a whole test run compiles the crates with
//! clippy's driver, as `cargo clippy` checks them, and documents each library when cargo runs the examples
//! of its documentation.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::outcome::Outcome;
use crate::project::Project;

/// Names the folder of the documentation, and makes this program take the place of rustdoc.
const DOCUMENTATION: &str = "QUADRILLE_DOCUMENTATION";

/// The library whose items are all private, but for the entry of its binary.
const PROGRAM: &str = "quadrille";

/// Makes cargo compile the crates of the workspace with clippy, where a warning is an error.
///
/// # Errors
/// When clippy is not installed.
pub fn with_clippy(command: &mut Command) -> Result<&mut Command, String> {
    let driver = tool("clippy-driver")?;
    if !driver.exists() {
        return Err("clippy is missing: rustup component add clippy".to_owned());
    }
    // The separator of arguments is clippy's; see `cargo clippy` in its source.
    let deny = "--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";
    Ok(command.env("RUSTC_WORKSPACE_WRAPPER", driver).env("CLIPPY_ARGS", deny))
}

/// Makes `cargo test --doc` document each library, after its examples have passed. A warning is an error.
///
/// # Errors
/// When the path of this program is unknown.
pub fn with_documentation<'a>(
    project: &Project,
    command: &'a mut Command,
) -> Result<&'a mut Command, String> {
    let this = env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    Ok(command.env("RUSTDOC", this).env(DOCUMENTATION, project.target.join("doc")))
}

/// Whether cargo has started this program in place of rustdoc.
pub fn is_rustdoc() -> bool {
    env::var_os(DOCUMENTATION).is_some()
}

/// Starts rustdoc with the arguments of this program, which make it test the examples of a library, and
/// once more to document the library.
pub fn run_rustdoc() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    match test_and_document(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn test_and_document(arguments: &[OsString]) -> Outcome {
    let rustdoc = tool("rustdoc")?;
    let run = |command: &mut Command| {
        let status = command.env_remove(DOCUMENTATION).status();
        let status = status.map_err(|error| format!("cannot start rustdoc: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("rustdoc ended with {status}")) }
    };
    run(Command::new(&rustdoc).args(arguments))?;
    if arguments.iter().any(|argument| argument == "--test") {
        let mut document = Command::new(&rustdoc);
        if arguments.iter().any(|argument| argument == PROGRAM) {
            document.arg("--document-private-items");
        }
        document.args(without_tests(arguments)).args(["--deny", "warnings", "--out-dir"]);
        run(document.arg(env::var_os(DOCUMENTATION).unwrap_or_default()))?;
    }
    Ok(())
}

/// The arguments that do not speak of tests.
fn without_tests(arguments: &[OsString]) -> Vec<&OsString> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        match text.split('=').next().unwrap_or_default() {
            // With its value, if that is an argument of its own.
            "--test-run-directory" | "--test-args" if !text.contains('=') => {
                rest.next();
            }
            "--test" | "--test-run-directory" | "--test-args" | "--no-run" | "--nocapture" => {}
            _ => kept.push(argument),
        }
    }
    kept
}

/// A program of the toolchain that compiles the crates.
fn tool(name: &str) -> Result<PathBuf, String> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output();
    let output = output.map_err(|error| format!("cannot start rustc: {error}"))?;
    let root = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    Ok(root.join("bin").join(name).with_extension(env::consts::EXE_EXTENSION))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_documented_with_the_arguments_of_its_examples() {
        let arguments = [
            "--crate-name",
            "cell",
            "--test",
            "src/lib.rs",
            "--test-run-directory",
            "crates/cell",
            "--test-args=one",
            "--extern",
            "cell=libcell.rlib",
        ];
        let arguments = arguments.map(OsString::from);
        let kept = ["--crate-name", "cell", "src/lib.rs", "--extern", "cell=libcell.rlib"];
        assert_eq!(without_tests(&arguments), kept.map(OsString::from).iter().collect::<Vec<_>>());
    }
}
