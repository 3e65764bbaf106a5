//! Commands of the web client as one transaction: together or not at all.

use quadrille_cell::SheetId;
use quadrille_formula::FunctionNames;
use quadrille_operation::{Command, InputContext, Locale, Transaction, apply_operation, plan_typed};
use quadrille_workbook::Workbook;
use serde_json::Value as Json;

use crate::cells::resolve_style_name;
use crate::error::{ApiError, ErrorCode};
use crate::sheet_lookup::sheet_by_name;
use crate::{input_errors, limits};

/// Plans commands one after another: each finds the workbook as those before it leave it. In a command,
/// `sheet` and `fromSheet` may be the name of a sheet instead of its number. Typed text is read in the
/// English locale and UTC.
///
/// # Errors
/// `bad_json` for too many commands and for one that is none, `no_such_sheet`, and `bad_command` for one
/// that cannot be carried out; the message has its number, from 1.
pub fn plan_batch(
    workbook: &Workbook,
    commands: &[Json],
    now_ms: i64,
    new_sheet: &mut dyn FnMut() -> SheetId,
) -> Result<Transaction, ApiError> {
    if commands.is_empty() || commands.len() > limits::COMMANDS_PER_BATCH_MAX {
        let message =
            format!("a batch has 1 to {} commands: {}", limits::COMMANDS_PER_BATCH_MAX, commands.len());
        return Err(ApiError::new(ErrorCode::BadJson, message));
    }
    // The cells are shared until they are written.
    let mut copy = workbook.clone();
    let mut transaction = Transaction::default();
    for (index, given) in commands.iter().enumerate() {
        let at =
            |error: ApiError| ApiError::new(error.code, format!("command {}: {}", index + 1, error.message));
        let command = command_of(&copy, given).map_err(at)?;
        let typing = InputContext::at(Locale::default(), now_ms);
        let planned = plan_typed(&command, &copy, typing, &FunctionNames::ENGLISH, new_sheet)
            .map_err(|error| at(ApiError::new(ErrorCode::BadCommand, error.to_string())))?;
        for operation in &planned.operations {
            apply_operation(&mut copy, operation);
        }
        transaction.operations.extend(planned.operations);
    }
    Ok(transaction)
}

fn command_of(workbook: &Workbook, given: &Json) -> Result<Command, ApiError> {
    let mut given = given.clone();
    // A suggestion has its command in `command`.
    let mut level = Some(&mut given);
    while let Some(command) = level {
        for member in ["sheet", "fromSheet"] {
            if let Some(Json::String(name)) = command.get(member) {
                command[member] = sheet_by_name(workbook, name)?.id().0.into();
            }
        }
        level = command.get_mut("command");
    }
    if let Some(format) = given.get_mut("format") {
        resolve_style_name(workbook, format)?;
    }
    serde_json::from_value(given)
        .map_err(|error| ApiError::new(ErrorCode::BadJson, input_errors::of_json(&error)))
}
