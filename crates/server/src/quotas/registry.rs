//! All subjects of quotas, and the checks.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use quadrille_access::{AccountId, AuditEntry, ListedWorkbook, Quota, QuotaSubject, WorkbookAccess};
use quadrille_protocol::RoomName;
use tokio::sync::watch;

use super::hourly::HourlyUse;
use super::subject::{Subject, Usage};
use crate::access::{Access, Document, Identity, Visitor};
use crate::config::Settings;
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::rate_limits::{LimitExceeded, LimitHit};
use crate::rooms::Rooms;
use crate::tenant_settings::TenantSettings;

/// Workbooks that are measured at once, while the journal waits: about 5 ms.
pub const MEASURED_AT_ONCE: usize = 20;
/// Access documents that are read at once.
const DOCUMENTS_AT_ONCE: usize = 500;

/// The quotas of all accounts and tenants. Clones share them.
#[derive(Clone)]
pub struct Quotas {
    inner: Arc<Inner>,
}

struct Inner {
    settings: Arc<Settings>,
    access: Access,
    rooms: Rooms,
    account_default: Quota,
    tenants: BTreeMap<Arc<str>, (Quota, Arc<Subject>)>,
    accounts: Mutex<HashMap<AccountId, Arc<Subject>>>,
    /// Quotas that admins have set.
    overrides: Mutex<BTreeMap<QuotaSubject, Quota>>,
    exports: HourlyUse,
    creations: HourlyUse,
    /// Told whenever something was counted or a quota was set, so that there may be storage again.
    counted: watch::Sender<()>,
}

/// The quotas that apply to one session. Its person and its tenant count the session until this is
/// dropped.
pub struct SessionQuota {
    /// The person and the tenant, who do the work.
    counted: Vec<Arc<Subject>>,
    /// The owner of the workbook and its tenant, who get the bytes.
    stores: Vec<Arc<Subject>>,
    /// Nothing could be written when the session began.
    was_full: bool,
    changes: watch::Receiver<()>,
}

impl SessionQuota {
    /// Counts a frame. Returns the limit with the longest pause before the next frame is read.
    pub fn take(&self, operations: u64, bytes: usize, now: Instant) -> Option<LimitExceeded> {
        if operations > 0 {
            self.stores.iter().for_each(|subject| subject.add_bytes(bytes as u64));
        }
        let waits = self.counted.iter().map(|subject| LimitExceeded {
            limit: hit(subject),
            wait: subject.take_operations(operations, now),
        });
        waits.max_by_key(|exceeded| exceeded.wait).filter(|exceeded| !exceeded.wait.is_zero())
    }

    /// Whether nothing more may be written to the workbook.
    pub fn is_full(&self) -> bool {
        self.stores.iter().any(|subject| subject.is_full())
    }

    /// Waits until something can be written again. Never returns for a session that began when
    /// something could be. Cancel-safe.
    pub async fn freed(&self) {
        if !self.was_full {
            return std::future::pending().await;
        }
        let mut changes = self.changes.clone();
        loop {
            // Before the check: a later change is not missed.
            changes.borrow_and_update();
            if !self.is_full() {
                return;
            }
            if changes.changed().await.is_err() {
                // The server stops.
                return std::future::pending().await;
            }
        }
    }
}

impl Drop for SessionQuota {
    fn drop(&mut self) {
        self.counted.iter().for_each(|subject| subject.leave());
    }
}

/// Counts the bytes that a request adds to a workbook.
pub struct Upload {
    /// The owner of the workbook and its tenant.
    stores: Vec<Arc<Subject>>,
}

impl Upload {
    /// Counts bytes that have arrived or will.
    ///
    /// # Errors
    /// `quota_exceeded` when the limit was reached before.
    pub fn take(&self, bytes: usize) -> Result<(), ApiError> {
        self.stores.iter().try_for_each(|subject| {
            subject.check_bytes()?;
            subject.add_bytes(bytes as u64);
            Ok(())
        })
    }
}

fn hit(subject: &Subject) -> LimitHit {
    match subject.name {
        QuotaSubject::Account(_) => LimitHit::Account,
        QuotaSubject::Tenant(_) => LimitHit::Tenant,
    }
}

impl Quotas {
    /// Reads the quotas that admins have set.
    ///
    /// # Errors
    /// When the access store cannot be read.
    pub async fn start(settings: &Arc<Settings>, access: &Access, rooms: &Rooms) -> Result<Quotas, ApiError> {
        let overrides: BTreeMap<QuotaSubject, Quota> =
            access.run(|store| store.quotas()).await?.into_iter().collect();
        let tenant = |tenant: &TenantSettings| {
            let name = QuotaSubject::Tenant(tenant.name().to_owned());
            let quota = overrides.get(&name).copied().unwrap_or_default().or(tenant.quota());
            (Arc::from(tenant.name()), (tenant.quota(), Arc::new(Subject::new(name, quota))))
        };
        let inner = Inner {
            settings: Arc::clone(settings),
            access: access.clone(),
            rooms: rooms.clone(),
            account_default: settings.account_quota(),
            tenants: settings.tenants.iter().map(tenant).collect(),
            accounts: Mutex::default(),
            overrides: Mutex::new(overrides),
            exports: HourlyUse::default(),
            creations: HourlyUse::default(),
            counted: watch::Sender::new(()),
        };
        Ok(Quotas { inner: Arc::new(inner) })
    }

    /// The tenant whose host name a request names, if it is one.
    pub fn tenant_of_host(&self, host: &str) -> Option<Arc<str>> {
        if self.inner.tenants.is_empty() {
            return None;
        }
        let name = crate::http::host_name(host);
        self.inner.tenants.get_key_value(name.as_str()).map(|(host, _)| Arc::clone(host))
    }

    /// The tenant that has this path, which begins with a slash.
    pub fn tenant_of_path(&self, path: &str) -> Option<Arc<str>> {
        self.inner.tenants.get_key_value(path).map(|(name, _)| Arc::clone(name))
    }

    /// Whether there is a tenant by path.
    pub fn has_tenant_paths(&self) -> bool {
        self.inner.tenants.keys().any(|name| name.starts_with('/'))
    }

    /// Whether the creation of a workbook must be checked although nobody will own it.
    pub fn limits_creations(&self) -> bool {
        self.inner.settings.address_creations_per_hour > 0
    }

    /// The tenants of the settings, by name.
    pub fn tenants(&self) -> impl Iterator<Item = &Arc<Subject>> {
        self.inner.tenants.values().map(|(_, subject)| subject)
    }

    /// The use of an account, counted if necessary.
    ///
    /// # Errors
    /// When a store cannot be read.
    pub async fn usage_of_account(&self, id: AccountId) -> Result<Usage, ApiError> {
        self.usage(&self.account(id)).await
    }

    /// The use of a subject, counted if necessary.
    ///
    /// # Errors
    /// When a store cannot be read.
    pub async fn usage(&self, subject: &Arc<Subject>) -> Result<Usage, ApiError> {
        if !subject.is_counted() {
            self.count(subject).await?;
        }
        Ok(subject.usage())
    }

    /// The quota that was set for an account or a tenant; the rest comes from the settings.
    pub fn stored(&self, name: &QuotaSubject) -> Quota {
        lock(&self.inner.overrides).get(name).copied().unwrap_or_default()
    }

    /// Sets the quota of an account or a tenant, beginning now.
    ///
    /// # Errors
    /// 404 for a tenant that is not in the settings; the errors of the store.
    pub async fn set(&self, name: QuotaSubject, quota: Quota, entry: AuditEntry) -> Result<Usage, ApiError> {
        let (default, subject) = match &name {
            QuotaSubject::Account(id) => (self.inner.account_default, self.account(*id)),
            QuotaSubject::Tenant(host) => {
                let unknown = || ApiError::new(ErrorCode::NotFound, format!("no such tenant: {host}"));
                self.inner.tenants.get(host.as_str()).cloned().ok_or_else(unknown)?
            }
        };
        let kept = (quota != Quota::default()).then_some(quota);
        let stored = name.clone();
        self.inner.access.run(move |store| store.put_quota(&stored, kept.as_ref(), &[entry])).await?;
        match kept {
            Some(quota) => _ = lock(&self.inner.overrides).insert(name, quota),
            None => _ = lock(&self.inner.overrides).remove(&name),
        }
        subject.set_quota(quota.or(default));
        self.inner.counted.send_replace(());
        self.usage(&subject).await
    }

    /// Checks whether somebody may create a workbook, which `owner` will own, and counts it.
    ///
    /// # Errors
    /// `quota_exceeded` or `too_many_requests`, with the limit.
    pub async fn take_new_workbook(
        &self,
        owner: Option<AccountId>,
        visitor: &Visitor,
    ) -> Result<(), ApiError> {
        let max = self.inner.settings.address_creations_per_hour;
        let subjects = self.stores(owner, visitor.tenant.as_deref());
        for subject in &subjects {
            self.count_if_limited(subject).await?;
            subject.check_new_workbook()?;
        }
        self.inner.creations.take("new workbooks", visitor.address, max, Instant::now())?;
        let now = Instant::now();
        subjects.iter().for_each(|subject| subject.add_workbook(now));
        Ok(())
    }

    /// Checks whether something may be written to a workbook. Returns what counts the bytes.
    ///
    /// # Errors
    /// `quota_exceeded` with the limit.
    pub async fn upload(&self, document: &Document) -> Result<Upload, ApiError> {
        let stores = self.stores_of(document);
        for subject in &stores {
            self.count_if_limited(subject).await?;
            subject.check_bytes()?;
        }
        Ok(Upload { stores })
    }

    /// Counts an export.
    ///
    /// # Errors
    /// `too_many_requests` with the limit and the time to wait.
    pub fn take_export(&self, identity: &Identity, visitor: &Visitor) -> Result<(), ApiError> {
        let now = Instant::now();
        if let Some(account) = &identity.account {
            self.account(account.id).take_export(now)?;
        }
        if let Some(tenant) = self.tenant(visitor.tenant.as_deref()) {
            tenant.take_export(now)?;
        }
        let max = self.inner.settings.address_exports_per_hour;
        self.inner.exports.take("exports", visitor.address, max, now)
    }

    /// Counts a session that joins a workbook.
    ///
    /// # Errors
    /// When the person or the tenant has too many sessions.
    pub async fn join(
        &self,
        account: Option<AccountId>,
        tenant: Option<&str>,
        document: &Document,
    ) -> Result<SessionQuota, LimitExceeded> {
        let stores = self.stores_of(document);
        for subject in &stores {
            // Without a count nobody is kept out: the next check reports what is wrong.
            if let Err(error) = self.count_if_limited(subject).await {
                tracing::warn!(subject = %subject.name, reason = error.message, "the use was not counted");
            }
        }
        let changes = self.inner.counted.subscribe();
        let was_full = stores.iter().any(|subject| subject.is_full());
        let mut quota = SessionQuota { counted: Vec::new(), stores, was_full, changes };
        let person = account.map(|id| self.account(id));
        for subject in person.into_iter().chain(self.tenant(tenant)) {
            if !subject.join() {
                let wait = std::time::Duration::from_secs(limits::PLACE_WAIT_SECONDS);
                return Err(LimitExceeded { limit: hit(&subject), wait });
            }
            quota.counted.push(subject);
        }
        Ok(quota)
    }

    /// Notes that workbooks were deleted or changed hands: everything is counted anew before the
    /// next check. What is full is counted now, because its sessions wait for storage.
    ///
    /// # Panics
    /// Outside of the server's runtime.
    pub fn recount(&self) {
        let accounts: Vec<Arc<Subject>> = lock(&self.inner.accounts).values().cloned().collect();
        let all = || accounts.iter().chain(self.tenants());
        all().for_each(|subject| subject.recount());
        let full: Vec<Arc<Subject>> = all().filter(|subject| subject.is_full()).cloned().collect();
        if full.is_empty() {
            return;
        }
        let quotas = self.clone();
        tokio::spawn(async move {
            for subject in full {
                if let Err(error) = quotas.count_if_limited(&subject).await {
                    tracing::warn!(subject = %subject.name, reason = error.message, "the use was not counted");
                }
            }
        });
    }

    /// Counts everything anew that has a limit, and forgets accounts that nobody uses now.
    ///
    /// # Errors
    /// When a store cannot be read.
    pub async fn refresh(&self) -> Result<(), ApiError> {
        let accounts: Vec<Arc<Subject>> = {
            let mut accounts = lock(&self.inner.accounts);
            accounts.retain(|_, subject| Arc::strong_count(subject) > 1);
            accounts.values().cloned().collect()
        };
        for subject in accounts.iter().chain(self.tenants()) {
            if subject.needs_count() && !subject.has_new_workbook(Instant::now()) {
                self.count(subject).await?;
            }
        }
        Ok(())
    }

    fn account(&self, id: AccountId) -> Arc<Subject> {
        let mut accounts = lock(&self.inner.accounts);
        if let Some(subject) = accounts.get(&id) {
            return Arc::clone(subject);
        }
        if accounts.len() >= limits::QUOTA_ACCOUNTS_MAX {
            // Their exports of this hour are forgotten; the rest is counted anew.
            accounts.retain(|_, subject| Arc::strong_count(subject) > 1);
        }
        let name = QuotaSubject::Account(id);
        let quota = lock(&self.inner.overrides).get(&name).copied().unwrap_or_default();
        let subject = Arc::new(Subject::new(name, quota.or(self.inner.account_default)));
        accounts.insert(id, Arc::clone(&subject));
        subject
    }

    fn tenant(&self, name: Option<&str>) -> Option<Arc<Subject>> {
        self.inner.tenants.get(name?).map(|(_, subject)| Arc::clone(subject))
    }

    /// Who gets the bytes of a workbook.
    fn stores(&self, owner: Option<AccountId>, tenant: Option<&str>) -> Vec<Arc<Subject>> {
        owner.map(|id| self.account(id)).into_iter().chain(self.tenant(tenant)).collect()
    }

    fn stores_of(&self, document: &Document) -> Vec<Arc<Subject>> {
        match document {
            Some(document) => self.stores(document.value.owner, document.value.tenant.as_deref()),
            None => Vec::new(),
        }
    }

    async fn count_if_limited(&self, subject: &Arc<Subject>) -> Result<(), ApiError> {
        match subject.needs_count() && !subject.is_counted() {
            true => self.count(subject).await,
            false => Ok(()),
        }
    }

    /// Counts the workbooks of a subject, and their bytes.
    async fn count(&self, subject: &Subject) -> Result<(), ApiError> {
        let (mut workbooks, mut bytes) = (0, 0);
        let mut after: Option<RoomName> = None;
        loop {
            let (name, from) = (subject.name.clone(), after.clone());
            let read = self.inner.access.run(move |store| match name {
                QuotaSubject::Account(id) => store.workbooks_of(id, None, from.as_ref(), DOCUMENTS_AT_ONCE),
                QuotaSubject::Tenant(_) => store.workbooks(from.as_ref(), DOCUMENTS_AT_ONCE),
            });
            let batch: Vec<ListedWorkbook> = read.await?;
            let is_last = batch.len() < DOCUMENTS_AT_ONCE;
            after = batch.last().map(|listed| listed.room.clone());
            let theirs = batch.into_iter().filter(|listed| belongs_to(&listed.access, &subject.name));
            let rooms: Vec<RoomName> = theirs.map(|listed| listed.room).collect();
            workbooks += rooms.len() as u64;
            for some in rooms.chunks(MEASURED_AT_ONCE) {
                let measured = self.inner.rooms.measure(some.to_vec()).await?;
                bytes += measured.into_iter().flatten().map(|usage| usage.bytes).sum::<u64>();
            }
            if is_last {
                break;
            }
        }
        subject.set_counted(workbooks, bytes);
        self.inner.counted.send_replace(());
        Ok(())
    }
}

fn belongs_to(access: &WorkbookAccess, name: &QuotaSubject) -> bool {
    match name {
        QuotaSubject::Account(id) => access.owner == Some(*id),
        QuotaSubject::Tenant(host) => access.tenant.as_ref() == Some(host),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
