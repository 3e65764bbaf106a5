//! How people reach the server: its port, its public URLs through the proxy, certificates.

use std::net::TcpListener;
use std::path::Path;

use super::findings::Findings;
use crate::access::now_ms;
use crate::config::Settings;

const DAY_S: i64 = 86_400;
/// Days before its end from which a certificate should have been renewed: Let's Encrypt's clients renew a
/// month before.
const EXPIRY_DAYS_LOW: i64 = 14;
/// Time that a request to a public URL may take.
const ANSWER_SECONDS_MAX: u64 = 10;
/// Answers of a server are shorter.
const ANSWER_BYTES_MAX: u64 = 1 << 16;

/// What to do when two servers have one URL.
pub const NODE_URL_ADVICE: &str = "give each server the URL at which the others reach it";

/// Checks ports, certificates and public URLs.
pub fn check(settings: &Settings, findings: &mut Findings) {
    check_port(settings, findings);
    check_node_url(settings, findings);
    if !settings.tls_certificate.as_os_str().is_empty() {
        check_certificate(&settings.tls_certificate, findings);
    }
    if settings.own_urls().is_empty() {
        let is_local = settings.listen.starts_with("127.") || settings.listen.starts_with("localhost");
        match is_local {
            true => findings.ok("public_url", "not set; only this machine can reach the server"),
            false => findings.warning(
                "public_url",
                "not set: links in mail and sign-in by providers need it",
                "set public_url to the URL that people type, such as https://sheets.example.org",
            ),
        }
    }
    for url in settings.own_urls() {
        check_public_url(&url, findings);
    }
}

fn check_port(settings: &Settings, findings: &mut Findings) {
    let listen = &settings.listen;
    match TcpListener::bind(listen) {
        Ok(_) => findings.ok("port", format!("{listen} is free; no server runs there now")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            match instance_at(&local_url(settings)) {
                Ok(_) => findings.ok("port", format!("a quadrille server answers at {listen}")),
                // Its certificate is for other names than localhost.
                Err(_) if settings.has_own_tls() => findings.ok("port", format!("{listen} is in use")),
                Err(error) => findings.problem(
                    "port",
                    format!("{listen} is in use, but not by a quadrille server: {error}"),
                    "stop the other program, or set another address in `listen`",
                ),
            }
        }
        Err(error) => findings.problem(
            "port",
            format!("cannot listen on {listen}: {error}"),
            "ports below 1024 need CAP_NET_BIND_SERVICE; the address has to be one of this machine",
        ),
    }
}

/// Whether a program listens at an address of this machine.
pub fn is_listened_at(listen: &str) -> bool {
    TcpListener::bind(listen).is_err_and(|error| error.kind() == std::io::ErrorKind::AddrInUse)
}

/// The URL of the server of this machine.
fn local_url(settings: &Settings) -> String {
    let scheme = if settings.has_own_tls() { "https" } else { "http" };
    let (host, port) = settings.listen.rsplit_once(':').unwrap_or(("", &settings.listen));
    let is_any = matches!(host, "" | "0.0.0.0" | "[::]" | "localhost");
    format!("{scheme}://{}:{port}", if is_any { "localhost" } else { host })
}

/// Asks the URL by which other servers of the database reach this one.
fn check_node_url(settings: &Settings, findings: &mut Findings) {
    let url = settings.node_url.trim_end_matches('/');
    if url.is_empty() || settings.check_node_url().is_err() {
        return;
    }
    let runs = is_listened_at(&settings.listen);
    match (instance_at(url), instance_at(&local_url(settings))) {
        // An older server has no instance; one with a certificate is not found at its address.
        (Ok(Some(found)), Ok(Some(own))) if found != own => {
            findings.problem("node_url", format!("{url} leads to another server"), NODE_URL_ADVICE);
        }
        (Ok(_), _) if runs => findings.ok("node_url", format!("a quadrille server answers at {url}")),
        (Ok(_), _) => {
            let message = format!("a server answers at {url}, but none runs at {}", settings.listen);
            findings.problem("node_url", message, NODE_URL_ADVICE);
        }
        (Err(error), _) if runs => {
            let message = format!("{url} does not lead to the server: {error}");
            findings.problem("node_url", message, "name the URL at which the other servers reach this one");
        }
        (Err(_), _) => findings.ok("node_url", format!("no server answers at {url} now")),
    }
}

fn check_certificate(path: &Path, findings: &mut Findings) {
    let name = path.display();
    let days = match crate::tls::expiry_s(path) {
        Ok(expiry_s) => (expiry_s - now_ms() / 1_000).div_euclid(DAY_S),
        Err(error) => {
            let advice = "name a PEM file with the certificate and its chain";
            return findings.problem("certificate", format!("{name} cannot be read: {error}"), advice);
        }
    };
    let advice = "renew it; the server notices the new file by itself";
    match days {
        ..0 => findings.problem("certificate", format!("{name} expired {} days ago", -days), advice),
        0..EXPIRY_DAYS_LOW => {
            findings.warning("certificate", format!("{name} expires in {days} days"), advice)
        }
        _ => findings.ok("certificate", format!("{name} is valid for {days} days")),
    }
}

/// Asks the server through everything that is between people and it.
fn check_public_url(url: &str, findings: &mut Findings) {
    let url = url.trim_end_matches('/');
    if let Err(error) = instance_at(url) {
        return findings.warning(
            "public_url",
            format!("{url} does not lead to the server: {error}"),
            "start the server and check name, proxy and certificate; some networks cannot reach their own \
             public address, which is harmless",
        );
    }
    match upgrades(url) {
        Ok(true) => findings.ok("public_url", format!("{url} leads to the server, with WebSockets")),
        Ok(false) => findings.problem(
            "public_url",
            format!("{url} leads to the server, but its proxy does not pass WebSockets on"),
            "let the proxy pass Upgrade and Connection on; docs/operations-guide.md has examples",
        ),
        Err(error) => {
            findings
                .ok("public_url", format!("{url} leads to the server; WebSockets were not tried: {error}"));
        }
    }
}

fn agent() -> ureq::Agent {
    crate::http_client::config(ANSWER_SECONDS_MAX).build().into()
}

/// Returns which process of quadrille answers at a URL, if it says so.
fn instance_at(url: &str) -> Result<Option<String>, String> {
    let (status, answer) = get(agent().get(format!("{url}/healthz")))?;
    if answer["status"] == "ok" && answer["version"].is_string() {
        return Ok(answer["instance"].as_str().map(str::to_owned));
    }
    let message = answer["error"]["message"].as_str();
    Err(message.map_or_else(|| format!("something else answers (status {status})"), str::to_owned))
}

/// Whether the headers of a WebSocket arrive at the server. The request has a wrong key, of which only a server
/// that sees the other headers complains, so that no session is opened.
fn upgrades(url: &str) -> Result<bool, String> {
    let request = agent()
        .get(format!("{url}/api/v1/rooms/quadrille-doctor/socket"))
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "wrong");
    let (status, answer) = get(request)?;
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    match message {
        _ if message.contains("sec-websocket-key") => Ok(true),
        _ if message.contains("header upgrade") || message.contains("header connection") => Ok(false),
        _ => Err(format!("status {status} {message}")),
    }
}

/// Sends a request. Returns the status and the JSON of the answer.
fn get(
    request: ureq::RequestBuilder<ureq::typestate::WithoutBody>,
) -> Result<(u16, serde_json::Value), String> {
    let mut response = request.call().map_err(|error| error.to_string())?;
    let text = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string();
    let answer = serde_json::from_str(&text.unwrap_or_default()).unwrap_or_default();
    Ok((response.status().as_u16(), answer))
}
