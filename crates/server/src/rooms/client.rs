//! Who opened a session, and what the session may do.

use std::net::IpAddr;
use std::sync::Arc;

use quadrille_access::decide;
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

    /// The role that the credentials have by an access document.
    pub fn role_by(&self, document: &Document, default_access: DefaultAccess) -> Option<Role> {
        let access = document.as_ref().map(|document| &document.value);
        let credentials = &self.identity.credentials;
        self.limited(decide(access, default_access.role_of(credentials), credentials, now_ms()).role)
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
