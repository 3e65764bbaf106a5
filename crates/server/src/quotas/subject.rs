//! The limits and the use of one account or tenant.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use quadrille_access::{Quota, QuotaSubject};
use serde_json::{Value as Json, json};

use super::hourly::Window;
use crate::error::{ApiError, ErrorCode};
use crate::rate_limits::{Rate, TokenBucket};

/// Longer than the creation of a workbook takes.
const NEW_FOR: Duration = Duration::from_secs(300);

/// An account or a tenant. Counters of sessions are exact; those of workbooks and bytes are those of
/// the last count and of what this server has written since.
pub struct Subject {
    pub name: QuotaSubject,
    quota: RwLock<Quota>,
    workbooks: AtomicU64,
    bytes: AtomicU64,
    sessions: AtomicU64,
    is_counted: AtomicBool,
    last_added: Mutex<Option<Instant>>,
    operations: RwLock<TokenBucket>,
    exports: Mutex<Window>,
}

/// The use of a subject, with its limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Usage {
    pub workbooks: u64,
    pub bytes: u64,
    pub sessions: u64,
    pub quota: Quota,
}

impl Usage {
    /// `{"workbooks":{"used","limit"},…}`; a limit of null is none.
    pub fn json(&self) -> Json {
        let part = |used: u64, limit| json!({ "used": used, "limit": set(limit) });
        json!({
            "workbooks": part(self.workbooks, self.quota.workbooks),
            "bytes": part(self.bytes, self.quota.bytes),
            "sessions": part(self.sessions, self.quota.sessions),
            "operationsPerSecond": set(self.quota.operations_per_second),
            "exportsPerHour": set(self.quota.exports_per_hour),
        })
    }
}

/// The limit, unless it is 0, which stands for none.
fn set(limit: Option<u64>) -> Option<u64> {
    limit.filter(|limit| *limit > 0)
}

impl Subject {
    /// A subject that is not counted yet.
    pub fn new(name: QuotaSubject, quota: Quota) -> Subject {
        Subject {
            name,
            workbooks: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            sessions: AtomicU64::new(0),
            is_counted: AtomicBool::new(false),
            last_added: Mutex::default(),
            operations: RwLock::new(bucket(&quota)),
            exports: Mutex::new(Window::new(Instant::now())),
            quota: RwLock::new(quota),
        }
    }

    /// The limits in force.
    pub fn quota(&self) -> Quota {
        *self.quota.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the limits.
    pub fn set_quota(&self, quota: Quota) {
        *self.quota.write().unwrap_or_else(PoisonError::into_inner) = quota;
        *self.operations.write().unwrap_or_else(PoisonError::into_inner) = bucket(&quota);
    }

    /// Use and limits.
    pub fn usage(&self) -> Usage {
        Usage {
            workbooks: self.workbooks.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            sessions: self.sessions.load(Ordering::Relaxed),
            quota: self.quota(),
        }
    }

    /// Whether a limit needs the number and the size of its workbooks.
    pub fn needs_count(&self) -> bool {
        let quota = self.quota();
        set(quota.workbooks).is_some() || set(quota.bytes).is_some()
    }

    /// Whether workbooks and bytes are those of a recent count.
    pub fn is_counted(&self) -> bool {
        self.is_counted.load(Ordering::Acquire)
    }

    /// Notes that others may have changed the workbooks: they are counted again before the next
    /// check.
    pub fn recount(&self) {
        self.is_counted.store(false, Ordering::Release);
    }

    /// Sets the result of a count.
    pub fn set_counted(&self, workbooks: u64, bytes: u64) {
        self.workbooks.store(workbooks, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        self.is_counted.store(true, Ordering::Release);
    }

    /// Counts a new workbook, which is stored after this.
    pub fn add_workbook(&self, now: Instant) {
        self.workbooks.fetch_add(1, Ordering::Relaxed);
        *self.last_added.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
    }

    /// Whether a new workbook was counted that may not be stored yet: a count of the stored ones would
    /// lose it.
    pub fn has_new_workbook(&self, now: Instant) -> bool {
        let last_added = *self.last_added.lock().unwrap_or_else(PoisonError::into_inner);
        last_added.is_some_and(|added| now.saturating_duration_since(added) < NEW_FOR)
    }

    /// Counts bytes that were written. One atomic addition: this runs for each edit.
    pub fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Whether its workbooks take all bytes that they may.
    pub fn is_full(&self) -> bool {
        let max = set(self.quota().bytes);
        max.is_some_and(|max| self.bytes.load(Ordering::Relaxed) >= max)
    }

    /// # Errors
    /// `quota_exceeded` when it has all the workbooks that it may have.
    pub fn check_new_workbook(&self) -> Result<(), ApiError> {
        let used = self.workbooks.load(Ordering::Relaxed);
        match set(self.quota().workbooks) {
            Some(max) if used >= max => {
                Err(exceeded(format!("{} has {used} of at most {max} workbooks", self.title())))
            }
            _ => self.check_bytes(),
        }
    }

    /// # Errors
    /// `quota_exceeded` when its workbooks take all the bytes that they may.
    pub fn check_bytes(&self) -> Result<(), ApiError> {
        let used = self.bytes.load(Ordering::Relaxed);
        match set(self.quota().bytes) {
            Some(max) if used >= max => {
                Err(exceeded(format!("the workbooks of {} take {used} of at most {max} bytes", self.title())))
            }
            _ => Ok(()),
        }
    }

    /// Counts an export.
    ///
    /// # Errors
    /// 429 with the time to wait when there were too many within the hour.
    pub fn take_export(&self, now: Instant) -> Result<(), ApiError> {
        let Some(max) = set(self.quota().exports_per_hour) else { return Ok(()) };
        let mut window = self.exports.lock().unwrap_or_else(PoisonError::into_inner);
        window.take(max, now).map_err(|wait| {
            let message = format!("{} may export {max} times an hour; try again later", self.title());
            ApiError {
                retry_after_seconds: Some(wait.as_secs() + 1),
                ..ApiError::new(ErrorCode::TooManyRequests, message)
            }
        })
    }

    /// Counts a session; the caller ends it by [`leave`](Subject::leave). `false` when there are as many
    /// as there may be.
    pub fn join(&self) -> bool {
        let max = set(self.quota().sessions).unwrap_or(u64::MAX);
        let joined = self
            .sessions
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| (count < max).then_some(count + 1));
        joined.is_ok()
    }

    /// Counts a session that has ended.
    pub fn leave(&self) {
        self.sessions.fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts transactions and returns how long to pause.
    pub fn take_operations(&self, count: u64, now: Instant) -> Duration {
        let operations = self.operations.read().unwrap_or_else(PoisonError::into_inner);
        operations.take(count, now);
        operations.wait(now)
    }

    fn title(&self) -> String {
        match &self.name {
            QuotaSubject::Account(_) => "the account".into(),
            QuotaSubject::Tenant(host) => host.clone(),
        }
    }
}

fn bucket(quota: &Quota) -> TokenBucket {
    TokenBucket::new(Rate(quota.operations_per_second.unwrap_or(0)), Instant::now())
}

fn exceeded(message: String) -> ApiError {
    ApiError::new(ErrorCode::QuotaExceeded, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(quota: Quota) -> Subject {
        Subject::new(QuotaSubject::Tenant("sheets.example.org".into()), quota)
    }

    #[test]
    fn workbooks_and_bytes_are_limited_and_zero_is_no_limit() {
        let limited = subject(Quota { workbooks: Some(2), bytes: Some(100), ..Quota::default() });
        limited.set_counted(1, 50);
        assert_eq!(limited.check_new_workbook(), Ok(()));
        limited.add_workbook(Instant::now());
        let refused = limited.check_new_workbook().expect_err("two workbooks");
        assert_eq!(refused.code, ErrorCode::QuotaExceeded);
        assert_eq!(refused.message, "sheets.example.org has 2 of at most 2 workbooks");
        assert!(!limited.is_full());
        limited.add_bytes(50);
        assert!(limited.is_full());
        let message = limited.check_bytes().expect_err("full").message;
        assert_eq!(message, "the workbooks of sheets.example.org take 100 of at most 100 bytes");
        let free = subject(Quota { workbooks: Some(0), bytes: Some(0), ..Quota::default() });
        free.set_counted(1_000, 1 << 40);
        assert_eq!((free.check_new_workbook(), free.is_full(), free.needs_count()), (Ok(()), false, false));
    }

    #[test]
    fn sessions_and_exports_are_limited() {
        let limited = subject(Quota { sessions: Some(1), exports_per_hour: Some(1), ..Quota::default() });
        assert_eq!([limited.join(), limited.join()], [true, false]);
        limited.leave();
        assert!(limited.join());
        let now = Instant::now();
        assert_eq!(limited.take_export(now), Ok(()));
        let refused = limited.take_export(now + Duration::from_secs(3_000)).expect_err("within the hour");
        assert_eq!(refused.code, ErrorCode::TooManyRequests);
        // 3,000 seconds are subtracted in floating point.
        assert!(matches!(refused.retry_after_seconds, Some(600 | 601)), "{refused:?}");
        assert_eq!(limited.take_export(now + Duration::from_secs(3_601)), Ok(()));
    }

    #[test]
    fn a_changed_quota_applies_at_once() {
        let limited = subject(Quota { operations_per_second: Some(1), ..Quota::default() });
        let now = Instant::now();
        assert!(limited.take_operations(1_000, now) > Duration::from_secs(60));
        limited.set_quota(Quota::default());
        assert_eq!(limited.take_operations(1_000, now), Duration::ZERO);
    }
}
