//! Running one command of many, so that a person sees what is going on and what it took.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::outcome::Outcome;

pub struct Steps {
    started: Instant,
    done: Vec<(String, f64)>,
}

impl Steps {
    pub fn new() -> Steps {
        Steps { started: Instant::now(), done: Vec::new() }
    }

    /// Announces and runs `command`; its output goes straight to the terminal.
    pub fn run(&mut self, title: &str, command: &mut Command) -> Outcome {
        self.perform(title, || execute(command))
    }

    pub fn perform(&mut self, title: &str, work: impl FnOnce() -> Outcome) -> Outcome {
        println!("\n==> {title}");
        let started = Instant::now();
        work().map_err(|reason| format!("{title}: {reason}"))?;
        let seconds = started.elapsed().as_secs_f64();
        println!("    {title}: {seconds:.1} s");
        self.done.push((title.to_owned(), seconds));
        Ok(())
    }

    /// One line per step, longest first, so that it is known what to make faster.
    pub fn print_summary(&mut self) {
        self.done.sort_by(|a, b| b.1.total_cmp(&a.1));
        println!();
        for (title, seconds) in &self.done {
            println!("{seconds:8.1} s  {title}");
        }
        println!("{:8.1} s  in all", self.started.elapsed().as_secs_f64());
    }
}

/// Runs `command` to its end; a failure says which command it was.
pub fn execute(command: &mut Command) -> Outcome {
    let shown = show(command);
    let status = command.status().map_err(|error| format!("cannot start {shown}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown} ended with {status}")) }
}

/// Whether `command` can be started and succeeds; what it prints is dropped.
pub fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

pub fn command_in(folder: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments);
    command
}

fn show(command: &Command) -> String {
    let mut shown = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        shown.push(' ');
        shown.push_str(&argument.to_string_lossy());
    }
    shown
}
