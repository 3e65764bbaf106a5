//! Planning several commands as one transaction.

use quadrille_cell::SheetId;

use crate::plan::planner::{Plan, Planner};
use crate::{Command, CommandError, Transaction, apply};

/// Maximum number of commands of one `Many`, including nested ones.
const COMMANDS_MAX: usize = 10_000;

impl Planner<'_> {
    /// Plans the commands of `Command::Many`.
    pub fn many(&self, commands: &[Command], new_sheet: &mut dyn FnMut() -> SheetId) -> Plan {
        self.each(commands, &mut |planner, command| planner.plan(command, new_sheet))
    }

    /// Plans commands in order, each for the workbook that the earlier ones leave.
    pub fn each(&self, commands: &[Command], plan: &mut dyn FnMut(&Planner, &Command) -> Plan) -> Plan {
        let mut remaining = COMMANDS_MAX;
        let mut workbook = self.workbook.clone();
        let mut operations = Vec::new();
        // A stack instead of recursion, because the sender determines the nesting depth.
        let mut waiting: Vec<&Command> = commands.iter().rev().collect();
        while let Some(command) = waiting.pop() {
            remaining =
                remaining.checked_sub(1).ok_or(CommandError::TooManyCommands { max: COMMANDS_MAX })?;
            if let Command::Many { commands } = command {
                waiting.extend(commands.iter().rev());
                continue;
            }
            let planner = Planner { workbook: &workbook, limits: self.limits.clone(), ..*self };
            let step = Transaction { operations: plan(&planner, command)? };
            apply(&mut workbook, &step);
            operations.extend(step.operations);
        }
        Ok(operations)
    }
}
