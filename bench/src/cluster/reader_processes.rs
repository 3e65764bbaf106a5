//! Readers of a room in processes of their own, since a process has a limit of open files.
//!
//! A process is this program with the argument [`ARGUMENT`]. It prints `joined` when all its readers have
//! joined, and at the end a line for each arrival: the number of the write and the time in microseconds.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};

use tokio::task::{LocalSet, spawn_blocking};

use super::readers::{Arrival, Readers, Revisions};
use crate::setting::Outcome;

/// The first argument of a process with readers.
pub const ARGUMENT: &str = "readers-of-a-room";
const JOINED: &str = "joined";

/// A process with readers. It is killed when dropped.
pub struct ReaderProcess {
    child: Child,
    output: Option<BufReader<ChildStdout>>,
}

impl ReaderProcess {
    /// Starts a process with readers, which are spread over the servers.
    pub fn start(
        servers: &[SocketAddr],
        room: &str,
        revisions: Revisions,
        count: usize,
    ) -> Outcome<ReaderProcess> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let numbers = [revisions.base, revisions.last, count as u64].map(|number| number.to_string());
        let mut child = Command::new(program)
            .args([ARGUMENT, room])
            .args(numbers)
            .args(servers.iter().map(SocketAddr::to_string))
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let output = child.stdout.take().map(BufReader::new);
        Ok(ReaderProcess { child, output })
    }

    /// Waits until all readers have joined.
    pub async fn joined(&mut self) -> Outcome<()> {
        let line = self.read(|output| {
            let mut line = String::new();
            output.read_line(&mut line).map(|_| line)
        });
        match line.await?.trim_end() {
            JOINED => Ok(()),
            other => Err(format!("a process with readers has ended or printed `{other}`")),
        }
    }

    /// Waits for the last revision at all readers, and returns all arrivals.
    pub async fn arrivals(mut self) -> Outcome<Vec<Arrival>> {
        let lines = self.read(|output| output.lines().collect::<Result<Vec<_>, _>>()).await?;
        let arrival = |line: &String| {
            let (write, at_us) = line.split_once(' ')?;
            Some((write.parse().ok()?, at_us.parse().ok()?))
        };
        let arrivals =
            lines.iter().map(|line| arrival(line).ok_or_else(|| format!("not an arrival: {line}")));
        arrivals.collect()
    }

    /// Reads from the process on a thread that may wait.
    async fn read<T: Send + 'static>(
        &mut self,
        read: impl FnOnce(&mut BufReader<ChildStdout>) -> std::io::Result<T> + Send + 'static,
    ) -> Outcome<T> {
        let mut output = self.output.take().ok_or("a process without output")?;
        let (output, found) = spawn_blocking(move || {
            let found = read(&mut output);
            (output, found)
        })
        .await
        .map_err(|error| error.to_string())?;
        self.output = Some(output);
        found.map_err(|error| error.to_string())
    }
}

impl Drop for ReaderProcess {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Runs the readers of a process that [`ReaderProcess::start`] has started.
pub fn run(arguments: &[String]) -> Outcome<()> {
    let [room, base, last, count, servers @ ..] = arguments else {
        return Err("too few arguments".to_owned());
    };
    let number = |text: &str| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let revisions = Revisions { base: number(base)?, last: number(last)? };
    let count = number(count)? as usize;
    let servers =
        servers.iter().map(|server| server.parse().map_err(|_| format!("not an address: {server}")));
    let servers = servers.collect::<Outcome<Vec<SocketAddr>>>()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let arrivals = LocalSet::new().block_on(&runtime, async {
        let mut readers = Readers::start(&servers, room, revisions, count);
        readers.joined().await?;
        println!("{JOINED}");
        readers.arrivals().await
    })?;
    let lines: Vec<String> = arrivals.iter().map(|(write, at_us)| format!("{write} {at_us}")).collect();
    println!("{}", lines.join("\n"));
    Ok(())
}
