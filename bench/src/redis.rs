//! [`Redis`]: the database of EtherCalc.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::setting::Outcome;

/// Until then a started Redis has to listen.
const START_MAX: Duration = Duration::from_secs(10);

/// A running Redis, empty at first; dropping it kills the process.
pub struct Redis {
    pub port: u16,
    process: Child,
    _data: TempDir,
}

impl Redis {
    /// Starts `redis-server` without snapshots of its own: EtherCalc asks for them.
    ///
    /// # Errors
    /// A message when it is not installed or does not listen.
    pub fn start() -> Outcome<Redis> {
        let data = TempDir::new().map_err(|error| format!("no data directory: {error}"))?;
        let probe = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = probe.map_err(|error| format!("no free port: {error}"))?.port();
        let process = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"])
            .arg(data.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start redis-server (Debian's package redis-server): {error}"))?;
        let redis = Redis { port, process, _data: data };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if started.elapsed() > START_MAX {
                return Err("redis-server does not listen".to_owned());
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(redis)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // The process may have exited already; what uses it fails then.
        let _ended = self.process.kill();
        let _status = self.process.wait();
    }
}
