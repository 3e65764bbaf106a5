//! Certificates from an authority that speaks ACME (RFC 8555), such as Let's Encrypt.
//!
//! Control over the domains is proven on the server's own port (`tls-alpn-01`, RFC 8737), so the
//! authority must reach it as port 443.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::StreamExt;
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_acme::caches::DirCache;
use rustls_acme::{AcmeConfig, AcmeState, EventOk, ResolvesServerCertAcme};

use crate::config::Settings;

pub use rustls_acme::acme::ACME_TLS_ALPN_NAME;

/// Orders certificates and renews them when a third of their time is left.
pub struct Acme {
    state: AcmeState<io::Error>,
    domains: String,
    directory: PathBuf,
}

impl Acme {
    /// Prepares the certificates of the settings. The account and the certificates are kept in the
    /// directory `acme` of the data directory.
    ///
    /// # Errors
    ///
    /// Fails when a domain or the address is not valid, or the machine trusts no authorities.
    pub fn new(settings: &Settings, provider: &Arc<CryptoProvider>) -> Result<Acme, String> {
        let domains: Vec<String> =
            settings.acme_domains.iter().map(|domain| domain.to_ascii_lowercase()).collect();
        if let Some(domain) = domains.iter().find(|domain| !is_domain(domain)) {
            return Err(format!("acme_domains must be names like sheets.example.org: {domain}"));
        }
        if !settings.acme_directory.starts_with("https://") {
            return Err(format!("acme_directory must begin with https://: {}", settings.acme_directory));
        }
        let email = settings.acme_email.as_str();
        if !email.is_empty() && (!email.contains('@') || email.contains(char::is_whitespace)) {
            return Err(format!("acme_email is not an e-mail address: {email}"));
        }
        let contact = (!email.is_empty()).then(|| format!("mailto:{email}"));
        let directory = settings.data.join("acme");
        let state = AcmeConfig::new_with_client_config(&domains, client_config(provider)?)
            .directory(&settings.acme_directory)
            .contact(contact)
            .cache(DirCache::new(directory.clone()))
            .state();
        Ok(Acme { state, domains: domains.join(", "), directory })
    }

    /// Chooses the certificate of a handshake, and answers the challenges of the authority.
    pub fn resolver(&self) -> Arc<ResolvesServerCertAcme> {
        self.state.resolver()
    }

    /// Orders and renews certificates until it is dropped.
    pub async fn run(mut self) {
        // Private keys are kept in this directory.
        if let Err(error) = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.directory) {
            tracing::error!(%error, directory = %self.directory.display(), "cannot create the directory of certificates");
        }
        let domains = self.domains;
        while let Some(event) = self.state.next().await {
            match event {
                Ok(EventOk::DeployedCachedCert) => tracing::info!(domains, "loaded the stored certificate"),
                Ok(EventOk::DeployedNewCert) => tracing::info!(domains, "got a new certificate"),
                Ok(EventOk::CertCacheStore | EventOk::AccountCacheStore) => {}
                Err(error) => {
                    tracing::error!(domains, %error, "cannot get a certificate; trying again later");
                }
            }
        }
    }
}

/// Host names only: this challenge cannot prove addresses or wildcards.
fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    domain.len() <= 253
        && domain.contains('.')
        && domain.split('.').all(is_label)
        && !domain.rsplit('.').next().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Trusts the authorities that the machine trusts.
fn client_config(provider: &Arc<CryptoProvider>) -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err("the machine trusts no certificate authorities: install ca-certificates".into());
    }
    let config = ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_host_names_can_be_ordered() {
        for (domain, is_valid) in [
            ("sheets.example.org", true),
            ("xn--bcher-kva.example", true),
            ("a-1.example", true),
            ("localhost", false),
            ("*.example.org", false),
            ("192.0.2.1", false),
            ("[2001:db8::1]", false),
            ("sheets.example.org:443", false),
            ("https://sheets.example.org", false),
            ("-a.example", false),
            ("a..example", false),
            ("sheets.example.org.", false),
            ("", false),
        ] {
            assert_eq!(is_domain(domain), is_valid, "{domain}");
        }
    }
}
