//! The command line: what `quadrille --help` shows.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::config::SettingsSource;

/// A spreadsheet that any number of people edit at the same time
#[derive(Parser)]
#[command(
    name = "quadrille",
    version,
    arg_required_else_help = true,
    after_help = "Run `quadrille serve` and open http://localhost:8000 in two browsers.\n\
                  Exit codes: 0 done, 1 it could not be done, 2 wrong command line or configuration, \
                  3 the storage failed while serving, 4 stored data is damaged."
)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Serve workbooks to browsers
    Serve(Box<ServeArguments>),
    /// Put files into rooms, one room for each file
    Import(ImportArguments),
    /// Write a room to a file; the file's name says the format
    Export(ExportArguments),
    /// Read a file, recalculate every formula, and write another file
    ///
    /// Needs no server and no data directory. The names say the formats.
    Convert(ConvertArguments),
    /// Read everything stored in a data directory and report what is wrong
    Check(CheckArguments),
    /// Put right what is damaged in a data directory, as far as that is possible without making anything up
    ///
    /// Says what it would do. With --write it does what loses nothing; with --cut also what gives up records that
    /// cannot be used any more. Before it changes anything, it copies the files to before-repair-N in the directory.
    Repair(RepairArguments),
    /// Print the version
    Version,
}

#[derive(Args)]
pub struct ServeArguments {
    /// Read settings from this TOML file; flags and QUADRILLE_* variables are stronger
    #[arg(long, env = "QUADRILLE_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub settings: SettingsSource,
}

/// Where the rooms are: a server that runs, or the data directory of one that does not.
#[derive(Args)]
pub struct RoomsLocation {
    /// Address of a running server, such as http://localhost:8000
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    pub server: Option<String>,
    /// Data directory to use directly; no server may be running on it
    #[arg(long, env = "QUADRILLE_DATA", value_name = "DIRECTORY", default_value = "data")]
    pub data: PathBuf,
}

#[derive(Args)]
pub struct ImportArguments {
    /// Files to read: .xlsx .csv .tsv .json and what else `quadrille convert` reads
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Room to put the file into, replacing what is there; a new unguessable name otherwise
    #[arg(long, value_name = "NAME")]
    pub room: Option<String>,
    #[command(flatten)]
    pub place: RoomsLocation,
}

#[derive(Args)]
pub struct ExportArguments {
    /// Name of the room
    #[arg(value_name = "ROOM")]
    pub room: String,
    /// File to write: .xlsx .csv .tsv .json .html .md
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub place: RoomsLocation,
}

#[derive(Args)]
pub struct ConvertArguments {
    /// File to read
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// File to write
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Write numbers in full instead of as they are shown
    #[arg(long)]
    pub raw: bool,
}

#[derive(Args)]
pub struct CheckArguments {
    /// Data directory; no server may be running on it
    #[arg(long, env = "QUADRILLE_DATA", value_name = "DIRECTORY", default_value = "data")]
    pub data: PathBuf,
}

#[derive(Args)]
pub struct RepairArguments {
    /// Data directory; no server may be running on it
    #[arg(long, env = "QUADRILLE_DATA", value_name = "DIRECTORY", default_value = "data")]
    pub data: PathBuf,
    /// Do what loses nothing
    #[arg(long)]
    pub write: bool,
    /// Do everything, also where rooms then go back to the last revision that can be read
    #[arg(long)]
    pub cut: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        CommandLine::command().debug_assert();
    }
}
