//! Accounts, their sessions and their API tokens.

use quadrille_access::stored_form::{account_keys, from_json, secret_text, taken, to_json};
use quadrille_access::{
    AccessError, Account, AccountId, AccountSession, ApiToken, SecretId, Use, Version, Versioned,
};
use serde::de::DeserializeOwned;

use crate::session::{Parameters, Session};

pub(super) fn find(
    session: &mut Session<'_>,
    id: AccountId,
) -> Result<Option<Versioned<Account>>, AccessError> {
    let row = session.query_opt("SELECT version, document FROM account WHERE id = $1", &[&id.to_string()])?;
    let Some(row) = row else { return Ok(None) };
    let value = from_json(row.get(1), || format!("account {id}"))?;
    Ok(Some(Versioned { version: Version(row.get::<_, i64>(0) as u64), value }))
}

pub(super) fn find_by_key(
    session: &mut Session<'_>,
    key: &str,
) -> Result<Option<Versioned<Account>>, AccessError> {
    let row = session.query_opt("SELECT account FROM account_key WHERE key = $1", &[&key])?;
    match row.and_then(|row| AccountId::parse(row.get(0))) {
        Some(id) => find(session, id),
        None => Ok(None),
    }
}

pub(super) fn list(
    session: &mut Session<'_>,
    after: Option<AccountId>,
    count: usize,
) -> Result<Vec<Account>, AccessError> {
    let after = after.map_or(String::new(), |after| after.to_string());
    let select = "SELECT document FROM account WHERE id > $1 ORDER BY id LIMIT $2";
    documents(session, select, &[&after, &limit(count)], "an account")
}

pub(super) fn put(
    session: &mut Session<'_>,
    version: Version,
    account: &Account,
) -> Result<Version, AccessError> {
    let id = account.id.to_string();
    let (stored, next) = (version.0 as i64, version.next());
    let document = to_json(account);
    // Compare-and-set in the statement (A2): another server may write at the same time.
    let written = match stored {
        0 => session.execute(
            "INSERT INTO account (id, version, is_admin, is_disabled, document) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (id) DO NOTHING",
            &[&id, &(next.0 as i64), &account.is_admin, &account.is_disabled, &document],
        )?,
        _ => session.execute(
            "UPDATE account SET version = $2, is_admin = $3, is_disabled = $4, document = $5
             WHERE id = $1 AND version = $6",
            &[&id, &(next.0 as i64), &account.is_admin, &account.is_disabled, &document, &stored],
        )?,
    };
    if written == 0 {
        return Err(AccessError::Conflict);
    }
    session.execute("DELETE FROM account_key WHERE account = $1", &[&id])?;
    for key in account_keys(account) {
        let insert = "INSERT INTO account_key (key, account) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING";
        if session.execute(insert, &[&key, &id])? == 0 {
            return Err(taken(&key));
        }
    }
    Ok(next)
}

/// Deletes the account with its keys, sessions and tokens; whether there was one.
pub(super) fn delete(session: &mut Session<'_>, id: AccountId) -> Result<bool, AccessError> {
    let id = id.to_string();
    for delete in [
        "DELETE FROM account_key WHERE account = $1",
        "DELETE FROM session WHERE account = $1",
        "DELETE FROM token WHERE account = $1",
    ] {
        session.execute(delete, &[&id])?;
    }
    Ok(session.execute("DELETE FROM account WHERE id = $1", &[&id])? > 0)
}

pub(super) fn session(
    session: &mut Session<'_>,
    id: SecretId,
) -> Result<Option<AccountSession>, AccessError> {
    let select = "SELECT document FROM session WHERE id = $1";
    Ok(documents(session, select, &[&secret_text(id)], "a session")?.into_iter().next())
}

pub(super) fn sessions_of(
    session: &mut Session<'_>,
    account: AccountId,
) -> Result<Vec<AccountSession>, AccessError> {
    let select = "SELECT document FROM session WHERE account = $1 ORDER BY created_ms DESC, id DESC";
    documents(session, select, &[&account.to_string()], "a session")
}

pub(super) fn sessions(
    session: &mut Session<'_>,
    after: Option<SecretId>,
    count: usize,
) -> Result<Vec<AccountSession>, AccessError> {
    let select = "SELECT document FROM session WHERE id > $1 ORDER BY id LIMIT $2";
    let after = after.map_or(String::new(), secret_text);
    documents(session, select, &[&after, &limit(count)], "a session")
}

pub(super) fn put_session(database: &mut Session<'_>, session: &AccountSession) -> Result<(), AccessError> {
    database.execute(
        "INSERT INTO session (id, account, created_ms, expires_ms, document) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO UPDATE SET account = excluded.account, created_ms = excluded.created_ms,
             expires_ms = excluded.expires_ms, document = excluded.document",
        &[
            &secret_text(session.id),
            &session.account.to_string(),
            &session.created_ms,
            &Some(session.expires_ms),
            &to_json(session),
        ],
    )?;
    Ok(())
}

pub(super) fn delete_sessions(session: &mut Session<'_>, ids: &[SecretId]) -> Result<(), AccessError> {
    let ids: Vec<String> = ids.iter().map(|id| secret_text(*id)).collect();
    session.execute("DELETE FROM session WHERE id = ANY($1)", &[&ids])?;
    Ok(())
}

pub(super) fn token(session: &mut Session<'_>, id: SecretId) -> Result<Option<ApiToken>, AccessError> {
    let select = "SELECT document FROM token WHERE id = $1";
    Ok(documents(session, select, &[&secret_text(id)], "a token")?.into_iter().next())
}

pub(super) fn tokens_of(session: &mut Session<'_>, account: AccountId) -> Result<Vec<ApiToken>, AccessError> {
    let select = "SELECT document FROM token WHERE account = $1 ORDER BY created_ms DESC, id DESC";
    documents(session, select, &[&account.to_string()], "a token")
}

pub(super) fn tokens(
    session: &mut Session<'_>,
    after: Option<SecretId>,
    count: usize,
) -> Result<Vec<ApiToken>, AccessError> {
    let select = "SELECT document FROM token WHERE id > $1 ORDER BY id LIMIT $2";
    let after = after.map_or(String::new(), secret_text);
    documents(session, select, &[&after, &limit(count)], "a token")
}

pub(super) fn put_token(session: &mut Session<'_>, token: &ApiToken) -> Result<(), AccessError> {
    session.execute(
        "INSERT INTO token (id, account, created_ms, expires_ms, document) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO UPDATE SET account = excluded.account, created_ms = excluded.created_ms,
             expires_ms = excluded.expires_ms, document = excluded.document",
        &[
            &secret_text(token.id),
            &token.account.to_string(),
            &token.created_ms,
            &token.expires_ms,
            &to_json(token),
        ],
    )?;
    Ok(())
}

pub(super) fn delete_token(session: &mut Session<'_>, id: SecretId) -> Result<bool, AccessError> {
    Ok(session.execute("DELETE FROM token WHERE id = $1", &[&secret_text(id)])? > 0)
}

pub(super) fn delete_expired(session: &mut Session<'_>, time_ms: i64) -> Result<u64, AccessError> {
    let mut deleted = 0;
    for delete in ["DELETE FROM session WHERE expires_ms <= $1", "DELETE FROM token WHERE expires_ms <= $1"] {
        deleted += session.execute(delete, &[&time_ms])?;
    }
    Ok(deleted)
}

/// Notes when an account, a session or a token was last used.
pub(super) fn record_use(database: &mut Session<'_>, used: &Use) -> Result<(), AccessError> {
    match used {
        Use::Account { id, time_ms } => {
            let Some(Versioned { mut value, version }) = find(database, *id)? else { return Ok(()) };
            value.last_seen_ms = value.last_seen_ms.max(*time_ms);
            // A change by somebody else counts for more.
            database.execute(
                "UPDATE account SET document = $2 WHERE id = $1 AND version = $3",
                &[&id.to_string(), &to_json(&value), &(version.0 as i64)],
            )?;
        }
        Use::Session { id, time_ms } => {
            let Some(mut session) = session(database, *id)? else { return Ok(()) };
            session.last_used_ms = session.last_used_ms.max(*time_ms);
            // Not `put_session`: it would revive a session that has just ended.
            let update = "UPDATE session SET document = $2 WHERE id = $1";
            database.execute(update, &[&secret_text(*id), &to_json(&session)])?;
        }
        Use::Token { id, time_ms } => {
            let Some(mut token) = token(database, *id)? else { return Ok(()) };
            token.last_used_ms = token.last_used_ms.max(*time_ms);
            let update = "UPDATE token SET document = $2 WHERE id = $1";
            database.execute(update, &[&secret_text(*id), &to_json(&token)])?;
        }
        Use::Link { .. } | Use::Grant { .. } | Use::Workbook { .. } => {}
    }
    Ok(())
}

/// The documents in the first column of a query's rows.
fn documents<T: DeserializeOwned>(
    session: &mut Session<'_>,
    select: &'static str,
    parameters: &Parameters<'_>,
    what: &str,
) -> Result<Vec<T>, AccessError> {
    let rows = session.query(select, parameters)?;
    rows.iter().map(|row| from_json(row.get(0), || what.to_owned())).collect()
}

/// A number of rows as PostgreSQL takes it.
pub(super) fn limit(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
