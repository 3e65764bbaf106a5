//! A password that is typed in the terminal without being shown, or comes from standard input.

use std::io::{BufRead, IsTerminal, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::commands::CommandError;

/// Reads a password: in a terminal twice and without an echo, otherwise the first line of standard
/// input.
///
/// # Errors
///
/// Fails when there is none, or the two differ.
pub fn read_password() -> Result<String, CommandError> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return read_line();
    }
    let password = prompt("Password: ")?;
    match prompt("Password again: ")? == password {
        true => Ok(password),
        false => Err(CommandError::Failed("the two passwords differ".to_owned())),
    }
}

fn prompt(text: &str) -> Result<String, CommandError> {
    let mut out = std::io::stderr();
    // The prompt is for people; without it the password can still be typed.
    let _ = write!(out, "{text}");
    let _ = out.flush();
    let echo = Echo::off();
    let line = read_line();
    drop(echo);
    let _ = writeln!(out);
    line
}

fn read_line() -> Result<String, CommandError> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|error| CommandError::Failed(format!("cannot read the password: {error}")))?;
    let line = line.trim_end_matches(['\n', '\r']);
    match line.is_empty() {
        true => Err(CommandError::Failed("no password was given".to_owned())),
        false => Ok(line.to_owned()),
    }
}

/// Turns the echo of the terminal on again when it is dropped.
struct Echo(Option<Termios>);

impl Echo {
    fn off() -> Echo {
        let stdin = std::io::stdin();
        let Ok(before) = tcgetattr(&stdin) else { return Echo(None) };
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        // A terminal that cannot do it shows the password.
        let _ = tcsetattr(&stdin, OptionalActions::Now, &silent);
        Echo(Some(before))
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}
