//! IMPORTDATA, IMPORTCSV, IMPORTJSON, IMPORTHTML and WEBSERVICE: data that the server fetches.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use quadrille_cell::{ErrorValue, Value};

use crate::person::Person;
use crate::support::Server;

/// A web server with these responses by path. A path without one is never answered.
struct Web {
    address: SocketAddr,
    responses: Arc<Mutex<HashMap<String, String>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Web {
    fn start(responses: &[(&str, &str)]) -> Web {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let responses = responses.iter().map(|(path, response)| (path.to_string(), response.to_string()));
        let responses = Arc::new(Mutex::new(responses.collect::<HashMap<String, String>>()));
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let (serving, noting) = (Arc::clone(&responses), Arc::clone(&asked));
        std::thread::spawn(move || {
            let mut unanswered = Vec::new();
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
                let mut line = String::new();
                let _ = reader.read_line(&mut line);
                let path = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
                noting.lock().expect("a test").push(path.clone());
                while reader.read_line(&mut line).is_ok_and(|length| length > 2) {}
                match serving.lock().expect("a test").get(&path) {
                    Some(response) => _ = stream.write_all(response.as_bytes()),
                    None => unanswered.push(stream),
                }
            }
        });
        Web { address, responses, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

fn redirect(to: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}

/// A server that may fetch from this machine.
fn server() -> (tempfile::TempDir, Server) {
    let data = tempfile::tempdir().expect("a temporary directory");
    let settings = ["--import-hosts", "127.0.0.1", "--import-private-networks", "127.0.0.1"];
    let server = Server::start_on(data.path(), &settings);
    (data, server)
}

fn details(server: &Server, room: &str, state: &str) -> Vec<String> {
    let reply = server.get(&format!("/api/v1/rooms/{room}/items?kind=import"));
    // The room exists from its first durable edit on.
    if reply.status == 404 {
        return Vec::new();
    }
    let items = reply.json()["items"].as_array().expect("a list").clone();
    let failed = items.iter().filter(|item| item["fields"]["state"] == state);
    failed.map(|item| item["fields"]["errorMessage"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn data_of_the_web_is_fetched_once_and_shown() {
    let web = Web::start(&[
        ("/rates.csv", &ok("Currency,Rate\nEUR,1\nUSD,1.08\n")),
        ("/items.json", &ok(r#"{"items":[{"name":"bolt","price":2},{"name":"nut"}]}"#)),
        ("/page", &ok("<table><tr><th>City<th>n<tr><td>Ulm<td>7</table>")),
        ("/time", &ok("12:30")),
    ]);
    let (_data, server) = server();
    let mut ada = Person::join(&server, "report", "Ada");
    ada.type_text("A1", &format!(r#"=IMPORTDATA("{}")"#, web.url("/rates.csv")));
    ada.type_text("D1", &format!(r#"=SUM(IMPORTCSV("{}",1))"#, web.url("/rates.csv")));
    ada.type_text("E1", &format!(r#"=IMPORTJSON("{}","items")"#, web.url("/items.json")));
    ada.type_text("H1", &format!(r#"=IMPORTHTML("{}","table",1)"#, web.url("/page")));
    ada.type_text("K1", &format!(r#"=WEBSERVICE("{}")"#, web.url("/time")));
    ada.wait_for_value("B3", 1.08);
    ada.wait_for_value("D1", 2.08);
    ada.wait_for_value("E3", Value::text("nut"));
    ada.wait_for_value("F3", Value::Blank);
    ada.wait_for_value("I2", 7.0);
    ada.wait_for_value("K1", 0.520_833_333_333_333_4);
    let asked = web.asked.lock().expect("a test").clone();
    assert_eq!(asked.iter().filter(|path| *path == "/rates.csv").count(), 1, "{asked:?}");
    assert_eq!(ada.problems, Vec::<String>::new());
}

#[test]
fn failures_are_explained() {
    let web = Web::start(&[
        ("/missing", "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
        ("/large", &ok(&"x".repeat(9 << 20))),
        ("/loop", &redirect("/loop")),
        ("/text", &ok("not json")),
    ]);
    let (_data, server) = server();
    let mut ada = Person::join(&server, "report", "Ada");
    for (row, path) in ["/missing", "/large", "/loop", "/text"].into_iter().enumerate() {
        ada.type_text(&format!("A{}", row + 1), &format!(r#"=IMPORTJSON("{}")"#, web.url(path)));
    }
    ada.wait_until("four failures", |_| details(&server, "report", "failed").len() == 4);
    let mut found = details(&server, "report", "failed");
    found.sort();
    assert!(found.iter().any(|text| text == "status 404"), "{found:?}");
    assert!(found.iter().any(|text| text == "too many redirects"), "{found:?}");
    assert!(found.iter().any(|text| text.starts_with("not JSON")), "{found:?}");
    ada.wait_for_value("A2", Value::Error(ErrorValue::NotAvailable));
}

#[test]
fn nothing_waits_for_a_slow_web_server() {
    let web = Web::start(&[]);
    let (_data, server) = server();
    server.make_room("sales", "5\n");
    let mut ada = Person::join(&server, "report", "Ada");
    ada.type_text("A1", &format!(r#"=IMPORTDATA("{}")"#, web.url("/never")));
    ada.type_text("A2", r#"=IMPORTRANGE("sales","A1")"#);
    ada.wait_for_value("A2", 5.0);
    ada.wait_until("asked", |_| web.asked.lock().expect("a test").len() == 1);
    ada.wait_for_value("A1", Value::Error(ErrorValue::NotAvailable));
    drop(web.responses);
}

#[test]
fn redirects_lead_to_allowed_hosts_only() {
    let (secret, web) = (Web::start(&[("/", &ok("secret"))]), Web::start(&[("/near", &ok("here"))]));
    web.responses.lock().expect("a test").extend([
        ("/hop".to_owned(), redirect("/near")),
        ("/other".to_owned(), redirect(&format!("http://localhost:{}/", secret.address.port()))),
        ("/private".to_owned(), redirect("http://10.0.0.1/")),
        ("/cloud".to_owned(), redirect("http://169.254.169.254/latest/meta-data")),
    ]);
    let (_data, server) = server();
    let mut ada = Person::join(&server, "report", "Ada");
    for (row, path) in ["/hop", "/other", "/private", "/cloud"].into_iter().enumerate() {
        ada.type_text(&format!("A{}", row + 1), &format!(r#"=IMPORTDATA("{}")"#, web.url(path)));
    }
    ada.wait_for_value("A1", Value::text("here"));
    ada.wait_until("three refusals", |_| details(&server, "report", "notAllowed").len() == 3);
    assert_eq!(secret.asked.lock().expect("a test").len(), 0);
}

#[test]
fn private_addresses_and_other_hosts_are_not_asked() {
    let web = Web::start(&[("/", &ok("secret"))]);
    let port = web.address.port();
    let data = tempfile::tempdir().expect("a temporary directory");
    let all = [
        (&[][..], "import_hosts"),
        (&["--import-hosts", "data.example.org"][..], "import_hosts"),
        (&["--import-hosts", "*"][..], "https"),
        (&["--import-hosts", "127.0.0.1,localhost"][..], "https"),
    ];
    for (number, (settings, expected)) in all.into_iter().enumerate() {
        let room = &format!("report{number}");
        let server = Server::start_on(data.path(), settings);
        let mut ada = Person::join(&server, room, "Ada");
        ada.type_text("A1", &format!(r#"=IMPORTDATA("http://127.0.0.1:{port}/")"#));
        ada.type_text("A2", &format!(r#"=IMPORTDATA("https://127.0.0.1:{port}/")"#));
        ada.type_text("A3", r#"=IMPORTDATA("ftp://127.0.0.1/")"#);
        ada.type_text("A4", r#"=WEBSERVICE("nowhere")"#);
        ada.wait_until("refusals", |_| details(&server, room, "notAllowed").len() >= 3);
        let found = details(&server, room, "notAllowed");
        assert!(found.iter().any(|text| text.contains(expected)), "{settings:?}: {found:?}");
        ada.wait_for_value("A4", Value::Error(ErrorValue::Value));
    }
    assert_eq!(*web.asked.lock().expect("a test"), Vec::<String>::new());
    // A name that leads to a private address is found out when it is resolved.
    let server = Server::start_on(data.path(), &["--import-hosts", "localhost"]);
    let mut ada = Person::join(&server, "names", "Ada");
    ada.type_text("A1", &format!(r#"=IMPORTDATA("https://localhost:{port}/")"#));
    ada.wait_until("a failure", |_| details(&server, "names", "failed").len() == 1);
    assert_eq!(*web.asked.lock().expect("a test"), Vec::<String>::new());
}
