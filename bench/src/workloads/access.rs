//! Access: the time from the revocation of a link to the end of its sessions, and what attempts to sign in
//! cost those who write meanwhile.
//!
//! Each attempt of the second phase comes from an address of its own (a trusted proxy names it) and for an
//! account of its own, so that no limit applies and the server computes a hash for each. In the third
//! phase all come from one address.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::LocalSet;

use crate::client::Client;
use crate::report::Figures;
use crate::server::Server;
use crate::setting::{Outcome, Setting};

const ROOM: &str = "access";
/// Attackers that wait for one answer each.
const ATTACKERS: u32 = 8;
/// Pause between two writes.
const WRITE_EVERY: Duration = Duration::from_millis(5);

/// Runs the workload.
pub fn run(setting: &Setting) -> Outcome<Figures> {
    let mut figures = Figures::new("revoked links, and attempts to sign in beside a writer over REST");
    let (sessions, repetitions) = if setting.is_quick { (50, 3) } else { (200, 10) };
    let server = Server::start(setting)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let ended = LocalSet::new().block_on(&runtime, revocations(&server, sessions, repetitions))?;
    figures.add_distribution(&format!("{sessions} sessions: revocation → session closed"), ended, "ms");

    let server = Server::start_with(setting, &["--access", "accounts", "--create-workbooks", "anyone"])?;
    let seconds = Duration::from_secs(if setting.is_quick { 3 } else { 15 });
    post(&server, "", "/api/v1/rooms", json!({ "name": ROOM, "claim": true }))
        .and_then(|made| {
            let owner_key = text(&made, "ownerKey")?;
            let quiet = phase(&server, &owner_key, seconds, None)?;
            let spread = phase(&server, &owner_key, seconds, Some(Source::Spread))?;
            let single = phase(&server, &owner_key, seconds, Some(Source::Single))?;
            Ok([("no attempts", quiet), ("many addresses", spread), ("one address", single)])
        })?
        .into_iter()
        .for_each(|(name, phase)| {
            let per_second = |count: u32| f64::from(count) / seconds.as_secs_f64();
            if phase.wrong + phase.refused > 0 {
                figures.add(format!("{name}: attempts answered as wrong"), per_second(phase.wrong), "/s");
                figures.add(format!("{name}: attempts held off"), per_second(phase.refused), "/s");
            }
            figures.add_distribution(&format!("{name}: write → durable"), phase.writes_ms, "ms");
        });
    Ok(figures)
}

/// Opens sessions through a link, revokes it, and returns after how many milliseconds each was closed.
async fn revocations(server: &Server, sessions: u64, repetitions: u64) -> Outcome<Vec<f64>> {
    let made = post(server, "", "/api/v1/rooms", json!({ "name": ROOM, "claim": true }))?;
    let owner_key = text(&made, "ownerKey")?;
    // Otherwise the general access gives them a role without the link.
    let restricted = ureq::put(server.url(&format!("/api/v1/rooms/{ROOM}/access")))
        .header("authorization", format!("Bearer {owner_key}"))
        .send_json(json!({ "general": "restricted" }));
    restricted.map_err(|error| format!("restrict: {error}"))?;
    let mut ended_ms = Vec::new();
    for repetition in 0..repetitions {
        let links = format!("/api/v1/rooms/{ROOM}/access/links");
        let link = post(server, &owner_key, &links, json!({ "role": "view" }))?;
        let (token, id) = (text(&link, "link")?, text(&link, "id")?);
        let mut waiting = Vec::new();
        for number in 0..sessions {
            let number = repetition * sessions + number + 1;
            let mut client = Client::join_with(server.address, ROOM, number, Some(&token)).await?;
            waiting.push(tokio::task::spawn_local(async move {
                while client.receive().await.is_ok() {}
                Instant::now()
            }));
        }
        let revoked = Instant::now();
        let url = server.url(&format!("{links}/{id}"));
        let authorization = format!("Bearer {owner_key}");
        let delete = tokio::task::spawn_blocking(move || {
            ureq::delete(url).header("authorization", authorization).call().map(|_| ())
        });
        delete.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        for session in waiting {
            let closed = session.await.map_err(|error| error.to_string())?;
            ended_ms.push(closed.duration_since(revoked).as_secs_f64() * 1e3);
        }
    }
    Ok(ended_ms)
}

/// Where attempts come from.
#[derive(Clone, Copy)]
enum Source {
    Spread,
    Single,
}

#[derive(Default)]
struct Phase {
    /// Attempts that the server checked.
    wrong: u32,
    /// Attempts that it refused without checking.
    refused: u32,
    writes_ms: Vec<f64>,
}

fn phase(server: &Server, owner_key: &str, duration: Duration, source: Option<Source>) -> Outcome<Phase> {
    let is_over = AtomicBool::new(false);
    let (wrong, refused, next) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
    let writes_ms = thread::scope(|scope| {
        for _ in 0..source.map_or(0, |_| ATTACKERS) {
            scope.spawn(|| {
                let agent = agent();
                while !is_over.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let address = match source {
                        Some(Source::Spread) => {
                            Ipv4Addr::from_bits(Ipv4Addr::new(100, 64, 0, 0).to_bits() + number)
                        }
                        _ => Ipv4Addr::new(192, 0, 2, 1),
                    };
                    let body = json!({ "email": format!("{number}@example.org"), "password": "a wrong one" });
                    let answer = agent
                        .post(server.url("/api/v1/session"))
                        .header("x-forwarded-for", address.to_string())
                        .send_json(body);
                    match answer.map(|answer| answer.status().as_u16()) {
                        Ok(401) => wrong.fetch_add(1, Ordering::Relaxed),
                        _ => refused.fetch_add(1, Ordering::Relaxed),
                    };
                }
            });
        }
        let writes = write(server, owner_key, duration);
        is_over.store(true, Ordering::Relaxed);
        writes
    })?;
    Ok(Phase { wrong: wrong.into_inner(), refused: refused.into_inner(), writes_ms })
}

/// Writes a cell again and again, and returns the milliseconds until each write was durable.
fn write(server: &Server, owner_key: &str, duration: Duration) -> Outcome<Vec<f64>> {
    let agent = agent();
    let (began, mut times_ms) = (Instant::now(), Vec::new());
    let url = server.url(&format!("/api/v1/rooms/{ROOM}/sheets/Sheet1/cells/A1"));
    while began.elapsed() < duration {
        let written = Instant::now();
        let answer = agent
            .put(&url)
            .header("authorization", format!("Bearer {owner_key}"))
            .header("content-type", "application/json")
            .send(times_ms.len().to_string())
            .map_err(|error| error.to_string())?;
        if !answer.status().is_success() {
            return Err(format!("the write was answered with {}", answer.status()));
        }
        times_ms.push(written.elapsed().as_secs_f64() * 1e3);
        thread::sleep(WRITE_EVERY);
    }
    Ok(times_ms)
}

/// An agent that returns answers of all statuses.
fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}

fn post(server: &Server, credential: &str, path: &str, body: Value) -> Outcome<Value> {
    let mut request = ureq::post(server.url(path));
    if !credential.is_empty() {
        request = request.header("authorization", format!("Bearer {credential}"));
    }
    let failed = |error: ureq::Error| format!("POST {path}: {error}");
    request.send_json(body).map_err(failed)?.body_mut().read_json().map_err(failed)
}

fn text(answer: &Value, name: &str) -> Outcome<String> {
    answer[name].as_str().map(str::to_owned).ok_or_else(|| format!("no {name} in {answer}"))
}
