//! `quadrille doctor` and `quadrille top`, and what `packaging/` says about metrics.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

use quadrille_test_database::TestDatabase;
use serde_json::Value as Json;

use crate::admin::Prepared;
use crate::person::Person;
use crate::support::{Server, binary};

fn run(arguments: &[&str]) -> Output {
    binary().args(arguments).output().expect("the binary starts")
}

/// The findings of `quadrille doctor --json` as `check: message` by status, and the exit code.
fn doctor(arguments: &[&str]) -> (Vec<(String, String)>, Option<i32>) {
    let output = run(&[&["doctor", "--json"], arguments].concat());
    let findings: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |finding: &Json, name: &str| finding[name].as_str().expect("a text").to_owned();
    let findings = findings.as_array().expect("a list").iter().map(|finding| {
        (text(finding, "status"), format!("{}: {}", text(finding, "check"), text(finding, "message")))
    });
    (findings.collect(), output.status.code())
}

fn assert_found(findings: &[(String, String)], status: &str, parts: &[&str]) {
    let found =
        findings.iter().any(|(found, text)| found == status && parts.iter().all(|part| text.contains(part)));
    assert!(found, "no {status} with {parts:?} in {findings:#?}");
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn the_doctor_finds_a_running_server_healthy() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(directory.path(), &[]);
    server.make_room("plan", "1\n");
    let (address, url) = (server.address.to_string(), format!("http://{}", server.address));
    let (findings, code) =
        doctor(&["--data", text(directory.path()), "--listen", &address, "--public-url", &url]);
    assert_eq!(code, Some(0), "{findings:#?}");
    assert_found(&findings, "ok", &["settings: can be used"]);
    assert_found(&findings, "ok", &["storage: ", "3 databases, a server uses it"]);
    assert_found(&findings, "ok", &["port: a quadrille server answers"]);
    assert_found(&findings, "ok", &["public_url: ", "leads to the server, with WebSockets"]);
    for check in ["disk: ", "sync: ", "clock: ", "files: "] {
        assert!(findings.iter().any(|(_, text)| text.starts_with(check)), "{check}{findings:#?}");
    }
    assert!(!directory.path().join(".doctor").exists(), "nothing is left");
    assert_eq!(server.csv("plan"), "1\n");
    let output = run(&["doctor", "--data", text(directory.path()), "--listen", &address]);
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(words.lines().any(|line| line.starts_with("ok       port ")), "{words}");
}

#[test]
fn the_doctor_names_what_is_wrong_and_what_to_do() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let config = directory.path().join("quadrille.toml");
    std::fs::write(&config, "listne = \"x\"\n").expect("writable");
    let (findings, code) = doctor(&["--config", text(&config)]);
    assert_eq!(code, Some(1));
    assert_found(&findings, "problem", &["settings: ", "unknown field `listne`"]);

    let data = directory.path().join("data");
    drop(Server::start_on(&data, &[]));
    let database = rusqlite::Connection::open(data.join("access.db")).expect("a database");
    database.pragma_update(None, "user_version", 99).expect("written");
    drop(database);
    let mut made = rcgen::CertificateParams::new(["localhost".to_owned()]).expect("valid names");
    made.not_after = rcgen::date_time_ymd(2020, 1, 31);
    let key = rcgen::KeyPair::generate().expect("a key");
    let certificate = directory.path().join("certificate.pem");
    std::fs::write(&certificate, made.self_signed(&key).expect("a certificate").pem()).expect("writable");
    let key_file = directory.path().join("key.pem");
    std::fs::write(&key_file, key.serialize_pem()).expect("writable");
    let (findings, code) = doctor(&[
        "--data",
        text(&data),
        "--listen",
        "127.0.0.1:0",
        "--tls-certificate",
        text(&certificate),
        "--tls-key",
        text(&key_file),
        "--public-url",
        "http://127.0.0.1:1",
    ]);
    assert_eq!(code, Some(1));
    assert_found(&findings, "problem", &["storage: access.db was written by a newer version", "format 99"]);
    assert_found(&findings, "problem", &["certificate: ", "expired"]);
    assert_found(&findings, "warning", &["public_url: http://127.0.0.1:1 does not lead to the server"]);

    let database = TestDatabase::shared();
    let url = database.create();
    let options = ["--listen", "127.0.0.1:0", "--data", text(directory.path()), "--storage"];
    let wrong = url.replace(quadrille_test_database::PASSWORD, "wr0ng");
    let (findings, code) = doctor(&[&options[..], &[wrong.as_str()]].concat());
    assert_eq!(code, Some(1));
    assert_found(&findings, "problem", &["storage: ", "password authentication failed"]);
    assert!(!format!("{findings:?}").contains("wr0ng"), "the password is not told");
    let none = url.replace(&format!(":{}@", quadrille_test_database::PASSWORD), "@");
    let (findings, _) = doctor(&[&options[..], &[none.as_str()]].concat());
    assert_found(
        &findings,
        "problem",
        &["storage: ", "the database refuses: it asks for a password, and none is set"],
    );
    let (findings, code) = doctor(&[&options[..], &[url.as_str()]].concat());
    assert_eq!(code, Some(0), "{findings:#?}");
    assert_found(&findings, "warning", &["storage: ", "fsync = off"]);
    let is_sync = |(_, finding): &(String, String)| finding.starts_with("sync: ");
    assert!(!findings.iter().any(is_sync), "the database makes edits durable: {findings:#?}");
    assert_eq!(database.sql(&url, "SELECT to_regnamespace('quadrille') IS NULL"), "t", "nothing was created");
    drop(Server::start_on(directory.path(), &["--storage", &url]));
    database.sql(&url, "UPDATE quadrille.format SET number = 99, needs = 99");
    let (findings, _) = doctor(&[&options[..], &[url.as_str()]].concat());
    assert_found(&findings, "problem", &["storage: ", "newer version", "format 99"]);
}

#[test]
fn the_doctor_asks_the_url_by_which_other_servers_reach_this_one() {
    let database = TestDatabase::shared();
    let storage = database.create();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [one, two] =
        ["one", "two"].map(|data| Server::start_on(&directory.path().join(data), &["--storage", &storage]));
    let [at_one, at_two] = [&one, &two].map(|server| server.address.to_string());
    let [url_of_one, url_of_two] = [&one, &two].map(|server| format!("http://{}", server.address));
    let data = directory.path().join("one");
    let doctor = |listen: &str, node_url: &str| {
        doctor(&["--data", text(&data), "--storage", &storage, "--listen", listen, "--node-url", node_url])
    };
    let (findings, code) = doctor(&at_one, &url_of_one);
    assert_eq!(code, Some(0), "{findings:#?}");
    assert_found(&findings, "ok", &["node_url: a quadrille server answers at ", &url_of_one]);
    let (findings, _) = doctor(&at_one, &url_of_two);
    assert_found(&findings, "problem", &["node_url: ", &url_of_two, " leads to another server"]);
    let (findings, _) = doctor(&at_two, "http://127.0.0.1:1");
    assert_found(&findings, "problem", &["node_url: http://127.0.0.1:1 does not lead to the server"]);
    // Those of a machine on which no server runs.
    let (findings, _) = doctor("127.0.0.1:0", &url_of_two);
    assert_found(&findings, "problem", &["node_url: a server answers at ", "none runs at 127.0.0.1:0"]);
    assert_found(
        &findings,
        "problem",
        &["storage: another server of the database has the node_url ", &url_of_two],
    );
    let (findings, code) = doctor("127.0.0.1:0", "foo");
    assert_eq!(code, Some(1));
    assert_found(&findings, "problem", &["settings: node_url is not the URL of a server", ": foo"]);
}

#[test]
fn the_doctor_warns_of_files_that_every_user_can_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path().join("data");
    drop(Server::start_on(&data, &[]));
    let options = ["--data", text(&data), "--listen", "127.0.0.1:0"];
    let warning = |findings: &[(String, String)]| {
        findings
            .iter()
            .any(|(_, text)| text.starts_with("storage: every user of this machine can read files in "))
    };
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
    };
    set(&data.join("access.db"), 0o644);
    assert!(!warning(&doctor(&options).0), "the directory keeps others out");
    set(&data, 0o755);
    assert!(warning(&doctor(&options).0));
    set(&data.join("access.db"), 0o640);
    assert!(!warning(&doctor(&options).0), "the files keep others out");
}

#[test]
fn top_shows_rates_and_the_rooms_that_take_most_time() {
    let prepared = Prepared::new();
    let server = prepared.start(&["--metrics", "true"]);
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.type_text("A1", "1");
    ann.wait_until_saved();
    let url = server.url("");
    let top = |token: &str| {
        let mut command = binary();
        command.args(["top", "--once", "--interval", "1", "--server", url.trim_end_matches('/')]);
        command.env("QUADRILLE_TOKEN", token).output().expect("the binary runs")
    };
    let output = top(&prepared.admin);
    let screen = String::from_utf8_lossy(&output.stdout);
    assert!(screen.contains("now         1 rooms, 1 sessions"), "{screen}");
    for line in ["edits       0.0/s", "delivery    median", "commit      median", "BUSY %"] {
        assert!(screen.contains(line), "{line}: {screen}");
    }
    let room = screen.lines().last().expect("lines");
    assert!(room.ends_with("1  plan"), "{screen}");
    let without = top("");
    let screen = String::from_utf8_lossy(&without.stdout);
    assert!(screen.contains("rooms       need the API token of an admin"), "{screen}");

    let output = run(&["top", "--once", "--server", "localhost:8000"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && error.contains("such as http://localhost:8000"), "{error}");
    let off = Server::start();
    let output = run(&["top", "--once", "--server", off.url("").trim_end_matches('/')]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("turn them on with the setting `metrics`"), "{error}");
}

/// The metrics that alerts and the dashboard ask for, without the suffixes of counters and histograms.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let is_part = |character: char| character.is_ascii_lowercase() || character == '_';
    text.match_indices("quadrille_")
        .map(|(at, _)| text[at..].split(|character| !is_part(character)).next().expect("a name").to_owned())
        .collect()
}

#[test]
fn alerts_and_the_dashboard_name_metrics_that_the_server_has() {
    let server = Server::start_on(tempfile::tempdir().expect("a directory").path(), &["--metrics", "true"]);
    let text = server.get("/metrics").text();
    let names: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .flat_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.len() > 20, "{text}");
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/monitoring");
    for file in ["prometheus-rules.yaml", "grafana-dashboard.json"] {
        let content = std::fs::read_to_string(directory.join(file)).expect("readable");
        let asked = metrics_in(&content);
        assert!(asked.len() > 5, "{asked:?}");
        for name in asked {
            let suffixes = ["", "_total", "_bucket", "_count", "_sum"];
            let is_known = suffixes
                .iter()
                .filter_map(|suffix| name.strip_suffix(suffix))
                .any(|base| names.contains(base));
            assert!(is_known, "{file}: the server has no metric {name}");
        }
    }
    let dashboard = std::fs::read_to_string(directory.join("grafana-dashboard.json")).expect("readable");
    let dashboard: Json = serde_json::from_str(&dashboard).expect("JSON");
    assert!(dashboard["panels"].as_array().expect("panels").len() > 8);
}
