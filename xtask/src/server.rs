//! A server for the tests of other programs.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server on a free port, which ends with this value.
pub struct Server {
    process: Child,
    /// Such as `http://127.0.0.1:40321`.
    pub url: String,
}

impl Server {
    /// Starts a program with this data directory, and waits until it listens.
    ///
    /// # Errors
    /// When the program cannot be started, or ends before it listens.
    pub fn start(mut program: Command, data: &Path) -> Result<Server, String> {
        let name = program.get_program().to_string_lossy().into_owned();
        let mut process = program
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "error", "--data"])
            .arg(data)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{name}: {error}"))?;
        let mut line = String::new();
        let output = process.stdout.take().expect("piped");
        BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        let url = line.split_whitespace().find(|word| word.starts_with("http://"));
        let url = url.ok_or_else(|| format!("the server does not say where it is: {line}"))?.to_owned();
        Ok(Server { process, url })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails when the process has ended already.
        _ = self.process.kill();
        _ = self.process.wait();
    }
}
