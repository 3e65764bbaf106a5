//! `set A1 comment TEXT`: SocialCalc has one text for each cell, a workbook notes and comment threads.
//!
//! A client of EtherCalc shows the thread of a cell as a text. Text behind it is a reply, and another
//! text replaces the thread by a note, because SocialCalc's user has replaced the comment.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Range};
use quadrille_files::socialcalc_comments::{comment_texts, thread_comments};
use quadrille_operation::{Command, ItemValue};
use quadrille_workbook::{Field, Item, ItemId, ItemKind};

use crate::planner::Planner;

/// Cells of a range that gets a comment, at most.
const COMMENTED_CELLS_MAX: u64 = 1_000;

impl Planner<'_> {
    /// Gives each cell of a range this comment; `None` removes the comments.
    ///
    /// # Errors
    /// Too many cells.
    pub(crate) fn comment(&mut self, range: Range, text: Option<&str>) -> Result<(), String> {
        let Some(text) = text else {
            self.remove_threads(range)?;
            return self.remove_notes(range);
        };
        if range.cell_count() > COMMENTED_CELLS_MAX {
            return Err(format!("{range} has more than {COMMENTED_CELLS_MAX} cells for a comment"));
        }
        let shown = comment_texts(self.sheet());
        range.cells().try_for_each(|cell| self.comment_cell(cell, shown.get(&cell), text))
    }

    fn comment_cell(&mut self, cell: CellAddress, shown: Option<&String>, text: &str) -> Result<(), String> {
        let threads = self.threads(Range::cell(cell));
        if let (Some(thread), Some(shown)) = (threads.last(), shown) {
            match text.strip_prefix(shown.as_str()) {
                Some(more) if more.trim().is_empty() => return Ok(()),
                // The text of the last comment may have been continued on the same line.
                Some(more) if more.starts_with('\n') => return self.reply(*thread, more.trim()),
                _ => {}
            }
        }
        self.remove_threads(Range::cell(cell))?;
        self.remove_notes(Range::cell(cell))?;
        self.note(cell, text)
    }

    /// Adds a comment to a thread. It has no author, because clients show their text without one, and the
    /// time after the last comment: a plan has no clock.
    fn reply(&mut self, thread: ItemId, text: &str) -> Result<(), String> {
        let last =
            thread_comments(self.sheet(), thread).last().and_then(|(_, last)| last.number(Field::Time));
        let fields = BTreeMap::from([
            ("parent".to_owned(), ItemValue::Number(thread.0 as f64)),
            ("text".to_owned(), ItemValue::Text(text.to_owned())),
            ("time".to_owned(), ItemValue::Number(last.unwrap_or(0.0) + 1.0)),
        ]);
        let (kind, anchors) = (Some("comment".to_owned()), Some(Vec::new()));
        self.command(&Command::SetItem { sheet: Some(self.sheet.0), item: None, kind, anchors, fields })
    }

    fn threads(&self, range: Range) -> Vec<ItemId> {
        self.items(|item: &Item| {
            item.kind == ItemKind::CommentThread
                && item.anchors.first().is_some_and(|anchor| range.contains(anchor.first()))
        })
    }

    fn remove_threads(&mut self, range: Range) -> Result<(), String> {
        for thread in self.threads(range) {
            let comments = thread_comments(self.sheet(), thread).into_iter().map(|(id, _)| id);
            for item in comments.chain([thread]).collect::<Vec<_>>() {
                self.command(&Command::RemoveItem { sheet: Some(self.sheet.0), item: item.0 })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use quadrille_cell::SheetId;
    use quadrille_operation::Transaction;
    use quadrille_workbook::Workbook;

    use super::*;
    use crate::{Follow, follow, parse, plan};

    /// Adds an item to the first sheet, as the web client does; the commands that EtherCalc's page gets.
    fn add(
        workbook: &mut Workbook,
        item: u64,
        kind: &str,
        anchors: &[&str],
        fields: &[(&str, ItemValue)],
    ) -> Vec<String> {
        let command = Command::SetItem {
            sheet: Some(workbook.sheets()[0].id().0),
            item: Some(item),
            kind: Some(kind.to_owned()),
            anchors: Some(anchors.iter().map(|anchor| (*anchor).to_owned()).collect()),
            fields: fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        };
        let transaction = quadrille_operation::plan(&command, workbook, &mut || SheetId(9)).expect("a plan");
        followed(workbook, &transaction)
    }

    fn followed(workbook: &mut Workbook, transaction: &Transaction) -> Vec<String> {
        let sheet = workbook.sheets()[0].id();
        let mut all = Vec::new();
        for operation in &transaction.operations {
            let Follow::Commands { commands, .. } = follow(workbook, sheet, operation) else {
                panic!("a save")
            };
            all.extend(commands);
        }
        all
    }

    fn comment(text: &str, author: &str, time: f64) -> [(&'static str, ItemValue); 4] {
        let text_of = |text: &str| ItemValue::Text(text.to_owned());
        [
            ("parent", ItemValue::Number(5.0)),
            ("text", text_of(text)),
            ("author", text_of(author)),
            ("time", ItemValue::Number(time)),
        ]
    }

    /// A workbook with the thread "Ann: why?" in B2.
    fn with_thread() -> Workbook {
        let mut workbook = Workbook::new();
        assert_eq!(add(&mut workbook, 5, "commentThread", &["B2"], &[]), [""; 0]);
        let commands = add(&mut workbook, 6, "comment", &[], &comment("why?", "Ann", 10.0));
        assert_eq!(commands, ["set B2 comment Ann\\c why?"]);
        workbook
    }

    /// Carries out a command of EtherCalc's page; the comments of B2 then.
    fn commented(workbook: &mut Workbook, command: &str) -> Option<String> {
        let sheet = workbook.sheets()[0].id();
        let statements = parse(command).expect("a command");
        let planned = plan(&statements, workbook, sheet, None, &mut || SheetId(9)).expect("a plan");
        followed(workbook, &planned.transaction);
        comment_texts(&workbook.sheets()[0]).remove(&CellAddress::parse_a1("B2").expect("a cell"))
    }

    fn count(workbook: &Workbook, kind: ItemKind) -> usize {
        workbook.sheets()[0].items().of_kind(kind).count()
    }

    #[test]
    fn threads_and_replies_reach_the_page_of_ethercalc() {
        let mut workbook = with_thread();
        let reply = add(&mut workbook, 7, "comment", &[], &comment("because", "Bo", 20.0));
        assert_eq!(reply, ["set B2 comment Ann\\c why?\\nBo\\c because"]);
    }

    #[test]
    fn text_behind_a_thread_is_a_reply() {
        let mut workbook = with_thread();
        let text = "Ann: why?\nbecause: so";
        let command = "set B2 comment Ann\\c why?\\nbecause\\c so";
        assert_eq!(commented(&mut workbook, command).as_deref(), Some(text));
        assert_eq!((count(&workbook, ItemKind::Comment), count(&workbook, ItemKind::Note)), (2, 0));
        // The same text once more changes nothing.
        assert_eq!(commented(&mut workbook, command).as_deref(), Some(text));
        assert_eq!(count(&workbook, ItemKind::Comment), 2);
    }

    #[test]
    fn another_text_replaces_a_thread() {
        let mut workbook = with_thread();
        assert_eq!(commented(&mut workbook, "set B2 comment done").as_deref(), Some("done"));
        assert_eq!((count(&workbook, ItemKind::CommentThread), count(&workbook, ItemKind::Note)), (0, 1));
        let mut workbook = with_thread();
        assert_eq!(commented(&mut workbook, "set B2 comment "), None);
        assert_eq!((count(&workbook, ItemKind::CommentThread), count(&workbook, ItemKind::Comment)), (0, 0));
    }
}
