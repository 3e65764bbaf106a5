//! The servers, their database and the proxies between them.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use quadrille_test_database::{Durability, TestDatabase};

use crate::proxy::Proxy;

/// How long a server may take until it accepts connections: as long as others may be cut off.
const START_TIMEOUT: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);

/// A server with the proxies before it. `None` while its process has ended.
pub struct Node {
    process: Option<Child>,
    address: SocketAddr,
    /// For clients.
    pub front: Proxy,
    /// For the other servers.
    pub peers: Proxy,
    pub database: Proxy,
    arguments: Vec<String>,
}

/// All servers of one database.
pub struct Servers {
    pub nodes: Vec<Node>,
    /// Processes that have ended by themselves, as a server does that was removed.
    pub ended: u64,
    binary: PathBuf,
    _data: tempfile::TempDir,
    _database: TestDatabase,
}

impl Servers {
    /// Starts a database and `count` servers.
    ///
    /// # Errors
    /// Describes the step that failed.
    pub fn start(binary: &Path, count: usize) -> Result<Servers, String> {
        let database = TestDatabase::start(Durability::Synced);
        let url = database.create();
        let port = database.port();
        let data = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
        let mut nodes = Vec::new();
        for number in 0..count {
            let failed = |error: std::io::Error| format!("no free port: {error}");
            let free = TcpListener::bind(("127.0.0.1", 0)).map_err(failed)?;
            let address = free.local_addr().map_err(failed)?;
            drop(free);
            let (front, peers) =
                (Proxy::start(address).map_err(failed)?, Proxy::start(address).map_err(failed)?);
            let to_database = Proxy::start(SocketAddr::from(([127, 0, 0, 1], port))).map_err(failed)?;
            let storage = url.replace(&format!(":{port}/"), &format!(":{}/", to_database.address.port()));
            if storage == url {
                return Err(format!("the address of the database has no port: {url}"));
            }
            let directory = data.path().join(number.to_string());
            let arguments = [
                ("--listen", address.to_string()),
                ("--node-url", format!("http://{}", peers.address)),
                ("--storage", storage),
                ("--data", directory.display().to_string()),
                ("--log", "off".to_owned()),
            ];
            let arguments =
                arguments.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect();
            nodes.push(Node { process: None, address, front, peers, database: to_database, arguments });
        }
        let (binary, ended) = (binary.to_owned(), 0);
        let mut servers = Servers { nodes, ended, binary, _data: data, _database: database };
        servers.restart_ended()?;
        servers.ended = 0;
        servers.wait_until_ready()?;
        Ok(servers)
    }

    /// Starts the servers whose process has ended.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn restart_ended(&mut self) -> Result<(), String> {
        for node in &mut self.nodes {
            if let Some(process) = &mut node.process {
                match process.try_wait() {
                    Ok(None) => continue,
                    Ok(Some(_)) => self.ended += 1,
                    Err(error) => return Err(format!("cannot look at a server: {error}")),
                }
            }
            let mut command = Command::new(&self.binary);
            for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("QUADRILLE_")) {
                command.env_remove(name);
            }
            command.arg("serve").args(&node.arguments).stdout(Stdio::null()).stderr(Stdio::null());
            node.process = Some(command.spawn().map_err(|error| format!("cannot start a server: {error}"))?);
        }
        Ok(())
    }

    /// Waits until every server accepts connections. One that ends meanwhile is started again.
    ///
    /// # Errors
    /// When it takes too long.
    pub fn wait_until_ready(&mut self) -> Result<(), String> {
        let begun = Instant::now();
        for number in 0..self.nodes.len() {
            while std::net::TcpStream::connect(self.nodes[number].address).is_err() {
                if begun.elapsed() > START_TIMEOUT {
                    return Err(format!("server {number} does not start"));
                }
                self.restart_ended()?;
                std::thread::sleep(POLL);
            }
        }
        Ok(())
    }

    /// Kills a server with `kill -9`.
    pub fn kill(&mut self, number: usize) {
        if let Some(mut process) = self.nodes[number].process.take() {
            // Killing a process that has ended fails without consequences.
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Sends a signal to a server, by name.
    pub fn signal(&self, number: usize, name: &str) {
        if let Some(process) = &self.nodes[number].process {
            // A process that has ended needs no signal.
            let _ = Command::new("kill").args([&format!("-{name}"), &process.id().to_string()]).status();
        }
    }

    /// Removes all faults.
    pub fn heal(&self) {
        for (number, node) in self.nodes.iter().enumerate() {
            for proxy in [&node.front, &node.peers, &node.database] {
                proxy.set_cut(false);
                proxy.set_delay(Duration::ZERO);
            }
            self.signal(number, "CONT");
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        (0..self.nodes.len()).for_each(|number| self.kill(number));
    }
}
