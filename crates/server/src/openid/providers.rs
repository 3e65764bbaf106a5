//! All configured providers, with a bound on the work that each causes.

use std::sync::{Arc, OnceLock};

use tokio::sync::Semaphore;

use super::provider::{Provider, ProviderError, SignInSecrets};
use super::settings::OpenIdProviders;
use crate::access::ProvenPerson;
use crate::http_client::HttpClient;
use crate::limits;

/// The providers. Cheap to clone.
#[derive(Clone)]
pub struct OpenId {
    inner: Arc<Inner>,
}

struct Inner {
    providers: Vec<Bounded>,
    /// Made with the first request: reading the certificates of the system takes a while.
    http: OnceLock<HttpClient>,
}

/// A provider with its own bound: one that hangs does not keep people from the others.
struct Bounded {
    provider: Arc<Provider>,
    running: Semaphore,
}

/// Why a provider did not help.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpenIdError {
    /// There is no provider with this identifier.
    Unknown,
    /// Too many others are signing in.
    Busy,
    Provider(ProviderError),
}

impl OpenId {
    /// Takes the providers of the settings.
    ///
    /// # Errors
    /// A message about the first wrong setting.
    pub fn new(settings: &OpenIdProviders) -> Result<OpenId, String> {
        let mut providers: Vec<Bounded> = Vec::new();
        for settings in &settings.0 {
            if providers.iter().any(|other| other.provider.settings.id == settings.id) {
                return Err(format!("two openid providers have the id '{}'", settings.id));
            }
            let provider = Arc::new(Provider::new(settings.clone())?);
            providers.push(Bounded { provider, running: Semaphore::new(limits::PROVIDER_REQUESTS_MAX) });
        }
        Ok(OpenId { inner: Arc::new(Inner { providers, http: OnceLock::new() }) })
    }

    /// Whether there is a provider with this identifier.
    pub fn has(&self, id: &str) -> bool {
        self.find(id).is_some()
    }

    /// The issuer of a provider.
    pub fn issuer(&self, id: &str) -> Option<&str> {
        self.find(id).map(|found| found.provider.settings.issuer.as_str())
    }

    /// The identifier of the provider with this issuer.
    pub fn id_of_issuer(&self, issuer: &str) -> Option<&str> {
        let found = self.inner.providers.iter().find(|found| found.provider.settings.issuer == issuer);
        found.map(|found| found.provider.settings.id.as_str())
    }

    /// The address of the provider's sign-in page, which sends the browser back to `redirect`.
    ///
    /// # Errors
    /// When the provider is unknown, cannot be reached or too many are signing in.
    pub async fn sign_in_url(
        &self,
        id: &str,
        redirect: String,
        secrets: SignInSecrets,
    ) -> Result<String, OpenIdError> {
        self.run(id, move |provider, http| provider.sign_in_url(http, &redirect, &secrets).map(String::from))
            .await
    }

    /// Who came back from the provider with this code.
    ///
    /// # Errors
    /// As for [`sign_in_url`](OpenId::sign_in_url), and when the provider does not vouch for anybody
    /// who may sign in.
    pub async fn person(
        &self,
        id: &str,
        redirect: String,
        secrets: SignInSecrets,
        code: String,
    ) -> Result<ProvenPerson, OpenIdError> {
        self.run(id, move |provider, http| provider.person(http, &redirect, &secrets, code)).await
    }

    /// The address that ends the session at the provider, if it has one.
    ///
    /// # Errors
    /// As for [`sign_in_url`](OpenId::sign_in_url).
    pub async fn sign_out_url(&self, id: &str, back: String) -> Result<Option<String>, OpenIdError> {
        self.run(id, move |provider, http| Ok(provider.sign_out_url(http, &back)?.map(String::from))).await
    }

    fn find(&self, id: &str) -> Option<&Bounded> {
        self.inner.providers.iter().find(|found| found.provider.settings.id == id)
    }

    async fn run<T: Send + 'static>(
        &self,
        id: &str,
        work: impl FnOnce(&Provider, &HttpClient) -> Result<T, ProviderError> + Send + 'static,
    ) -> Result<T, OpenIdError> {
        let found = self.find(id).ok_or(OpenIdError::Unknown)?;
        let provider = Arc::clone(&found.provider);
        let _running = found.running.try_acquire().map_err(|_| OpenIdError::Busy)?;
        let inner = Arc::clone(&self.inner);
        let worked = tokio::task::spawn_blocking(move || work(&provider, inner.http.get_or_init(client)));
        match worked.await {
            Ok(result) => result.map_err(OpenIdError::Provider),
            // A panic in a library, for an answer that its authors did not think of.
            Err(error) => Err(OpenIdError::Provider(ProviderError::Unavailable(error.to_string()))),
        }
    }
}

fn client() -> HttpClient {
    HttpClient::new(limits::PROVIDER_SECONDS_MAX, limits::PROVIDER_RESPONSE_BYTES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_providers_with_the_same_id_are_a_mistake() {
        let one = r#"{"id":"sso","name":"SSO","issuer":"https://sso.example.org","client_id":"q"}"#;
        let settings: OpenIdProviders = format!("[{one},{one}]").parse().expect("JSON");
        assert!(OpenId::new(&settings).is_err_and(|message| message.contains("two")));
        let settings: OpenIdProviders = format!("[{one}]").parse().expect("JSON");
        assert!(OpenId::new(&settings).is_ok_and(|openid| openid.has("sso") && !openid.has("other")));
    }
}
