//! [`Servers`]: servers with one database.

use std::cell::RefCell;
use std::net::SocketAddr;

use quadrille_test_database::{Durability, TestDatabase};

use crate::server::Server;
use crate::setting::{Outcome, Setting};

/// Servers with one database. They are behind cells, because clients look for one while it is replaced.
pub struct Servers<'a> {
    setting: &'a Setting,
    // Dropped before the database.
    servers: Vec<RefCell<Server>>,
    url: String,
    _database: TestDatabase,
}

impl<'a> Servers<'a> {
    pub fn start(setting: &'a Setting, count: usize) -> Outcome<Servers<'a>> {
        let database = TestDatabase::start(Durability::Synced);
        let url = database.create();
        let servers = (0..count).map(|_| start(setting, &url).map(RefCell::new)).collect::<Outcome<_>>()?;
        Ok(Servers { setting, servers, url, _database: database })
    }

    /// The address of a server at this moment.
    pub fn address(&self, server: usize) -> SocketAddr {
        self.servers[server].borrow().address
    }

    pub fn count(&self) -> usize {
        self.servers.len()
    }

    /// Processor time of all servers, in seconds.
    pub fn processor_seconds(&self) -> Outcome<f64> {
        self.servers.iter().map(|server| server.borrow().processor_seconds()).sum()
    }

    /// Processor time of one server, in seconds.
    pub fn processor_seconds_of(&self, server: usize) -> Outcome<f64> {
        self.servers[server].borrow().processor_seconds()
    }

    /// The sessions that a server relays.
    pub fn relayed_sessions(&self, server: usize) -> f64 {
        self.servers[server].borrow().metric("quadrille_relayed_sessions").unwrap_or(f64::NAN)
    }

    /// Kills a server with SIGKILL.
    pub fn kill(&self, server: usize) {
        self.servers[server].borrow_mut().kill();
    }

    /// Asks a server to stop, with SIGTERM.
    pub fn terminate(&self, server: usize) -> Outcome<()> {
        self.servers[server].borrow().terminate()
    }

    /// Whether the process of a server has ended.
    pub fn has_ended(&self, server: usize) -> bool {
        self.servers[server].borrow_mut().has_ended()
    }

    /// Starts a server that has ended again, at another port.
    pub fn replace(&self, server: usize) -> Outcome<()> {
        let started = start(self.setting, &self.url)?;
        self.servers[server].replace(started);
        Ok(())
    }
}

fn start(setting: &Setting, url: &str) -> Outcome<Server> {
    Server::start_with(setting, &["--storage", url, "--metrics", "true"])
}
