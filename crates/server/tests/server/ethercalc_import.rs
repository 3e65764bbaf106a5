//! `quadrille import --from-ethercalc`: the rooms of a real Redis, of a dump and of a directory.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use quadrille_test_database::TestDatabase;
use serde_json::{Value as Json, json};

use crate::ethercalc_bot::Bot;
use crate::ethercalc_dump::{FAILING, Redis, SPECIAL, TIME_MS, dump, now_min, save};
use crate::person::Person;
use crate::proxy_sign_in::{Nginx, recipe_of};
use crate::support::{Server, binary, file, free_port};

/// The result of a run.
struct Run {
    code: i32,
    lines: Vec<Json>,
    error: String,
}

impl Run {
    fn end(&self) -> &Json {
        &self.lines.last().expect("a report")["end"]
    }

    /// The line about what is done with a room.
    fn room(&self, room: &str) -> &Json {
        let mut lines = self.lines.iter().filter(|line| line["room"] == room && line["action"].is_string());
        let line = lines.next().unwrap_or_else(|| panic!("{room} is not in the report"));
        assert!(lines.next().is_none(), "{room} is in the report twice");
        line
    }

    fn findings(&self, room: &str, kind: &str) -> Vec<&Json> {
        self.lines.iter().filter(|line| line["room"] == room && line["finding"] == kind).collect()
    }

    /// Lines of a key that has no room here.
    fn of_key(&self, key: &str) -> &Json {
        self.lines.iter().find(|line| line["from"] == key && line["room"].is_null()).expect("in the report")
    }
}

fn command(source: &str, data: &Path, more: &[&str]) -> Command {
    let mut command = binary();
    command.args(["import", "--from-ethercalc", source, "--data"]).arg(data).args(more);
    command
}

fn import(source: &str, data: &Path, more: &[&str]) -> Run {
    let output = command(source, data, more).output().expect("the binary starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON lines")).collect();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    Run { code: output.status.code().expect("not killed"), lines, error }
}

/// Starts an import and kills it when it has reported rooms.
fn import_interrupted(source: &str, data: &Path) {
    let mut process = command(source, data, &[]).stdout(Stdio::piped()).spawn().expect("the binary starts");
    let mut line = String::new();
    BufReader::new(process.stdout.take().expect("piped")).read_line(&mut line).expect("readable");
    process.kill().expect("running or ended");
    process.wait().expect("a child");
}

fn json_of(server: &Server, path: &str) -> Json {
    let reply = server.get(path);
    assert_eq!(reply.status, 200, "{path}: {reply:?}");
    reply.json()
}

/// Checks everything of a moved dump over the URLs that EtherCalc has.
fn check_urls(server: &Server, rooms: usize) {
    let listed: Vec<String> = serde_json::from_value(json_of(server, "/_rooms")).expect("names");
    // The sheets of workbooks are listed with these.
    assert_eq!(listed.len(), rooms - FAILING - 20);
    let times: BTreeMap<String, String> =
        serde_json::from_value(json_of(server, "/_roomtimes")).expect("times");
    for (index, name) in (0..rooms - SPECIAL).map(|number| (number, format!("room-{number:04}"))) {
        assert!(listed.contains(&name), "{name}");
        assert_eq!(times[&format!("timestamp-{name}")], (TIME_MS + index as u64).to_string());
        // Every room of a small dump; of a large one, those that end with 7.
        if rooms < 100 || index % 10 == 7 {
            let csv = server.get(&format!("/{name}.csv")).text();
            assert_eq!(csv, format!("\"room {index}\",{index},{}\n", index * 2 + 1));
        }
    }
    let first = server.get("/_/room-0000").text();
    assert!(first.contains("cell:A1:t:room 0\n"), "{first}");
    assert!(first.contains("col:A:w:120") && first.contains("#,##0.00"), "{first}");
    assert_eq!(json_of(server, "/_/room-0000/cells/C1")["formula"], "B1*2+1");
    assert_eq!(server.get("/room-0000").status, 200, "the page");
    for number in [0, 9] {
        let name = format!("sales-{number}");
        let table = json_of(server, &format!("/_/{name}/csv.json"));
        assert_eq!(table[1], json!([format!("/{name}.1"), "North"]));
        assert_eq!(table[2], json!([format!("/{name}.2"), "South East"]));
        assert_eq!(json_of(server, &format!("/_/{name}.2/cells/A1"))["datavalue"], number + 1);
        assert_eq!(server.get(&format!("/{name}.1.csv")).text(), format!("{number}\n"));
        assert_eq!(server.get(&format!("/{name}.1")).header("location"), format!("/{name}"));
        assert_eq!(server.get(&format!("/={name}.xlsx")).status, 200);
    }
    assert_eq!(server.get("/sales-0.7.csv").text(), "deleted\n");
    assert_eq!(server.get("/_/pending/csv").text(), "6\n12\n13\n");
    assert_eq!(server.get("/commands-only.csv").text(), "first,3\n");
    assert_eq!(server.get("/caf%C3%A9.csv").text(), "coffee\n");
    assert_eq!(server.get("/_exists/broken").text(), "false");
    let log = Bot::connect(server, "talk", "ada", "").load();
    assert_eq!(log["chat"], json!(["Hello", "two\nlines"]));
    assert!(log["snapshot"].as_str().expect("a save").contains("cell:A1:t:chat"), "{log}");
    let triggers = json_of(server, "/_timetrigger");
    let tomorrow: u64 = triggers["talk!A1"]
        .as_str()
        .expect("times")
        .split(',')
        .next()
        .expect("one")
        .parse()
        .expect("minutes");
    assert!(tomorrow > now_min(), "{triggers}");
    // EtherCalc's commands are the history.
    let history = |room: &str| json_of(server, &format!("/api/v1/rooms/{room}/history"))["revisions"].clone();
    let audited = history("audited");
    let authors: Vec<&Json> =
        audited.as_array().expect("revisions").iter().map(|one| &one["author"]["name"]).collect();
    assert_eq!(authors, ["EtherCalc", "EtherCalc"], "the commands give the contents: {audited}");
    let replaced = history("replaced");
    assert_eq!(replaced[0]["author"]["name"], "EtherCalc's last save", "{replaced}");
    assert_eq!(replaced.as_array().expect("revisions").len(), 3);
    assert_eq!(server.get("/replaced.csv").text(), "\"from a file\"\n7\n");
}

/// Checks the report of a whole import.
fn check_report(run: &Run) {
    assert_eq!(run.code, 1, "two rooms cannot be imported: {}", run.error);
    let invalid = run.of_key("two words");
    assert_eq!(invalid["action"], "fail");
    assert!(invalid["reason"].as_str().expect("a reason").contains("--rename"), "{invalid}");
    let broken = run.room("broken");
    assert!(broken["reason"].as_str().expect("a reason").contains("the save"), "{broken}");
    assert_eq!(run.of_key("chat-only")["what"], "chat messages");
    let unknown = run.findings("pending", "command");
    assert_eq!(unknown.len(), 1);
    assert_eq!((&unknown[0]["number"], &unknown[0]["command"]), (&json!(3), &json!("frobnicate A1")));
    let values = run.findings("differs", "value");
    assert_eq!(values.len(), 2);
    assert_eq!(
        values[0],
        &json!({
            "room": "differs", "finding": "value", "from": "differs", "cell": "A2", "formula": "A1+1",
            "ethercalc": "#VALUE!", "quadrille": "13", "because": null,
        })
    );
    assert_eq!(values[1]["because"], "volatile");
    let titles = run.findings("sales-3", "title");
    assert_eq!(
        (&titles[0]["ethercalc"], &titles[0]["quadrille"]),
        (&json!("South/East"), &json!("South East"))
    );
    assert_eq!(run.findings("talk", "mail formula")[0]["cell"], "talk!B1");
    assert_eq!(run.findings("room-0000", "value"), Vec::<&Json>::new());
}

#[test]
fn a_redis_of_a_thousand_rooms_moves_after_an_interruption_and_every_old_url_answers() {
    const ROOMS: usize = 1_000;
    let redis = Redis::start(&[]);
    redis.store(&dump(ROOMS));
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path().join("data");
    import_interrupted(&redis.url(), &data);
    let run = import(&redis.url(), &data, &[]);
    let end = run.end();
    let count = |name: &str| end[name].as_u64().expect("a count") as usize;
    assert_eq!(count("imported") + count("unchanged"), ROOMS - FAILING - 20, "{end}");
    assert_eq!((count("failed"), count("kept"), count("updated")), (FAILING, 0, 0), "{end}");
    assert!(run.error.contains("2 rooms were not imported"), "{}", run.error);
    let again = import(&redis.url(), &data, &[]);
    assert_eq!(again.end()["unchanged"], ROOMS - FAILING - 20, "{}", again.end());
    assert_eq!(again.end()["imported"], 0);
    assert!(again.error.contains("are unchanged since they were imported"), "{}", again.error);
    let server = Server::start_on(&data, &["--ethercalc-lists", "all"]);
    check_urls(&server, ROOMS);
    let refused = import(&redis.url(), &data, &[]);
    assert_eq!(refused.code, 1);
    assert!(refused.error.contains("a server is running on"), "{}", refused.error);
}

#[test]
fn a_dry_run_reports_the_same_and_writes_nothing() {
    let (_folder, path) = file("dump.json", dump(60).to_string());
    let source = path.to_str().expect("UTF-8");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path().join("data");
    let dry = import(source, &data, &["--dry-run"]);
    assert!(!data.exists());
    check_report(&dry);
    assert!(dry.error.contains("rooms would be imported"), "{}", dry.error);
    let run = import(source, &data, &[]);
    check_report(&run);
    let without_end = |run: &Run| run.lines[..run.lines.len() - 1].to_vec();
    assert_eq!(without_end(&dry), without_end(&run), "the report of a dry run is that of the import");
    check_urls(&Server::start_on(&data, &["--ethercalc-lists", "all"]), 60);
}

#[test]
fn a_directory_has_saves_and_commands_and_times_of_its_files() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (dump, data) = (directory.path().join("dump"), directory.path().join("data"));
    std::fs::create_dir(&dump).expect("writable");
    let write = |name: &str, text: &str| std::fs::write(dump.join(name), text).expect("writable");
    write("snapshot-my-plan.txt", &save("cell:A1:t:two\\nlines\ncell:A2:v:2"));
    // Two commands in one entry, of which the first has a line break in its text.
    write("audit-my-plan.txt", "set A1 text t two\\\\nlines\\\\nset A2 value n 2\n");
    // EtherCalc's own directory, in which it is.
    let run = import(directory.path().to_str().expect("UTF-8"), &data, &[]);
    assert_eq!((run.code, &run.end()["imported"]), (0, &json!(1)), "{}", run.error);
    let server = Server::start_on(&data, &[]);
    assert_eq!(server.get("/my-plan.csv").text(), "\"two\nlines\"\n2\n");
    let history = json_of(&server, "/api/v1/rooms/my-plan/history");
    assert_eq!(history["revisions"].as_array().expect("revisions").len(), 1, "{history}");
    let time = json_of(&server, "/_roomtimes")["timestamp-my-plan"].as_str().expect("a time").to_owned();
    let modified = std::fs::metadata(dump.join("snapshot-my-plan.txt")).and_then(|file| file.modified());
    let modified = modified.expect("a time").duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    assert_eq!(time, modified.as_millis().to_string());
}

#[test]
fn rooms_that_were_changed_here_are_kept_and_the_others_follow_ethercalc() {
    let mut keys = json!({
        "snapshot-here": save("cell:A1:v:1"), "snapshot-there": save("cell:A1:v:1"),
        "snapshot-both": save("cell:A1:v:1"), "snapshot-own": save("cell:A1:v:1"),
        "snapshot-chat": save("cell:A1:v:1"), "snapshot-two words": save("cell:A1:t:renamed"),
    });
    let (_folder, path) = file("dump.json", keys.to_string());
    let source = path.to_str().expect("UTF-8");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path();
    let server = Server::start_on(data, &[]);
    server.make_room("own", "mine\n");
    drop(server);
    let first = import(source, data, &["--rename", "two words=two-words"]);
    assert_eq!(first.room("own")["action"], "keep");
    assert_eq!(first.room("own")["reason"], "it was not imported from EtherCalc");
    assert_eq!((first.code, &first.end()["imported"], &first.end()["kept"]), (1, &json!(5), &json!(1)));

    let server = Server::start_on(data, &[]);
    for room in ["here", "both"] {
        let mut ann = Person::join(&server, room, "Ann");
        ann.type_text("A1", "here");
        ann.wait_until_saved();
    }
    assert_eq!(server.get("/two-words.csv").text(), "renamed\n");
    let said = server.post_json("/api/v1/rooms/chat/chat", r#"{"text": "Hello"}"#);
    assert!(said.status < 300, "{said:?}");
    drop(server);
    for room in ["there", "both", "chat"] {
        keys[format!("snapshot-{room}")] = save("cell:A1:v:2").into();
    }
    std::fs::write(&path, keys.to_string()).expect("writable");
    let second = import(source, data, &["--rename", "two words=two-words"]);
    let actions = |run: &Run| {
        ["here", "there", "both", "own", "chat", "two-words"].map(|room| run.room(room)["action"].clone())
    };
    assert_eq!(actions(&second), ["unchanged", "update", "keep", "keep", "keep", "unchanged"]);
    assert_eq!(second.room("both")["reason"], "it was changed here and in EtherCalc");
    let server = Server::start_on(data, &[]);
    let values = |server: &Server| ["here", "there", "both", "own"].map(|room| server.csv(room));
    assert_eq!(values(&server), ["here\n", "2\n", "here\n", "mine\n"]);
    drop(server);
    let third = import(source, data, &["--rename", "two words=two-words", "--replace"]);
    assert_eq!(actions(&third), ["replace", "unchanged", "replace", "replace", "replace", "unchanged"]);
    let server = Server::start_on(data, &[]);
    assert_eq!(values(&server), ["1\n", "2\n", "2\n", "1\n"]);
}

#[test]
fn references_follow_rooms_that_get_other_names() {
    let contents = "cell:A1:t:#url\ncell:B1:t:#title\ncell:A2:t:/two%20words.1\ncell:B2:t:North\n\
                    cell:A3:t:/two%20words.2\ncell:B3:t:South";
    let keys = json!({
        "snapshot-two words": save(contents),
        "audit-two words": ["set A2 text t /two%20words.1"],
        "snapshot-two words.1": save("cell:A1:v:3"),
        "snapshot-two words.2": save("cell:A1:vtf:n:6:\"two words.1\"!A1*2"),
        "snapshot-old": save("cell:A1:v:5"),
        "snapshot-report": save("cell:A1:vtf:n:5:old!A1\ncell:A2:vtf:n:3:\"two words.1\"!A1"),
        "log-report": ["set B1 formula old!A1*10", "set B2 text t old!A1"],
    });
    let (_folder, path) = file("dump.json", keys.to_string());
    let directory = tempfile::tempdir().expect("a temporary directory");
    let renames = ["--rename", "two words=two-words", "--rename", "old=new"];
    let run = import(path.to_str().expect("UTF-8"), directory.path(), &renames);
    assert_eq!(run.code, 0, "{}", run.error);
    assert_eq!(run.room("two-words")["sheets"], 2);
    let lost = run.findings("two-words", "left out");
    assert_eq!(lost[0]["what"], "the history of the table of contents: 1 commands", "{lost:?}");
    let server = Server::start_on(directory.path(), &[]);
    assert_eq!(server.get("/two-words.2.csv").text(), "6\n");
    assert_eq!(json_of(&server, "/_/two-words/csv.json")[2], json!(["/two-words.2", "South"]));
    assert_eq!(json_of(&server, "/_/report/cells/A1")["formula"], "new!A1");
    let mut ann = Person::join(&server, "report", "Ann");
    ann.wait_for_value("A1", 5.0);
    ann.wait_for_value("A2", 3.0);
    ann.wait_for_value("B1", 50.0);
    assert_eq!(server.get("/report.csv").text(), "5,50\n3,old!A1\n");
}

#[test]
fn a_dump_moves_into_a_database_beside_a_running_server() {
    let database = TestDatabase::shared();
    let url = database.create();
    let (_folder, path) = file("dump.json", dump(60).to_string());
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path();
    let options = ["--storage", &url];
    let server = Server::start_on(data, &options);
    server.make_room("room-0001", "mine\n");
    let run = import(path.to_str().expect("UTF-8"), data, &options);
    assert_eq!(run.room("room-0001")["action"], "keep");
    assert_eq!(run.end()["imported"], 60 - FAILING - 20 - 1, "{}", run.end());
    assert_eq!(server.csv("room-0002"), "room 2,2,5.00\n");
    assert_eq!(server.csv("room-0001"), "mine\n");
    let again = import(path.to_str().expect("UTF-8"), data, &options);
    assert_eq!(again.end()["imported"], 0, "{}", again.end());
    let log = Bot::connect(&server, "talk", "ada", "").load();
    assert_eq!(log["chat"], json!(["Hello", "two\nlines"]));
}

#[test]
fn what_is_no_ethercalc_is_refused_with_the_reason() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path().join("data");
    let redis = Redis::start(&["--requirepass", "geheim"]);
    let with_password = format!("redis://:geheim@127.0.0.1:{}", redis.port);
    let (_empty, empty) = file("notes.txt", "no JSON");
    let (_rdb, rdb) = file("dump.rdb", "REDIS0011\u{0}");
    let (_other, other) = file("other.json", r#"{"name": "package", "version": "1.0"}"#);
    let (_cut, cut) = file("dump.json", r#"{"snapshot-a": "version:1.5"#);
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let http = Server::start();
    let mut cases = vec![
        (format!("redis://127.0.0.1:{}", free_port()), "cannot reach redis://127.0.0.1"),
        (redis.url(), "it needs a password: name it with --from-password-file"),
        (with_password.replace("geheim", "falsch"), "the user or password is wrong"),
        (with_password.clone(), "database 0 is empty; EtherCalc's REDIS_DB names another"),
        (format!("redis://{}", http.address), "it answers as no Redis does: HTTP/1.1 400 Bad Request"),
        ("http://localhost:8000".to_owned(), "redis://host:6379/0"),
        (text(&empty), "not a dump of EtherCalc, which is a JSON object: n at byte 0"),
        (text(&rdb), "this is a dump of Redis itself: start `redis-server"),
        (text(&other), "no room of EtherCalc, whose keys are snapshot-ROOM"),
        (text(&cut), "not complete: it ends at byte 27"),
        (text(empty.parent().expect("a directory")), "no dump.json and no file such as snapshot-ROOM.txt"),
        ("nowhere.json".to_owned(), "nowhere.json: No such file"),
    ];
    for (source, reason) in cases.drain(..) {
        let run = import(&source, &data, &[]);
        assert_eq!(run.code, 1, "{source}");
        assert!(run.error.contains(reason), "{source}: {}", run.error);
        assert!(!run.error.contains("falsch") && !run.error.contains("geheim"), "{}", run.error);
        assert!(!data.exists(), "{source}");
    }
    let signed_in = ["-a", "geheim", "--no-auth-warning"];
    redis.run(&[&signed_in[..], &["SET", "session:1", "x"]].concat());
    let (_password, password) = file("password", "geheim\n");
    let more = ["--from-password-file", &text(&password)];
    let others = import(&redis.url(), &data, &more);
    assert!(
        others.error.contains("database 0 has no room of EtherCalc, but 1 other keys"),
        "{}",
        others.error
    );
    // A key of another type, and one that is no UTF-8, keep only themselves out.
    redis.run(&[&signed_in[..], &["SET", "snapshot-plan", &save("cell:A1:v:1")]].concat());
    redis.run(&[&signed_in[..], &["RPUSH", "snapshot-list", "x"]].concat());
    redis.run(&[&signed_in[..], &["EVAL", "redis.call('SET', 'snapshot-\\255', 'x')", "0"]].concat());
    let run = import(&redis.url(), &data, &more);
    assert_eq!((&run.end()["imported"], &run.end()["failed"]), (&json!(1), &json!(2)), "{}", run.error);
    assert!(run.room("list")["reason"].as_str().expect("a reason").contains("WRONGTYPE"));
    assert_eq!(run.of_key("snapshot-\\xff")["action"], "fail");
    for arguments in [["--rename", "x"], ["--rename", "a=b c"]] {
        assert_eq!(import(&redis.url(), &data, &arguments).code, 2);
    }
}

#[test]
fn nginx_sends_moved_rooms_to_quadrille_and_the_others_to_ethercalc() {
    const GUIDE: &str = include_str!("../../../../docs/guide/moving-from-ethercalc.md");
    // Another server that answers EtherCalc's routes stands for EtherCalc.
    let (ethercalc, quadrille) = (Server::start(), Server::start());
    for (server, name) in [(&ethercalc, "ethercalc"), (&quadrille, "quadrille")] {
        for room in ["budget", "plan"] {
            server.make_room(room, name);
        }
        let table = "\"#url\",\"#title\"\n\"/sales.1\",\"North\"\n";
        assert_eq!(server.put("/_/sales", "text/csv", table).status, 201);
        let named = server.send(
            "POST",
            "/_/sales.1",
            &[("content-type", "text/plain")],
            format!("set A1 text t {name}").as_bytes(),
        );
        assert_eq!(named.status, 202, "{named:?}");
    }
    let folder = tempfile::tempdir().expect("a temporary directory");
    let map = folder.path().join("moved-rooms.map");
    std::fs::write(&map, "budget quadrille;\nsales quadrille;\n").expect("writable");
    let port = free_port();
    let recipe = recipe_of(
        GUIDE,
        "nginx",
        "moved-rooms.map",
        &[
            ("/etc/nginx/moved-rooms.map", map.to_str().expect("UTF-8")),
            ("127.0.0.1:8001", &ethercalc.address.to_string()),
            ("127.0.0.1:8000", &quadrille.address.to_string()),
            ("listen 443 ssl;", &format!("listen 127.0.0.1:{port};")),
        ],
    );
    let nginx = Nginx::run(folder, port, &recipe);
    let get = |path: &str| {
        let mut reply = ureq::get(format!("{}{path}", nginx.url)).call().expect(path);
        reply.body_mut().read_to_string().expect("text")
    };
    for (path, server) in [
        ("/budget.csv", "quadrille"),
        ("/_/budget/csv", "quadrille"),
        ("/_/budget", "quadrille"),
        ("/sales.1.csv", "quadrille"),
        ("/_/sales.1/csv.json", "quadrille"),
        ("/api/v1/rooms/budget?format=csv", "quadrille"),
        ("/plan.csv", "ethercalc"),
        ("/_/plan", "ethercalc"),
    ] {
        assert!(get(path).contains(server), "{path}: {}", get(path));
    }
    assert!(get("/_rooms").contains("plan"));
    let worker = ureq::get(format!("{}/service-worker.js", nginx.url)).call();
    assert!(matches!(worker, Err(ureq::Error::StatusCode(404))), "{worker:?}");
}
