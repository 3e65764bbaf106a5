//! The comments of cells: SocialCalc has one text for each cell, a workbook notes and comment threads.

use std::collections::BTreeMap;

use quadrille_cell::CellAddress;
use quadrille_workbook::{Field, Item, ItemId, ItemKind, Sheet};

/// The notes and comment threads of each cell as one text.
pub fn comment_texts(sheet: &Sheet) -> BTreeMap<CellAddress, String> {
    let mut texts: BTreeMap<CellAddress, String> = BTreeMap::new();
    for (id, item) in sheet.items().iter() {
        let text = match item.kind {
            ItemKind::Note => item.text(Field::Text).map(ToString::to_string).unwrap_or_default(),
            ItemKind::CommentThread => thread_text(sheet, id),
            _ => continue,
        };
        let Some(anchor) = item.anchors.first().filter(|_| !text.is_empty()) else { continue };
        let all = texts.entry(anchor.first()).or_default();
        if !all.is_empty() {
            all.push('\n');
        }
        all.push_str(&text);
    }
    texts
}

/// The comments of a thread in the order of their times.
pub fn thread_comments(sheet: &Sheet, thread: ItemId) -> Vec<(ItemId, &Item)> {
    let comments = sheet.items().of_kind(ItemKind::Comment);
    let comments = comments.filter(|(_, comment)| comment.parent() == Some(thread));
    let mut comments: Vec<(ItemId, &Item)> = comments.map(|(id, comment)| (id, &**comment)).collect();
    let time = |comment: &Item| comment.number(Field::Time).unwrap_or(0.0);
    comments.sort_by(|(_, a), (_, b)| time(a).total_cmp(&time(b)));
    comments
}

fn thread_text(sheet: &Sheet, thread: ItemId) -> String {
    let lines = thread_comments(sheet, thread).into_iter().filter_map(|(_, comment)| {
        let text = comment.text(Field::Text)?;
        Some(match comment.text(Field::Author) {
            Some(author) => format!("{author}: {text}"),
            None => text.to_string(),
        })
    });
    lines.collect::<Vec<_>>().join("\n")
}
