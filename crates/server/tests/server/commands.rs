//! The subcommands `convert`, `import`, `export`, `check`, `repair` and `version`.

use crate::support::{Server, binary, file};

/// Runs the binary and returns its exit code, standard output and standard error.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let process = binary().args(arguments).output().expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (process.status.code().expect("not killed"), text(&process.stdout), text(&process.stderr))
}

#[test]
fn files_are_converted_and_recalculated() {
    let (directory, input) = file("in.csv", "a,b\n1,=A2/3\n2,=SUM(B2:B2)\n");
    let path = |name: &str| directory.path().join(name).to_str().expect("UTF-8").to_owned();
    let input = input.to_str().expect("UTF-8");
    for (from, to) in [
        (input.to_owned(), path("a.xlsx")),
        (path("a.xlsx"), path("b.csv")),
        (input.to_owned(), path("c.json")),
    ] {
        let (code, _, error) = run(&["convert", &from, &to]);
        assert_eq!((code, error.as_str()), (0, ""), "{from} {to}");
    }
    let csv = std::fs::read_to_string(path("b.csv")).expect("written");
    assert!(csv.starts_with("a,b\n1,0.33333"), "{csv}");
    let (code, _, _) = run(&["convert", "--raw", input, &path("raw.csv")]);
    assert_eq!(code, 0);
    let raw = std::fs::read_to_string(path("raw.csv")).expect("written");
    assert!(raw.contains("0.333333333333333"), "{raw}");

    for (arguments, message) in [
        (vec!["convert".to_owned(), path("nothing.csv"), path("x.csv")], "nothing.csv"),
        (vec!["convert".to_owned(), input.to_owned(), path("x.doc")], "unknown file format"),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, _, error) = run(&arguments);
        assert_eq!(code, 1);
        assert!(error.contains(message) && error.lines().count() == 1, "{error}");
    }
}

#[test]
fn rooms_are_imported_and_exported_without_a_server() {
    let (directory, input) = file("budget.csv", "1,=A1*2\n");
    let data = directory.path().join("data");
    let data = data.to_str().expect("UTF-8");
    let input = input.to_str().expect("UTF-8");
    let (code, output, error) = run(&["import", input, "--room", "plan", "--data", data]);
    assert_eq!((code, output, error.as_str()), (0, format!("plan\t{input}\n"), ""));
    let out = directory.path().join("out.csv");
    let out = out.to_str().expect("UTF-8");
    assert_eq!(run(&["export", "plan", out, "--data", data]).0, 0);
    assert_eq!(std::fs::read_to_string(out).expect("written"), "1,2\n");
    let (code, output, _) = run(&["check", "--data", data]);
    assert_eq!(code, 0);
    assert!(output.starts_with("ok\tplan\trevision 1"), "{output}");
    let (code, _, error) = run(&["export", "nothing", out, "--data", data]);
    assert_eq!((code, error.as_str()), (1, "quadrille: no such room: nothing\n"));

    let server = Server::start_on(std::path::Path::new(data), &[]);
    assert_eq!(server.csv("plan"), "1,2\n");
    let (code, _, error) = run(&["import", input, "--room", "plan", "--data", data]);
    assert_eq!(code, 1);
    assert!(error.contains("--server"), "{error}");
    let url = server.url("");
    let (code, output, _) = run(&["import", input, "--server", &url]);
    assert_eq!(code, 0);
    let room = output.split('\t').next().expect("a name");
    assert_eq!(server.csv(room), "1,2\n");
    assert_eq!(run(&["export", room, out, "--server", &url]).0, 0);
    let (code, _, error) = run(&["export", "nothing", out, "--server", &url]);
    assert_eq!((code, error.as_str()), (1, "quadrille: no such room: nothing\n"));
}

#[test]
fn a_credential_for_the_server_is_read_from_a_file_or_the_environment() {
    let server = Server::start();
    let made = server.post_json("/api/v1/rooms", r#"{"name":"plan","claim":true}"#);
    let key = made.json()["ownerKey"].as_str().expect("claimed").to_owned();
    let bearer = format!("Bearer {key}");
    let headers = [("authorization", &*bearer), ("content-type", "application/json")];
    let restricted =
        server.send("PUT", "/api/v1/rooms/plan/access", &headers, br#"{"general":"restricted"}"#);
    assert_eq!(restricted.status, 204);
    let (_folder, input) = file("in.csv", "1,2\n");
    let (_token_folder, token) = file("token", format!("{key}\n"));
    let output = input.with_file_name("out.csv");
    let (input, output, token) = (input.to_str(), output.to_str(), token.to_str());
    let (input, output, token) = (input.expect("UTF-8"), output.expect("UTF-8"), token.expect("UTF-8"));
    let url = server.url("");
    let import = ["import", input, "--room", "plan", "--server", &url];
    let (code, _, error) = run(&import);
    assert_eq!(code, 1, "{error}");
    assert_eq!(run(&[&import[..], &["--token-file", token]].concat()).0, 0);
    assert_eq!(run(&["export", "plan", output, "--server", &url, "--token-file", token]).0, 0);
    assert_eq!(std::fs::read_to_string(output).expect("written"), "1,2\n");
    let mut by_environment = binary();
    by_environment.args(["export", "plan", output, "--server", &url]).env("QUADRILLE_TOKEN", &key);
    assert!(by_environment.status().expect("the binary runs").success());
    // A token in a file is for a server only.
    assert_eq!(run(&["export", "plan", output, "--token-file", token]).0, 2);
}

/// J6, with the command line and a running server.
#[test]
fn a_damaged_room_leaves_others_available_and_repair_cut_restores_it() {
    let (directory, first) = file("first.csv", "1,2\n");
    let (_guard, second) = file("second.csv", "needle,5\n");
    let data = directory.path().join("data");
    let data_text = data.to_str().expect("UTF-8");
    for (input, room) in [(&first, "plan"), (&second, "plan"), (&first, "other")] {
        let input = input.to_str().expect("UTF-8");
        assert_eq!(run(&["import", input, "--room", room, "--data", data_text]).0, 0);
    }
    let journal = data.join("journal.db");
    let mut bytes = std::fs::read(&journal).expect("readable");
    let at =
        bytes.windows(6).position(|window| window == b"needle").expect("the text is stored uncompressed");
    bytes[at] ^= 1;
    std::fs::write(&journal, &bytes).expect("writable");

    let (code, output, error) = run(&["check", "--data", data_text]);
    assert_eq!(code, 4, "{output}{error}");
    let lines: Vec<&str> = output.lines().collect();
    assert!(lines[0].starts_with("damaged\tplan\trevision 2\t"), "{output}");
    assert!(lines[0].ends_with("repair --cut goes back to revision 1"), "{output}");
    assert!(lines[1].starts_with("ok\tother\trevision 1, 1 records"), "{output}");

    let mut server = Server::start_on(&data, &[]);
    assert_eq!(server.csv("other"), "1,2\n");
    let refused = server.get("/api/v1/rooms/plan?format=csv");
    assert_eq!(refused.status, 503, "{refused:?}");
    let message = refused.json()["error"]["message"].as_str().expect("a text").to_owned();
    assert!(message.contains("damaged at revision 2") && message.contains("quadrille repair"), "{message}");
    assert_eq!(run(&["repair", "--data", data_text]).0, 1, "the directory is in use");
    server.signal("TERM");
    assert!(server.wait().success());

    let (code, output, error) = run(&["repair", "--data", data_text]);
    assert!(code == 4 && error.contains("nothing was changed"), "{output}{error}");
    let (code, output, _) = run(&["repair", "--write", "--data", data_text]);
    assert!(code == 4 && output.contains("nothing was changed"), "{output}");
    let (code, output, error) = run(&["repair", "--cut", "--data", data_text]);
    assert_eq!(code, 0, "{output}{error}");
    assert!(output.starts_with("repaired\tplan: went back to revision 1\nbackup\t"), "{output}");
    assert!(data.join("before-repair-1/journal.db").exists());
    assert_eq!(run(&["check", "--data", data_text]).0, 0);
    let server = Server::start_on(&data, &[]);
    assert_eq!((server.csv("plan"), server.csv("other")), ("1,2\n".into(), "1,2\n".into()));
}

/// J6, with a file that SQLite cannot open.
#[test]
fn repair_cut_rebuilds_a_file_without_a_header() {
    let (directory, first) = file("first.csv", "1,2\n");
    let data = directory.path().join("data");
    let data_text = data.to_str().expect("UTF-8");
    for room in ["plan", "other"] {
        let input = first.to_str().expect("UTF-8");
        assert_eq!(run(&["import", input, "--room", room, "--data", data_text]).0, 0);
    }
    let journal = data.join("journal.db");
    let mut bytes = std::fs::read(&journal).expect("readable");
    bytes[..4096].fill(0);
    std::fs::write(&journal, &bytes).expect("writable");

    let (code, _, error) = run(&["serve", "--data", data_text, "--listen", "127.0.0.1:0"]);
    assert!(code == 1 && error.contains("`quadrille check`"), "{code} {error}");
    let (code, output, error) = run(&["check", "--data", data_text]);
    assert_eq!(code, 4, "{output}{error}");
    assert!(output.starts_with("damaged\t-\t-\tjournal.db: SQLite cannot open it"), "{output}");
    assert!(
        output.trim_end().ends_with("repair --cut rebuilds journal.db from its readable rows"),
        "{output}"
    );
    let (code, output, _) = run(&["repair", "--write", "--data", data_text]);
    assert!(code == 4 && output.contains("nothing was changed"), "{output}");
    let (code, output, error) = run(&["repair", "--cut", "--data", data_text]);
    assert_eq!(code, 0, "{output}{error}");
    assert!(output.contains("found in its pages: 2 names, 2 records"), "{output}");
    assert_eq!(std::fs::read(data.join("before-repair-1/journal.db")).expect("a copy"), bytes);
    let server = Server::start_on(&data, &[]);
    assert_eq!((server.csv("plan"), server.csv("other")), ("1,2\n".into(), "1,2\n".into()));
}

/// Access that cannot be read closes its workbook, and is dropped only with `--cut`: without it the
/// workbook is open to everybody who has its address.
#[test]
fn damaged_access_is_reported_and_dropped_with_cut_only() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path();
    let data_text = data.to_str().expect("UTF-8");
    let mut server = Server::start_on(data, &[]);
    crate::access::Restricted::new(&server, "plan");
    server.signal("TERM");
    assert!(server.wait().success());
    assert_eq!(run(&["check", "--data", data_text]).0, 0);

    let stored = data.join("access.db");
    let mut bytes = std::fs::read(&stored).expect("readable");
    let general = b"\"general\":\"restricted\"";
    while let Some(at) = bytes.windows(general.len()).position(|window| window == general) {
        bytes[at + general.len() - 2] = b'?';
    }
    std::fs::write(&stored, &bytes).expect("writable");

    let server = Server::start_on(data, &[]);
    assert_eq!(server.get("/api/v1/rooms/plan").status, 503);
    drop(server);
    let (code, output, _) = run(&["check", "--data", data_text]);
    assert!(code == 4 && output.contains("access.db: workbook plan cannot be read"), "{output}");
    let (code, output, _) = run(&["repair", "--write", "--data", data_text]);
    assert!(code == 4 && output.contains("nothing was changed"), "{output}");
    let (code, output, error) = run(&["repair", "--cut", "--data", data_text]);
    assert_eq!(code, 0, "{output}{error}");
    assert!(output.contains("backup\tthe original access store is in"), "{output}");
    assert!(output.contains("repaired\taccess.db: workbook plan cannot be read"), "{output}");
    assert_eq!(run(&["check", "--data", data_text]).0, 0);
}

#[test]
fn help_and_version_are_printed() {
    let (code, output, _) = run(&["version"]);
    assert_eq!((code, output), (0, format!("quadrille {}\n", env!("CARGO_PKG_VERSION"))));
    for arguments in [&["--help"][..], &["serve", "--help"], &["convert", "--help"], &["import", "--help"]] {
        let (code, output, _) = run(arguments);
        assert_eq!(code, 0);
        assert!(output.contains("Usage: quadrille"), "{output}");
    }
    assert_eq!(run(&["dance"]).0, 2);
}
