//! TLS of the server's own port, with certificates from files or from an ACME authority.
//!
//! `http/accept` performs the handshake of each connection with [`Tls::accept`]; a task of
//! [`Maintenance::run`] keeps the certificate current.

mod acme;
mod certificate_files;
mod socket;

use std::io;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::ResolvesServerCert;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::config::Settings;
use acme::{ACME_TLS_ALPN_NAME, Acme};
use certificate_files::CertificateFiles;

pub use certificate_files::expiry_s;
pub use socket::TlsSocket;

/// The TLS side of a port.
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

/// Keeps the certificate of a [`Tls`] current.
pub enum Maintenance {
    Files(Arc<CertificateFiles>),
    Acme(Box<Acme>),
}

impl Tls {
    /// Creates the TLS side of the settings; `None` when they do not ask for it.
    ///
    /// # Errors
    ///
    /// Fails when settings contradict each other, or the certificate or its key cannot be used.
    pub fn new(settings: &Settings) -> Result<Option<(Tls, Maintenance)>, String> {
        let certificate = settings.tls_certificate.as_os_str();
        let key = settings.tls_key.as_os_str();
        if certificate.is_empty() != key.is_empty() {
            return Err("tls_certificate and tls_key are needed together".into());
        }
        if !certificate.is_empty() && !settings.acme_domains.is_empty() {
            return Err("tls_certificate and acme_domains exclude each other".into());
        }
        if !settings.has_own_tls() {
            return match settings.redirect_listen.is_empty() {
                true => Ok(None),
                false => Err("redirect_listen needs tls_certificate or acme_domains".into()),
            };
        }
        let provider = Arc::new(ring::default_provider());
        let mut protocols = vec![b"http/1.1".to_vec()];
        let (resolver, maintenance): (Arc<dyn ResolvesServerCert>, _) = match certificate.is_empty() {
            true => {
                protocols.push(ACME_TLS_ALPN_NAME.to_vec());
                let acme = Acme::new(settings, &provider)?;
                (acme.resolver(), Maintenance::Acme(Box::new(acme)))
            }
            false => {
                let files = CertificateFiles::open(&settings.tls_certificate, &settings.tls_key, &provider)?;
                let files = Arc::new(files);
                (Arc::clone(&files) as _, Maintenance::Files(files))
            }
        };
        let config = server_config(provider, resolver, protocols).map_err(|error| error.to_string())?;
        Ok(Some((Tls(TlsAcceptor::from(Arc::new(config))), maintenance)))
    }

    /// Performs the handshake. `None` for the connection of an ACME authority that has checked the
    /// control over a domain (RFC 8737): it carries no requests.
    ///
    /// # Errors
    ///
    /// Fails when the handshake does.
    pub async fn accept(&self, stream: TcpStream) -> io::Result<Option<TlsStream<TcpStream>>> {
        let mut stream = self.0.accept(stream).await?;
        if stream.get_ref().1.alpn_protocol() == Some(ACME_TLS_ALPN_NAME) {
            // The authority has got what it wanted, even if it does not wait for the end.
            let _ = stream.shutdown().await;
            return Ok(None);
        }
        Ok(Some(stream))
    }
}

impl Maintenance {
    /// Runs until it is dropped.
    pub async fn run(self) {
        match self {
            Maintenance::Files(files) => files.watch().await,
            Maintenance::Acme(acme) => acme.run().await,
        }
    }
}

/// TLS 1.2 and 1.3 with the cipher suites of rustls, all of which encrypt with authentication and
/// have forward secrecy. No early data, which could be replayed.
fn server_config(
    provider: Arc<CryptoProvider>,
    resolver: Arc<dyn ResolvesServerCert>,
    protocols: Vec<Vec<u8>>,
) -> Result<ServerConfig, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])?
        .with_no_client_auth()
        .with_cert_resolver(resolver);
    config.alpn_protocols = protocols;
    Ok(config)
}
