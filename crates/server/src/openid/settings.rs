//! The setting `openid`: providers by which people sign in.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use openidconnect::url::Url;
use serde::{Deserialize, Serialize};

/// A provider, as a table `[[openid]]` of the configuration file or an object of the JSON array in
/// the flag or variable.
#[derive(Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OpenIdProvider {
    /// Names the provider in URLs and in the audit log: lower-case letters, digits and hyphens.
    pub id: String,
    /// The text of its button.
    pub name: String,
    /// The issuer identifier, exactly as the provider's tokens have it.
    pub issuer: String,
    pub client_id: String,
    /// Without one, the client is public: PKCE alone protects the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// A file with the secret, instead of the secret itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret_file: Option<PathBuf>,
    /// Scopes beside `openid`.
    #[serde(default = "default_scopes")]
    pub scopes: Vec<String>,
    /// The claim with the groups of a person: its name, or names with dots between them for a claim
    /// inside another, such as `realm_access.roles`. A text or a list of texts.
    #[serde(default = "default_groups_claim")]
    pub groups_claim: String,
    /// Members of one of these are admins, others are not; empty leaves that as it is.
    #[serde(default)]
    pub admin_groups: BTreeSet<String>,
    /// Only members of one of these may sign in; empty is everybody.
    #[serde(default)]
    pub sign_in_groups: BTreeSet<String>,
    /// The provider is asked for one of these authentication context classes (`acr`), and another one is
    /// refused; empty is any.
    #[serde(default)]
    pub acr_values: Vec<String>,
    /// The provider must have used one of these methods (`amr`, RFC 8176), such as `mfa`; empty is any.
    #[serde(default)]
    pub amr_values: BTreeSet<String>,
}

fn default_scopes() -> Vec<String> {
    vec!["email".into(), "profile".into()]
}

fn default_groups_claim() -> String {
    "groups".into()
}

/// Without the secret, which must not be logged.
impl fmt::Debug for OpenIdProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenIdProvider({}, {})", self.id, self.issuer)
    }
}

/// All providers.
#[derive(Clone, Default, PartialEq, Debug, Deserialize, Serialize)]
#[serde(transparent)]
pub struct OpenIdProviders(pub Vec<OpenIdProvider>);

/// The value of the flag and of the environment variable: the same as JSON.
impl FromStr for OpenIdProviders {
    type Err = String;

    fn from_str(text: &str) -> Result<OpenIdProviders, String> {
        // Without the excerpt that some errors have: it may be the secret.
        serde_json::from_str(text).map_err(|error| {
            format!("not a JSON array of providers: line {}, column {}", error.line(), error.column())
        })
    }
}

const ID_BYTES_MAX: usize = 40;

impl OpenIdProvider {
    /// Checks the values.
    ///
    /// # Errors
    /// A message that names the provider and the key.
    pub fn check(&self) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("openid provider '{}': {what}", self.id));
        let is_id = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if self.id.is_empty() || self.id.len() > ID_BYTES_MAX || !self.id.bytes().all(is_id) {
            return wrong("id must be lower-case letters, digits and hyphens, at most 40");
        }
        match Url::parse(&self.issuer) {
            Ok(url) if is_protected(&url) => {}
            _ => return wrong("issuer must be an https URL"),
        }
        if self.client_id.is_empty() {
            return wrong("client_id is empty");
        }
        if self.client_secret.is_some() && self.client_secret_file.is_some() {
            return wrong("set client_secret or client_secret_file, not both");
        }
        if self.groups_claim.is_empty() {
            return wrong("groups_claim is empty");
        }
        Ok(())
    }

    /// The secret, from the file if it is there.
    ///
    /// # Errors
    /// When the file cannot be read or is empty.
    pub fn secret(&self) -> Result<Option<String>, String> {
        let Some(path) = &self.client_secret_file else { return Ok(self.client_secret.clone()) };
        let text = std::fs::read_to_string(path).map_err(|error| {
            format!("openid provider '{}': cannot read {}: {error}", self.id, path.display())
        })?;
        match text.trim() {
            "" => Err(format!("openid provider '{}': {} is empty", self.id, path.display())),
            secret => Ok(Some(secret.to_owned())),
        }
    }
}

/// Whether nobody on the way can read or change what is sent to this URL: HTTPS, or this machine.
pub fn is_protected(url: &Url) -> bool {
    let is_loopback = || match url.host() {
        Some(openidconnect::url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(openidconnect::url::Host::Ipv4(address)) => address.is_loopback(),
        Some(openidconnect::url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || (url.scheme() == "http" && is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"[{"id":"keycloak","name":"Example","issuer":"https://sso.example.org/realms/main",
        "client_id":"quadrille","client_secret":"top secret","admin_groups":["admins"]}]"#;

    #[test]
    fn the_variable_and_the_file_say_the_same() {
        let variable: OpenIdProviders = EXAMPLE.parse().expect("valid");
        #[derive(Deserialize)]
        struct File {
            openid: OpenIdProviders,
        }
        let file: File = toml::from_str(
            "[[openid]]\nid = \"keycloak\"\nname = \"Example\"\nissuer = \"https://sso.example.org/realms/main\"\n\
             client_id = \"quadrille\"\nclient_secret = \"top secret\"\nadmin_groups = [\"admins\"]\n",
        )
        .expect("valid");
        assert_eq!(variable, file.openid);
        assert_eq!(variable.0[0].scopes, ["email", "profile"]);
        assert_eq!(variable.0[0].groups_claim, "groups");
        assert_eq!(variable.0[0].check(), Ok(()));
    }

    #[test]
    fn the_secret_is_not_shown() {
        let providers: OpenIdProviders = EXAMPLE.parse().expect("valid");
        assert!(!format!("{providers:?}").contains("top secret"));
        let error =
            EXAMPLE.replace("\"client_secret\":", "\"client_secret\":7,\"x\":").parse::<OpenIdProviders>();
        assert!(!error.expect_err("not a text").contains("secret"));
    }

    #[test]
    fn wrong_values_are_named() {
        let valid = EXAMPLE.parse::<OpenIdProviders>().expect("valid").0.remove(0);
        for (changed, message) in [
            (OpenIdProvider { id: "Key Cloak".into(), ..valid.clone() }, "id must be"),
            (OpenIdProvider { issuer: "http://sso.example.org".into(), ..valid.clone() }, "https"),
            (OpenIdProvider { issuer: "sso.example.org".into(), ..valid.clone() }, "https"),
            (OpenIdProvider { client_id: String::new(), ..valid.clone() }, "client_id"),
            (OpenIdProvider { client_secret_file: Some("x".into()), ..valid.clone() }, "not both"),
        ] {
            let error = changed.check().expect_err(message);
            assert!(error.contains(message), "{error}");
        }
        let local = OpenIdProvider { issuer: "http://127.0.0.1:9/".into(), ..valid };
        assert_eq!(local.check(), Ok(()), "this machine needs no TLS");
    }
}
