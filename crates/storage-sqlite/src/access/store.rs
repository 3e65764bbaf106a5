//! The store: opening the file, and each call as one transaction.

use std::path::Path;

use quadrille_access::stored_form::{email_key, identity_key, passkey_key};
use quadrille_access::{
    AccessError, AccessRequest, AccessStore, Account, AccountId, AccountSession, ApiToken, AuditEntry,
    AuditFilter, Counts, Email, Identity, ListedWorkbook, Quota, QuotaSubject, SecretId, Use, Version,
    Versioned, WorkbookAccess, WorkbookFacts,
};
use quadrille_protocol::RoomName;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::error::{ACCESS, engine};
use super::{accounts, audit, quotas, row_changes, schema, workbooks};
use crate::open::sync_fully;
use crate::private_files::{create_directory, create_file};

/// Access documents, accounts and the audit log in one SQLite database.
pub struct SqliteAccessStore {
    pub(super) database: Connection,
}

impl SqliteAccessStore {
    /// Opens or creates the store in a data directory. The caller holds the directory's lock, as
    /// [`SqliteStorage`](crate::SqliteStorage) does.
    ///
    /// # Errors
    /// `NewerFormat` for a file of a newer program, `Damaged` when SQLite cannot read the file, `Full` and `Engine`
    /// otherwise.
    pub fn open(directory: &Path) -> Result<SqliteAccessStore, AccessError> {
        let path = directory.join(ACCESS);
        create_directory(directory)
            .and_then(|()| create_file(&path))
            .map_err(|error| AccessError::Engine { reason: format!("{}: {error}", directory.display()) })?;
        let mut database = Connection::open(path).map_err(engine)?;
        database.pragma_update(None, "journal_mode", "WAL").map_err(engine)?;
        sync_fully(&database).map_err(engine)?;
        schema::migrate(&mut database)?;
        row_changes::create(&database)?;
        Ok(SqliteAccessStore { database })
    }

    /// Reads a database that another program may be writing.
    pub(crate) fn over(database: Connection) -> SqliteAccessStore {
        SqliteAccessStore { database }
    }

    /// An empty store in memory.
    pub(crate) fn empty() -> Result<SqliteAccessStore, AccessError> {
        let mut database = Connection::open_in_memory().map_err(engine)?;
        schema::migrate(&mut database)?;
        Ok(SqliteAccessStore { database })
    }

    /// The connection, for transactions over several databases.
    pub(crate) fn database(&self) -> &Connection {
        &self.database
    }

    /// Gives up that commits survive a crash, in a store that is thrown away then.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn stop_syncing(&self) -> Result<(), AccessError> {
        self.database.pragma_update(None, "synchronous", "OFF").map_err(engine)
    }

    /// Runs `work` in one transaction, which is durable when this returns `Ok` (A1).
    pub(super) fn write<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, AccessError>,
    ) -> Result<T, AccessError> {
        // Immediate: a reader that becomes a writer halfway would fail instead of waiting.
        let transaction =
            self.database.transaction_with_behavior(TransactionBehavior::Immediate).map_err(engine)?;
        let result = work(&transaction)?;
        transaction.commit().map_err(engine)?;
        Ok(result)
    }
}

impl AccessStore for SqliteAccessStore {
    fn workbook(&mut self, room: &RoomName) -> Result<Option<Versioned<WorkbookAccess>>, AccessError> {
        workbooks::find(&self.database, room)
    }

    fn put_workbook(
        &mut self,
        room: &RoomName,
        version: Version,
        access: Option<&WorkbookAccess>,
        audit: &[AuditEntry],
    ) -> Result<Version, AccessError> {
        self.write(|transaction| {
            let version = workbooks::put(transaction, room, version, access)?;
            audit::append(transaction, audit)?;
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
        workbooks::of_person(&self.database, account, email, after, count)
    }

    fn workbooks(
        &mut self,
        after: Option<&RoomName>,
        count: usize,
    ) -> Result<Vec<ListedWorkbook>, AccessError> {
        workbooks::list(&self.database, after, count)
    }

    fn facts(&mut self, rooms: &[RoomName]) -> Result<Vec<Option<WorkbookFacts>>, AccessError> {
        rooms.iter().map(|room| workbooks::facts(&self.database, room)).collect()
    }

    fn trashed_before(&mut self, time_ms: i64, count: usize) -> Result<Vec<RoomName>, AccessError> {
        workbooks::trashed_before(&self.database, time_ms, count)
    }

    fn account(&mut self, id: AccountId) -> Result<Option<Versioned<Account>>, AccessError> {
        accounts::find(&self.database, id)
    }

    fn account_by_identity(
        &mut self,
        identity: &Identity,
    ) -> Result<Option<Versioned<Account>>, AccessError> {
        accounts::find_by_key(&self.database, &identity_key(identity))
    }

    fn account_by_email(&mut self, email: &Email) -> Result<Option<Versioned<Account>>, AccessError> {
        accounts::find_by_key(&self.database, &email_key(email))
    }

    fn account_by_passkey(&mut self, credential: &str) -> Result<Option<Versioned<Account>>, AccessError> {
        accounts::find_by_key(&self.database, &passkey_key(credential))
    }

    fn accounts(&mut self, after: Option<AccountId>, count: usize) -> Result<Vec<Account>, AccessError> {
        accounts::list(&self.database, after, count)
    }

    fn put_account(
        &mut self,
        version: Version,
        account: &Account,
        audit: &[AuditEntry],
    ) -> Result<Version, AccessError> {
        self.write(|transaction| {
            let version = accounts::put(transaction, version, account)?;
            audit::append(transaction, audit)?;
            Ok(version)
        })
    }

    fn delete_account(&mut self, id: AccountId, audit: &[AuditEntry]) -> Result<bool, AccessError> {
        self.write(|transaction| {
            let email = accounts::find(transaction, id)?.and_then(|stored| stored.value.verified_email());
            let existed = accounts::delete(transaction, id)?;
            workbooks::forget_account(transaction, id, email.as_ref())?;
            quotas::put(transaction, &QuotaSubject::Account(id), None)?;
            audit::append(transaction, audit)?;
            Ok(existed)
        })
    }

    fn session(&mut self, id: SecretId) -> Result<Option<AccountSession>, AccessError> {
        accounts::session(&self.database, id)
    }

    fn sessions_of(&mut self, account: AccountId) -> Result<Vec<AccountSession>, AccessError> {
        accounts::sessions_of(&self.database, account)
    }

    fn sessions(
        &mut self,
        after: Option<SecretId>,
        count: usize,
    ) -> Result<Vec<AccountSession>, AccessError> {
        accounts::sessions(&self.database, after, count)
    }

    fn put_session(&mut self, session: &AccountSession, audit: &[AuditEntry]) -> Result<(), AccessError> {
        self.write(|transaction| {
            accounts::put_session(transaction, session)?;
            audit::append(transaction, audit)
        })
    }

    fn delete_sessions(&mut self, ids: &[SecretId], audit: &[AuditEntry]) -> Result<(), AccessError> {
        self.write(|transaction| {
            for id in ids {
                accounts::delete_session(transaction, *id)?;
            }
            audit::append(transaction, audit)
        })
    }

    fn token(&mut self, id: SecretId) -> Result<Option<ApiToken>, AccessError> {
        accounts::token(&self.database, id)
    }

    fn tokens_of(&mut self, account: AccountId) -> Result<Vec<ApiToken>, AccessError> {
        accounts::tokens_of(&self.database, account)
    }

    fn tokens(&mut self, after: Option<SecretId>, count: usize) -> Result<Vec<ApiToken>, AccessError> {
        accounts::tokens(&self.database, after, count)
    }

    fn put_token(&mut self, token: &ApiToken, audit: &[AuditEntry]) -> Result<(), AccessError> {
        self.write(|transaction| {
            accounts::put_token(transaction, token)?;
            audit::append(transaction, audit)
        })
    }

    fn delete_token(&mut self, id: SecretId, audit: &[AuditEntry]) -> Result<bool, AccessError> {
        self.write(|transaction| {
            let existed = accounts::delete_token(transaction, id)?;
            audit::append(transaction, audit)?;
            Ok(existed)
        })
    }

    fn requests(&mut self, room: &RoomName) -> Result<Vec<AccessRequest>, AccessError> {
        workbooks::requests(&self.database, room)
    }

    fn requests_of(
        &mut self,
        account: AccountId,
        email: Option<&Email>,
    ) -> Result<Vec<AccessRequest>, AccessError> {
        workbooks::requests_of(&self.database, account, email)
    }

    fn put_request(&mut self, request: &AccessRequest, audit: &[AuditEntry]) -> Result<(), AccessError> {
        self.write(|transaction| {
            workbooks::put_request(transaction, request)?;
            audit::append(transaction, audit)
        })
    }

    fn delete_request(
        &mut self,
        room: &RoomName,
        id: SecretId,
        audit: &[AuditEntry],
    ) -> Result<bool, AccessError> {
        self.write(|transaction| {
            let existed = workbooks::delete_request(transaction, room, id)?;
            audit::append(transaction, audit)?;
            Ok(existed)
        })
    }

    fn append_audit(&mut self, entries: &[AuditEntry]) -> Result<(), AccessError> {
        self.write(|transaction| audit::append(transaction, entries))
    }

    fn audit(&mut self, filter: &AuditFilter, count: usize) -> Result<Vec<AuditEntry>, AccessError> {
        audit::read(&self.database, filter, count)
    }

    fn forget_audit_before(&mut self, time_ms: i64, count: usize) -> Result<u64, AccessError> {
        self.write(|transaction| audit::forget_before(transaction, time_ms, count))
    }

    fn quotas(&mut self) -> Result<Vec<(QuotaSubject, Quota)>, AccessError> {
        quotas::list(&self.database)
    }

    fn put_quota(
        &mut self,
        subject: &QuotaSubject,
        quota: Option<&Quota>,
        audit: &[AuditEntry],
    ) -> Result<(), AccessError> {
        self.write(|transaction| {
            quotas::put(transaction, subject, quota)?;
            audit::append(transaction, audit)
        })
    }

    fn counts(&mut self) -> Result<Counts, AccessError> {
        quotas::counts(&self.database)
    }

    fn record_uses(&mut self, uses: &[Use]) -> Result<(), AccessError> {
        self.write(|transaction| {
            for used in uses {
                match used {
                    Use::Link { .. } | Use::Grant { .. } => workbooks::record_use(transaction, used)?,
                    Use::Workbook { room, facts } => {
                        workbooks::put_facts(transaction, room, facts.as_ref())?;
                    }
                    Use::Account { .. } | Use::Session { .. } | Use::Token { .. } => {
                        accounts::record_use(transaction, used)?;
                    }
                }
            }
            Ok(())
        })
    }

    fn server_secret(&mut self, name: &str, fresh: &[u8; 32]) -> Result<[u8; 32], AccessError> {
        self.write(|transaction| {
            let insert = "INSERT OR IGNORE INTO server_secret (name, value) VALUES (?1, ?2)";
            transaction.execute(insert, rusqlite::params![name, fresh]).map_err(engine)?;
            let select = "SELECT value FROM server_secret WHERE name = ?1";
            transaction.query_row(select, [name], |row| row.get(0)).map_err(engine)
        })
    }

    fn delete_expired(&mut self, time_ms: i64) -> Result<u64, AccessError> {
        self.write(|transaction| accounts::delete_expired(transaction, time_ms))
    }
}
