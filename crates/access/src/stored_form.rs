//! What engines of the [`AccessStore`](crate::AccessStore) store alike: documents as JSON, identifiers as
//! text that sorts as their numbers do, and the keys by which accounts and workbooks are found.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::access_error::AccessError;
use crate::account::{Account, Email, Identity};
use crate::secret::SecretId;
use crate::workbook_access::{Person, WorkbookAccess};

/// Writes a document.
pub fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("access documents are plain data")
}

/// Reads a stored document; `what` names it in the error.
///
/// # Errors
/// `Damaged` when it is not as it was written.
pub fn from_json<T: DeserializeOwned>(json: &str, what: impl FnOnce() -> String) -> Result<T, AccessError> {
    serde_json::from_str(json)
        .map_err(|error| AccessError::Damaged { what: what(), reason: error.to_string() })
}

/// The identifier of a secret as text.
pub fn secret_text(id: SecretId) -> String {
    format!("{:016x}", id.0)
}

/// The key of an identity of a provider.
pub fn identity_key(identity: &Identity) -> String {
    // A line feed cannot stand in the address of an issuer.
    format!("identity:{}\n{}", identity.issuer, identity.subject)
}

/// The key of a verified address.
pub fn email_key(email: &Email) -> String {
    format!("email:{email}")
}

/// The key of a passkey, by its credential identifier in base64url.
pub fn passkey_key(credential: &str) -> String {
    format!("passkey:{credential}")
}

/// The keys that lead to an account. Each belongs to one account (A5).
pub fn account_keys(account: &Account) -> Vec<String> {
    let email = account.email.as_ref().filter(|_| account.is_email_verified);
    let identities = account.identities.iter().map(identity_key);
    let passkeys = account.passkeys.iter().map(|passkey| passkey_key(&passkey.id));
    identities.chain(email.map(email_key)).chain(passkeys).collect()
}

/// The refusal of a key that belongs to another account.
pub fn taken(key: &str) -> AccessError {
    let what = key.split_once(':').map_or(key, |(_, what)| what);
    AccessError::Taken { what: what.replace('\n', " ") }
}

/// The key of somebody in access documents.
pub fn person_key(person: &Person) -> String {
    match person {
        Person::Account(id) => format!("account:{id}"),
        Person::Email(email) => format!("email:{email}"),
    }
}

/// The keys of the people in an access document: its owner, and those that it grants a role.
pub fn people_keys(access: &WorkbookAccess) -> Vec<String> {
    let owner = access.owner.map(|owner| person_key(&Person::Account(owner)));
    owner.into_iter().chain(access.grants.iter().map(|grant| person_key(&grant.person))).collect()
}
