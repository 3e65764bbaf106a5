//! `quadrille top`: what a running server does, from its metrics and, with an admin's token, its list of open
//! rooms.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::command_error::CommandError;
use super::import_export::read_token;
use crate::cli::TopArguments;

/// Time that an answer may take.
const ANSWER_SECONDS_MAX: u64 = 10;
/// Metrics and a page of rooms are far shorter.
const ANSWER_BYTES_MAX: u64 = 16 << 20;
/// Rooms that are shown.
const ROOMS_SHOWN: usize = 20;
/// Rows of a page of rooms, the most that the server gives.
const ROOMS_PER_PAGE: usize = 200;
/// Pages that are read; a server with more open rooms shows those of the first names only.
const PAGES_MAX: usize = 25;

/// Shows the server until the process is interrupted, or prints once.
///
/// # Errors
/// Fails when the server cannot be reached or gives no metrics.
pub fn top(arguments: &TopArguments) -> Result<(), CommandError> {
    let url = arguments.server.server.as_deref().unwrap_or("http://localhost:8000").trim_end_matches('/');
    let token = read_token(arguments.server.token_file.as_deref())?;
    let source = Source {
        agent: crate::http_client::config(ANSWER_SECONDS_MAX).build().into(),
        url: url.to_owned(),
        authorization: token.map(|token| format!("Bearer {token}")),
    };
    let mut before = source.sample()?;
    loop {
        std::thread::sleep(Duration::from_secs(arguments.interval));
        let now = source.sample()?;
        let screen = render(url, &before, &now);
        let mut out = std::io::stdout().lock();
        let written = match arguments.once {
            true => out.write_all(screen.as_bytes()),
            // Home, the lines without what was behind them, nothing below.
            false => write!(out, "\x1b[H{}\x1b[J", screen.replace('\n', "\x1b[K\n")),
        };
        if arguments.once || written.and_then(|()| out.flush()).is_err() {
            return Ok(());
        }
        before = now;
    }
}

struct Source {
    agent: ureq::Agent,
    url: String,
    authorization: Option<String>,
}

/// The state of a server at one moment.
struct Sample {
    time: Instant,
    metrics: Metrics,
    /// `None` without a token.
    rooms: Option<Vec<RoomLine>>,
}

struct RoomLine {
    room: String,
    sessions: u64,
    transactions: u64,
    busy_ms: u64,
}

impl Source {
    fn sample(&self) -> Result<Sample, CommandError> {
        let metrics = Metrics::parse(&self.get("/metrics")?);
        let rooms = self.authorization.as_ref().map(|_| self.rooms()).transpose()?;
        Ok(Sample { time: Instant::now(), metrics, rooms })
    }

    fn rooms(&self) -> Result<Vec<RoomLine>, CommandError> {
        let mut rooms = Vec::new();
        let mut path = format!("/api/v1/admin/rooms?limit={ROOMS_PER_PAGE}");
        for _ in 0..PAGES_MAX {
            let page: Json = serde_json::from_str(&self.get(&path)?)
                .map_err(|error| CommandError::Failed(format!("unexpected answer: {error}")))?;
            let number = |row: &Json, name: &str| row[name].as_u64().unwrap_or(0);
            rooms.extend(page["rooms"].as_array().into_iter().flatten().map(|row| RoomLine {
                room: row["room"].as_str().unwrap_or_default().to_owned(),
                sessions: number(row, "sessionCount"),
                transactions: number(row, "transactions"),
                busy_ms: number(row, "busyMs"),
            }));
            let Some(next) = page["next"].as_str() else { break };
            let after = crate::room_name::percent_encoded(next);
            path = format!("/api/v1/admin/rooms?limit={ROOMS_PER_PAGE}&after={after}");
        }
        Ok(rooms)
    }

    fn get(&self, path: &str) -> Result<String, CommandError> {
        let url = format!("{}{path}", self.url);
        let mut request = self.agent.get(&url);
        if let Some(authorization) = self.authorization.as_ref().filter(|_| path.starts_with("/api/")) {
            request = request.header("authorization", authorization);
        }
        let failed = |error: ureq::Error| CommandError::Failed(format!("cannot reach {url}: {error}"));
        let mut response = request.call().map_err(failed)?;
        let text = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string();
        let text = text.map_err(failed)?;
        if response.status().is_success() {
            return Ok(text);
        }
        let json: Json = serde_json::from_str(&text).unwrap_or_default();
        let message = json["error"]["message"].as_str().map(str::to_owned);
        Err(CommandError::Failed(message.unwrap_or_else(|| format!("{url}: {}", response.status()))))
    }
}

/// Values of OpenMetrics by name. Values with labels are summed; buckets are kept by their bound.
#[derive(Default)]
struct Metrics {
    values: BTreeMap<String, f64>,
    buckets: BTreeMap<String, Vec<(f64, f64)>>,
}

impl Metrics {
    fn parse(text: &str) -> Metrics {
        let mut metrics = Metrics::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((series, value)) = line.rsplit_once(' ') else { continue };
            let Ok(value) = value.parse::<f64>() else { continue };
            let (name, labels) = series.split_once('{').unwrap_or((series, ""));
            let name = name.trim_start_matches("quadrille_");
            match name.strip_suffix("_bucket") {
                Some(histogram) => {
                    let bound = labels.split("le=\"").nth(1).and_then(|rest| rest.split('"').next());
                    let bound = bound.map_or(f64::INFINITY, |bound| bound.parse().unwrap_or(f64::INFINITY));
                    metrics.buckets.entry(histogram.to_owned()).or_default().push((bound, value));
                }
                None => *metrics.values.entry(name.to_owned()).or_default() += value,
            }
        }
        metrics
    }

    fn value(&self, name: &str) -> f64 {
        self.values.get(name).copied().unwrap_or(0.0)
    }
}

/// The growth between two samples.
struct Change<'a> {
    before: &'a Sample,
    now: &'a Sample,
    seconds: f64,
}

impl Change<'_> {
    /// Growth of a counter per second. A server that was restarted counts from zero.
    fn rate(&self, name: &str) -> f64 {
        let (before, now) = (self.before.metrics.value(name), self.now.metrics.value(name));
        (if now >= before { now - before } else { now }) / self.seconds
    }

    /// The upper bound of the bucket in which a quantile of the new observations is; `None` without any.
    fn quantile(&self, histogram: &str, quantile: f64) -> Option<f64> {
        let now = self.now.metrics.buckets.get(histogram)?;
        let before = self.before.metrics.buckets.get(histogram);
        let new: Vec<(f64, f64)> = now
            .iter()
            .enumerate()
            .map(|(index, (bound, count))| {
                let earlier = before.and_then(|before| before.get(index)).map_or(0.0, |(_, count)| *count);
                (*bound, (count - earlier).max(0.0))
            })
            .collect();
        let total = new.last().map(|(_, count)| *count).filter(|total| *total > 0.0)?;
        new.iter().find(|(_, count)| *count >= quantile * total).map(|(bound, _)| *bound)
    }
}

/// The lines of one update.
fn render(url: &str, before: &Sample, now: &Sample) -> String {
    let seconds = now.time.duration_since(before.time).as_secs_f64().max(0.001);
    let change = Change { before, now, seconds };
    let value = |name: &str| now.metrics.value(name);
    let delay = |histogram: &str| {
        let shown = |quantile: f64| change.quantile(histogram, quantile).map_or("-".to_owned(), milliseconds);
        format!("median {:>8}   99 % {:>8}", shown(0.5), shown(0.99))
    };
    let rate = |name: &str| format!("{:.1}", change.rate(name));
    let mut out = String::new();
    let mut line = |name: &str, text: String| {
        // Writing to a `String` does not fail.
        let _ = writeln!(out, "{name:<12}{text}");
    };
    line("server", url.to_owned());
    line("now", format!("{} rooms, {} sessions", value("rooms"), value("sessions")));
    line(
        "edits",
        format!(
            "{}/s   operations {}/s   rebased {}/s   rejected {}/s",
            rate("transactions_total"),
            rate("operations_total"),
            rate("rebases_total"),
            rate("rejections_total")
        ),
    );
    line(
        "network",
        format!(
            "in {}   out {}   broadcasts {}/s   too slow {}/s   limited {}/s",
            bytes(change.rate("received_bytes_total")),
            bytes(change.rate("sent_bytes_total")),
            rate("broadcast_frames_total"),
            rate("missed_total"),
            rate("limits_hit_total")
        ),
    );
    line("delivery", delay("delivery_seconds"));
    line("commit", delay("commit_seconds"));
    line(
        "store",
        format!(
            "commits {}/s   failed {}/s   waiting {} B   snapshots {}/s",
            rate("commit_seconds_count"),
            rate("commits_failed_total"),
            value("journal_queue_bytes"),
            rate("snapshots_stored_total")
        ),
    );
    line(
        "queues",
        format!("rooms {}   workers {}", value("room_queue_messages"), value("worker_queue_tasks")),
    );
    // A version without this metric says nothing about it.
    if now.metrics.values.get("storage_usable") == Some(&0.0) {
        line("STORAGE", "changes are not stored: the disk is full or a database is away".to_owned());
    }
    if value("digest_mismatches_total") > 0.0 {
        line("BUG", format!("{} replicas differed from their room", value("digest_mismatches_total")));
    }
    match &now.rooms {
        None => line("rooms", "need the API token of an admin: QUADRILLE_TOKEN or --token-file".to_owned()),
        Some(rooms) => out.push_str(&room_table(before, rooms, seconds)),
    }
    out
}

/// The rooms that took most time since the sample before.
fn room_table(before: &Sample, rooms: &[RoomLine], seconds: f64) -> String {
    let earlier: BTreeMap<&str, &RoomLine> =
        before.rooms.iter().flatten().map(|line| (line.room.as_str(), line)).collect();
    let mut lines: Vec<(f64, f64, &RoomLine)> = rooms
        .iter()
        .map(|line| {
            // A room that was opened since then counts from zero.
            let (busy_ms, transactions) = match earlier.get(line.room.as_str()) {
                Some(earlier) if earlier.busy_ms <= line.busy_ms => (earlier.busy_ms, earlier.transactions),
                _ => (0, 0),
            };
            let busy = (line.busy_ms - busy_ms) as f64 / 10.0 / seconds;
            let edits = line.transactions.saturating_sub(transactions) as f64 / seconds;
            (busy, edits, line)
        })
        .collect();
    lines.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(b.2.sessions.cmp(&a.2.sessions)));
    let mut table = format!("\n{:>7} {:>9} {:>9}  {}\n", "BUSY %", "EDITS/S", "SESSIONS", "ROOM");
    for (busy, edits, line) in lines.iter().take(ROOMS_SHOWN) {
        let _ = writeln!(table, "{busy:>7.1} {edits:>9.1} {:>9}  {}", line.sessions, line.room);
    }
    if lines.len() > ROOMS_SHOWN {
        let _ = writeln!(table, "{:>28} {} more", "", lines.len() - ROOMS_SHOWN);
    }
    table
}

fn milliseconds(seconds: f64) -> String {
    match seconds.is_finite() {
        true => format!("{:.2} ms", seconds * 1e3),
        false => "longer".to_owned(),
    }
}

fn bytes(per_second: f64) -> String {
    match per_second {
        _ if per_second >= 1e6 => format!("{:.1} MB/s", per_second / 1e6),
        _ if per_second >= 1e3 => format!("{:.1} kB/s", per_second / 1e3),
        _ => format!("{per_second:.0} B/s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: Instant, text: &str) -> Sample {
        Sample { time: at, metrics: Metrics::parse(text), rooms: None }
    }

    #[test]
    fn rates_and_quantiles_are_of_the_time_between_two_samples() {
        let began = Instant::now();
        let histogram = |low: u32, all: u32| {
            format!(
                "quadrille_commit_seconds_count {all}\nquadrille_commit_seconds_bucket{{le=\"0.001\"}} {low}\n\
                 quadrille_commit_seconds_bucket{{le=\"0.002\"}} {all}\n\
                 quadrille_commit_seconds_bucket{{le=\"+Inf\"}} {all}\n"
            )
        };
        let before = sample(began, &format!("quadrille_transactions_total 10\n{}", histogram(900, 1_000)));
        let text = format!("quadrille_transactions_total 30\nquadrille_rooms 2\n{}", histogram(960, 1_100));
        let now = sample(began + Duration::from_secs(2), &text);
        let change = Change { before: &before, now: &now, seconds: 2.0 };
        assert_eq!(change.rate("transactions_total"), 10.0);
        assert_eq!(change.quantile("commit_seconds", 0.5), Some(0.001), "60 of the 100 new ones");
        assert_eq!(change.quantile("commit_seconds", 0.99), Some(0.002));
        assert_eq!(change.quantile("delivery_seconds", 0.5), None);
        let screen = render("http://localhost:8000", &before, &now);
        assert!(screen.contains("now         2 rooms, 0 sessions"), "{screen}");
        assert!(screen.contains("commit      median  1.00 ms   99 %  2.00 ms"), "{screen}");
    }

    #[test]
    fn a_disk_that_is_full_is_no_idle_server() {
        let began = Instant::now();
        let before = sample(began, "quadrille_storage_usable 1\nquadrille_commits_failed_total 0\n");
        let text = "quadrille_storage_usable 0\nquadrille_commits_failed_total 6\n";
        let now = sample(began + Duration::from_secs(2), text);
        let screen = render("http://localhost:8000", &before, &now);
        assert!(screen.contains("store       commits 0.0/s   failed 3.0/s   waiting 0 B"), "{screen}");
        assert!(screen.contains("STORAGE     changes are not stored"), "{screen}");
        assert!(!render("http://localhost:8000", &before, &before).contains("STORAGE"));
    }
}
