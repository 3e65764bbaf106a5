//! Clients with the real SocialCalc, beside the web client in one room.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use quadrille_operation::Command as Edit;
use serde_json::{Map, Value as Json, json};

use crate::ethercalc_bot::Bot;
use crate::person::Person;
use crate::support::{Server, TIMEOUT};

/// A client that shows a sheet as EtherCalc's page does: it carries out its own commands at once and
/// those of others when they arrive.
struct Page {
    bot: Bot,
    /// `socialcalc-client.mjs`, ended with the test.
    engine: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Page {
    fn open(server: &Server, room: &str, user: &str) -> Page {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut engine = Command::new("node")
            .arg(tests.join("tests/server/socialcalc-client.mjs"))
            .arg(tests.join("../../web/package.json"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Node.js is installed");
        let requests = engine.stdin.take().expect("piped");
        let answers = BufReader::new(engine.stdout.take().expect("piped"));
        let bot = Bot::connect(server, room, user, "");
        let mut page = Page { bot, engine, requests, answers };
        let log = page.bot.load();
        page.show(&log);
        page
    }

    fn ask(&mut self, request: &Json) -> Json {
        writeln!(self.requests, "{request}").expect("the engine reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("readable");
        assert!(
            !line.is_empty(),
            "run `npm ci` in web first: SocialCalc did not start, or failed at {request}"
        );
        serde_json::from_str(&line).expect("JSON")
    }

    /// Does what a message says.
    fn show(&mut self, message: &Json) {
        match message["type"].as_str() {
            Some("log" | "snapshot") if message["snapshot"].is_string() => {
                self.ask(&json!({ "act": "load", "save": message["snapshot"] }));
            }
            Some("execute") => {
                self.ask(&json!({ "act": "execute", "commands": message["cmdstr"] }));
            }
            Some("error") => panic!("{message}"),
            _ => {}
        }
    }

    fn execute(&mut self, commands: &str) {
        self.ask(&json!({ "act": "execute", "commands": commands }));
        self.bot.execute(commands);
    }

    /// Does what has arrived.
    fn read(&mut self) {
        while let Some(message) = self.bot.try_next() {
            self.show(&message);
        }
    }

    fn cells(&mut self) -> Json {
        self.ask(&json!({ "act": "cells" }))
    }

    fn wait_for_cells(&mut self, expected: &Json) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            self.read();
            let cells = self.cells();
            if cells == *expected {
                return;
            }
            assert!(Instant::now() < deadline, "{} shows {cells}\nand not {expected}", self.bot.room);
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // Fails when the engine has ended already.
        _ = self.engine.kill();
        _ = self.engine.wait();
    }
}

/// The cells of a room by its REST API, as `Page::cells` has them.
fn cells_of(server: &Server, room: &str) -> Json {
    let all = server.get(&format!("/_/{room}/cells")).json();
    let content = |cell: &Json| match (cell["datatype"].as_str(), cell["formula"].as_str()) {
        (Some("f"), Some(formula)) => json!(format!("={formula}")),
        _ => cell["datavalue"].clone(),
    };
    let all = all.as_object().expect("an object").iter();
    Json::Object(all.map(|(name, cell)| (name.clone(), content(cell))).collect::<Map<_, _>>())
}

#[test]
fn socialcalc_follows_the_web_client() {
    let server = Server::start();
    assert_eq!(server.put("/_/r", "text/csv", "Fruit,Count\npear,3\nfig,5\n").status, 201);
    let mut page = Page::open(&server, "r", "page");
    let mut web = Person::join(&server, "r", "Web");
    let sheet = web.sheet();
    for (cell, text) in
        [("C2", "=B2*2"), ("C3", "=SUM(B2:B3)"), ("A4", "50%"), ("B4", "a:b\\c"), ("C4", "TRUE")]
    {
        web.type_text(cell, text);
    }
    web.execute(Edit::InsertRows { sheet, at: 1, count: 2 });
    web.execute(Edit::DeleteColumns { sheet, at: 0, count: 1 });
    web.wait_until_saved();
    let expected = json!({
        "A1": "Count", "A4": 3, "B4": "=A4*2", "A5": 5, "B5": "=SUM(A4:A5)", "A6": "a:b\\c", "B6": 1,
    });
    assert_eq!(cells_of(&server, "r"), expected);
    page.wait_for_cells(&expected);
    page.execute("set A2 text t here\nerase B6:B6 formulas");
    web.wait_for_value("A2", "here");
}

/// Commands of one client, from a generator.
fn commands(random: &mut impl FnMut(u32) -> u32) -> String {
    let cell = |random: &mut dyn FnMut(u32) -> u32| {
        format!("{}{}", ["A", "B", "C"][random(3) as usize], 1 + random(6))
    };
    let at = cell(random);
    match random(9) {
        0 => format!("insertrow A{}", 1 + random(5)),
        1 => {
            let row = 1 + random(5);
            format!("deleterow A{row}:A{row}")
        }
        2 => format!("set {at} text t word{}", random(9)),
        3 => format!("set {at} formula {}+{}", cell(random), cell(random)),
        4 => format!("erase {at}:{at} formulas"),
        _ => format!("set {at} value n {}", random(100)),
    }
}

#[test]
fn clients_of_socialcalc_and_the_web_client_converge_whatever_they_do_at_once() {
    let server = Server::start();
    for seed in 1..=12_u32 {
        let room = format!("r{seed}");
        assert_eq!(server.put(&format!("/_/{room}"), "text/csv", "1,2,3\n4,5,6\n7,8,9\n").status, 201);
        let mut state = seed;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            (state >> 16) % below
        };
        let mut pages = [Page::open(&server, &room, "ann"), Page::open(&server, &room, "bob")];
        let mut web = Person::join(&server, &room, "Web");
        for _ in 0..12 {
            for page in &mut pages {
                if random(3) == 0 {
                    page.read();
                }
                page.execute(&commands(&mut random));
            }
            web.type_text(&format!("B{}", 1 + random(6)), &random(100).to_string());
            if random(2) == 0 {
                web.receive();
            }
        }
        web.wait_until_saved();
        // What the clients have sent has its place when a later question of theirs is answered.
        for page in &mut pages {
            page.bot.send(json!({ "type": "ask.recalc" }));
            loop {
                let message = page.bot.next();
                if message["type"] == "recalc" {
                    break;
                }
                page.show(&message);
            }
        }
        let expected = cells_of(&server, &room);
        for page in &mut pages {
            page.wait_for_cells(&expected);
        }
        let value = |name: &str| expected.get(name).and_then(Json::as_f64);
        if let Some(number) = value("B1") {
            web.wait_for_value("B1", number);
        }
    }
}
