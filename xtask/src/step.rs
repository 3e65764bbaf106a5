//! [`Steps`]: runs commands one after another, prints their titles and durations.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::outcome::Outcome;

/// The steps of one command of this program.
pub struct Steps {
    started: Instant,
    done: Vec<(String, f64)>,
}

impl Steps {
    /// No steps yet; the clock starts.
    pub fn new() -> Steps {
        Steps { started: Instant::now(), done: Vec::new() }
    }

    /// Prints the title and runs `command`, whose output goes to the terminal.
    pub fn run(&mut self, title: &str, command: &mut Command) -> Outcome {
        self.perform(title, || execute(command))
    }

    /// Prints the title and calls `work`; an error is prefixed with the title.
    pub fn perform(&mut self, title: &str, work: impl FnOnce() -> Outcome) -> Outcome {
        println!("\n==> {title}");
        let started = Instant::now();
        work().map_err(|reason| format!("{title}: {reason}"))?;
        let seconds = started.elapsed().as_secs_f64();
        println!("    {title}: {seconds:.1} s");
        self.done.push((title.to_owned(), seconds));
        Ok(())
    }

    /// Prints the duration of each step, longest first.
    pub fn print_summary(&mut self) {
        self.done.sort_by(|a, b| b.1.total_cmp(&a.1));
        println!();
        for (title, seconds) in &self.done {
            println!("{seconds:8.1} s  {title}");
        }
        println!("{:8.1} s  total", self.started.elapsed().as_secs_f64());
    }
}

/// Runs `command` to completion; the error of a failure contains the command line.
pub fn execute(command: &mut Command) -> Outcome {
    let line = command_line(command);
    let status = command.status().map_err(|error| format!("cannot start {line}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{line} ended with {status}")) }
}

/// Whether `command` can be started and succeeds; its output is discarded.
pub fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// A command that runs in `folder`.
pub fn command_in(folder: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments);
    command
}

fn command_line(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
