//! Certificates from a real authority: Pebble, the ACME server that Let's Encrypt tests clients with.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::json;

use crate::support::{Server, TIMEOUT, binary};

/// The server orders before the authority listens, and doubles its pauses until that succeeds.
const ORDER_TIMEOUT: Duration = Duration::from_secs(90);

/// A name that the name server of the tests knows.
const DOMAIN: &str = "sheets.example.org";

/// A program that is stopped at the end.
struct Program(Child);

impl Program {
    fn start(command: &mut Command) -> Program {
        let started = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Program(started.expect("pebble is not installed; `make test` installs it on Debian"))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Fails when the process has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port")
}

/// The authority, which connects to `port` of this machine to see who controls a domain.
struct Authority {
    _programs: [Program; 2],
    management: SocketAddr,
    certificate: CertificateDer<'static>,
}

impl Authority {
    /// With its directory at `address`; its certificate and key are in the folder.
    fn start(folder: &Path, address: SocketAddr, port: u16) -> Authority {
        let (management, names) = (free_address(), free_address());
        let file = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
        let settings = json!({ "pebble": {
            "listenAddress": address.to_string(), "managementListenAddress": management.to_string(),
            "certificate": file("certificate.pem"), "privateKey": file("key.pem"),
            "httpPort": 1, "tlsPort": port, "externalAccountBindingRequired": false,
        }});
        std::fs::write(folder.join("pebble.json"), settings.to_string()).expect("writable");
        let name_server = ["-dns01", &names.to_string(), "-defaultIPv4", "127.0.0.1", "-defaultIPv6", ""];
        let unused = ["-http01", "", "-https01", "", "-tlsalpn01", "", "-management"];
        let unused_management = free_address().to_string();
        let name_server = Program::start(
            Command::new("pebble-challtestsrv").args(name_server).args(unused).arg(unused_management),
        );
        let pebble = Program::start(
            Command::new("pebble")
                .args(["-config", &file("pebble.json"), "-dnsserver", &names.to_string()])
                .env("PEBBLE_VA_NOSLEEP", "1"),
        );
        let pem = std::fs::read(folder.join("certificate.pem")).expect("readable");
        let certificate = CertificateDer::from_pem_slice(&pem).expect("a certificate");
        Authority { _programs: [name_server, pebble], management, certificate }
    }

    /// The root of the certificates that it issues, a new one each time it starts.
    fn root(&self) -> CertificateDer<'static> {
        let answer = within(TIMEOUT, || get(self.management, "localhost", "/roots/0", &self.certificate));
        let begin = answer.find("-----BEGIN").expect("a certificate");
        CertificateDer::from_pem_slice(&answer.as_bytes()[begin..]).expect("a certificate")
    }
}

/// Repeats what fails at first, because a program starts.
fn within<T>(time: Duration, mut attempt: impl FnMut() -> Result<T, String>) -> T {
    let deadline = Instant::now() + time;
    loop {
        match attempt() {
            Ok(done) => return done,
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The answer to a request over TLS by a client that trusts one root only.
fn get(
    address: SocketAddr,
    host: &str,
    path: &str,
    root: &CertificateDer<'static>,
) -> Result<String, String> {
    let mut roots = RootCertStore::empty();
    roots.add(root.clone()).expect("a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("supported versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let tcp = TcpStream::connect(address).map_err(|error| error.to_string())?;
    tcp.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    let name = host.to_owned().try_into().expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).map_err(|error| error.to_string())?;
    let mut stream = StreamOwned::new(connection, tcp);
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
    let mut answer = Vec::new();
    // The end of the connection without TLS's own end is not an error here.
    let _ = stream.read_to_end(&mut answer);
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[test]
fn a_certificate_is_ordered_from_an_authority_and_kept() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("valid names");
    std::fs::write(folder.path().join("certificate.pem"), made.cert.pem()).expect("writable");
    std::fs::write(folder.path().join("key.pem"), made.key_pair.serialize_pem()).expect("writable");
    let directory = free_address();
    let data = folder.path().join("data");
    let serve = || {
        let mut command = binary();
        // The machine trusts the authority.
        command.env("SSL_CERT_FILE", folder.path().join("certificate.pem"));
        let url = format!("https://localhost:{}/dir", directory.port());
        let more = ["--acme-domains", DOMAIN, "--acme-directory", &url, "--acme-email", "ada@example.org"];
        Server::start_by(command, Stdio::null(), &data, &more)
    };
    let mut server = serve();
    let authority = Authority::start(folder.path(), directory, server.address.port());
    let root = authority.root();
    let check = |server: &Server| within(ORDER_TIMEOUT, || get(server.address, DOMAIN, "/healthz", &root));
    assert!(check(&server).starts_with("HTTP/1.1 200 "));
    // Nobody else reads the keys.
    let mode = std::fs::metadata(data.join("acme")).expect("the directory").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // The next start orders none: the authority could not be asked.
    server.kill();
    drop(authority);
    assert!(check(&serve()).starts_with("HTTP/1.1 200 "));
}
