//! How often a password can be tried, and how often somebody can ask for access.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use quadrille_access::{AccountId, Email, SecretId};
use quadrille_protocol::RoomName;

use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// What is counted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Attempt {
    /// A wrong password of a share link, by anybody: only who has the link can try.
    LinkPassword(SecretId),
    /// Requests for access of one client. `None` is this machine.
    Request(Option<IpAddr>),
    /// Requests for access to one workbook.
    RequestFor(RoomName),
    /// Failed sign-ins to the account with this address, whether there is one or not.
    SignInAs(String),
    /// Failed sign-ins of one client. `None` is this machine.
    SignInFrom(Option<IpAddr>),
    /// Refusals of one client in the audit log.
    AuditedRefusal(Option<IpAddr>),
    /// Messages that somebody causes: an account, or a client without one.
    MailBy(String),
    /// Messages to one e-mail address.
    MailTo(Email),
    /// Messages about comments to one account.
    NotificationTo(AccountId),
    /// Messages about the comments of one workbook.
    NotificationOf(RoomName),
    /// Requests of one client for a link to replace a forgotten password. `None` is this machine.
    RecoveryFrom(Option<IpAddr>),
    /// Links to replace the forgotten password of one account, whether there is one or not.
    RecoveryOf(Email),
    /// Exports of one workbook in the audit log: room, person and format.
    AuditedExport(String),
    /// Responses of one client to one form. `None` is this machine.
    FormFrom(Option<IpAddr>, SecretId),
    /// Responses to one form.
    FormResponse(SecretId),
    /// Bytes of files of one client to one form. `None` is this machine.
    FormFilesFrom(Option<IpAddr>, SecretId),
    /// Bytes of files to one form.
    FormFiles(SecretId),
}

impl Attempt {
    /// Attempts within [`window`](Attempt::window).
    fn count_max(&self) -> u32 {
        match self {
            // 8 characters that somebody chose resist 29,000 guesses a day for long enough to be
            // noticed in the audit log.
            Attempt::LinkPassword(_) => 100,
            Attempt::Request(_) => 20,
            Attempt::RequestFor(_) => 100,
            Attempt::SignInAs(_) => limits::SIGN_IN_ATTEMPTS_PER_ACCOUNT,
            Attempt::SignInFrom(_) => limits::SIGN_IN_ATTEMPTS_PER_ADDRESS,
            Attempt::AuditedRefusal(_) => limits::AUDITED_REFUSALS_PER_ADDRESS,
            Attempt::MailBy(_) => limits::MAILS_PER_SENDER,
            Attempt::MailTo(_) => limits::MAILS_PER_ADDRESS,
            Attempt::NotificationTo(_) => limits::NOTIFICATION_MAILS_PER_ACCOUNT,
            Attempt::NotificationOf(_) => limits::NOTIFICATION_MAILS_PER_ROOM,
            Attempt::RecoveryFrom(_) => limits::RECOVERIES_PER_ADDRESS,
            Attempt::RecoveryOf(_) => limits::RECOVERIES_PER_ACCOUNT,
            Attempt::AuditedExport(_) => limits::AUDITED_EXPORTS,
            Attempt::FormFrom(..) => limits::FORM_RESPONSES_PER_ADDRESS,
            Attempt::FormResponse(_) => limits::FORM_RESPONSES_PER_FORM,
            Attempt::FormFilesFrom(..) => limits::FORM_FILES_BYTES_PER_ADDRESS,
            Attempt::FormFiles(_) => limits::FORM_FILES_BYTES_PER_FORM,
        }
    }

    /// Counters begin anew after this time.
    fn window(&self) -> Duration {
        match self {
            // Invitations come in groups; spam comes all day.
            Attempt::MailBy(_) | Attempt::MailTo(_) | Attempt::RecoveryOf(_) => {
                Duration::from_secs(24 * 3_600)
            }
            Attempt::FormFilesFrom(..)
            | Attempt::FormFiles(_)
            | Attempt::NotificationTo(_)
            | Attempt::NotificationOf(_) => Duration::from_secs(3_600),
            _ => WINDOW,
        }
    }
}

/// The window of most counters.
const WINDOW: Duration = Duration::from_secs(300);
/// Counters that are kept. One that is dropped too early allows a few more attempts.
const COUNTERS_MAX: usize = 10_000;

/// Counts attempts within a window of time.
#[derive(Default)]
pub struct Attempts {
    counters: Mutex<HashMap<Attempt, Counter>>,
}

struct Counter {
    began: Instant,
    count: u32,
}

impl Attempts {
    /// Counts an attempt.
    ///
    /// # Errors
    ///
    /// Fails with `too_many_requests` and the time to wait when there were too many.
    pub fn take(&self, attempt: Attempt, now: Instant) -> Result<(), ApiError> {
        self.take_some(attempt, 1, now)
    }

    /// Counts several at once, such as bytes.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take), when the limit was reached before.
    pub fn take_some(&self, attempt: Attempt, count: u32, now: Instant) -> Result<(), ApiError> {
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        if counters.len() >= COUNTERS_MAX && !counters.contains_key(&attempt) {
            counters
                .retain(|attempt, counter| now.saturating_duration_since(counter.began) < attempt.window());
            if counters.len() >= COUNTERS_MAX {
                let oldest = counters.iter().min_by_key(|(_, counter)| counter.began);
                let oldest = oldest.map(|(attempt, _)| attempt.clone()).expect("there are counters");
                counters.remove(&oldest);
            }
        }
        let (count_max, window) = (attempt.count_max(), attempt.window());
        let counter = counters.entry(attempt).or_insert(Counter { began: now, count: 0 });
        let passed = now.saturating_duration_since(counter.began);
        if passed >= window {
            *counter = Counter { began: now, count: 0 };
        } else if counter.count >= count_max {
            let seconds = (window - passed).as_secs() + 1;
            let error = ApiError::new(ErrorCode::TooManyRequests, "too many attempts; try again later");
            return Err(ApiError { retry_after_seconds: Some(seconds), ..error });
        }
        counter.count = counter.count.saturating_add(count);
        Ok(())
    }

    /// Takes back an attempt that was counted before its outcome was known, and succeeded.
    pub fn release(&self, attempt: &Attempt) {
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(counter) = counters.get_mut(attempt) {
            counter.count = counter.count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_limited_per_window() {
        let attempts = Attempts::default();
        let began = Instant::now();
        let attempt = Attempt::Request(None);
        for _ in 0..attempt.count_max() {
            assert_eq!(attempts.take(attempt.clone(), began), Ok(()));
        }
        let later = began + WINDOW - Duration::from_secs(10);
        let refused = attempts.take(attempt.clone(), later).expect_err("too many");
        assert_eq!(refused.retry_after_seconds, Some(11));
        assert_eq!(attempts.take(Attempt::LinkPassword(SecretId(1)), later), Ok(()));
        assert_eq!(attempts.take(attempt, began + WINDOW), Ok(()));
    }

    #[test]
    fn attempts_that_succeeded_do_not_count() {
        let attempts = Attempts::default();
        let now = Instant::now();
        let attempt = Attempt::SignInAs("ada@example.org".into());
        for _ in 0..2 * attempt.count_max() {
            assert_eq!(attempts.take(attempt.clone(), now), Ok(()));
            attempts.release(&attempt);
        }
    }

    #[test]
    fn counters_are_bounded() {
        let attempts = Attempts::default();
        let now = Instant::now();
        for number in 0..COUNTERS_MAX as u64 + 50 {
            assert_eq!(attempts.take(Attempt::LinkPassword(SecretId(number)), now), Ok(()));
        }
        assert_eq!(attempts.counters.lock().expect("a test").len(), COUNTERS_MAX);
    }
}
