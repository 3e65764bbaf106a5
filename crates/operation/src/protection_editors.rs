//! Who may edit a protected range: the field `editors` of the item, and the identity of an author.
//!
//! An entry is `owner`, the identifier of an account as in the author of a record (`account:…`), or
//! an e-mail address. A space and a name for people to read may follow. Any other text names nobody.

use std::sync::Arc;

use quadrille_workbook::{Field, FieldValue, Item, ItemKind};

/// The entry for the owners of the workbook. They may edit in any case; a protection that names
/// nobody else has this entry alone.
pub const OWNER: &str = "owner";

/// Characters of a name in a message.
const LABEL_CHARACTERS_MAX: usize = 60;

/// Who makes a change, as far as protections depend on it. The server has verified all of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EditorIdentity {
    /// Owners of the workbook may edit every range that names its editors.
    pub is_owner: bool,
    /// The account, as in the author of a record; empty for a person without one.
    pub account: Arc<str>,
    /// An e-mail address that belongs to the person, in lower case.
    pub email: Option<Arc<str>>,
}

impl EditorIdentity {
    /// The identity of an owner without an account, such as the holder of an owner key.
    pub fn owner() -> EditorIdentity {
        EditorIdentity { is_owner: true, ..EditorIdentity::default() }
    }

    /// Whether the entries of `editors` include this person.
    pub(crate) fn is_named_by(&self, editors: &[FieldValue]) -> bool {
        let is_mine = |entry: &FieldValue| {
            let FieldValue::Text(entry) = entry else { return false };
            let (who, _) = split(entry);
            let is_account = who != OWNER && !self.account.is_empty() && *who == *self.account;
            let is_email = self.email.as_ref().is_some_and(|email| who.to_lowercase() == **email);
            is_account || is_email
        };
        self.is_owner || editors.iter().any(is_mine)
    }
}

/// The editors that a protection names; empty for one that is closed to everybody.
pub(crate) fn editors_of(item: &Item) -> &[FieldValue] {
    match item.fields.get(&Field::Editors) {
        Some(FieldValue::List(editors)) => editors,
        _ => &[],
    }
}

/// The name of an editor for people to read.
pub(crate) fn label_of(entry: &FieldValue) -> Option<Arc<str>> {
    let FieldValue::Text(entry) = entry else { return None };
    let (who, label) = split(entry);
    let text = if label.is_empty() { who } else { label };
    Some(text.chars().take(LABEL_CHARACTERS_MAX).collect::<String>().into())
}

/// The protection without its editors: the cells of a copy are protected against accidents, because
/// the copy has other owners and people, whose addresses would travel with it.
pub fn without_editors(item: &Arc<Item>) -> Option<Arc<Item>> {
    let is_restricted = item.kind == ItemKind::ProtectedRange && item.fields.contains_key(&Field::Editors);
    is_restricted.then(|| {
        let mut copy = Item::clone(item);
        copy.fields.remove(&Field::Editors);
        Arc::new(copy)
    })
}

fn split(entry: &str) -> (&str, &str) {
    let entry = entry.trim();
    entry.split_once(' ').map_or((entry, ""), |(who, label)| (who, label.trim()))
}
