//! Proxies in front of several servers, as the operator's guide configures them: HAProxy and nginx, which choose the
//! server by the room, and Caddy, which does not.

use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use quadrille_test_database::TestDatabase;
use tungstenite::WebSocket;

use crate::person::{Person, try_socket_over};
use crate::proxy_sign_in::{Nginx, guide_recipe, proxy_program, send_to};
use crate::support::{Server, TIMEOUT, free_port};

struct Balancer {
    address: SocketAddr,
    _program: Program,
}

enum Program {
    Nginx(#[expect(dead_code, reason = "ends when it is dropped")] Nginx),
    Other(Child, #[expect(dead_code, reason = "is removed when it is dropped")] tempfile::TempDir),
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Program::Other(process, _) = self {
            // Fails when the process has ended already.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

impl Balancer {
    fn haproxy(first: &str, second: &str) -> Balancer {
        let port = free_port();
        let listen = format!("bind 127.0.0.1:{port}");
        let config = guide_recipe(
            "haproxy",
            "balance hash",
            &[
                ("bind :443 ssl crt /etc/haproxy/sheets.example.org.pem", &listen),
                ("10.0.0.5:8000", first),
                ("10.0.0.6:8000", second),
            ],
        );
        Balancer::start(port, "haproxy", "haproxy.cfg", &config, &["-db", "-f"])
    }

    fn nginx(first: &str, second: &str) -> Balancer {
        let nginx = Nginx::balance(&[("10.0.0.5:8000", first), ("10.0.0.6:8000", second)]);
        let address = nginx.url.trim_start_matches("http://").parse().expect("an address");
        Balancer { address, _program: Program::Nginx(nginx) }
    }

    fn caddy(first: &str, second: &str) -> Balancer {
        let port = free_port();
        let site = guide_recipe(
            "caddyfile",
            "lb_policy",
            &[
                ("sheets.example.org", &format!("http://127.0.0.1:{port}")),
                ("10.0.0.5:8000", first),
                ("10.0.0.6:8000", second),
            ],
        );
        // The administration of Caddy listens on a fixed port otherwise.
        let config = format!("{{\n  admin off\n  auto_https off\n}}\n{site}");
        Balancer::start(port, "caddy", "Caddyfile", &config, &["run", "--adapter", "caddyfile", "--config"])
    }

    fn start(port: u16, program: &str, file: &str, config: &str, arguments: &[&str]) -> Balancer {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let file = folder.path().join(file);
        std::fs::write(&file, config).expect("writable");
        let log = folder.path().join("log");
        let written = std::fs::File::create(&log).expect("writable");
        let mut command = Command::new(proxy_program(program));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(written);
        // Caddy keeps its state there.
        command.envs([
            ("HOME", folder.path()),
            ("XDG_DATA_HOME", folder.path()),
            ("XDG_CONFIG_HOME", folder.path()),
        ]);
        command.args(arguments).arg(&file);
        let process = command.spawn().expect("it starts");
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let balancer = Balancer { address, _program: Program::Other(process, folder) };
        let began = Instant::now();
        while TcpStream::connect(address).is_err() || balancer.get("/readyz") != 200 {
            let log = || std::fs::read_to_string(&log).unwrap_or_default();
            assert!(began.elapsed() < TIMEOUT, "{program}: {}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
        balancer
    }

    fn get(&self, path: &str) -> u16 {
        send_to(&format!("http://{}{path}", self.address), "GET", &[]).0
    }

    /// Opens a session, again and again as the page does: a server that has just stopped still gets connections.
    fn connect(&self, room: &str) -> WebSocket<TcpStream> {
        let began = Instant::now();
        loop {
            let stream = TcpStream::connect(self.address).expect("the balancer listens");
            match try_socket_over(stream, room, "", &[]) {
                Ok(socket) => return socket,
                Err(error) => assert!(began.elapsed() < TIMEOUT, "{error}"),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// People work behind a balancer while a server stops in order, and go on at the other one. Returns how many servers
/// ran rooms before.
fn work_while_a_server_stops(start: fn(&str, &str) -> Balancer) -> String {
    let database = TestDatabase::shared();
    let url = database.create();
    let mut servers = [(); 2].map(|()| Server::start_on(&std::env::temp_dir(), &["--storage", &url]));
    let [first, second] = servers.each_ref().map(|server| server.address.to_string());
    let balancer = start(&first, &second);
    let rooms: Vec<String> = (0..10).map(|number| format!("room-{number}")).collect();
    let mut people: Vec<Person> =
        rooms.iter().map(|room| Person::join_by(balancer.connect(room), "Ann")).collect();
    for (person, room) in people.iter_mut().zip(&rooms) {
        person.type_text("A1", "before");
        person.wait_until_saved();
        assert_eq!(balancer.get(&format!("/api/v1/rooms/{room}/sheets/Sheet1/cells/A1")), 200, "{room}");
        assert_eq!(balancer.get(&format!("/{room}")), 200, "{room}");
    }
    let owners = database.sql(&url, "SELECT count(DISTINCT node) FROM quadrille.room_owner");

    servers[0].signal("TERM");
    for (person, room) in people.iter_mut().zip(&rooms) {
        person.type_text("A2", "after");
        person.wait_until("saved or closed", |person| person.replica.unconfirmed() == 0 || !person.receive());
        if !person.receive() {
            person.connect_by(balancer.connect(room));
        }
        person.wait_until_saved();
    }
    assert_eq!(servers[0].wait().code(), Some(0));
    for (person, room) in people.iter_mut().zip(&rooms) {
        if !person.receive() {
            person.connect_by(balancer.connect(room));
            person.wait_until_saved();
        }
        assert_eq!(servers[1].csv(room), "before\nafter\n", "{room}");
        assert_eq!(balancer.get(&format!("/api/v1/rooms/{room}")), 200, "{room}");
    }
    owners
}

#[test]
fn haproxy_chooses_the_server_by_the_room_and_goes_on_with_the_other() {
    assert_eq!(work_while_a_server_stops(Balancer::haproxy), "2");
}

#[test]
fn people_behind_caddy_go_on_when_a_server_stops() {
    work_while_a_server_stops(Balancer::caddy);
}

/// How long a person waits for an acknowledgement before connecting again, as the page does after a while.
const PATIENCE: Duration = Duration::from_secs(1);

/// A server is paused: its kernel still accepts connections, and nothing is answered. Everybody goes on at the other
/// one, while it stays paused.
fn work_while_a_server_is_paused(start: fn(&str, &str) -> Balancer) {
    let database = TestDatabase::shared();
    let url = database.create();
    let mut servers = [(); 2].map(|()| Server::start_on(&std::env::temp_dir(), &["--storage", &url]));
    let [first, second] = servers.each_ref().map(|server| server.address.to_string());
    let balancer = start(&first, &second);
    let rooms: Vec<String> = (0..6).map(|number| format!("room-{number}")).collect();
    let mut people: Vec<Person> =
        rooms.iter().map(|room| Person::join_by(balancer.connect(room), "Ann")).collect();
    for person in &mut people {
        person.type_text("A1", "before");
        person.wait_until_saved();
    }
    servers[0].pause();
    let began = Instant::now();
    let mut longest = Duration::ZERO;
    std::thread::scope(|scope| {
        let balancer = &balancer;
        let working = people.iter_mut().zip(&rooms).map(|(person, room)| {
            scope.spawn(move || {
                person.type_text("A2", "after");
                let mut asked = Instant::now();
                while person.replica.unconfirmed() > 0 {
                    if !person.receive() || asked.elapsed() > PATIENCE {
                        person.lose_connection();
                        person.connect_by(balancer.connect(room));
                        asked = Instant::now();
                    }
                    assert!(began.elapsed() < TIMEOUT, "{room}");
                }
                began.elapsed()
            })
        });
        let working: Vec<_> = working.collect();
        for person in working {
            longest = longest.max(person.join().expect("saved"));
        }
    });
    println!("all edits are acknowledged {longest:?} after the pause began");
    for room in &rooms {
        let path = format!("/api/v1/rooms/{room}/sheets/Sheet1/cells/A2");
        assert_eq!(balancer.get(&path), 200, "{room}");
        assert_eq!(servers[1].csv(room), "before\nafter\n", "{room}");
    }
    servers[0].signal("CONT");
    assert_eq!(servers[0].wait().code(), Some(3), "it has lost its rooms");
}

#[test]
fn people_behind_nginx_go_on_when_a_server_is_paused() {
    work_while_a_server_is_paused(Balancer::nginx);
}

#[test]
fn people_behind_haproxy_go_on_when_a_server_is_paused() {
    work_while_a_server_is_paused(Balancer::haproxy);
}
