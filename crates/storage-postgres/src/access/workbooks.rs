//! Access documents of workbooks, and requests for access.

use std::collections::HashMap;

use quadrille_access::stored_form::{from_json, people_keys, person_key, secret_text, to_json};
use quadrille_access::{
    AccessError, AccessRequest, AccountId, Email, ListedWorkbook, Person, REQUESTS_MAX, SecretId, Use,
    Version, Versioned, WorkbookAccess, WorkbookFacts,
};
use quadrille_protocol::RoomName;
use tokio_postgres::Row;

use super::accounts::limit;
use super::room_name::room_name;
use super::webhook_rows;
use crate::session::Session;

pub(super) fn find(
    session: &mut Session<'_>,
    room: &RoomName,
) -> Result<Option<Versioned<WorkbookAccess>>, AccessError> {
    let row =
        session.query_opt("SELECT version, document FROM workbook WHERE room = $1", &[&room.as_str()])?;
    let Some(row) = row else { return Ok(None) };
    let value = from_json(row.get(1), || format!("the access of workbook {}", room.as_str()))?;
    Ok(Some(Versioned { version: Version(row.get::<_, i64>(0) as u64), value }))
}

pub(super) fn put(
    session: &mut Session<'_>,
    room: &RoomName,
    version: Version,
    access: Option<&WorkbookAccess>,
) -> Result<Version, AccessError> {
    // Compare-and-set in the statement (A2): another server may write at the same time.
    let (name, stored, next) = (room.as_str(), version.0 as i64, version.next().0 as i64);
    match access {
        Some(access) => {
            let document = to_json(access);
            let written = match stored {
                0 => session.execute(
                    "INSERT INTO workbook (room, version, trashed_ms, document) VALUES ($1, $2, $3, $4)
                     ON CONFLICT (room) DO NOTHING",
                    &[&name, &next, &access.trashed_ms, &document],
                )?,
                _ => session.execute(
                    "UPDATE workbook SET version = $2, trashed_ms = $3, document = $4
                     WHERE room = $1 AND version = $5",
                    &[&name, &next, &access.trashed_ms, &document, &stored],
                )?,
            };
            if written == 0 {
                return Err(AccessError::Conflict);
            }
            index_people(session, name, access)?;
            Ok(version.next())
        }
        None => {
            let deleted = session
                .execute("DELETE FROM workbook WHERE room = $1 AND version = $2", &[&name, &stored])?;
            let mut is_absent = || find(session, room).map(|found| found.is_none());
            if deleted == 0 && !(stored == 0 && is_absent()?) {
                return Err(AccessError::Conflict);
            }
            for delete in [
                "DELETE FROM workbook_person WHERE room = $1",
                "DELETE FROM workbook_facts WHERE room = $1",
                "DELETE FROM request WHERE room = $1",
                "DELETE FROM keyed_request WHERE room = $1",
            ] {
                session.execute(delete, &[&name])?;
            }
            webhook_rows::forget_room(session, room)?;
            Ok(Version(0))
        }
    }
}

/// Writes the index from people to a document.
fn index_people(session: &mut Session<'_>, room: &str, access: &WorkbookAccess) -> Result<(), AccessError> {
    session.execute("DELETE FROM workbook_person WHERE room = $1", &[&room])?;
    session.execute(
        "INSERT INTO workbook_person (person, room) SELECT DISTINCT person, $2 FROM unnest($1::text[]) AS person
         ON CONFLICT DO NOTHING",
        &[&people_keys(access), &room],
    )?;
    Ok(())
}

/// The keys of somebody with an account and possibly a verified address.
fn keys_of(account: AccountId, email: Option<&Email>) -> Vec<String> {
    let email = email.map(|email| person_key(&Person::Email(email.clone())));
    [person_key(&Person::Account(account))].into_iter().chain(email).collect()
}

pub(super) fn of_person(
    session: &mut Session<'_>,
    account: AccountId,
    email: Option<&Email>,
    after: Option<&RoomName>,
    count: usize,
) -> Result<Vec<ListedWorkbook>, AccessError> {
    let rows = session.query(
        "SELECT room, document FROM workbook WHERE room IN
             (SELECT room FROM workbook_person WHERE person = ANY($1)) AND room > $2
         ORDER BY room LIMIT $3",
        &[&keys_of(account, email), &after.map_or("", RoomName::as_str), &limit(count)],
    )?;
    listed(&rows)
}

pub(super) fn list(
    session: &mut Session<'_>,
    after: Option<&RoomName>,
    count: usize,
) -> Result<Vec<ListedWorkbook>, AccessError> {
    let rows = session.query(
        "SELECT room, document FROM workbook WHERE room > $1 ORDER BY room LIMIT $2",
        &[&after.map_or("", RoomName::as_str), &limit(count)],
    )?;
    listed(&rows)
}

/// The workbooks in rows of name and document.
fn listed(rows: &[Row]) -> Result<Vec<ListedWorkbook>, AccessError> {
    let workbook = |row: &Row| {
        let name: &str = row.get(0);
        let access = from_json(row.get(1), || format!("the access of workbook {name}"))?;
        Ok(ListedWorkbook { room: room_name(name)?, access })
    };
    rows.iter().map(workbook).collect()
}

pub(super) fn trashed_before(
    session: &mut Session<'_>,
    time_ms: i64,
    count: usize,
) -> Result<Vec<RoomName>, AccessError> {
    let rows = session.query(
        "SELECT room FROM workbook WHERE trashed_ms < $1 ORDER BY trashed_ms LIMIT $2",
        &[&time_ms, &limit(count)],
    )?;
    rows.iter().map(|row| room_name(row.get(0))).collect()
}

/// Removes a deleted account, and grants to its verified address, from the documents that name them (A4).
pub(super) fn forget_account(
    session: &mut Session<'_>,
    id: AccountId,
    email: Option<&Email>,
) -> Result<(), AccessError> {
    let by_account = Person::Account(id);
    let by_email = email.map_or(by_account.clone(), |email| Person::Email(email.clone()));
    let rows = session.query(
        "SELECT room, version, document FROM workbook WHERE room IN
             (SELECT room FROM workbook_person WHERE person = ANY($1)) FOR UPDATE",
        &[&keys_of(id, email)],
    )?;
    for row in rows {
        let name: &str = row.get(0);
        let mut access: WorkbookAccess = from_json(row.get(2), || format!("the access of workbook {name}"))?;
        access.grants.retain(|grant| grant.person != by_account && grant.person != by_email);
        if access.owner == Some(id) {
            access.owner = None;
        }
        let version = Version(row.get::<_, i64>(1) as u64);
        put(session, &room_name(name)?, version, Some(&access))?;
    }
    session.execute(
        "DELETE FROM request WHERE account = $1 OR email = $2",
        &[&id.to_string(), &email.map(Email::as_str)],
    )?;
    Ok(())
}

/// Counts the use of a link or of a grant. The version stays: nobody's rights change.
pub(super) fn record_use(session: &mut Session<'_>, used: &Use) -> Result<(), AccessError> {
    let (Use::Link { room, .. } | Use::Grant { room, .. }) = used else { return Ok(()) };
    let Some(Versioned { mut value, version }) = find(session, room)? else { return Ok(()) };
    if !value.record_use(used) {
        return Ok(());
    }
    // A change by somebody else counts for more.
    session.execute(
        "UPDATE workbook SET document = $2 WHERE room = $1 AND version = $3",
        &[&room.as_str(), &to_json(&value), &(version.0 as i64)],
    )?;
    Ok(())
}

pub(super) fn facts(
    session: &mut Session<'_>,
    rooms: &[RoomName],
) -> Result<Vec<Option<WorkbookFacts>>, AccessError> {
    let names: Vec<&str> = rooms.iter().map(RoomName::as_str).collect();
    let rows = session
        .query("SELECT room, title, changed_ms FROM workbook_facts WHERE room = ANY($1)", &[&names])?;
    let found: HashMap<&str, WorkbookFacts> = rows
        .iter()
        .map(|row| (row.get(0), WorkbookFacts { title: row.get(1), changed_ms: row.get(2) }))
        .collect();
    Ok(names.into_iter().map(|name| found.get(name).cloned()).collect())
}

pub(super) fn put_facts(
    session: &mut Session<'_>,
    room: &RoomName,
    facts: Option<&WorkbookFacts>,
) -> Result<(), AccessError> {
    match facts {
        // A room reports its facts whenever it is opened; only new ones are written.
        Some(WorkbookFacts { title, changed_ms }) => session.execute(
            "INSERT INTO workbook_facts (room, title, changed_ms) VALUES ($1, $2, $3)
             ON CONFLICT (room) DO UPDATE SET title = excluded.title, changed_ms = excluded.changed_ms
             WHERE workbook_facts.title IS DISTINCT FROM excluded.title
                OR workbook_facts.changed_ms <> excluded.changed_ms",
            &[&room.as_str(), title, changed_ms],
        )?,
        None => session.execute("DELETE FROM workbook_facts WHERE room = $1", &[&room.as_str()])?,
    };
    Ok(())
}

pub(super) fn requests(
    session: &mut Session<'_>,
    room: &RoomName,
) -> Result<Vec<AccessRequest>, AccessError> {
    let rows = session
        .query("SELECT document FROM request WHERE room = $1 ORDER BY created_ms, id", &[&room.as_str()])?;
    let what = || format!("a request for workbook {}", room.as_str());
    rows.iter().map(|row| from_json(row.get(0), what)).collect()
}

pub(super) fn requests_of(
    session: &mut Session<'_>,
    account: AccountId,
    email: Option<&Email>,
) -> Result<Vec<AccessRequest>, AccessError> {
    let rows = session.query(
        "SELECT document FROM request WHERE account = $1 OR email = $2 ORDER BY room, created_ms, id",
        &[&account.to_string(), &email.map(Email::as_str)],
    )?;
    rows.iter().map(|row| from_json(row.get(0), || format!("a request of account {account}"))).collect()
}

pub(super) fn put_request(session: &mut Session<'_>, request: &AccessRequest) -> Result<(), AccessError> {
    let (id, email) = (secret_text(request.id), request.email.as_ref().map(Email::as_str));
    let waiting: i64 =
        session.query("SELECT count(*) FROM request WHERE room = $1", &[&request.room])?[0].get(0);
    if waiting >= REQUESTS_MAX as i64 {
        return Err(AccessError::TooMany { what: "requests for access", max: REQUESTS_MAX });
    }
    session.execute(
        "INSERT INTO request (id, room, account, email, created_ms, document) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (room, id) DO UPDATE SET account = excluded.account, email = excluded.email,
             created_ms = excluded.created_ms, document = excluded.document",
        &[
            &id,
            &request.room,
            &request.account.map(|account| account.to_string()),
            &email,
            &request.created_ms,
            &to_json(request),
        ],
    )?;
    Ok(())
}

pub(super) fn delete_request(
    session: &mut Session<'_>,
    room: &RoomName,
    id: SecretId,
) -> Result<bool, AccessError> {
    let delete = "DELETE FROM request WHERE room = $1 AND id = $2";
    Ok(session.execute(delete, &[&room.as_str(), &secret_text(id)])? > 0)
}
