//! Quotas of accounts and tenants that differ from the settings of the server.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::account::AccountId;

/// Whose use is counted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum QuotaSubject {
    Account(AccountId),
    /// A tenant, by its host name.
    Tenant(String),
}

impl fmt::Display for QuotaSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuotaSubject::Account(id) => write!(f, "account:{id}"),
            QuotaSubject::Tenant(host) => write!(f, "tenant:{host}"),
        }
    }
}

impl QuotaSubject {
    /// Reads the text that [`Display`](fmt::Display) writes; `None` for any other text.
    pub fn parse(text: &str) -> Option<QuotaSubject> {
        match text.split_once(':')? {
            ("account", id) => AccountId::parse(id).map(QuotaSubject::Account),
            ("tenant", host) => Some(QuotaSubject::Tenant(host.to_owned())),
            _ => None,
        }
    }
}

/// Limits of one subject. `None` stands for the setting of the server, 0 for no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Quota {
    /// Workbooks that it owns.
    pub workbooks: Option<u64>,
    /// Stored bytes of these workbooks.
    pub bytes: Option<u64>,
    /// Open sessions.
    pub sessions: Option<u64>,
    /// Transactions per second, on average.
    pub operations_per_second: Option<u64>,
    pub exports_per_hour: Option<u64>,
}

impl Quota {
    /// The limits of this quota; those that it leaves open come from `default`.
    pub fn or(self, default: Quota) -> Quota {
        Quota {
            workbooks: self.workbooks.or(default.workbooks),
            bytes: self.bytes.or(default.bytes),
            sessions: self.sessions.or(default.sessions),
            operations_per_second: self.operations_per_second.or(default.operations_per_second),
            exports_per_hour: self.exports_per_hour.or(default.exports_per_hour),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_survive_their_text() {
        for subject in
            [QuotaSubject::Account(AccountId(0xada)), QuotaSubject::Tenant("sheets.example.org".into())]
        {
            assert_eq!(QuotaSubject::parse(&subject.to_string()), Some(subject));
        }
        assert_eq!(QuotaSubject::parse("sheets.example.org"), None);
    }

    #[test]
    fn a_quota_leaves_the_rest_to_the_default() {
        let given = Quota { workbooks: Some(3), ..Quota::default() };
        let default = Quota { workbooks: Some(10), bytes: Some(1_000), ..Quota::default() };
        assert_eq!(given.or(default), Quota { workbooks: Some(3), bytes: Some(1_000), ..Quota::default() });
    }
}
