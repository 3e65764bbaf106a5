//! The `quadrille` binary: the only crate with threads, sockets and a clock.
//!
//! `cli` and `config` are what it is told; `serve` starts and stops it; `http` is what the outside sees; `rooms` runs
//! the rooms and the journal. `offline` are the commands that need no server. `limits` has every bound by name.

mod cells;
mod cli;
mod config;
mod error;
mod history;
mod http;
mod limits;
mod metrics;
mod offline_commands;

mod priority;
mod rates;
mod room_name;
mod rooms;
mod serve;
mod storage_check;
mod trace;
mod websocket;
mod workbook_files;

use std::process::ExitCode;

use clap::Parser;

use cli::{Command, CommandLine};

/// Why a command could not be done; the number is the exit code.
pub enum Failure {
    /// 1: with one line for the person.
    Failed(String),
    /// 2: the configuration is wrong.
    Misconfigured(String),
    /// 4: stored data is damaged, as was said line by line.
    Damaged(String),
}

fn main() -> ExitCode {
    let done = match CommandLine::parse().command {
        Command::Serve(arguments) => serve::serve(*arguments),
        Command::Import(arguments) => offline_commands::import(&arguments),
        Command::Export(arguments) => offline_commands::export(&arguments),
        Command::Convert(arguments) => offline_commands::convert(&arguments),
        Command::Check(arguments) => storage_check::check(&arguments),
        Command::Repair(arguments) => storage_check::repair(&arguments),
        Command::Version => {
            println!("quadrille {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
    };
    let (code, message) = match done {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Failed(message)) => (1, message),
        Err(Failure::Misconfigured(message)) => (2, message),
        Err(Failure::Damaged(message)) => (4, message),
    };
    eprintln!("quadrille: {message}");
    ExitCode::from(code)
}
