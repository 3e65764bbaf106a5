//! Quotas that differ from the settings, and how much of everything there is.

use quadrille_access::stored_form::{from_json, to_json};
use quadrille_access::{AccessError, Counts, QUOTAS_MAX, Quota, QuotaSubject};
use rusqlite::{Connection, OptionalExtension};

use super::error::engine;

pub(super) fn list(database: &Connection) -> Result<Vec<(QuotaSubject, Quota)>, AccessError> {
    let select = "SELECT subject, document FROM quota ORDER BY subject";
    let mut select = database.prepare_cached(select).map_err(engine)?;
    let rows = select
        .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
        .map_err(engine)?;
    let mut quotas = Vec::new();
    for row in rows {
        let (text, document) = row.map_err(engine)?;
        let what = || format!("the quota of {}", text.escape_default());
        let subject = QuotaSubject::parse(&text).ok_or_else(|| AccessError::Damaged {
            what: what(),
            reason: "not the name of an account or a tenant".into(),
        })?;
        let quota = from_json(&document, what)?;
        quotas.push((subject, quota));
    }
    Ok(quotas)
}

pub(super) fn put(
    database: &Connection,
    subject: &QuotaSubject,
    quota: Option<&Quota>,
) -> Result<(), AccessError> {
    let subject = subject.to_string();
    let Some(quota) = quota else {
        database.execute("DELETE FROM quota WHERE subject = ?1", [subject]).map_err(engine)?;
        return Ok(());
    };
    let is_known = database
        .query_row("SELECT 1 FROM quota WHERE subject = ?1", [&subject], |_| Ok(()))
        .optional()
        .map_err(engine)?
        .is_some();
    if !is_known && count(database, "SELECT count(*) FROM quota")? >= QUOTAS_MAX as u64 {
        return Err(AccessError::TooMany { what: "quotas", max: QUOTAS_MAX });
    }
    let insert = "INSERT OR REPLACE INTO quota (subject, document) VALUES (?1, ?2)";
    database.execute(insert, [subject, to_json(quota)]).map_err(engine)?;
    Ok(())
}

pub(super) fn counts(database: &Connection) -> Result<Counts, AccessError> {
    // A document that cannot be read counts as an account, but not as an admin.
    let is = |member: &str| format!("json_valid(document) AND json_extract(document, '$.{member}')");
    let accounts =
        |condition: &str| count(database, &format!("SELECT count(*) FROM account WHERE {condition}"));
    Ok(Counts {
        accounts: accounts("TRUE")?,
        admins: accounts(&format!("{} AND NOT ({})", is("is_admin"), is("is_disabled")))?,
        disabled_accounts: accounts(&is("is_disabled"))?,
        sessions: count(database, "SELECT count(*) FROM session")?,
        tokens: count(database, "SELECT count(*) FROM token")?,
        workbooks: count(database, "SELECT count(*) FROM workbook WHERE trashed_ms IS NULL")?,
        trashed_workbooks: count(database, "SELECT count(*) FROM workbook WHERE trashed_ms IS NOT NULL")?,
    })
}

fn count(database: &Connection, select: &str) -> Result<u64, AccessError> {
    database.query_row(select, [], |row| row.get::<_, i64>(0)).map(|count| count as u64).map_err(engine)
}
