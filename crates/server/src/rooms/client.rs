//! Who opened a session, and what the session may do.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use quadrille_access::{Decision, decide};
use quadrille_protocol::{Author, Role};

use crate::access::{DefaultAccess, Document, Identity, now_ms};

/// The client of a session, with the credentials with which it connected.
#[derive(Clone)]
pub struct Client {
    pub role: Role,
    pub identity: Arc<Identity>,
    /// Network address, as the settings for proxies give it.
    pub address: Option<IpAddr>,
    /// It asked for a session that only reads.
    pub is_view_only: bool,
    /// Until when the role holds. Shared by the room, which is told of changed access, and the session.
    pub expiry: Expiry,
}

/// A moment in milliseconds since 1970-01-01 UTC that may change; never by default.
#[derive(Clone)]
pub struct Expiry(Arc<AtomicI64>);

impl Default for Expiry {
    fn default() -> Expiry {
        Expiry(Arc::new(AtomicI64::new(i64::MAX)))
    }
}

impl Expiry {
    /// The moment; `None` for never.
    pub fn get(&self) -> Option<i64> {
        Some(self.0.load(Ordering::Acquire)).filter(|moment| *moment != i64::MAX)
    }

    /// Sets the moment unless there is one already, which is newer; `None` for never.
    pub fn set_first(&self, moment: Option<i64>) {
        let moment = moment.unwrap_or(i64::MAX);
        _ = self.0.compare_exchange(i64::MAX, moment, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Sets the moment; `None` for never.
    pub fn set(&self, moment: Option<i64>) {
        self.0.store(moment.unwrap_or(i64::MAX), Ordering::Release);
    }
}

impl Client {
    /// The person who has signed in.
    pub fn author(&self) -> Option<Author> {
        self.identity.author.clone()
    }

    /// The verified e-mail address of that person.
    pub fn email(&self) -> Option<Arc<str>> {
        self.identity.email()
    }

    /// The URL of a picture of that person.
    pub fn picture(&self) -> Option<Arc<str>> {
        self.identity.picture.clone()
    }

    /// The role that the credentials have by an access document, and until when.
    pub fn decision_by(&self, document: &Document, default_access: DefaultAccess) -> Decision {
        let access = document.as_ref().map(|document| &document.value);
        let credentials = &self.identity.credentials;
        let decision = decide(access, default_access.role_of(credentials), credentials, now_ms());
        let until_ms = decision.until_ms.into_iter().chain(self.identity.until_ms).min();
        Decision { role: self.limited(decision.role), until_ms }
    }

    /// The same client, which may only look.
    pub fn view_only(self) -> Client {
        Client { role: self.role.max(Role::View), is_view_only: true, ..self }
    }

    /// The role of the session when its credentials have `role`.
    pub fn limited(&self, role: Option<Role>) -> Option<Role> {
        // `Role` is ordered from the most rights to the fewest.
        role.map(|role| if self.is_view_only { role.max(Role::View) } else { role })
    }
}
