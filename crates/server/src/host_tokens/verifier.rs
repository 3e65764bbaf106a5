//! Verifies tokens: finds the issuer, its key and its algorithm, checks the signature, then the
//! claims.

use std::fmt;
use std::sync::{Arc, OnceLock};

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Validation, decode};

use super::claims::{Claims, HostToken};
use super::key_set::{KeySet, Keys};
use super::keys::Key;
use super::settings::{IssuerSettings, KeySource, TokenIssuers};
use super::token::{Header, SignedToken, TokenError};
use crate::http_client::HttpClient;
use crate::limits;

/// The issuers whose tokens count. Cheap to clone.
#[derive(Clone, Default)]
pub struct HostTokens {
    issuers: Arc<Vec<Issuer>>,
    /// Made with the first request: reading the certificates of the system takes a while.
    client: Arc<OnceLock<Arc<HttpClient>>>,
}

impl fmt::Debug for HostTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.issuers.iter().map(|issuer| &issuer.name)).finish()
    }
}

struct Issuer {
    name: Arc<str>,
    settings: IssuerSettings,
    keys: IssuerKeys,
}

enum IssuerKeys {
    Fixed(Keys),
    Published(KeySet),
}

impl HostTokens {
    /// Takes the issuers of the settings. Several may have the same name, for a time in which a
    /// host changes its key.
    ///
    /// # Errors
    /// A message about the first wrong setting.
    pub fn new(issuers: &TokenIssuers, public_urls: &[String]) -> Result<HostTokens, String> {
        let issuers = issuers.read()?.iter().map(|issuer| {
            let settings = issuer.check(public_urls)?;
            let keys = match &settings.keys {
                KeySource::Fixed(key) => IssuerKeys::Fixed(Arc::new(vec![key.clone()])),
                KeySource::Published(url) => IssuerKeys::Published(KeySet::new(url.clone())),
            };
            Ok(Issuer { name: issuer.issuer.as_str().into(), settings, keys })
        });
        let issuers = issuers.collect::<Result<_, String>>()?;
        Ok(HostTokens { issuers: Arc::new(issuers), client: Arc::default() })
    }

    /// Verifies a token at a moment.
    ///
    /// # Errors
    /// The reason why it does not count.
    pub async fn verify(&self, token: &SignedToken, now_ms: i64) -> Result<HostToken, TokenError> {
        let header = token.header()?;
        let claimed = token.claimed_issuer()?;
        let mut refused = TokenError::UnknownIssuer;
        for issuer in self.issuers.iter().filter(|issuer| *issuer.name == *claimed) {
            match issuer.verify(token, &header, &self.client).await {
                // The times and the role do not depend on the key.
                Ok(claims) => return HostToken::new(&issuer.name, &issuer.settings.limits, claims, now_ms),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }
}

impl Issuer {
    /// The claims of a token whose signature, issuer and audience are right.
    async fn verify(
        &self,
        token: &SignedToken,
        header: &Header,
        client: &OnceLock<Arc<HttpClient>>,
    ) -> Result<Claims, TokenError> {
        if !self.settings.algorithms.contains(&header.algorithm) {
            return Err(TokenError::WrongAlgorithm);
        }
        let set = match &self.keys {
            IssuerKeys::Fixed(keys) => return self.verify_with(only_key(keys, header)?, token, header),
            IssuerKeys::Published(set) => set,
        };
        let client = client.get_or_init(|| {
            Arc::new(HttpClient::new(limits::HOST_KEYS_FETCH_SECONDS_MAX, limits::HOST_KEYS_BYTES_MAX))
        });
        let keys = set.keys(client, None).await.ok_or(TokenError::NoKeys)?;
        match published_key(&keys, header) {
            Some(key) => self.verify_with(key, token, header),
            // Hosts change their keys.
            None => {
                let keys = set.keys(client, Some(&keys)).await.ok_or(TokenError::NoKeys)?;
                self.verify_with(published_key(&keys, header).ok_or(TokenError::UnknownKey)?, token, header)
            }
        }
    }

    fn verify_with(&self, key: &Key, token: &SignedToken, header: &Header) -> Result<Claims, TokenError> {
        if !key.algorithms.contains(&header.algorithm) {
            return Err(TokenError::WrongAlgorithm);
        }
        let mut validation = Validation::new(header.algorithm);
        validation.set_issuer(&[&self.name]);
        validation.set_audience(&self.settings.audiences);
        validation.set_required_spec_claims(&["iss", "aud"]);
        // By `HostToken::new`, which is given the time.
        validation.validate_exp = false;
        match decode::<Claims>(token.as_str(), &key.key, &validation) {
            Ok(verified) => Ok(verified.claims),
            Err(error) => Err(match error.kind() {
                ErrorKind::InvalidSignature => TokenError::WrongSignature,
                ErrorKind::InvalidAlgorithm => TokenError::WrongAlgorithm,
                ErrorKind::InvalidIssuer => TokenError::UnknownIssuer,
                ErrorKind::InvalidAudience => TokenError::WrongAudience,
                ErrorKind::MissingRequiredClaim(claim) if claim == "aud" => TokenError::Missing("aud"),
                _ => TokenError::Malformed,
            }),
        }
    }
}

/// The key of an issuer that has only one: whatever name the token has for it.
fn only_key<'a>(keys: &'a Keys, header: &Header) -> Result<&'a Key, TokenError> {
    let fitting = keys.iter().find(|key| key.algorithms.contains(&header.algorithm));
    fitting.ok_or(TokenError::WrongAlgorithm)
}

/// The published key that the token names. Without a name, the only one that fits.
fn published_key<'a>(keys: &'a [Key], header: &Header) -> Option<&'a Key> {
    let mut fitting = keys.iter().filter(|key| key.algorithms.contains(&header.algorithm));
    match &header.key {
        Some(id) => fitting.find(|key| key.id.as_ref() == Some(id)),
        None => fitting.next().filter(|_| fitting.next().is_none()),
    }
}
