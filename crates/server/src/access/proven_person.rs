//! What a provider, a proxy or another service has proven about a person.

use quadrille_access::Email;

/// The identity of a person at a provider. Not the [`Identity`](super::Identity) of a request.
pub use quadrille_access::Identity as ProviderIdentity;

/// What a provider, a proxy or another service has proven about a person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvenPerson {
    pub identity: ProviderIdentity,
    pub name: Option<String>,
    pub email: Option<Email>,
    /// The provider has verified that the address is the person's.
    pub is_email_verified: bool,
    /// Whether the person is an admin, if the provider says so at each sign-in.
    pub is_admin: Option<bool>,
}
