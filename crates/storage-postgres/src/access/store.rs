//! The store: each changing call is one transaction.

use quadrille_access::stored_form::{email_key, identity_key, passkey_key};
use quadrille_access::{
    AccessError, AccessRequest, AccessStore, Account, AccountId, AccountSession, ApiToken, AuditEntry,
    AuditFilter, Counts, Email, Identity, ListedWorkbook, Notice, Quota, QuotaSubject, SecretId, Use,
    Version, Versioned, WorkbookAccess, WorkbookFacts,
};
use quadrille_protocol::RoomName;

use super::{accounts, audit, notices, quotas, workbooks};
use crate::address::Address;
use crate::connection::{Connection, RETRY_DELAY_MAX, new_name};
use crate::error::Failure;
use crate::schema;
use crate::session::Session;

/// Access documents, accounts and the audit log in a PostgreSQL database. Calls fail while the database is
/// away, and work again when it is back.
///
/// A change whose connection ends during its commit is sent again. If it had been stored, a document that is
/// changed by compare-and-set answers `Conflict`, and the caller reads it again.
pub struct PostgresAccessStore {
    connection: Connection,
    /// Tells the notices of this server from those of others.
    name: String,
    /// Reads notices. Another connection, because its failed attempts while the database is away would delay
    /// the next attempt of a request.
    notices: Connection,
    /// The number of the last notice that was read.
    last_notice: i64,
}

impl PostgresAccessStore {
    /// Connects to a database, and creates or migrates its tables.
    ///
    /// # Errors
    /// A message when the database cannot be reached, refuses the user or is read-only; `NewerFormat` when it
    /// was written by a newer version.
    pub fn open(address: &Address) -> Result<PostgresAccessStore, AccessError> {
        let failed = |failure: Failure| match failure {
            Failure::NewerFormat { .. } => failure.into(),
            failure => AccessError::Engine { reason: format!("{address}: {failure}") },
        };
        let name = format!("{} access", new_name());
        let mut connection = Connection::open(address, name.clone(), RETRY_DELAY_MAX).map_err(failed)?;
        connection.run(|session| schema::migrate(session, None)).map_err(failed)?;
        let mut notices =
            Connection::open(address, format!("{name} notices"), RETRY_DELAY_MAX).map_err(failed)?;
        let last_notice = notices.run(notices::last)?;
        Ok(PostgresAccessStore { connection, name, notices, last_notice })
    }

    pub(super) fn read<T>(
        &mut self,
        work: impl FnMut(&mut Session<'_>) -> Result<T, AccessError>,
    ) -> Result<T, AccessError> {
        self.connection.run(work)
    }

    /// Runs `work` in one transaction, which is durable when this returns `Ok` (A1).
    pub(super) fn write<T>(
        &mut self,
        mut work: impl FnMut(&mut Session<'_>) -> Result<T, AccessError>,
    ) -> Result<T, AccessError> {
        self.connection.run(|session| session.transaction(&mut work))
    }
}

impl AccessStore for PostgresAccessStore {
    fn is_shared(&self) -> bool {
        true
    }

    fn tell_others(&mut self, told: &[Notice]) -> Result<(), AccessError> {
        let name = self.name.clone();
        self.write(|session| told.iter().try_for_each(|notice| notices::put(session, &name, notice)))
    }

    fn notices(&mut self) -> Result<Vec<Notice>, AccessError> {
        let (name, last) = (self.name.clone(), self.last_notice);
        let (told, last) = self.notices.run(|session| notices::after(session, &name, last))?;
        self.last_notice = last;
        Ok(told)
    }

    fn workbook(&mut self, room: &RoomName) -> Result<Option<Versioned<WorkbookAccess>>, AccessError> {
        self.read(|session| workbooks::find(session, room))
    }

    fn put_workbook(
        &mut self,
        room: &RoomName,
        version: Version,
        access: Option<&WorkbookAccess>,
        audit: &[AuditEntry],
    ) -> Result<Version, AccessError> {
        let (name, notice) = (self.name.clone(), Notice::Workbook(room.clone()));
        self.write(|session| {
            let version = workbooks::put(session, room, version, access)?;
            notices::put(session, &name, &notice)?;
            audit::append(session, audit)?;
            Ok(version)
        })
    }

    fn workbooks_of(
        &mut self,
        account: AccountId,
        email: Option<&Email>,
        after: Option<&RoomName>,
        count: usize,
    ) -> Result<Vec<ListedWorkbook>, AccessError> {
        self.read(|session| workbooks::of_person(session, account, email, after, count))
    }

    fn workbooks(
        &mut self,
        after: Option<&RoomName>,
        count: usize,
    ) -> Result<Vec<ListedWorkbook>, AccessError> {
        self.read(|session| workbooks::list(session, after, count))
    }

    fn facts(&mut self, rooms: &[RoomName]) -> Result<Vec<Option<WorkbookFacts>>, AccessError> {
        self.read(|session| workbooks::facts(session, rooms))
    }

    fn trashed_before(&mut self, time_ms: i64, count: usize) -> Result<Vec<RoomName>, AccessError> {
        self.read(|session| workbooks::trashed_before(session, time_ms, count))
    }

    fn account(&mut self, id: AccountId) -> Result<Option<Versioned<Account>>, AccessError> {
        self.read(|session| accounts::find(session, id))
    }

    fn account_by_identity(
        &mut self,
        identity: &Identity,
    ) -> Result<Option<Versioned<Account>>, AccessError> {
        self.read(|session| accounts::find_by_key(session, &identity_key(identity)))
    }

    fn account_by_email(&mut self, email: &Email) -> Result<Option<Versioned<Account>>, AccessError> {
        self.read(|session| accounts::find_by_key(session, &email_key(email)))
    }

    fn account_by_passkey(&mut self, credential: &str) -> Result<Option<Versioned<Account>>, AccessError> {
        self.read(|session| accounts::find_by_key(session, &passkey_key(credential)))
    }

    fn accounts(&mut self, after: Option<AccountId>, count: usize) -> Result<Vec<Account>, AccessError> {
        self.read(|session| accounts::list(session, after, count))
    }

    fn put_account(
        &mut self,
        version: Version,
        account: &Account,
        audit: &[AuditEntry],
    ) -> Result<Version, AccessError> {
        self.write(|session| {
            let version = accounts::put(session, version, account)?;
            audit::append(session, audit)?;
            Ok(version)
        })
    }

    fn delete_account(&mut self, id: AccountId, audit: &[AuditEntry]) -> Result<bool, AccessError> {
        self.write(|session| {
            let email = accounts::find(session, id)?.and_then(|stored| stored.value.verified_email());
            let existed = accounts::delete(session, id)?;
            workbooks::forget_account(session, id, email.as_ref())?;
            quotas::put(session, &QuotaSubject::Account(id), None)?;
            audit::append(session, audit)?;
            Ok(existed)
        })
    }

    fn session(&mut self, id: SecretId) -> Result<Option<AccountSession>, AccessError> {
        self.read(|session| accounts::session(session, id))
    }

    fn sessions_of(&mut self, account: AccountId) -> Result<Vec<AccountSession>, AccessError> {
        self.read(|session| accounts::sessions_of(session, account))
    }

    fn sessions(
        &mut self,
        after: Option<SecretId>,
        count: usize,
    ) -> Result<Vec<AccountSession>, AccessError> {
        self.read(|session| accounts::sessions(session, after, count))
    }

    fn put_session(&mut self, session: &AccountSession, audit: &[AuditEntry]) -> Result<(), AccessError> {
        self.write(|database| {
            accounts::put_session(database, session)?;
            audit::append(database, audit)
        })
    }

    fn delete_sessions(&mut self, ids: &[SecretId], audit: &[AuditEntry]) -> Result<(), AccessError> {
        self.write(|session| {
            accounts::delete_sessions(session, ids)?;
            audit::append(session, audit)
        })
    }

    fn token(&mut self, id: SecretId) -> Result<Option<ApiToken>, AccessError> {
        self.read(|session| accounts::token(session, id))
    }

    fn tokens_of(&mut self, account: AccountId) -> Result<Vec<ApiToken>, AccessError> {
        self.read(|session| accounts::tokens_of(session, account))
    }

    fn tokens(&mut self, after: Option<SecretId>, count: usize) -> Result<Vec<ApiToken>, AccessError> {
        self.read(|session| accounts::tokens(session, after, count))
    }

    fn put_token(&mut self, token: &ApiToken, audit: &[AuditEntry]) -> Result<(), AccessError> {
        self.write(|session| {
            accounts::put_token(session, token)?;
            audit::append(session, audit)
        })
    }

    fn delete_token(&mut self, id: SecretId, audit: &[AuditEntry]) -> Result<bool, AccessError> {
        self.write(|session| {
            let existed = accounts::delete_token(session, id)?;
            audit::append(session, audit)?;
            Ok(existed)
        })
    }

    fn requests(&mut self, room: &RoomName) -> Result<Vec<AccessRequest>, AccessError> {
        self.read(|session| workbooks::requests(session, room))
    }

    fn requests_of(
        &mut self,
        account: AccountId,
        email: Option<&Email>,
    ) -> Result<Vec<AccessRequest>, AccessError> {
        self.read(|session| workbooks::requests_of(session, account, email))
    }

    fn put_request(&mut self, request: &AccessRequest, audit: &[AuditEntry]) -> Result<(), AccessError> {
        self.write(|session| {
            workbooks::put_request(session, request)?;
            audit::append(session, audit)
        })
    }

    fn delete_request(
        &mut self,
        room: &RoomName,
        id: SecretId,
        audit: &[AuditEntry],
    ) -> Result<bool, AccessError> {
        self.write(|session| {
            let existed = workbooks::delete_request(session, room, id)?;
            audit::append(session, audit)?;
            Ok(existed)
        })
    }

    fn append_audit(&mut self, entries: &[AuditEntry]) -> Result<(), AccessError> {
        self.write(|session| audit::append(session, entries))
    }

    fn audit(&mut self, filter: &AuditFilter, count: usize) -> Result<Vec<AuditEntry>, AccessError> {
        self.read(|session| audit::read(session, filter, count))
    }

    fn forget_audit_before(&mut self, time_ms: i64, count: usize) -> Result<u64, AccessError> {
        self.write(|session| audit::forget_before(session, time_ms, count))
    }

    fn quotas(&mut self) -> Result<Vec<(QuotaSubject, Quota)>, AccessError> {
        self.read(quotas::list)
    }

    fn put_quota(
        &mut self,
        subject: &QuotaSubject,
        quota: Option<&Quota>,
        audit: &[AuditEntry],
    ) -> Result<(), AccessError> {
        self.write(|session| {
            quotas::put(session, subject, quota)?;
            audit::append(session, audit)
        })
    }

    fn counts(&mut self) -> Result<Counts, AccessError> {
        self.read(quotas::counts)
    }

    fn record_uses(&mut self, uses: &[Use]) -> Result<(), AccessError> {
        self.write(|session| {
            for used in uses {
                match used {
                    Use::Link { .. } | Use::Grant { .. } => workbooks::record_use(session, used)?,
                    Use::Workbook { room, facts } => workbooks::put_facts(session, room, facts.as_ref())?,
                    Use::Account { .. } | Use::Session { .. } | Use::Token { .. } => {
                        accounts::record_use(session, used)?;
                    }
                }
            }
            Ok(())
        })
    }

    fn server_secret(&mut self, name: &str, fresh: &[u8; 32]) -> Result<[u8; 32], AccessError> {
        self.write(|session| {
            session.execute(
                "INSERT INTO server_secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
                &[&name, &&fresh[..]],
            )?;
            let rows = session.query("SELECT value FROM server_secret WHERE name = $1", &[&name])?;
            let value: &[u8] = rows[0].get(0);
            value.try_into().map_err(|_| AccessError::Damaged {
                what: format!("the server's secret {name}"),
                reason: "it has another length".into(),
            })
        })
    }

    fn delete_expired(&mut self, time_ms: i64) -> Result<u64, AccessError> {
        self.write(|session| accounts::delete_expired(session, time_ms))
    }
}
