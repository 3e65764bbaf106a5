//! Accounts, their sessions and their API tokens.

use quadrille_access::stored_form::{account_keys, from_json, secret_text, taken, to_json};
use quadrille_access::{
    AccessError, Account, AccountId, AccountSession, ApiToken, SecretId, Use, Version, Versioned,
};
use rusqlite::{Connection, OptionalExtension, Params, params};
use serde::de::DeserializeOwned;

use super::error::engine;

pub(super) fn find(database: &Connection, id: AccountId) -> Result<Option<Versioned<Account>>, AccessError> {
    let select = "SELECT version, document FROM account WHERE id = ?1";
    let mut select = database.prepare_cached(select).map_err(engine)?;
    let row = select
        .query_row([id.to_string()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))
        .optional()
        .map_err(engine)?;
    let Some((version, document)) = row else { return Ok(None) };
    let value = from_json(&document, || format!("account {id}"))?;
    Ok(Some(Versioned { version: Version(version as u64), value }))
}

pub(super) fn find_by_key(
    database: &Connection,
    key: &str,
) -> Result<Option<Versioned<Account>>, AccessError> {
    let select = "SELECT account FROM account_key WHERE key = ?1";
    let id: Option<String> =
        database.query_row(select, [key], |row| row.get(0)).optional().map_err(engine)?;
    match id.as_deref().and_then(AccountId::parse) {
        Some(id) => find(database, id),
        None => Ok(None),
    }
}

pub(super) fn list(
    database: &Connection,
    after: Option<AccountId>,
    count: usize,
) -> Result<Vec<Account>, AccessError> {
    let after = after.map_or(String::new(), |after| after.to_string());
    let select = "SELECT document FROM account WHERE id > ?1 ORDER BY id LIMIT ?2";
    documents(database, select, params![after, count as i64], "an account")
}

pub(super) fn put(
    database: &Connection,
    version: Version,
    account: &Account,
) -> Result<Version, AccessError> {
    let id = account.id.to_string();
    let stored: Option<i64> = database
        .query_row("SELECT version FROM account WHERE id = ?1", [&id], |row| row.get(0))
        .optional()
        .map_err(engine)?;
    if stored.unwrap_or(0) as u64 != version.0 {
        return Err(AccessError::Conflict);
    }
    database.execute("DELETE FROM account_key WHERE account = ?1", [&id]).map_err(engine)?;
    for key in account_keys(account) {
        let insert = "INSERT OR IGNORE INTO account_key (key, account) VALUES (?1, ?2)";
        let inserted = database.execute(insert, [&key, &id]).map_err(engine)?;
        if inserted == 0 {
            return Err(taken(&key));
        }
    }
    let insert = "INSERT OR REPLACE INTO account (id, version, document) VALUES (?1, ?2, ?3)";
    database.execute(insert, params![id, version.next().0 as i64, to_json(account)]).map_err(engine)?;
    Ok(version.next())
}

/// Deletes the account with its keys, sessions and tokens; whether there was one.
pub(super) fn delete(database: &Connection, id: AccountId) -> Result<bool, AccessError> {
    let id = id.to_string();
    for delete in [
        "DELETE FROM account_key WHERE account = ?1",
        "DELETE FROM session WHERE account = ?1",
        "DELETE FROM token WHERE account = ?1",
    ] {
        database.execute(delete, [&id]).map_err(engine)?;
    }
    Ok(database.execute("DELETE FROM account WHERE id = ?1", [&id]).map_err(engine)? > 0)
}

pub(super) fn session(database: &Connection, id: SecretId) -> Result<Option<AccountSession>, AccessError> {
    let select = "SELECT document FROM session WHERE id = ?1";
    Ok(documents(database, select, [secret_text(id)], "a session")?.into_iter().next())
}

pub(super) fn sessions_of(
    database: &Connection,
    account: AccountId,
) -> Result<Vec<AccountSession>, AccessError> {
    let select = "SELECT document FROM session WHERE account = ?1 ORDER BY created_ms DESC, id DESC";
    documents(database, select, [account.to_string()], "a session")
}

pub(super) fn sessions(
    database: &Connection,
    after: Option<SecretId>,
    count: usize,
) -> Result<Vec<AccountSession>, AccessError> {
    let select = "SELECT document FROM session WHERE id > ?1 ORDER BY id LIMIT ?2";
    let after = after.map_or(String::new(), secret_text);
    documents(database, select, params![after, count as i64], "a session")
}

pub(super) fn put_session(database: &Connection, session: &AccountSession) -> Result<(), AccessError> {
    let insert = "INSERT OR REPLACE INTO session (id, account, created_ms, expires_ms, document)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let (id, account) = (secret_text(session.id), session.account.to_string());
    database
        .execute(insert, params![id, account, session.created_ms, session.expires_ms, to_json(session)])
        .map_err(engine)?;
    Ok(())
}

pub(super) fn delete_session(database: &Connection, id: SecretId) -> Result<(), AccessError> {
    database.execute("DELETE FROM session WHERE id = ?1", [secret_text(id)]).map_err(engine)?;
    Ok(())
}

pub(super) fn token(database: &Connection, id: SecretId) -> Result<Option<ApiToken>, AccessError> {
    let select = "SELECT document FROM token WHERE id = ?1";
    Ok(documents(database, select, [secret_text(id)], "a token")?.into_iter().next())
}

pub(super) fn tokens_of(database: &Connection, account: AccountId) -> Result<Vec<ApiToken>, AccessError> {
    let select = "SELECT document FROM token WHERE account = ?1 ORDER BY created_ms DESC, id DESC";
    documents(database, select, [account.to_string()], "a token")
}

pub(super) fn tokens(
    database: &Connection,
    after: Option<SecretId>,
    count: usize,
) -> Result<Vec<ApiToken>, AccessError> {
    let select = "SELECT document FROM token WHERE id > ?1 ORDER BY id LIMIT ?2";
    let after = after.map_or(String::new(), secret_text);
    documents(database, select, params![after, count as i64], "a token")
}

pub(super) fn put_token(database: &Connection, token: &ApiToken) -> Result<(), AccessError> {
    let insert = "INSERT OR REPLACE INTO token (id, account, created_ms, expires_ms, document)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let (id, account) = (secret_text(token.id), token.account.to_string());
    database
        .execute(insert, params![id, account, token.created_ms, token.expires_ms, to_json(token)])
        .map_err(engine)?;
    Ok(())
}

pub(super) fn delete_token(database: &Connection, id: SecretId) -> Result<bool, AccessError> {
    let delete = "DELETE FROM token WHERE id = ?1";
    Ok(database.execute(delete, [secret_text(id)]).map_err(engine)? > 0)
}

pub(super) fn delete_expired(database: &Connection, time_ms: i64) -> Result<u64, AccessError> {
    let mut deleted = 0;
    for delete in ["DELETE FROM session WHERE expires_ms <= ?1", "DELETE FROM token WHERE expires_ms <= ?1"] {
        deleted += database.execute(delete, [time_ms]).map_err(engine)? as u64;
    }
    Ok(deleted)
}

/// Notes when an account, a session or a token was last used.
pub(super) fn record_use(database: &Connection, used: &Use) -> Result<(), AccessError> {
    match used {
        Use::Account { id, time_ms } => {
            let Some(Versioned { mut value, .. }) = find(database, *id)? else { return Ok(()) };
            value.last_seen_ms = value.last_seen_ms.max(*time_ms);
            let update = "UPDATE account SET document = ?2 WHERE id = ?1";
            database.execute(update, [id.to_string(), to_json(&value)]).map_err(engine)?;
        }
        Use::Session { id, time_ms } => {
            let Some(mut session) = session(database, *id)? else { return Ok(()) };
            session.last_used_ms = session.last_used_ms.max(*time_ms);
            put_session(database, &session)?;
        }
        Use::Token { id, time_ms } => {
            let Some(mut token) = token(database, *id)? else { return Ok(()) };
            token.last_used_ms = token.last_used_ms.max(*time_ms);
            put_token(database, &token)?;
        }
        Use::Link { .. } | Use::Grant { .. } | Use::Workbook { .. } => {}
    }
    Ok(())
}

/// The documents in the first column of a query's rows.
fn documents<T: DeserializeOwned>(
    database: &Connection,
    select: &str,
    parameters: impl Params,
    what: &str,
) -> Result<Vec<T>, AccessError> {
    let mut select = database.prepare_cached(select).map_err(engine)?;
    let rows = select.query_map(parameters, |row| row.get::<_, String>(0)).map_err(engine)?;
    rows.map(|document| from_json(&document.map_err(engine)?, || what.to_owned())).collect()
}
