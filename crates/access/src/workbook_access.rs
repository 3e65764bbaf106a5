//! The access document of one workbook: owner, general access, people and share links.

use quadrille_protocol::Role;
use serde::{Deserialize, Serialize};

use crate::account::{AccountId, Email};
use crate::audit::Actor;
use crate::form::Form;
use crate::permission::role_name;
use crate::publication::Publication;
use crate::secret::{Secret, SecretHash, SecretId};
use crate::usage::Use;

/// Who may use a workbook. A workbook without such a document is unclaimed: the server's default holds.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct WorkbookAccess {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<AccountId>,
    /// Owner keys; each browser that holds one is an owner. With neither an owner nor a key the workbook is
    /// unclaimed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owner_keys: Vec<OwnerKey>,
    #[serde(default)]
    pub general: GeneralAccess,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<Grant>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<ShareLink>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<Form>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub publications: Vec<Publication>,
    /// Workbooks whose formulas may import from this one although not everybody may view it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<ImportGrant>,
    /// When it was moved to the trash. Only its owner can open it then, and only to look or to restore it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trashed_ms: Option<i64>,
    /// The host name of the tenant to which it belongs; requests to other hosts do not find it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    pub created_ms: i64,
}

/// A workbook has at most so many people, links and owner keys each. The document is read whole for each session.
pub const ENTRIES_MAX: usize = 1_000;
/// Labels of links and messages of requests, in characters.
pub const LABEL_CHARACTERS_MAX: usize = 200;

impl WorkbookAccess {
    /// The document of a workbook that a browser without an account has made.
    pub fn with_owner_key(key: &Secret, general: GeneralAccess, now_ms: i64) -> WorkbookAccess {
        let owner_keys = vec![OwnerKey { id: key.id(), hash: key.hash(), created_ms: now_ms }];
        WorkbookAccess { owner_keys, general, created_ms: now_ms, ..WorkbookAccess::default() }
    }

    /// The document of a workbook that an account has made.
    pub fn with_owner(owner: AccountId, general: GeneralAccess, now_ms: i64) -> WorkbookAccess {
        WorkbookAccess { owner: Some(owner), general, created_ms: now_ms, ..WorkbookAccess::default() }
    }

    /// Whether somebody owns it.
    pub fn is_claimed(&self) -> bool {
        self.owner.is_some() || !self.owner_keys.is_empty()
    }

    /// Whether a workbook may import from this one.
    pub fn allows_import(&self, room: &str) -> bool {
        self.trashed_ms.is_none() && self.imports.iter().any(|grant| grant.room == room)
    }

    /// The link with this identifier.
    pub fn link(&self, id: SecretId) -> Option<&ShareLink> {
        self.links.iter().find(|link| link.id == id)
    }

    /// Counts the use of a link or a grant. Returns whether the document has changed.
    pub fn record_use(&mut self, used: &Use) -> bool {
        match used {
            Use::Link { id, count, time_ms, .. } => {
                let Some(link) = self.links.iter_mut().find(|link| link.id == *id) else { return false };
                link.uses += count;
                link.last_used_ms = link.last_used_ms.max(*time_ms);
                true
            }
            Use::Grant { account, email, time_ms, .. } => {
                let is_theirs = |grant: &&mut Grant| grant.person.is(*account, email.as_ref());
                let mut has_changed = false;
                for grant in self.grants.iter_mut().filter(is_theirs) {
                    grant.last_seen_ms = grant.last_seen_ms.max(*time_ms);
                    has_changed = true;
                }
                has_changed
            }
            Use::Account { .. } | Use::Session { .. } | Use::Token { .. } | Use::Workbook { .. } => false,
        }
    }
}

/// Who may open a workbook without being named.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GeneralAccess {
    /// What the server's setting says, for workbooks that nobody has claimed.
    #[default]
    ServerDefault,
    /// Only people, and holders of a share link.
    Restricted,
    /// Anyone who knows the address.
    Anyone(#[serde(with = "role_name")] Role),
}

/// Proof that a browser without an account owns the workbook.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OwnerKey {
    pub id: SecretId,
    pub hash: SecretHash,
    pub created_ms: i64,
}

/// A person who was given a role.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Grant {
    pub person: Person,
    #[serde(with = "role_name")]
    pub role: Role,
    pub created_ms: i64,
    #[serde(default)]
    pub last_seen_ms: i64,
}

/// A workbook that may import from this one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ImportGrant {
    /// Name of the importing workbook.
    pub room: String,
    /// Who has allowed it.
    pub by: Actor,
    pub created_ms: i64,
}

/// Whom a grant is for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Person {
    Account(AccountId),
    /// Whoever proves this address, now or later.
    Email(Email),
}

impl Person {
    /// Whether this is the person with an account and a verified e-mail address.
    pub fn is(&self, account: AccountId, email: Option<&Email>) -> bool {
        match self {
            Person::Account(id) => *id == account,
            Person::Email(address) => Some(address) == email,
        }
    }
}

/// A link that gives a role to whoever has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShareLink {
    pub id: SecretId,
    pub hash: SecretHash,
    #[serde(with = "role_name")]
    pub role: Role,
    #[serde(default)]
    pub label: String,
    /// Whom it was made for, with an invitation: it has the role of that person and ends with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<Email>,
    #[serde(default)]
    pub expires_ms: Option<i64>,
    /// PHC string of Argon2id. The server has checked the password before it presents the link.
    #[serde(default)]
    pub password_hash: Option<String>,
    pub created_ms: i64,
    /// Sessions that were opened with it.
    #[serde(default)]
    pub uses: u64,
    #[serde(default)]
    pub last_used_ms: i64,
}

impl ShareLink {
    /// Whether it has not expired.
    pub fn is_valid(&self, now_ms: i64) -> bool {
        self.expires_ms.is_none_or(|expires_ms| now_ms < expires_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::SecretKind;

    #[test]
    fn stored_documents_stay_readable() {
        // Written by version 0.3. A document of that version must always be readable.
        let stored = r#"{"ownerKeys":[],"owner_keys":[{"id":"AQEBAQEBAQE","hash":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE","created_ms":5}],"general":{"anyone":"comment"},"grants":[{"person":{"email":"ada@example.org"},"role":"edit","created_ms":6}],"created_ms":5}"#;
        let access: WorkbookAccess = serde_json::from_str(stored).expect("known shape");
        assert_eq!(access.general, GeneralAccess::Anyone(Role::Comment));
        assert_eq!(access.grants[0].role, Role::Edit);
        assert!(access.is_claimed());
    }

    #[test]
    fn a_document_survives_its_json() {
        let key = Secret::new(SecretKind::OwnerKey, [3; 24]);
        let access = WorkbookAccess::with_owner_key(&key, GeneralAccess::Restricted, 9);
        let json = serde_json::to_string(&access).expect("plain data");
        assert_eq!(serde_json::from_str::<WorkbookAccess>(&json).expect("its own text"), access);
    }
}
