//! `quadrille admin`: manages accounts, on a data directory or on a running server.

mod connection;
mod create;
mod typed_password;

use super::command_error::CommandError;
use crate::cli::{AdminArguments, AdminCommand};

/// Runs an administrative command.
///
/// # Errors
///
/// Fails when the data directory or the server cannot be reached, or refuses.
pub fn admin(arguments: &AdminArguments) -> Result<(), CommandError> {
    match &arguments.command {
        AdminCommand::Create(arguments) => create::create(arguments),
    }
}
