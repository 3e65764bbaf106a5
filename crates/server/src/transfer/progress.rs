//! What a copy has done so far, told on standard error.

use std::io::{IsTerminal, Write as _};
use std::time::{Duration, Instant};

/// Time between two lines in a log.
const LOG_INTERVAL: Duration = Duration::from_secs(10);
/// Time between two updates of the line on a terminal.
const TERMINAL_INTERVAL: Duration = Duration::from_millis(200);

/// The progress of a copy or of its check.
pub struct Progress {
    activity: &'static str,
    rooms: u64,
    rooms_total: u64,
    bytes: u64,
    told: Instant,
    is_terminal: bool,
}

impl Progress {
    /// Begins with nothing done.
    pub fn new() -> Progress {
        Progress {
            activity: "",
            rooms: 0,
            rooms_total: 0,
            bytes: 0,
            told: Instant::now(),
            is_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// Begins a part of the work, such as "copied".
    pub fn begin(&mut self, activity: &'static str, rooms_total: u64) {
        *self = Progress { activity, rooms_total, ..Progress::new() };
    }

    /// Notes a room that is done.
    pub fn room(&mut self) {
        self.rooms += 1;
        self.tell();
    }

    /// Notes bytes of a room.
    pub fn bytes(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        self.tell();
    }

    /// Ends the line on a terminal.
    pub fn end(&mut self) {
        if self.is_terminal {
            eprint!("\r\x1b[K");
        }
    }

    fn tell(&mut self) {
        let interval = if self.is_terminal { TERMINAL_INTERVAL } else { LOG_INTERVAL };
        if self.told.elapsed() < interval {
            return;
        }
        self.told = Instant::now();
        let Progress { activity, rooms, rooms_total, bytes, .. } = self;
        let line = format!("{activity} {rooms} of {rooms_total} rooms, {:.1} MB", *bytes as f64 / 1e6);
        match self.is_terminal {
            true => eprint!("\r\x1b[K{line}"),
            false => eprintln!("quadrille: {line}"),
        }
        // A closed standard error is no reason to stop.
        let _ = std::io::stderr().flush();
    }
}
