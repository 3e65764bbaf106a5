//! `quadrille completions` and `quadrille man`: what packages install beside the program.

use std::io::Write as _;

use clap::CommandFactory as _;

use super::command_error::CommandError;
use crate::cli::{CommandLine, CompletionsArguments, ManArguments};

/// Prints the completions of a shell.
///
/// # Errors
/// Fails when standard output is closed.
pub fn completions(arguments: &CompletionsArguments) -> Result<(), CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "quadrille", &mut script);
    std::io::stdout()
        .write_all(&script)
        .map_err(|error| CommandError::Failed(format!("cannot print: {error}")))
}

/// Writes `quadrille.1`, and a page for each subcommand.
///
/// # Errors
/// Fails when the directory cannot be written.
pub fn man(arguments: &ManArguments) -> Result<(), CommandError> {
    clap_mangen::generate_to(CommandLine::command(), &arguments.directory)
        .map_err(|error| CommandError::Failed(format!("{}: {error}", arguments.directory.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_and_its_flags_are_completed() {
        let directory = tempfile::tempdir().expect("a directory");
        man(&ManArguments { directory: directory.path().to_owned() }).unwrap_or_else(|_| panic!("writable"));
        let page = |name: &str| std::fs::read_to_string(directory.path().join(name)).expect("a page");
        assert!(page("quadrille.1").contains("Self\\-hosted collaborative spreadsheet"));
        assert!(page("quadrille-serve.1").contains("\\-\\-listen"));
        for command in CommandLine::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            page(&format!("quadrille-{}.1", command.get_name()));
        }
        let mut script = Vec::new();
        clap_complete::generate(
            clap_complete::Shell::Bash,
            &mut CommandLine::command(),
            "quadrille",
            &mut script,
        );
        assert!(String::from_utf8_lossy(&script).contains("--public-url"));
    }
}
