//! Access documents of workbooks, and requests for access.

use quadrille_access::stored_form::{from_json, people_keys, person_key, secret_text, to_json};
use quadrille_access::{
    AccessError, AccessRequest, AccountId, Email, ListedWorkbook, Person, REQUESTS_MAX, SecretId, Use,
    Version, Versioned, WorkbookAccess, WorkbookFacts,
};
use quadrille_protocol::RoomName;
use rusqlite::{Connection, OptionalExtension, Rows, params};

use super::error::engine;
use super::webhook_rows;

pub(super) fn find(
    database: &Connection,
    room: &RoomName,
) -> Result<Option<Versioned<WorkbookAccess>>, AccessError> {
    let mut select =
        database.prepare_cached("SELECT version, document FROM workbook WHERE room = ?1").map_err(engine)?;
    let row = select
        .query_row([room.as_str()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))
        .optional()
        .map_err(engine)?;
    let Some((version, document)) = row else { return Ok(None) };
    let value = from_json(&document, || format!("the access of workbook {}", room.as_str()))?;
    Ok(Some(Versioned { version: Version(version as u64), value }))
}

pub(super) fn put(
    database: &Connection,
    room: &RoomName,
    version: Version,
    access: Option<&WorkbookAccess>,
) -> Result<Version, AccessError> {
    let stored: Option<i64> = database
        .query_row("SELECT version FROM workbook WHERE room = ?1", [room.as_str()], |row| row.get(0))
        .optional()
        .map_err(engine)?;
    if stored.unwrap_or(0) as u64 != version.0 {
        return Err(AccessError::Conflict);
    }
    match access {
        Some(access) => {
            write(database, room, version.next(), access)?;
            Ok(version.next())
        }
        None => {
            for delete in [
                "DELETE FROM workbook WHERE room = ?1",
                "DELETE FROM workbook_person WHERE room = ?1",
                "DELETE FROM workbook_facts WHERE room = ?1",
                "DELETE FROM request WHERE room = ?1",
                "DELETE FROM keyed_request WHERE room = ?1",
            ] {
                database.execute(delete, [room.as_str()]).map_err(engine)?;
            }
            webhook_rows::forget_room(database, room)?;
            Ok(Version(0))
        }
    }
}

/// Writes the document and the index from people to it.
fn write(
    database: &Connection,
    room: &RoomName,
    version: Version,
    access: &WorkbookAccess,
) -> Result<(), AccessError> {
    database
        .execute(
            "INSERT OR REPLACE INTO workbook (room, version, trashed_ms, document) VALUES (?1, ?2, ?3, ?4)",
            params![room.as_str(), version.0 as i64, access.trashed_ms, to_json(access)],
        )
        .map_err(engine)?;
    database.execute("DELETE FROM workbook_person WHERE room = ?1", [room.as_str()]).map_err(engine)?;
    for person in people_keys(access) {
        database
            .execute(
                "INSERT OR IGNORE INTO workbook_person (person, room) VALUES (?1, ?2)",
                [person.as_str(), room.as_str()],
            )
            .map_err(engine)?;
    }
    Ok(())
}

pub(super) fn of_person(
    database: &Connection,
    account: AccountId,
    email: Option<&Email>,
    after: Option<&RoomName>,
    count: usize,
) -> Result<Vec<ListedWorkbook>, AccessError> {
    let account = person_key(&Person::Account(account));
    let email = email.map_or(account.clone(), |email| person_key(&Person::Email(email.clone())));
    let mut select = database
        .prepare_cached(
            "SELECT room, document FROM workbook WHERE room IN
                 (SELECT room FROM workbook_person WHERE person IN (?1, ?2)) AND room > ?3
             ORDER BY room LIMIT ?4",
        )
        .map_err(engine)?;
    let after = after.map_or("", RoomName::as_str);
    listed(select.query(params![account, email, after, count as i64]).map_err(engine)?)
}

pub(super) fn list(
    database: &Connection,
    after: Option<&RoomName>,
    count: usize,
) -> Result<Vec<ListedWorkbook>, AccessError> {
    let select = "SELECT room, document FROM workbook WHERE room > ?1 ORDER BY room LIMIT ?2";
    let mut select = database.prepare_cached(select).map_err(engine)?;
    let after = after.map_or("", RoomName::as_str);
    listed(select.query(params![after, count as i64]).map_err(engine)?)
}

/// The workbooks in rows of name and document.
fn listed(mut rows: Rows<'_>) -> Result<Vec<ListedWorkbook>, AccessError> {
    let mut listed = Vec::new();
    while let Some(row) = rows.next().map_err(engine)? {
        let (name, document): (String, String) = (row.get(0).map_err(engine)?, row.get(1).map_err(engine)?);
        let access = from_json(&document, || format!("the access of workbook {name}"))?;
        listed.push(ListedWorkbook { room: room_name(&name)?, access });
    }
    Ok(listed)
}

fn room_name(name: &str) -> Result<RoomName, AccessError> {
    RoomName::new(name).map_err(|error| AccessError::Damaged {
        what: format!("the workbook named {}", name.escape_default()),
        reason: error.to_string(),
    })
}

pub(super) fn trashed_before(
    database: &Connection,
    time_ms: i64,
    count: usize,
) -> Result<Vec<RoomName>, AccessError> {
    let select = "SELECT room FROM workbook WHERE trashed_ms < ?1 ORDER BY trashed_ms LIMIT ?2";
    let mut select = database.prepare_cached(select).map_err(engine)?;
    let rows = select.query_map([time_ms, count as i64], |row| row.get::<_, String>(0)).map_err(engine)?;
    rows.map(|name| room_name(&name.map_err(engine)?)).collect()
}

/// Removes a deleted account, and grants to its verified address, from the documents that name them (A4).
pub(super) fn forget_account(
    database: &Connection,
    id: AccountId,
    email: Option<&Email>,
) -> Result<(), AccessError> {
    let by_account = Person::Account(id);
    let by_email = email.map_or(by_account.clone(), |email| Person::Email(email.clone()));
    let select = "SELECT DISTINCT room FROM workbook_person WHERE person IN (?1, ?2)";
    let mut select = database.prepare(select).map_err(engine)?;
    let rooms: Vec<String> = select
        .query_map([person_key(&by_account), person_key(&by_email)], |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(engine)?;
    for name in rooms {
        let room = room_name(&name)?;
        let Some(Versioned { version, value: mut access }) = find(database, &room)? else { continue };
        access.grants.retain(|grant| grant.person != by_account && grant.person != by_email);
        if access.owner == Some(id) {
            access.owner = None;
        }
        write(database, &room, version.next(), &access)?;
    }
    let delete = "DELETE FROM request WHERE account = ?1 OR document ->> 'email' = ?2";
    database.execute(delete, params![id.to_string(), email.map(Email::as_str)]).map_err(engine)?;
    Ok(())
}

pub(super) fn requests_of(
    database: &Connection,
    account: AccountId,
    email: Option<&Email>,
) -> Result<Vec<AccessRequest>, AccessError> {
    let select = "SELECT document FROM request WHERE account = ?1 OR document ->> 'email' = ?2
        ORDER BY room, created_ms, id";
    let mut select = database.prepare_cached(select).map_err(engine)?;
    let rows = select
        .query_map(params![account.to_string(), email.map(Email::as_str)], |row| row.get::<_, String>(0))
        .map_err(engine)?;
    rows.map(|document| from_json(&document.map_err(engine)?, || format!("a request of account {account}")))
        .collect()
}

/// Counts the use of a link or of a grant. The version stays: nobody's rights change.
pub(super) fn record_use(database: &Connection, used: &Use) -> Result<(), AccessError> {
    let (Use::Link { room, .. } | Use::Grant { room, .. }) = used else { return Ok(()) };
    let Some(Versioned { mut value, .. }) = find(database, room)? else { return Ok(()) };
    if !value.record_use(used) {
        return Ok(());
    }
    let update = "UPDATE workbook SET document = ?2 WHERE room = ?1";
    database.execute(update, [room.as_str(), &to_json(&value)]).map_err(engine)?;
    Ok(())
}

pub(super) fn facts(database: &Connection, room: &RoomName) -> Result<Option<WorkbookFacts>, AccessError> {
    let select = "SELECT title, changed_ms FROM workbook_facts WHERE room = ?1";
    let mut select = database.prepare_cached(select).map_err(engine)?;
    let row = select
        .query_row([room.as_str()], |row| Ok(WorkbookFacts { title: row.get(0)?, changed_ms: row.get(1)? }));
    row.optional().map_err(engine)
}

pub(super) fn put_facts(
    database: &Connection,
    room: &RoomName,
    facts: Option<&WorkbookFacts>,
) -> Result<(), AccessError> {
    let written = match facts {
        // A room reports its facts whenever it is opened; only new ones are written.
        Some(WorkbookFacts { title, changed_ms }) => database.execute(
            "INSERT INTO workbook_facts (room, title, changed_ms) VALUES (?1, ?2, ?3)
             ON CONFLICT (room) DO UPDATE SET title = excluded.title, changed_ms = excluded.changed_ms
             WHERE title IS NOT excluded.title OR changed_ms <> excluded.changed_ms",
            params![room.as_str(), title, changed_ms],
        ),
        None => database.execute("DELETE FROM workbook_facts WHERE room = ?1", [room.as_str()]),
    };
    written.map(|_| ()).map_err(engine)
}

pub(super) fn requests(database: &Connection, room: &RoomName) -> Result<Vec<AccessRequest>, AccessError> {
    let select = "SELECT document FROM request WHERE room = ?1 ORDER BY created_ms, id";
    let mut select = database.prepare_cached(select).map_err(engine)?;
    let rows = select.query_map([room.as_str()], |row| row.get::<_, String>(0)).map_err(engine)?;
    rows.map(|document| {
        from_json(&document.map_err(engine)?, || format!("a request for workbook {}", room.as_str()))
    })
    .collect()
}

pub(super) fn put_request(database: &Connection, request: &AccessRequest) -> Result<(), AccessError> {
    let waiting: i64 = database
        .query_row("SELECT count(*) FROM request WHERE room = ?1", [&request.room], |row| row.get(0))
        .map_err(engine)?;
    if waiting >= REQUESTS_MAX as i64 {
        return Err(AccessError::TooMany { what: "requests for access", max: REQUESTS_MAX });
    }
    database
        .execute(
            "INSERT OR REPLACE INTO request (id, room, account, created_ms, document)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                secret_text(request.id),
                request.room,
                request.account.map(|account| account.to_string()),
                request.created_ms,
                to_json(request)
            ],
        )
        .map_err(engine)?;
    Ok(())
}

pub(super) fn delete_request(
    database: &Connection,
    room: &RoomName,
    id: SecretId,
) -> Result<bool, AccessError> {
    let delete = "DELETE FROM request WHERE room = ?1 AND id = ?2";
    let deleted = database.execute(delete, [room.as_str(), &secret_text(id)]).map_err(engine)?;
    Ok(deleted > 0)
}
