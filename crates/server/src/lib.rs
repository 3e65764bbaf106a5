//! The program `quadrille`: the only crate with threads, sockets and a clock. [`run`] is all that its
//! binary calls.
//!
//! | to find | read |
//! |---|---|
//! | the command line and its subcommands | `cli`, `commands` |
//! | settings, limits, rate limits | `config`, `limits`, `rate_limits` |
//! | REST, pages, the session socket | `http` (its `router` lists all routes) |
//! | rooms, autosave (journal), snapshots, fan-out | `rooms` |
//! | import and export of files | `http/import_api`, `http/export`, `workbook_files` |
//! | who may do what | `http/authorization` (each route names what it needs), `access`, `edit_permission` of the crate `room` |
//! | admin, quotas, trash, audit log | `http/admin`, `quotas`, `maintenance`, `privacy` |
//! | sign-in by providers and passkeys | `openid`, `passkeys`, `http/openid_api`, `http/passkeys_api` |
//! | TLS: certificates, sockets | `tls` |
//! | invitations and requests for access by mail | `mail`, `http/invitations` |
//! | mail about mentions, replies and tasks | `notifications`, `http/unsubscribe` |
//! | signed tokens of host applications | `host_tokens` |
//! | forms and their responses | `forms`, `http/forms_api`, `http/form_responses` |
//! | published pages | `published`, `http/published_api`, `http/published_pages` |
//! | rooms of several servers: the relay to the owner, spreading | `http/owner_relay`, `rooms/balance` |
//! | data of other workbooks and of the web | `imports` |
//! | the history: reading, comparing, undoing an author's changes | `rooms/history`, `rooms/author_undo`, `differences`, `http/history_api` |
//! | copies between storage engines | `transfer`, `commands/migrate` |
//! | backups | `backup`, `commands/backup`, `commands/restore` |
//! | the rooms of EtherCalc | `ethercalc_import`, `commands/ethercalc_import` |
//! | metrics, traces | `metrics`, `trace` |

mod access;
mod admin_command_line;
mod backup;
mod cells;
mod change_json;
mod cli;
mod command_batch;
mod commands;
mod comment_changes;
mod config;
mod differences;
mod error;
mod ethercalc_import;
mod forms;
mod guarded_resolver;
mod hexadecimal;
mod history_json;
mod host_tokens;
mod http;
mod http_client;
mod imports;
mod input_errors;
mod limits;
mod mail;
mod maintenance;
mod mcp;
mod metrics;
mod network;
mod notifications;
mod object_storage;
mod openid;
mod passkeys;
mod privacy;
mod published;
mod quotas;
mod rate_limits;
mod room_link;
mod room_name;
mod rooms;
mod s3;
mod secret_setting;
mod sheet_lookup;
mod stopped;
mod storage_location;
mod tenant_settings;
mod thread_priority;
mod time_triggers;
mod tls;
mod trace;
mod transfer;
mod webhooks;
mod websocket;
mod workbook_files;

use std::process::ExitCode;

use clap::Parser;

use cli::{Command, CommandLine};
use commands::CommandError;

/// Runs the command of the command line and returns the exit code: 1 for a failure, 2 for a wrong
/// configuration, 4 for damaged data.
pub fn run() -> ExitCode {
    let result = match CommandLine::parse().command {
        Command::Serve(arguments) => commands::serve(*arguments),
        Command::Import(arguments) => commands::import(&arguments),
        Command::Export(arguments) => commands::export(&arguments),
        Command::Convert(arguments) => commands::convert(&arguments),
        Command::Backup(arguments) => commands::backup(&arguments),
        Command::Restore(arguments) => commands::restore(&arguments),
        Command::Migrate(arguments) => commands::migrate(&arguments),
        Command::MoveRoom(arguments) => commands::move_room(&arguments),
        Command::Check(arguments) => commands::check(&arguments),
        Command::Repair(arguments) => commands::repair(&arguments),
        Command::Doctor(arguments) => commands::doctor(&arguments),
        Command::Top(arguments) => commands::top(&arguments),
        Command::Mcp(arguments) => commands::mcp(&arguments),
        Command::Admin(arguments) => commands::admin(&arguments),
        Command::Completions(arguments) => commands::completions(&arguments),
        Command::Man(arguments) => commands::man(&arguments),
        Command::Version => {
            println!("quadrille {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
    };
    let (code, message) = match result {
        Ok(()) => return ExitCode::SUCCESS,
        Err(CommandError::Failed(message)) => (1, message),
        Err(CommandError::Misconfigured(message)) => (2, message),
        Err(CommandError::Damaged(message)) => (4, message),
    };
    eprintln!("quadrille: {message}");
    ExitCode::from(code)
}
