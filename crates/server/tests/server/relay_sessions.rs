//! Sessions in a room at a server that does not run it: their messages, pings and close codes are those of
//! the server that does.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use quadrille_cell::Value;
use quadrille_test_database::TestDatabase;
use serde_json::json;
use tungstenite::Message;

use crate::access::{Restricted, close_code, join, socket as socket_as};
use crate::accounts::{Browser, PASSWORD};
use crate::ethercalc_bot::Bot;
use crate::ethercalc_socket_io;
use crate::person::{Person, socket};
use crate::several_servers::{assert_owner, create_admin, owner};
use crate::support::{Server, TIMEOUT};

/// Servers with one database.
pub struct Cluster<const N: usize> {
    pub database: &'static TestDatabase,
    pub url: String,
    pub servers: [Server; N],
}

impl<const N: usize> Cluster<N> {
    pub fn start(more: &[&str]) -> Cluster<N> {
        Cluster::start_each(|_| more.iter().map(|argument| (*argument).to_owned()).collect())
    }

    /// Starts servers that have arguments of their own, by their numbers from 0.
    pub fn start_each(more: impl Fn(usize) -> Vec<String>) -> Cluster<N> {
        let database = TestDatabase::shared();
        let url = database.create();
        let servers = std::array::from_fn(|number| {
            let more = more(number);
            let more: Vec<&str> = more.iter().map(String::as_str).collect();
            let arguments = [&["--storage", &*url, "--metrics", "true"][..], &more].concat();
            Server::start_on(&std::env::temp_dir(), &arguments)
        });
        Cluster { database, url, servers }
    }

    /// Waits until a server has this many relayed sessions.
    pub fn wait_for_relayed(&self, server: usize, count: f64) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let found = self.servers[server].metric("quadrille_relayed_sessions").expect("a metric");
            if found == count {
                return;
            }
            assert!(Instant::now() < deadline, "{found} relayed sessions, not {count}");
        }
    }
}

#[test]
fn people_at_three_servers_edit_one_workbook() {
    let cluster = Cluster::<3>::start(&[]);
    let mut people: Vec<Person> = ["Ann", "Ben", "Cat"]
        .iter()
        .zip(&cluster.servers)
        .map(|(name, server)| Person::join(server, "sales", name))
        .collect();
    assert_owner(cluster.database, &cluster.url, "sales", &cluster.servers[0]);
    for round in 1..=40 {
        for (column, person) in ["A", "B", "C"].iter().zip(&mut people) {
            person.type_text(&format!("{column}{round}"), &format!("{round}"));
            // All write to this cell.
            person.type_text("D1", &format!("{column}{round}"));
        }
    }
    people.iter_mut().for_each(Person::wait_until_saved);
    // One more edit, which is behind all others.
    people[2].type_text("E1", "=SUM(A:C)");
    for person in &mut people {
        person.wait_for_value("E1", 3.0 * 820.0);
        assert!(person.problems.is_empty(), "{:?}", person.problems);
    }
    let last = people[0].value("D1");
    assert!(matches!(&last, Value::Text(_)));
    assert!(people.iter_mut().all(|person| person.value("D1") == last));
    cluster.wait_for_relayed(0, 0.0);
    cluster.wait_for_relayed(1, 1.0);
    cluster.wait_for_relayed(2, 1.0);
    drop(people);
    cluster.wait_for_relayed(1, 0.0);
}

#[test]
fn pings_and_close_codes_are_those_of_the_owner() {
    let cluster = Cluster::<2>::start(&[]);
    let [first, second] = &cluster.servers;
    let _ann = Person::join(first, "sales", "Ann");
    let mut pinging = socket(second, "sales", "");
    pinging.send(Message::Ping(b"are you there".to_vec().into())).expect("open");
    assert_eq!(pinging.read().expect("an answer"), Message::Pong(b"are you there".to_vec().into()));
    pinging.send(Message::Text("text".into())).expect("open");
    assert_eq!(close_code(&mut pinging).0, 1003, "binary messages only");
    // A client that says nothing is closed by the owner.
    let mut silent = socket(second, "sales", "");
    assert_eq!(close_code(&mut silent).0, 4408);
    // A request that is none for a WebSocket.
    assert_eq!(second.get("/api/v1/rooms/sales/socket").status, 426);
    cluster.wait_for_relayed(1, 0.0);
}

#[test]
fn roles_and_their_changes_hold_for_relayed_sessions() {
    let cluster = Cluster::<2>::start(&["--claim", "editors"]);
    let [first, second] = &cluster.servers;
    let workbook = Restricted::new(first, "plan");
    assert_owner(cluster.database, &cluster.url, "plan", first);
    let mut roles = Vec::new();
    for credential in [workbook.view_link(), workbook.owner_key.as_str()] {
        let mut socket = socket_as(second, "plan", "", credential);
        roles.push(join(&mut socket));
    }
    assert_eq!(roles, [quadrille_protocol::Role::View, quadrille_protocol::Role::Owner]);
    assert_eq!(close_code(&mut socket(second, "plan", "")).0, 4403, "nobody without a credential");
    // Whoever has only looked may not look any more.
    let mut viewer = socket_as(second, "plan", "", workbook.view_link());
    join(&mut viewer);
    let path = format!("/api/v1/rooms/plan/access/links/{}", workbook.id("link"));
    let owner = format!("Bearer {}", workbook.owner_key);
    let revoked = second.send("DELETE", &path, &[("authorization", &owner)], b"");
    assert_eq!(revoked.status, 204, "{revoked:?}");
    assert_eq!(close_code(&mut viewer).0, 4403);
}

#[test]
fn an_admin_ends_sessions_and_deletes_workbooks_of_every_server() {
    let database = TestDatabase::shared();
    let url = database.create();
    create_admin(&url);
    let [first, second] = [(); 2].map(|()| Server::start_on(&std::env::temp_dir(), &["--storage", &url]));
    first.make_room("sales", "1\n");
    let mut ann = Person::join(&first, "sales", "Ann");
    let signed_in = json!({ "email": "ada@example.org", "password": PASSWORD }).to_string();
    let ada = Browser::of(&second.post_json("/api/v1/session", &signed_in));
    let ask = |method: &str, path: &str, cookie: &str| second.send(method, path, &[("cookie", cookie)], b"");
    let refused = ask("DELETE", "/api/v1/admin/rooms/sales/sessions", "");
    assert_eq!((refused.status, refused.code().as_str()), (401, "sign_in_required"), "{refused:?}");
    let ended = ask("DELETE", "/api/v1/admin/rooms/sales/sessions", &ada.0);
    assert!(ended.status < 300, "{ended:?}");
    ann.wait_until("closed", |ann| ann.closed_with.is_some());
    ann.connect(&first, "sales", "");
    assert_owner(database, &url, "sales", &first);
    let deleted = ask("DELETE", "/api/v1/admin/workbooks/sales", &ada.0);
    assert!(deleted.status < 300, "{deleted:?}");
    ann.wait_until("closed", |ann| ann.closed_with.is_some());
    assert_eq!(first.get("/api/v1/rooms/sales").status, 404);
}

#[test]
fn programs_of_ethercalc_edit_at_any_server() {
    let cluster = Cluster::<2>::start(&[]);
    let [first, second] = &cluster.servers;
    first.put("/_/sales", "text/csv", "1\n");
    let mut near = Bot::join(first, "sales", "near");
    let mut far = Bot::join(second, "sales", "far");
    cluster.wait_for_relayed(1, 1.0);
    far.execute("set A2 text t naïve");
    assert_eq!(near.wait_for("execute")["cmdstr"], "set A2 text t naïve");
    near.execute("set B2 value n 4");
    assert_eq!(far.wait_for("execute")["cmdstr"], "set B2 value n 4");
    // Messages of socket.io name their rooms, so the server of the connection opens one for each.
    for transports in ["polling", "websocket"] {
        let mut client = ethercalc_socket_io::Client::connect(second, "sales", transports);
        client.send(json!({ "type": "ask.log" }));
        assert!(client.wait_for("log")["snapshot"].as_str().expect("a save").contains("naïve"));
        client.send(json!({ "type": "execute", "cmdstr": format!("set C2 text t {transports}") }));
        assert_eq!(near.wait_for("execute")["cmdstr"], format!("set C2 text t {transports}"));
    }
    assert_eq!(second.get("/sales.csv").text(), "1,,\nnaïve,4,websocket\n");
    assert_owner(cluster.database, &cluster.url, "sales", first);
}

/// Everybody comes back at the same moment, and one server claims the room.
#[test]
fn people_who_join_at_the_same_time_at_two_servers_are_in_one_room() {
    let cluster = Cluster::<2>::start(&[]);
    for round in 0..10 {
        let room = format!("room-{round}");
        let mut people: Vec<Person> = std::thread::scope(|scope| {
            let joining: Vec<_> = (0..6)
                .map(|index| {
                    let (server, room) = (&cluster.servers[index % 2], &room);
                    scope.spawn(move || Person::join(server, room, &format!("P{index}")))
                })
                .collect();
            joining.into_iter().map(|joining| joining.join().expect("joins")).collect()
        });
        for (index, person) in people.iter_mut().enumerate() {
            person.type_text(&format!("A{}", index + 1), "1");
        }
        people.iter_mut().for_each(Person::wait_until_saved);
        people[0].type_text("B1", "=SUM(A1:A6)");
        for person in &mut people {
            person.wait_for_value("B1", 6.0);
        }
        assert!(!owner(cluster.database, &cluster.url, &room).is_empty());
    }
}

/// A long frame does not fit into the buffers between the servers.
#[test]
fn long_frames_reach_a_slow_client() {
    let cluster = Cluster::<2>::start(&[]);
    let [first, second] = &cluster.servers;
    let rows: String = (0..100_000).map(|row| format!("{row},a text that makes the row longer\n")).collect();
    first.make_room("sales", &rows);
    let _ann = Person::join(first, "sales", "Ann");
    let mut slow = second.connect();
    let request =
        "GET /api/v1/rooms/sales?format=csv HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    slow.write_all(request.as_bytes()).expect("open");
    let mut ben = Person::join(second, "sales", "Ben");
    ben.wait_for_value("A100000", 99_999.0);
    // The response was not read meanwhile.
    std::thread::sleep(Duration::from_millis(100));
    let mut answer = Vec::new();
    slow.read_to_end(&mut answer).expect("readable");
    assert!(answer.ends_with(b"99999,a text that makes the row longer\n"));
}
