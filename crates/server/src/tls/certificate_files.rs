//! A certificate and its key in PEM files, loaded again when they change.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use sha2::{Digest, Sha256};
use tokio::signal::unix::{SignalKind, signal};
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;

use crate::limits;

/// The certificate in two files, which may be the same file.
pub struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
    provider: Arc<CryptoProvider>,
    current: RwLock<Arc<CertifiedKey>>,
    seen: Mutex<Seen>,
}

/// What the last look at the files has found, so that a broken file is reported once.
#[derive(PartialEq)]
enum Seen {
    /// SHA-256 of the contents.
    Contents([u8; 32]),
    Unreadable(String),
}

impl CertificateFiles {
    /// Loads the certificate.
    ///
    /// # Errors
    ///
    /// Fails when a file cannot be read, is not PEM or the key does not belong to the certificate.
    pub fn open(
        certificate: &Path,
        key: &Path,
        provider: &Arc<CryptoProvider>,
    ) -> Result<CertificateFiles, String> {
        let contents = Contents::read(certificate, key)?;
        let loaded = contents.parse(provider)?;
        warn_if_expired(&loaded, certificate);
        Ok(CertificateFiles {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            provider: Arc::clone(provider),
            current: RwLock::new(Arc::new(loaded)),
            seen: Mutex::new(Seen::Contents(contents.digest())),
        })
    }

    /// Loads the certificate again if the files have changed since the last look; returns whether
    /// there is a new one.
    ///
    /// # Errors
    ///
    /// Fails when the changed files cannot be used. The current certificate stays. The same files
    /// are not an error a second time.
    pub fn reload(&self) -> Result<bool, String> {
        let contents = Contents::read(&self.certificate, &self.key);
        let seen = match &contents {
            Ok(contents) => Seen::Contents(contents.digest()),
            Err(error) => Seen::Unreadable(error.clone()),
        };
        {
            let mut last = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if *last == seen {
                return Ok(false);
            }
            *last = seen;
        }
        let loaded = Arc::new(contents?.parse(&self.provider)?);
        warn_if_expired(&loaded, &self.certificate);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = current.cert != loaded.cert;
        *current = loaded;
        Ok(is_new)
    }

    /// Looks at the files every `CERTIFICATE_CHECK_SECONDS` and on SIGHUP, until it is dropped.
    pub async fn watch(self: Arc<CertificateFiles>) {
        let mut hangup = match signal(SignalKind::hangup()) {
            Ok(hangup) => Some(hangup),
            Err(error) => {
                tracing::warn!(%error, "cannot listen for SIGHUP; certificates are still reloaded when they change");
                None
            }
        };
        loop {
            let hung_up = async {
                match &mut hangup {
                    Some(hangup) => _ = hangup.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = hung_up => {}
                () = tokio::time::sleep(Duration::from_secs(limits::CERTIFICATE_CHECK_SECONDS)) => {}
            }
            let files = Arc::clone(&self);
            match tokio::task::spawn_blocking(move || files.reload()).await {
                Ok(Ok(true)) => {
                    tracing::info!(file = %self.certificate.display(), "loaded a new certificate");
                }
                Ok(Ok(false)) => {}
                Ok(Err(error)) => tracing::error!(error, "the changed certificate is not used"),
                Err(error) => tracing::error!(%error, "the certificate was not looked at"),
            }
        }
    }
}

impl ResolvesServerCert for CertificateFiles {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Returns when the first certificate of a PEM file expires, in seconds since 1970-01-01 UTC.
///
/// # Errors
///
/// Fails when the file cannot be read or has no certificate.
pub fn expiry_s(certificate: &Path) -> Result<i64, String> {
    let first = CertificateDer::from_pem_file(certificate).map_err(|error| error.to_string())?;
    expiry_of(&first)
}

fn expiry_of(certificate: &CertificateDer<'_>) -> Result<i64, String> {
    let (_, certificate) = X509Certificate::from_der(certificate).map_err(|error| error.to_string())?;
    Ok(certificate.validity().not_after.timestamp())
}

/// An expired certificate is used: without it the server would not start, and a new one is loaded when it
/// comes.
fn warn_if_expired(key: &CertifiedKey, file: &Path) {
    let expiry = key.cert.first().and_then(|certificate| expiry_of(certificate).ok());
    if expiry.is_some_and(|expiry_s| expiry_s < crate::access::now_ms() / 1_000) {
        tracing::error!(
            file = %file.display(),
            "the certificate has expired, and browsers refuse it; a new file is loaded without a restart"
        );
    }
}

/// Without the key.
impl fmt::Debug for CertificateFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CertificateFiles").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

/// The bytes of both files.
struct Contents {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Contents {
    fn read(certificate: &Path, key: &Path) -> Result<Contents, String> {
        let read = |path: &Path| {
            read_limited(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
        };
        Ok(Contents { certificate: read(certificate)?, key: read(key)? })
    }

    fn digest(&self) -> [u8; 32] {
        Sha256::new()
            .chain_update(&self.certificate)
            .chain_update([0])
            .chain_update(&self.key)
            .finalize()
            .into()
    }

    /// The messages do not quote the files: one of them is secret.
    fn parse(&self, provider: &CryptoProvider) -> Result<CertifiedKey, String> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&self.certificate)
            .collect::<Result<_, _>>()
            .map_err(|_| "tls_certificate is not a PEM file with certificates")?;
        if chain.is_empty() {
            return Err("tls_certificate contains no certificate in PEM form".into());
        }
        let key = PrivateKeyDer::from_pem_slice(&self.key)
            .map_err(|_| "tls_key contains no unencrypted private key in PEM form")?;
        CertifiedKey::from_der(chain, key, provider).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => "tls_key is not the key of tls_certificate".to_owned(),
            error => format!("tls_certificate and tls_key cannot be used: {error}"),
        })
    }
}

fn read_limited(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    let limit = limits::CERTIFICATE_BYTES_MAX as u64 + 1;
    file.take(limit).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    match bytes.len() > limits::CERTIFICATE_BYTES_MAX {
        true => Err("the file is too large".into()),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Pair {
        certificate: String,
        key: String,
    }

    fn make() -> Pair {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("valid names");
        Pair { certificate: made.cert.pem(), key: made.key_pair.serialize_pem() }
    }

    fn provider() -> Arc<CryptoProvider> {
        Arc::new(rustls::crypto::ring::default_provider())
    }

    #[test]
    fn a_changed_certificate_replaces_the_old_one_unless_it_is_broken() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str| directory.path().join(name);
        let write = |name: &str, text: &str| std::fs::write(path(name), text).expect("writable");
        let (first, second) = (make(), make());
        write("c.pem", &first.certificate);
        write("k.pem", &first.key);
        let files = CertificateFiles::open(&path("c.pem"), &path("k.pem"), &provider()).expect("valid");
        let served = || files.current.read().expect("a test").cert.clone();
        let before = served();
        assert_eq!(files.reload(), Ok(false));

        // A renewal writes the two files one after the other.
        write("c.pem", &second.certificate);
        assert_eq!(files.reload(), Err("tls_key is not the key of tls_certificate".into()));
        assert_eq!(files.reload(), Ok(false));
        assert_eq!(served(), before);
        write("k.pem", &second.key);
        assert_eq!(files.reload(), Ok(true));
        let after = served();
        assert_ne!(after, before);

        write("c.pem", "not a certificate");
        assert_eq!(files.reload(), Err("tls_certificate contains no certificate in PEM form".into()));
        std::fs::remove_file(path("k.pem")).expect("there");
        let error = files.reload().expect_err("the key is gone");
        assert!(error.starts_with("cannot read") && error.contains("k.pem"), "{error}");
        assert_eq!(files.reload(), Ok(false));
        assert_eq!(served(), after);
    }

    #[test]
    fn unusable_files_are_errors_at_the_start_that_do_not_quote_the_key() {
        let (own, other) = (make(), make());
        let secret = own.key.lines().nth(1).expect("base64").to_owned();
        for (certificate, key, expected) in [
            (String::new(), own.key.clone(), "tls_certificate contains no certificate in PEM form"),
            (own.key.clone(), own.key.clone(), "tls_certificate contains no certificate in PEM form"),
            (
                own.certificate.clone(),
                own.certificate.clone(),
                "tls_key contains no unencrypted private key in PEM form",
            ),
            (own.certificate.clone(), other.key.clone(), "tls_key is not the key of tls_certificate"),
            ("x".repeat(limits::CERTIFICATE_BYTES_MAX + 1), own.key.clone(), "the file is too large"),
        ] {
            let directory = tempfile::tempdir().expect("a temporary directory");
            let paths = ["c.pem", "k.pem"].map(|name| directory.path().join(name));
            std::fs::write(&paths[0], certificate).expect("writable");
            std::fs::write(&paths[1], key).expect("writable");
            let error = CertificateFiles::open(&paths[0], &paths[1], &provider()).expect_err("unusable");
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains(&secret), "{error}");
        }
    }
}
