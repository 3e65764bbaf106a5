//! What the requests about accounts and access have in common: reading bodies, people and roles,
//! and their errors.

use axum::body::Body;
use axum::http::HeaderMap;
use quadrille_access::{
    AccountId, ENTRIES_MAX, Email, Grant, LABEL_CHARACTERS_MAX, Person, Secret, SecretKind, WorkbookAccess,
    parse_role,
};
use quadrille_protocol::Role;
use serde::de::DeserializeOwned;

use super::json_body;
use crate::access::now_ms;
use crate::error::{ApiError, ErrorCode};

/// Reads a JSON body of a known shape.
///
/// # Errors
///
/// Fails with `bad_json`, and as [`json_body::read`] does.
pub async fn read_body<T: DeserializeOwned>(headers: &HeaderMap, body: Body) -> Result<T, ApiError> {
    json_body::of_shape(json_body::read(headers, body).await?)
}

/// A new secret of random bits.
pub fn new_secret(kind: SecretKind) -> Secret {
    let mut random = [0; 24];
    getrandom::fill(&mut random).expect("the operating system provides random numbers");
    Secret::new(kind, random)
}

/// Checks that a workbook can have one more of something.
///
/// # Errors
///
/// Fails with `conflict` at the limit.
pub fn check_count(count: usize, what: &str) -> Result<(), ApiError> {
    match count < ENTRIES_MAX {
        true => Ok(()),
        false => Err(conflict(format!("a workbook has at most {ENTRIES_MAX} {what}"))),
    }
}

/// Checks the length of a label.
///
/// # Errors
///
/// Fails with `bad_request`.
pub fn check_length(what: &str, text: &str) -> Result<(), ApiError> {
    match text.chars().count() <= LABEL_CHARACTERS_MAX {
        true => Ok(()),
        false => Err(bad(format!("the {what} is longer than {LABEL_CHARACTERS_MAX} characters"))),
    }
}

/// `account:…` or an e-mail address.
pub fn person_name(person: &Person) -> String {
    match person {
        Person::Account(id) => format!("account:{id}"),
        Person::Email(email) => email.to_string(),
    }
}

/// Reads what [`person_name`] writes.
///
/// # Errors
///
/// Fails with `bad_request`.
pub fn parse_person(text: &str) -> Result<Person, ApiError> {
    let account = text.strip_prefix("account:").and_then(AccountId::parse).map(Person::Account);
    account
        .or_else(|| Email::parse(text).map(Person::Email))
        .ok_or_else(|| bad(format!("not an e-mail address and not the identifier of an account: {text}")))
}

/// A role that can be given away.
///
/// # Errors
///
/// Fails with `bad_request` for any other.
pub fn parse_shared_role(name: &str) -> Result<Role, ApiError> {
    match parse_role(name) {
        Some(role) if role != Role::Owner => Ok(role),
        _ => Err(bad(format!("not a role: {name}; there are view, comment and edit"))),
    }
}

/// A request that cannot be understood.
pub fn bad(message: impl Into<String>) -> ApiError {
    ApiError::new(ErrorCode::BadRequest, message)
}

/// A change that does not fit the present state.
pub fn conflict(message: impl Into<String>) -> ApiError {
    ApiError::new(ErrorCode::Conflict, message)
}

/// Something that does not exist.
pub fn not_found(what: &str, id: impl std::fmt::Display) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("no such {what}: {id}"))
}

/// Gives a person a role, instead of the one that it had.
///
/// # Errors
///
/// Fails with `conflict` when the workbook has too many people.
pub fn grant_role(access: &mut WorkbookAccess, person: &Person, role: Role) -> Result<(), ApiError> {
    if let Some(grant) = access.grants.iter_mut().find(|grant| grant.person == *person) {
        grant.role = role;
        return Ok(());
    }
    check_count(access.grants.len(), "people")?;
    access.grants.push(Grant { person: person.clone(), role, created_ms: now_ms(), last_seen_ms: 0 });
    Ok(())
}
