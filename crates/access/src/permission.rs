//! The table of actions and the roles that may do them (decision 0015).

use quadrille_protocol::Role;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// What a request does to a workbook.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    /// Read cells, formats, items, comments, chat and images, export, be present.
    Read,
    /// Write in the chat, add and resolve comments.
    Comment,
    /// Change the contents of the workbook.
    Edit,
    /// Read earlier revisions and who made them; restore one.
    ReadHistory,
    /// Change access, links and owner; delete; read the audit log.
    Manage,
}

impl Action {
    /// All actions, for tables and tests.
    pub const ALL: [Action; 5] =
        [Action::Read, Action::Comment, Action::Edit, Action::ReadHistory, Action::Manage];

    /// The lowest role that may do it.
    pub fn role_min(self) -> Role {
        match self {
            Action::Read => Role::View,
            Action::Comment => Role::Comment,
            Action::Edit | Action::ReadHistory => Role::Edit,
            Action::Manage => Role::Owner,
        }
    }

    /// Whether a request with this role, or without any, may do it.
    pub fn is_allowed(self, role: Option<Role>) -> bool {
        role.is_some_and(|role| includes(role, self.role_min()))
    }
}

/// Whether a role may do everything that `other` may.
pub(crate) fn includes(role: Role, other: Role) -> bool {
    // `Role` is ordered from the most rights to the fewest.
    role <= other
}

/// The higher of two roles; `None` is below all.
pub(crate) fn highest(a: Option<Role>, b: Option<Role>) -> Option<Role> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Reads the name that [`Role::name`] gives; `None` for any other text.
pub fn parse_role(name: &str) -> Option<Role> {
    [Role::Owner, Role::Edit, Role::Comment, Role::View].into_iter().find(|role| role.name() == name)
}

/// `Role` in stored documents and in JSON, by its name.
pub(crate) mod role_name {
    use super::*;

    /// Writes the name of the role.
    pub fn serialize<S: Serializer>(role: &Role, serializer: S) -> Result<S::Ok, S::Error> {
        role.name().serialize(serializer)
    }

    /// Reads the name of a role.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Role, D::Error> {
        let name = String::deserialize(deserializer)?;
        parse_role(&name).ok_or_else(|| de::Error::custom(format!("unknown role: {name}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_action_needs_the_role_of_the_decisions_table() {
        use Action::*;
        for (role, allowed) in [
            (Some(Role::Owner), &[Read, Comment, Edit, ReadHistory, Manage][..]),
            (Some(Role::Edit), &[Read, Comment, Edit, ReadHistory]),
            (Some(Role::Comment), &[Read, Comment]),
            (Some(Role::View), &[Read]),
            (None, &[]),
        ] {
            let found: Vec<Action> =
                Action::ALL.into_iter().filter(|action| action.is_allowed(role)).collect();
            assert_eq!(found, allowed, "{role:?}");
        }
    }

    #[test]
    fn the_highest_role_wins() {
        assert_eq!(highest(Some(Role::View), Some(Role::Edit)), Some(Role::Edit));
        assert_eq!(highest(None, Some(Role::View)), Some(Role::View));
        assert_eq!(highest(None, None), None);
    }
}
