//! The machine: space, speed and durability of the disk, the clock, limits of the process.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit};

use super::findings::Findings;
use crate::config::Settings;
use crate::limits;
use crate::storage_location::StorageLocation;

/// Free space below which a server may stop taking edits within days.
const FREE_BYTES_LOW: u64 = 1 << 30;
/// Free space below which SQLite can hardly work: its write-ahead logs alone may take as much.
const FREE_BYTES_MIN: u64 = 128 << 20;
/// Syncs that are timed; the median counts.
const SYNCS: usize = 15;
/// A sync on a solid-state disk takes a millisecond or less, on a rotating disk ten or twenty.
const SYNC_SLOW: Duration = Duration::from_millis(30);
/// No disk writes durably in less. Memory does, and so do disks whose cache is not written.
const SYNC_UNBELIEVABLE: Duration = Duration::from_micros(15);

/// Checks the machine.
pub fn check(settings: &Settings, findings: &mut Findings) {
    let data = &settings.data;
    if data.is_dir() {
        check_space(data, findings);
        // Edits in a database are made durable by that.
        let is_in_database = matches!(
            StorageLocation::of(settings),
            Ok(StorageLocation::Database(_) | StorageLocation::Shards(_))
        );
        if !is_in_database {
            check_sync(data, findings);
        }
    }
    check_clock(findings);
    check_open_files(settings, findings);
    check_memory(findings);
}

fn check_space(data: &Path, findings: &mut Findings) {
    let space = match rustix::fs::statvfs(data) {
        Ok(space) => space,
        Err(error) => return findings.warning("disk", format!("the free space is unknown: {error}"), ""),
    };
    let free = space.f_bavail * space.f_frsize;
    let total = (space.f_blocks * space.f_frsize).max(1);
    let message = format!(
        "{} of {} free in {} ({} %)",
        gigabytes(free),
        gigabytes(total),
        data.display(),
        free * 100 / total
    );
    let advice =
        "with a full disk, edits are refused until there is space; move the data or enlarge the disk";
    match free {
        _ if free < FREE_BYTES_MIN => findings.problem("disk", message, advice),
        _ if free < FREE_BYTES_LOW => findings.warning("disk", message, advice),
        _ => findings.ok("disk", message),
    }
    if space.f_favail == 0 && space.f_files > 0 {
        findings.problem("disk", "no inodes are free", "delete files that nobody needs");
    }
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

fn check_sync(data: &Path, findings: &mut Findings) {
    let path = data.join(".doctor");
    let measured = measure_syncs(&path);
    // It is empty or a few pages; the next run replaces what is left.
    let _ = std::fs::remove_file(&path);
    match measured {
        Err(error) => findings.problem(
            "sync",
            format!("cannot write in {}: {error}", data.display()),
            "let the user of the server write there",
        ),
        Ok(median) => {
            let message = format!("the disk makes an edit durable in {:.2} ms", median.as_secs_f64() * 1e3);
            match median {
                _ if median > SYNC_SLOW => findings.warning(
                    "sync",
                    message,
                    "everybody waits that long for the confirmation of an edit; a solid-state disk is faster",
                ),
                _ if median < SYNC_UNBELIEVABLE => findings.warning(
                    "sync",
                    format!("{message}, which only memory can do"),
                    "after a loss of power the last edits are missing; put the data on a disk",
                ),
                _ => findings.ok("sync", message),
            }
        }
    }
}

/// Returns the median time of writing a page and syncing it.
fn measure_syncs(path: &Path) -> std::io::Result<Duration> {
    let mut file = File::create(path)?;
    let page = [b'q'; 4096];
    let mut times = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        file.seek(SeekFrom::Start(0))?;
        let began = Instant::now();
        file.write_all(&page)?;
        file.sync_data()?;
        times.push(began.elapsed());
    }
    times.sort();
    Ok(times[SYNCS / 2])
}

fn check_clock(findings: &mut Findings) {
    let advice = "people see wrong times, and signed tokens and codes may be refused: start an NTP client, such \
                  as systemd-timesyncd or chrony";
    match is_clock_kept() {
        Some(false) => findings.warning("clock", "no time server keeps the clock of this machine", advice),
        Some(true) => findings.ok("clock", "a time server keeps it"),
        None => findings.ok("clock", "cannot be examined here"),
    }
}

/// Whether the kernel knows how exact its clock is; `None` when it does not say.
#[cfg(target_os = "linux")]
fn is_clock_kept() -> Option<bool> {
    // SAFETY: all fields of `timex` are numbers, for which zero is a value; with `modes` 0 the call only
    // writes to the struct that it is given.
    let state = unsafe {
        let mut clock: libc::timex = std::mem::zeroed();
        libc::adjtimex(&mut clock)
    };
    (state >= 0).then_some(state != libc::TIME_ERROR)
}

#[cfg(not(target_os = "linux"))]
fn is_clock_kept() -> Option<bool> {
    None
}

fn check_open_files(settings: &Settings, findings: &mut Findings) {
    let Some(maximum) = getrlimit(Resource::Nofile).maximum else {
        return findings.ok("files", "the number of open files is not limited");
    };
    let usable = (maximum as usize).saturating_sub(limits::FILES_RESERVED);
    match usable < settings.connections_max {
        true => findings.warning(
            "files",
            format!(
                "{maximum} open files are allowed, so that {usable} people can be connected, not \
                 {} (connections_max)",
                settings.connections_max
            ),
            "raise the limit: LimitNOFILE= in the systemd unit, or `ulimit -Hn`",
        ),
        false => findings.ok("files", format!("{maximum} open files are allowed")),
    }
}

/// The limit of the control group, which ends the process when it is exceeded.
fn check_memory(findings: &mut Findings) {
    let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let Some(bytes) = limit.and_then(|text| text.trim().parse::<u64>().ok()) else { return };
    let message = format!("the process may use {} MB of memory", bytes >> 20);
    match bytes < 64 << 20 {
        true => {
            findings.warning("memory", message, "allow 64 MB for a hundred people, more for large workbooks")
        }
        false => findings.ok("memory", message),
    }
}
