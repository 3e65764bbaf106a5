//! Several commands as one transaction.

use quadrille_cell::SheetId;

use crate::plan::planner::{Plan, Planner};
use crate::{Command, CommandError, Transaction, apply};

/// Commands of one `Many`, those within further ones included.
const COMMANDS_MAX: usize = 10_000;

impl Planner<'_> {
    pub fn many(&self, commands: &[Command], new_sheet: &mut dyn FnMut() -> SheetId) -> Plan {
        self.each(commands, &mut |planner, command| planner.plan(command, new_sheet))
    }

    /// One after the other, each in the workbook as those before have left it.
    pub fn each(&self, commands: &[Command], plan: &mut dyn FnMut(&Planner, &Command) -> Plan) -> Plan {
        let mut left = COMMANDS_MAX;
        let mut workbook = self.workbook.clone();
        let mut operations = Vec::new();
        // A list instead of recursion: how deep commands lie in one another is for the sender to say.
        let mut waiting: Vec<&Command> = commands.iter().rev().collect();
        while let Some(command) = waiting.pop() {
            left = left.checked_sub(1).ok_or(CommandError::TooManyCommands { max: COMMANDS_MAX })?;
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
