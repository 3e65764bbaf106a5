//! Error notices: a code, the values that the message names, and the English message. The client
//! has the messages in every language (`web/app/src/language/engine-errors.ts`).

use quadrille_document::SearchError;
use quadrille_operation::{CommandError, OperationError};
use quadrille_protocol::CloseReason;
use quadrille_replica::ReplicaError;

use crate::messages::Notice;

/// The code of errors that have an English message only.
const OTHER: &str = "other";

/// The notice of an error of the replica.
pub fn of(problem: &ReplicaError) -> Notice {
    let (code, values) = match problem {
        ReplicaError::Command(error) => command(error),
        ReplicaError::Operation(error) => operation(error),
        ReplicaError::Protected(protected) => {
            let range = protected.range.map_or_else(String::new, |range| format!("!{range}"));
            let description = protected.description.to_string();
            match protected.range {
                Some(_) => ("protectedCells", vec![format!("{}{range}", protected.sheet), description]),
                None => ("protectedSheet", vec![protected.sheet.to_string(), description]),
            }
        }
        ReplicaError::EditNotAllowed { .. } => ("readOnly", vec![]),
        ReplicaError::TooLarge { .. } => ("tooLarge", vec![]),
        ReplicaError::TooMuchUnsaved { unconfirmed } => ("tooMuchUnsaved", vec![unconfirmed.to_string()]),
        ReplicaError::NothingToUndo => ("nothingToUndo", vec![]),
        ReplicaError::NothingToRedo => ("nothingToRedo", vec![]),
        ReplicaError::UndoDiscarded => ("undoForgotten", vec![]),
        ReplicaError::NotRebased { transactions } => ("notFollowed", vec![transactions.to_string()]),
        ReplicaError::OverwrittenByOthers => ("overwrittenByOthers", vec![]),
        ReplicaError::SheetDeleted => ("sheetIsGone", vec![]),
        ReplicaError::Refused { code, message } => {
            ("refusedByServer", vec![code.name().to_owned(), message.clone()])
        }
        ReplicaError::Ended { reason } => match reason {
            CloseReason::Deleted => ("roomDeleted", vec![]),
            CloseReason::UpgradeClient => ("newerServer", vec![]),
            CloseReason::Forbidden => ("forbidden", vec![]),
            CloseReason::Replaced => ("replaced", vec![]),
            other => ("ended", vec![other.name().to_owned()]),
        },
        ReplicaError::BadFrame { .. } => ("badFrame", vec![]),
    };
    Notice::Refused { code, values, message: problem.to_string() }
}

/// The notice of a search that cannot be run.
pub fn of_search(error: &SearchError) -> Notice {
    let (code, values) = match error {
        SearchError::BadLength { .. } => ("searchLength", vec![]),
        SearchError::BadPattern { reason } => ("badPattern", vec![reason.clone()]),
    };
    Notice::Refused { code, values, message: error.to_string() }
}

fn command(error: &CommandError) -> (&'static str, Vec<String>) {
    match error {
        CommandError::UnknownSheet { .. } => ("unknownSheet", vec![]),
        CommandError::BadAddress(error) => ("badAddress", vec![error.to_string()]),
        CommandError::OutsideSheet => ("outsideSheet", vec![]),
        CommandError::TooManyCells { count, max } => {
            ("tooManyCells", vec![count.to_string(), max.to_string()])
        }
        CommandError::SheetNameTaken { name } => ("sheetNameTaken", vec![name.clone()]),
        CommandError::TooManySheets { max } => ("tooManySheets", vec![max.to_string()]),
        CommandError::LastSheet => ("lastSheet", vec![]),
        CommandError::NoRoomToInsert => ("noRoomToInsert", vec![]),
        CommandError::BadFillTarget => ("badFillTarget", vec![]),
        CommandError::BadSortKey => ("badSortKey", vec![]),
        CommandError::NoSeparator => ("noSeparator", vec![]),
        CommandError::UnknownName { name } => ("unknownName", vec![name.clone()]),
        CommandError::TooManyItems { max } => ("tooManyItems", vec![max.to_string()]),
        CommandError::MergedCells { range } => ("mergedCells", vec![range.clone()]),
        CommandError::CellsOfPivotTable => ("cellsOfPivotTable", vec![]),
        CommandError::PartOfPivotTable => ("partOfPivotTable", vec![]),
        CommandError::SortedPivotTable => ("sortedPivotTable", vec![]),
        CommandError::PartOfArray { formula } => ("partOfArray", vec![formula.clone()]),
        CommandError::SortedArray { formula } => ("sortedArray", vec![formula.clone()]),
        CommandError::TooManyCommands { max } => ("tooManyCommands", vec![max.to_string()]),
        CommandError::TooManyRowRanges { count } => ("tooManyPieces", vec![count.to_string()]),
        CommandError::NotSuggestable => ("notSuggestable", vec![]),
        CommandError::Refused(error) => operation(error),
        // Errors of programs that use the REST API; the client does not send such commands.
        _ => (OTHER, vec![]),
    }
}

fn operation(error: &OperationError) -> (&'static str, Vec<String>) {
    match error {
        OperationError::TooManyOperations { .. } => ("tooLarge", vec![]),
        OperationError::TooManyCells { count, max } => {
            ("tooManyCells", vec![count.to_string(), max.to_string()])
        }
        OperationError::TextTooLong { max, .. } => ("textTooLong", vec![max.to_string()]),
        OperationError::FormulaTooLong { .. } => ("formulaTooLong", vec![]),
        OperationError::FormulaTooDeep => ("formulaTooDeep", vec![]),
        OperationError::NumberFormatTooLong { max, .. } => ("numberFormatTooLong", vec![max.to_string()]),
        OperationError::BadFontSize { points } => ("badFontSize", vec![points.clone()]),
        OperationError::BadSheetName { name, .. } => ("badSheetName", vec![name.clone()]),
        OperationError::BadName { name, .. } => ("badName", vec![name.clone()]),
        OperationError::SpanOutsideSheet { .. } => ("outsideSheet", vec![]),
        _ => (OTHER, vec![]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_a_code_and_the_values_of_its_message() {
        let taken = ReplicaError::Command(CommandError::SheetNameTaken { name: "Sales".to_owned() });
        let Notice::Refused { code, values, message } = of(&taken) else { panic!("a refusal") };
        assert_eq!((code, values), ("sheetNameTaken", vec!["Sales".to_owned()]));
        assert_eq!(message, "another sheet has this name: Sales");
    }
}
