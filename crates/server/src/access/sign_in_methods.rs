//! By which methods people can sign in to this server.

use crate::config::Settings;

/// The methods that the sign-in page offers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SignInMethods {
    pub password: bool,
    pub passkey: bool,
    /// A header of a proxy in front of the server.
    pub header: bool,
    pub providers: Vec<SignInProvider>,
}

/// A provider of OpenID Connect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignInProvider {
    /// In the path of its sign-in.
    pub id: String,
    /// As people know it.
    pub name: String,
}

/// The methods of a server with these settings.
pub fn sign_in_methods(settings: &Settings) -> SignInMethods {
    SignInMethods {
        password: settings.password_sign_in,
        passkey: true,
        header: !settings.sign_in_header.is_empty(),
        providers: settings
            .openid
            .0
            .iter()
            .map(|provider| SignInProvider { id: provider.id.clone(), name: provider.name.clone() })
            .collect(),
    }
}
