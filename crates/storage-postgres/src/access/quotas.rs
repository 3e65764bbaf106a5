//! Quotas that differ from the settings, and how much of everything there is.

use quadrille_access::stored_form::{from_json, to_json};
use quadrille_access::{AccessError, Counts, QUOTAS_MAX, Quota, QuotaSubject};

use crate::session::Session;

pub(super) fn list(session: &mut Session<'_>) -> Result<Vec<(QuotaSubject, Quota)>, AccessError> {
    let rows = session.query("SELECT subject, document FROM quota ORDER BY subject", &[])?;
    let quota = |row: &tokio_postgres::Row| {
        let text: &str = row.get(0);
        let what = || format!("the quota of {}", text.escape_default());
        let subject = QuotaSubject::parse(text).ok_or_else(|| AccessError::Damaged {
            what: what(),
            reason: "not the name of an account or a tenant".into(),
        })?;
        Ok((subject, from_json(row.get(1), what)?))
    };
    rows.iter().map(quota).collect()
}

pub(super) fn put(
    session: &mut Session<'_>,
    subject: &QuotaSubject,
    quota: Option<&Quota>,
) -> Result<(), AccessError> {
    let subject = subject.to_string();
    let Some(quota) = quota else {
        session.execute("DELETE FROM quota WHERE subject = $1", &[&subject])?;
        return Ok(());
    };
    let others: i64 = session.query("SELECT count(*) FROM quota WHERE subject <> $1", &[&subject])?[0].get(0);
    if others >= QUOTAS_MAX as i64 {
        return Err(AccessError::TooMany { what: "quotas", max: QUOTAS_MAX });
    }
    session.execute(
        "INSERT INTO quota (subject, document) VALUES ($1, $2)
         ON CONFLICT (subject) DO UPDATE SET document = excluded.document",
        &[&subject, &to_json(quota)],
    )?;
    Ok(())
}

pub(super) fn counts(session: &mut Session<'_>) -> Result<Counts, AccessError> {
    let rows = session.query(
        "SELECT (SELECT count(*) FROM account), (SELECT count(*) FROM account WHERE is_admin AND NOT is_disabled),
                (SELECT count(*) FROM account WHERE is_disabled), (SELECT count(*) FROM session),
                (SELECT count(*) FROM token), (SELECT count(*) FROM workbook WHERE trashed_ms IS NULL),
                (SELECT count(*) FROM workbook WHERE trashed_ms IS NOT NULL)",
        &[],
    )?;
    let count = |column: usize| rows[0].get::<_, i64>(column) as u64;
    Ok(Counts {
        accounts: count(0),
        admins: count(1),
        disabled_accounts: count(2),
        sessions: count(3),
        tokens: count(4),
        workbooks: count(5),
        trashed_workbooks: count(6),
    })
}
