//! A process of the real server.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

/// The disk of the data directory.
pub struct Disk {
    /// Library that loses unsynced writes; `None` uses the disk as it is.
    pub preload: Option<PathBuf>,
    pub seed: u64,
    /// Whether the library ignores syncs.
    pub syncs_are_ignored: bool,
}

/// A running server, killed when it is dropped.
pub struct Server {
    pub address: SocketAddr,
    process: Mutex<Child>,
}

impl Server {
    /// Starts a server on a free port and waits until it prints its address. Fails if it ends
    /// before.
    pub fn start(binary: &Path, data: &Path, disk: &Disk) -> Result<Server, String> {
        let mut command = Command::new(binary);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("QUADRILLE_")) {
            command.env_remove(name);
        }
        if let Some(library) = &disk.preload {
            command.env("LD_PRELOAD", library).env("QUADRILLE_LOSSY_DIR", data);
            command.env("QUADRILLE_LOSSY_SEED", disk.seed.to_string());
            if disk.syncs_are_ignored {
                command.env("QUADRILLE_LOSSY_LIE", "1");
            }
        }
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "error", "--data"]).arg(data);
        let mut process =
            command.stdout(Stdio::piped()).spawn().map_err(|error| format!("cannot start: {error}"))?;
        let stdout = process.stdout.take().expect("piped");
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).map_err(|error| error.to_string())?;
        let address = line.split_whitespace().find_map(|word| word.trim_end_matches(':').parse().ok());
        match address {
            Some(address) => Ok(Server { address, process: Mutex::new(process) }),
            None => {
                let status = process.wait().map_err(|error| error.to_string())?;
                Err(format!("the server did not start: {status}"))
            }
        }
    }

    /// Kills the process with `kill -9`. Returns whether it had ended by itself before.
    pub fn kill(&self) -> bool {
        let mut process = self.process.lock().expect("no thread panics while it holds the lock");
        let had_ended = process.try_wait().is_ok_and(|status| status.is_some());
        // Killing a process that has ended fails without consequences.
        let _ = process.kill();
        let _ = process.wait();
        had_ended
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
