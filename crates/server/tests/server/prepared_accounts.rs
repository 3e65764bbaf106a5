//! Accounts with API tokens, written into a data directory before a server starts on
//! it.

use std::path::Path;

use quadrille_access::{
    AccessStore, Account, AccountId, ApiToken, Email, Scope, Secret, SecretKind, Version,
};
use quadrille_storage_sqlite::SqliteAccessStore;

/// An account with the secrets that prove it.
pub struct PreparedAccount {
    /// As in records: `account:…`.
    pub id: String,
    /// An API token with the scope `admin`.
    pub token: String,
}

/// Writes accounts with these names and verified addresses.
pub fn prepare_accounts<const N: usize>(data: &Path, people: [(&str, &str); N]) -> [PreparedAccount; N] {
    let mut store = SqliteAccessStore::open(data).expect("a new store");
    let mut number = 0;
    people.map(|(name, email)| {
        number += 1;
        let id = AccountId(number);
        let account = Account {
            id,
            name: name.into(),
            email: Email::parse(email),
            is_email_verified: true,
            is_admin: false,
            is_disabled: false,
            identities: Default::default(),
            password_hash: None,
            passkeys: Vec::new(),
            sign_in_link: None,
            recovery_link: None,
            refuses_notification_mail: false,
            created_ms: 0,
            last_seen_ms: 0,
        };
        store.put_account(Version(0), &account, &[]).expect("stored");
        let token = Secret::new(SecretKind::ApiToken, [number as u8; 24]);
        let stored = ApiToken {
            id: token.id(),
            hash: token.hash(),
            account: id,
            label: "test".into(),
            scope: Scope::Admin,
            rooms: None,
            created_ms: 0,
            expires_ms: None,
            last_used_ms: 0,
        };
        store.put_token(&stored, &[]).expect("stored");
        PreparedAccount { id: format!("account:{id}"), token: token.reveal() }
    })
}
