//! TLS to the database by rustls. The server's certificate and host name are always verified.

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::pki_types::ServerName;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};

/// Makes TLS connections; without a configuration, none.
#[derive(Clone)]
pub struct TlsConnector {
    config: Option<Arc<ClientConfig>>,
}

impl TlsConnector {
    /// For addresses that are not encrypted.
    pub fn none() -> TlsConnector {
        TlsConnector { config: None }
    }

    /// Trusts the authorities of a PEM file, or those of the system.
    ///
    /// # Errors
    /// A message when there are no authorities that can be read.
    pub fn new(authorities: Option<&Path>) -> Result<TlsConnector, String> {
        let mut roots = RootCertStore::empty();
        match authorities {
            Some(file) => {
                let failed = |error: String| format!("sslrootcert: cannot read {}: {error}", file.display());
                let pem = std::fs::read(file).map_err(|error| failed(error.to_string()))?;
                for certificate in rustls::pki_types::CertificateDer::pem_slice_iter(&pem) {
                    let certificate = certificate.map_err(|error| failed(error.to_string()))?;
                    roots.add(certificate).map_err(|error| failed(error.to_string()))?;
                }
            }
            None => _ = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs),
        }
        if roots.is_empty() {
            return Err("no certificate authority is known to verify the database's certificate".into());
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(TlsConnector { config: Some(Arc::new(config)) })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for TlsConnector {
    type Stream = Encrypted<S>;
    type TlsConnect = HostConnector;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<HostConnector> {
        // Without TLS the client still asks for a connector, also for Unix sockets.
        let Some(config) = self.config.clone() else { return Ok(HostConnector(None)) };
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        Ok(HostConnector(Some((config, name))))
    }
}

/// Makes TLS connections to one host.
pub struct HostConnector(Option<(Arc<ClientConfig>, ServerName<'static>)>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for HostConnector {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let (config, name) =
                self.0.ok_or_else(|| io::Error::other("this connection is not encrypted"))?;
            let stream = tokio_rustls::TlsConnector::from(config).connect(name, stream).await?;
            Ok(Encrypted(Box::new(stream)))
        })
    }
}

/// An encrypted connection. Channel binding is not used: it would detect a stolen certificate of the
/// database, and needs the hash of the certificate's signature algorithm.
pub struct Encrypted<S>(Box<tokio_rustls::client::TlsStream<S>>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_shutdown(context)
    }
}
