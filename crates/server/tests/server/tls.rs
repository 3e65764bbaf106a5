//! TLS on the server's own port, by clients of rustls.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Instant;

use quadrille_test_database::{Durability, TestDatabase};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion};

use crate::person::Person;
use crate::support::{Server, TIMEOUT, binary};

/// A certificate for this machine in `certificate.pem` and its key in `key.pem`.
fn write_certificate(directory: &Path) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()])
        .expect("valid names");
    std::fs::write(directory.join("certificate.pem"), made.cert.pem()).expect("writable");
    std::fs::write(directory.join("key.pem"), made.key_pair.serialize_pem()).expect("writable");
    made.cert.der().clone()
}

/// A server with TLS, its directory, and the certificate that it serves.
struct TlsServer {
    server: Server,
    directory: tempfile::TempDir,
    certificate: CertificateDer<'static>,
}

impl TlsServer {
    /// The log is in `log` of the directory.
    fn start(more: &[&str]) -> TlsServer {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let certificate = write_certificate(directory.path());
        let path = |name: &str| directory.path().join(name).to_str().expect("UTF-8").to_owned();
        let (certificate_file, key_file) = (path("certificate.pem"), path("key.pem"));
        let mut arguments =
            vec!["--tls-certificate", &certificate_file, "--tls-key", &key_file, "--log", "info"];
        arguments.extend(more);
        let log = std::fs::File::create(path("log")).expect("writable");
        let server = Server::start_logging_to(Stdio::from(log), &directory.path().join("data"), &arguments);
        TlsServer { server, directory, certificate }
    }

    fn connect(&self) -> TlsStream {
        connect(self.server.address, &self.certificate, rustls::ALL_VERSIONS).expect("a handshake")
    }

    /// Sends a request and returns the response as text.
    fn send(&self, request: &str) -> String {
        exchange(self.connect(), request)
    }

    /// Joins the room `plan`.
    fn join(&self, name: &str) -> Person {
        let stream = self.connect();
        let tcp = stream.sock.try_clone().expect("a socket");
        let url = format!("ws://{}/api/v1/rooms/plan/socket", self.server.address);
        match tungstenite::client(url, stream) {
            Ok((socket, _)) => Person::join_over(Box::new(socket), &tcp, name),
            Err(error) => panic!("the server does not upgrade: {error}"),
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("log")).expect("readable")
    }

    fn wait_for_log(&self, text: &str) -> String {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let log = self.log();
            if let Some(line) = log.lines().find(|line| line.contains(text)) {
                return line.to_owned();
            }
            assert!(Instant::now() < deadline, "the log lacks {text:?}: {log}");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

type TlsStream = StreamOwned<ClientConnection, TcpStream>;

/// Connects as a client that trusts this certificate only, and performs the handshake.
fn connect(
    address: SocketAddr,
    trusted: &CertificateDer<'static>,
    versions: &[&'static SupportedProtocolVersion],
) -> Result<TlsStream, String> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .expect("supported versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let tcp = TcpStream::connect(address).map_err(|error| error.to_string())?;
    tcp.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    let name = "localhost".try_into().expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).map_err(|error| error.to_string())?;
    let mut stream = StreamOwned::new(connection, tcp);
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock).map_err(|error| error.to_string())?;
    }
    Ok(stream)
}

fn exchange(mut stream: impl Read + Write, request: &str) -> String {
    stream.write_all(request.as_bytes()).expect("open");
    let mut answer = Vec::new();
    // The end of the connection without TLS's own end is not an error here.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(path: &str, host: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")
}

#[test]
fn requests_are_answered_over_tls_1_2_and_1_3() {
    let served = TlsServer::start(&[]);
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let stream =
            connect(served.server.address, &served.certificate, &[version]).expect("a supported version");
        assert_eq!(stream.conn.protocol_version(), Some(version.version));
        assert_eq!(stream.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
        let answer = exchange(stream, &get("/healthz", "localhost"));
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}

/// A `ClientHello` of TLS 1.1 with one cipher suite of that time.
const CLIENT_HELLO_1_1: &[u8] = b"\x16\x03\x01\x00\x2d\x01\x00\x00\x29\x03\x02\
    0123456789abcdef0123456789abcdef\x00\x00\x02\xc0\x13\x01\x00";

#[test]
fn older_versions_and_plain_http_are_refused() {
    let served = TlsServer::start(&[]);
    let mut stream = served.server.connect();
    stream.write_all(CLIENT_HELLO_1_1).expect("open");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    // RFC 5246, 7.2: a fatal alert (21, level 2).
    assert!(matches!(answer[..], [21, 3, _, 0, 2, 2, _]), "{answer:?}");
    assert!(!served.server.raw(get("/", "localhost").as_bytes()).contains("HTTP/1.1"));
    // The server goes on.
    assert!(served.send(&get("/healthz", "localhost")).starts_with("HTTP/1.1 200 "));
}

/// The servers of a database trust the certificate authorities of the system, here those of `SSL_CERT_FILE`.
#[test]
fn servers_relay_to_one_another_over_tls() {
    let database = TestDatabase::start(Durability::Unsynced);
    let url = database.create();
    let served = TlsServer::start(&["--storage", &url]);
    let mut ann = served.join("Ann");
    ann.type_text("A1", "1");
    ann.wait_until_saved();
    let start = |authorities: &Path| {
        let mut command = binary();
        command.env("SSL_CERT_FILE", authorities);
        let data = served.directory.path();
        Server::start_by(command, Stdio::inherit(), data, &["--storage", &url, "--metrics", "true"])
    };
    let second = start(&served.directory.path().join("certificate.pem"));
    assert_eq!(second.csv("plan"), "1\n");
    let mut ben = Person::join(&second, "plan", "Ben");
    ben.type_text("A2", "2");
    ann.wait_for_value("A2", 2.0);
    ann.type_text("A3", "3");
    ben.wait_for_value("A3", 3.0);
    assert_eq!(second.metric("quadrille_relayed_sessions"), Some(1.0));
    // A server that does not trust the certificate sends nothing there.
    let third = start(Path::new("/dev/null"));
    let refused = third.get("/api/v1/rooms/plan");
    assert_eq!((refused.status, refused.code().as_str()), (503, "room_elsewhere"), "{refused:?}");
}

#[test]
fn people_edit_over_tls() {
    let served = TlsServer::start(&[]);
    let join = |name: &str| served.join(name);
    // Longer than the buffers of the sockets, so that the server has to wait for its readers.
    let long = "0123456789abcdef".repeat(1_000);
    let csv: String = (0..400).map(|row| format!("{row},{row}{long}\n")).collect();
    let put = format!(
        "PUT /api/v1/rooms/plan HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: text/csv\r\n\
         content-length: {}\r\n\r\n{csv}",
        csv.len()
    );
    let answer = served.send(&put);
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    let (mut ann, mut bob) = (join("Ann"), join("Bob"));
    ann.wait_for_value("A400", 399.0);
    ann.type_text("C1", "=A400+1");
    ann.wait_until_saved();
    bob.wait_for_value("C1", 400.0);
    assert_eq!((ann.problems.len(), bob.problems.len()), (0, 0));
}

#[test]
fn a_new_certificate_is_used_after_sighup_and_a_broken_one_is_not() {
    let served = TlsServer::start(&[]);
    let open = served.connect();
    let renewed = write_certificate(served.directory.path());
    served.server.signal("HUP");
    served.wait_for_log("loaded a new certificate");
    let served_now = |certificate| connect(served.server.address, certificate, rustls::ALL_VERSIONS);
    served_now(&renewed).expect("the new certificate");
    assert!(served_now(&served.certificate).is_err());
    // Connections stay open.
    assert!(exchange(open, &get("/healthz", "localhost")).starts_with("HTTP/1.1 200 "));

    std::fs::write(served.directory.path().join("key.pem"), "broken").expect("writable");
    served.server.signal("HUP");
    let line = served.wait_for_log("the changed certificate is not used");
    assert!(line.contains("tls_key contains no unencrypted private key"), "{line}");
    served_now(&renewed).expect("the last certificate that was good");
}

#[test]
fn slow_handshakes_are_cut_off_and_connections_counted() {
    let served = TlsServer::start(&["--connections-max", "2"]);
    let mut held = [served.server.connect(), served.server.connect()];
    let mut refused = connect(served.server.address, &served.certificate, rustls::ALL_VERSIONS);
    assert!(refused.is_err());
    let mut rest = Vec::new();
    // Ends before the read times out, because the server closes a connection without handshake.
    held[0].read_to_end(&mut rest).expect("closed by the server");
    let deadline = Instant::now() + TIMEOUT;
    while refused.is_err() {
        assert!(Instant::now() < deadline);
        refused = connect(served.server.address, &served.certificate, rustls::ALL_VERSIONS);
    }
}

#[test]
fn browsers_are_told_to_stay_with_https() {
    let header = "strict-transport-security: max-age=31536000; includesubdomains";
    let served = TlsServer::start(&["--public-url", "https://sheets.example.org"]);
    for (host, is_sent) in [("sheets.example.org", true), ("127.0.0.1", true), ("localhost:8443", false)] {
        for path in ["/", "/healthz", "/missing/resource", "/api/v1/rooms/none"] {
            let answer = served.send(&get(path, host)).to_lowercase();
            assert_eq!(answer.contains(header), is_sent, "{host}{path}: {answer}");
        }
    }
    // Behind a proxy with TLS, too; not on a server that browsers reach without TLS.
    for (arguments, host, is_sent) in [
        (&["--public-url", "https://sheets.example.org"][..], "sheets.example.org", true),
        (&["--public-url", "https://sheets.example.org", "--hsts", ""], "sheets.example.org", false),
        (&["--public-url", "http://sheets.example.org"], "sheets.example.org", false),
    ] {
        let data = tempfile::tempdir().expect("a temporary directory");
        let server = Server::start_on(data.path(), arguments);
        let answer = server.raw(get("/", host).as_bytes()).to_lowercase();
        assert_eq!(answer.contains(header), is_sent, "{arguments:?}: {answer}");
    }
}

#[test]
fn the_second_port_redirects_pages_of_this_server_only() {
    let served =
        TlsServer::start(&["--redirect-listen", "127.0.0.1:0", "--public-url", "https://sheets.example.org"]);
    let line = served.wait_for_log("redirecting to https");
    let redirecting: SocketAddr = line
        .split(['=', ' '])
        .find_map(|word| word.trim_matches(['"', '\u{1b}']).parse().ok())
        .unwrap_or_else(|| panic!("no address in {line}"));
    let own = format!("https://localhost:{}", served.server.address.port());
    let (own, public) = (own.as_str(), "https://sheets.example.org");
    for (request, host, status, location) in [
        ("GET /", "localhost:80", 308, format!("{own}/")),
        ("GET /plan?view", "LOCALHOST", 308, format!("{own}/plan?view")),
        ("HEAD /plan", "sheets.example.org:80", 308, format!("{public}/plan")),
        ("GET //evil.example/", "sheets.example.org", 308, format!("{public}//evil.example/")),
        ("GET http://evil.example/x", "sheets.example.org", 308, format!("{public}/x")),
        ("GET /", "evil.example", 421, String::new()),
        ("GET /", "sheets.example.org@evil.example", 421, String::new()),
        ("GET /api/v1/rooms/plan", "sheets.example.org", 403, String::new()),
        ("GET /_/plan", "sheets.example.org", 403, String::new()),
        ("POST /api/v1/rooms", "sheets.example.org", 403, String::new()),
        ("PUT /plan", "sheets.example.org", 403, String::new()),
    ] {
        let text =
            format!("{request} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        let stream = TcpStream::connect(redirecting).expect("the server listens");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
        let answer = exchange(stream, &text);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request} {host}: {answer}");
        let sent = answer.lines().find_map(|line| line.strip_prefix("location: ")).unwrap_or_default();
        assert_eq!(sent, location, "{request} {host}");
        // RFC 6797, 7.2: not over HTTP without TLS.
        assert!(!answer.to_lowercase().contains("strict-transport-security"), "{answer}");
    }
}

#[test]
fn contradicting_settings_are_errors_at_the_start() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    write_certificate(directory.path());
    let path = |name: &str| directory.path().join(name).to_str().expect("UTF-8").to_owned();
    let (certificate, key, missing) = (path("certificate.pem"), path("key.pem"), path("missing.pem"));
    for (arguments, expected) in [
        (&["--tls-certificate", &certificate][..], "tls_certificate and tls_key are needed together"),
        (&["--tls-key", &key], "tls_certificate and tls_key are needed together"),
        (&["--tls-certificate", &missing, "--tls-key", &key], "cannot read"),
        (&["--tls-certificate", &certificate, "--tls-key", &certificate], "no unencrypted private key"),
        (
            &["--tls-certificate", &certificate, "--tls-key", &key, "--acme-domains", "a.example"],
            "tls_certificate and acme_domains exclude each other",
        ),
        (&["--redirect-listen", "127.0.0.1:0"], "redirect_listen needs tls_certificate or acme_domains"),
        (&["--acme-domains", "*.example.org"], "acme_domains must be names like sheets.example.org"),
        (
            &["--acme-domains", "a.example", "--acme-directory", "http://ca.example"],
            "acme_directory must begin with https://",
        ),
        (&["--acme-domains", "a.example", "--acme-email", "nobody"], "acme_email is not an e-mail address"),
        (&["--public-url", "https://a.example", "--hsts", "forever"], "hsts must be like max-age=31536000"),
    ] {
        let data = path("data");
        let serve = ["serve", "--listen", "127.0.0.1:0", "--data", &data];
        let output = binary().args(serve).args(arguments).output().expect("the binary starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}
