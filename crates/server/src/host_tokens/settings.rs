//! The setting `token_issuers`: host applications whose signed tokens count.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use axum::http::Uri;
use jsonwebtoken::{Algorithm, AlgorithmFamily};
use quadrille_access::parse_role;
use quadrille_protocol::Role;
use serde::{Deserialize, Serialize};

use super::claims::IssuerLimits;
use super::keys::{Key, from_pem, from_secret};
use super::picture::checked_origin;
use crate::http_client::is_protected;

/// An issuer, as a table `[[token_issuers]]` of the configuration file or an object of the JSON
/// array in the flag or variable. It has exactly one of `secret`, `secret_file`, `key_file` and
/// `jwks_url`.
#[derive(Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TokenIssuer {
    /// Exactly as the tokens have it in `iss`.
    pub issuer: String,
    /// What the tokens have in `aud`; by default one of `public_url`, or `quadrille` without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// Accepted algorithms. By default those that fit the key.
    #[serde(default)]
    pub algorithms: Vec<String>,
    /// A secret that the host shares, for HS256, HS384 and HS512.
    #[serde(default, skip_serializing)]
    pub secret: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_file: Option<PathBuf>,
    /// A public key in PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
    /// Where the host publishes its public keys (RFC 7517).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_url: Option<String>,
    /// The highest role that a token gives.
    #[serde(default = "default_role_max")]
    pub role_max: String,
    /// Beginnings of the names of workbooks for which the tokens count; empty is all.
    #[serde(default)]
    pub room_prefixes: Vec<String>,
    /// Origins, such as `https://wiki.example.org`, at which browsers may load the pictures that its
    /// tokens name.
    #[serde(default)]
    pub picture_origins: Vec<String>,
}

fn default_role_max() -> String {
    Role::Edit.name().to_owned()
}

/// Without the secret, which must not be logged.
impl fmt::Debug for TokenIssuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenIssuer({})", self.issuer)
    }
}

/// All issuers.
#[derive(Clone, Default, PartialEq, Debug, Deserialize, Serialize)]
#[serde(transparent)]
pub struct TokenIssuers {
    issuers: Vec<TokenIssuer>,
    /// Why the value of the flag or variable cannot be read.
    #[serde(skip)]
    problem: Option<String>,
}

/// The value of the flag and of the environment variable: the same as JSON. A wrong one is reported
/// by [`TokenIssuers::read`], because the command line would print the value with its secrets.
impl FromStr for TokenIssuers {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<TokenIssuers, Infallible> {
        Ok(serde_json::from_str(text).unwrap_or_else(|error: serde_json::Error| {
            // Without the excerpt that some errors have: it may be the secret.
            let problem =
                format!("not a JSON array of issuers: line {}, column {}", error.line(), error.column());
            TokenIssuers { problem: Some(problem), ..TokenIssuers::default() }
        }))
    }
}

impl TokenIssuers {
    /// Where browsers may load pictures of people.
    ///
    /// # Errors
    /// A message that names the issuer and a text that is not an https origin.
    pub fn picture_origins(&self) -> Result<BTreeSet<String>, String> {
        let mut origins = BTreeSet::new();
        for issuer in self.read()? {
            let checked = issuer.checked_picture_origins();
            origins.extend(checked.map_err(|what| format!("token issuer '{}': {what}", issuer.issuer))?);
        }
        Ok(origins)
    }

    /// The issuers.
    ///
    /// # Errors
    /// When the value of the flag or variable could not be read.
    pub fn read(&self) -> Result<&[TokenIssuer], String> {
        match &self.problem {
            None => Ok(&self.issuers),
            Some(problem) => Err(format!("token_issuers: {problem}")),
        }
    }
}

/// Where the keys of an issuer come from.
pub enum KeySource {
    Fixed(Key),
    Published(Uri),
}

/// A checked issuer.
pub struct IssuerSettings {
    pub audiences: Vec<String>,
    pub algorithms: Vec<Algorithm>,
    pub keys: KeySource,
    pub limits: IssuerLimits,
}

/// The audience of a server without a public URL.
const DEFAULT_AUDIENCE: &str = "quadrille";

/// Algorithms of published keys by default: one for each type of key.
const PUBLISHED: [Algorithm; 3] = [Algorithm::EdDSA, Algorithm::ES256, Algorithm::RS256];

impl TokenIssuer {
    /// Checks the values and reads the files that they name.
    ///
    /// # Errors
    /// A message that names the issuer and the key.
    pub fn check(&self, public_urls: &[String]) -> Result<IssuerSettings, String> {
        let wrong = |what: String| format!("token issuer '{}': {what}", self.issuer);
        if self.issuer.is_empty() {
            return Err(wrong("issuer is empty".into()));
        }
        let role_max = parse_role(&self.role_max).ok_or_else(|| {
            wrong(format!("role_max must be owner, edit, comment or view: {}", self.role_max))
        })?;
        let named = self.algorithms.iter().map(|name| {
            name.parse().map_err(|_| wrong(format!("an algorithm in algorithms is unknown: {name}")))
        });
        let named: Vec<Algorithm> = named.collect::<Result<_, _>>()?;
        let keys = self.key_source(&named).map_err(&wrong)?;
        let fitting = match &keys {
            KeySource::Fixed(key) => key.algorithms.clone(),
            KeySource::Published(_) => PUBLISHED.to_vec(),
        };
        let picture_origins = self.checked_picture_origins().map_err(&wrong)?;
        let algorithms = if named.is_empty() { fitting } else { named };
        Ok(IssuerSettings {
            audiences: self.audiences(public_urls),
            algorithms,
            keys,
            limits: IssuerLimits { role_max, room_prefixes: self.room_prefixes.clone(), picture_origins },
        })
    }

    /// The origins of pictures.
    ///
    /// # Errors
    /// A message for a text that is not an https origin.
    pub fn checked_picture_origins(&self) -> Result<Vec<String>, String> {
        self.picture_origins.iter().map(|origin| checked_origin(origin)).collect()
    }

    fn audiences(&self, public_urls: &[String]) -> Vec<String> {
        match &self.audience {
            Some(audience) => vec![audience.clone()],
            None if public_urls.is_empty() => vec![DEFAULT_AUDIENCE.to_owned()],
            // A URL without a path is the same with and without its slash.
            None => {
                let urls = public_urls.iter().map(|url| url.trim_end_matches('/'));
                urls.flat_map(|url| [url.to_owned(), format!("{url}/")]).collect()
            }
        }
    }

    fn key_source(&self, named: &[Algorithm]) -> Result<KeySource, String> {
        let is_hmac = |algorithm: &Algorithm| algorithm.family() == AlgorithmFamily::Hmac;
        let read = |path: &PathBuf| {
            std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
        };
        match (&self.secret, &self.secret_file, &self.key_file, &self.jwks_url) {
            (Some(secret), None, None, None) => from_secret(secret.as_bytes(), named).map(KeySource::Fixed),
            (None, Some(path), None, None) => {
                from_secret(read(path)?.trim_ascii(), named).map(KeySource::Fixed)
            }
            (None, None, Some(path), None) => {
                let key = from_pem(&read(path)?, named);
                key.map(KeySource::Fixed).map_err(|reason| format!("{}: {reason}", path.display()))
            }
            (None, None, None, Some(url)) => {
                // A published key is no secret, so that everybody could sign with it.
                if named.iter().any(is_hmac) {
                    return Err("HS256, HS384 and HS512 need a secret, not jwks_url".into());
                }
                match url.parse::<Uri>() {
                    Ok(uri) if is_protected(&uri) => Ok(KeySource::Published(uri)),
                    _ => Err("jwks_url must be an https URL".into()),
                }
            }
            _ => Err("set exactly one of secret, secret_file, key_file and jwks_url".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "a secret of thirty-two bytes ...";

    fn read(json: &str) -> TokenIssuers {
        json.parse().expect("never an error here")
    }

    fn issuer(json: &str) -> TokenIssuer {
        let json = json.replace("SECRET", SECRET);
        let issuers = read(&format!("[{{\"issuer\":\"wiki\",{json}}}]"));
        issuers.read().expect("valid")[0].clone()
    }

    #[test]
    fn the_variable_and_the_file_say_the_same() {
        #[derive(Deserialize)]
        struct File {
            token_issuers: TokenIssuers,
        }
        let file: File = toml::from_str(
            "[[token_issuers]]\nissuer = \"wiki\"\nsecret = \"x\"\nrole_max = \"owner\"\nroom_prefixes = [\"wiki-\"]\n",
        )
        .expect("valid");
        let variable =
            read(r#"[{"issuer":"wiki","secret":"x","role_max":"owner","room_prefixes":["wiki-"]}]"#);
        assert_eq!(file.token_issuers, variable);
    }

    #[test]
    fn the_secret_is_not_shown() {
        let issuers = read(r#"[{"issuer":"wiki","secret":"top secret"}]"#);
        assert!(!format!("{issuers:?}").contains("top secret"));
        for wrong in [
            r#"[{"issuer":"wiki","secret":"top secret","x":1}]"#,
            r#"[{"issuer":"wiki","role_max":{"top secret":1}}]"#,
            "top secret",
        ] {
            let error = read(wrong).read().expect_err(wrong).to_owned();
            assert!(error.contains("not a JSON array") && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn the_audience_is_the_public_url() {
        let urls = ["https://sheets.example.org".to_owned()];
        let expected = ["https://sheets.example.org", "https://sheets.example.org/"];
        assert_eq!(issuer(r#""secret":"SECRET""#).audiences(&urls), expected);
        assert_eq!(issuer(r#""secret":"SECRET""#).audiences(&[]), ["quadrille"]);
        assert_eq!(issuer(r#""secret":"SECRET","audience":"q""#).audiences(&urls), ["q"]);
    }

    #[test]
    fn wrong_values_are_named() {
        for (json, message) in [
            (r#""audience":"q""#, "set exactly one of"),
            (r#""secret":"SECRET","jwks_url":"https://wiki.example.org/keys""#, "set exactly one of"),
            (r#""secret":"short""#, "at least 32 bytes"),
            (r#""secret":"SECRET","algorithms":["HS512"]"#, "at least 64 bytes"),
            (r#""secret":"SECRET","algorithms":["RS256"]"#, "does not fit"),
            (r#""secret":"SECRET","algorithms":["none"]"#, "is unknown: none"),
            (r#""secret":"SECRET","role_max":"root""#, "role_max must be"),
            (r#""jwks_url":"http://wiki.example.org/keys""#, "https"),
            (r#""jwks_url":"wiki""#, "https"),
            (r#""jwks_url":"https://wiki.example.org/keys","algorithms":["HS256"]"#, "need a secret"),
            (r#""secret":"SECRET","picture_origins":["https://a.example/b"]"#, "not an https origin"),
            (r#""key_file":"/nowhere/key.pem""#, "cannot read /nowhere/key.pem"),
        ] {
            let error = issuer(json).check(&[]).err().unwrap_or_else(|| panic!("valid: {json}"));
            assert!(error.starts_with("token issuer 'wiki': ") && error.contains(message), "{error}");
            assert!(!error.contains(SECRET), "{error}");
        }
        let valid = issuer(r#""jwks_url":"http://127.0.0.1:9/keys""#).check(&[]).expect("this machine");
        assert_eq!(valid.algorithms, PUBLISHED);
        let valid = issuer(r#""secret":"SECRET""#).check(&[]).expect("valid");
        assert_eq!(valid.algorithms, [Algorithm::HS256]);
    }
}
