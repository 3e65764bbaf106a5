//! What the programs of this crate have in common: help, wrong options and exit codes.

use std::process::ExitCode;

/// Runs a program with the options that were read. Without options (`--help`) prints the help, and for wrong ones
/// the message, with exit code 2.
pub fn with_options<O>(
    help: &str,
    options: Result<Option<O>, String>,
    run: impl FnOnce(O) -> ExitCode,
) -> ExitCode {
    match options {
        Ok(Some(options)) => run(options),
        Ok(None) => {
            print!("{help}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}\n\n{help}");
            ExitCode::from(2)
        }
    }
}

/// Prints the failure of a run with its seed, and returns the exit code.
pub fn exit_code(seed: u64, outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("seed {seed}: {failure}");
            ExitCode::FAILURE
        }
    }
}
