//! `/api/v1/rooms/{room}/access/owner`: giving a workbook to somebody else.

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use quadrille_access::{AuditEvent, Person, WorkbookAccess};
use quadrille_protocol::Role;
use serde::Deserialize;

use super::access_api::Manager;
use super::access_input::{conflict, grant_role, not_found, parse_person, person_name, read_body};
use crate::error::ApiError;

/// The body that transfers a workbook.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TransferBody {
    person: String,
}

/// Makes a person who has a role the owner. An account that owned the workbook stays an editor; the
/// owner keys end.
pub async fn transfer(manager: Manager, headers: HeaderMap, body: Body) -> Result<StatusCode, ApiError> {
    let TransferBody { person } = read_body(&headers, body).await?;
    let person = parse_person(&person)?;
    let account = match &person {
        Person::Account(id) => Some(*id),
        Person::Email(email) => {
            let email = email.clone();
            let account = manager.app.access.run(move |store| store.account_by_email(&email)).await?;
            account.map(|account| account.value.id)
        }
    };
    let name = person_name(&person);
    let transfer = move |access: &mut WorkbookAccess| {
        let position = access.grants.iter().position(|grant| grant.person == person);
        // Whether an address has an account is only told of people who have a role already.
        let position = position.ok_or_else(|| not_found("person", person_name(&person)))?;
        let account = account.ok_or_else(|| conflict("the person has no account yet"))?;
        access.grants.remove(position);
        if let Some(before) = access.owner.replace(account).filter(|before| *before != account) {
            grant_role(access, &Person::Account(before), Role::Edit)?;
        }
        access.owner_keys.clear();
        Ok(())
    };
    manager.change(AuditEvent::OwnerChanged, name, transfer).await?;
    Ok(StatusCode::NO_CONTENT)
}
