//! `quadrille admin`: manages accounts, on a data directory or on a running server.

mod audit;
mod connection;
mod create;
mod remote;
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
        AdminCommand::Create(given) => create::create(given),
        AdminCommand::Audit(given) => audit::audit(&arguments.server, given),
        AdminCommand::Request(request) => remote::request(&arguments.server, request),
    }
}
