//! One writer and many readers of a room: the readers at the server that runs it, and at another one that
//! relays. The same number of deliveries, in turn.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use quadrille_protocol::{ClientFrame, Hello, PROTOCOL_VERSION, ServerFrame};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::LocalSet;
use tokio::time::timeout;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;

use super::figures::{Goal, add, quantile};
use super::person::Person;
use super::servers::Servers;
use crate::goals::Table;
use crate::setting::{Outcome, Setting};

const READERS: usize = 200;
/// 50 writes a second.
const PERIOD: Duration = Duration::from_millis(20);
/// Time to connect all readers, and for the last delivery.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// What one run has shown.
struct Run {
    p50_ms: f64,
    p99_ms: f64,
    microseconds_per_delivery: f64,
}

pub fn measure(setting: &Setting, table: &mut Table) -> Outcome<()> {
    let (repetitions, writes) = if setting.is_quick { (2, 100) } else { (5, 400) };
    let servers = Servers::start(setting, 3)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let (mut direct, mut relayed) = (Vec::new(), Vec::new());
    for repetition in 0..repetitions {
        for (server, runs) in [(0, &mut direct), (1, &mut relayed)] {
            let room = format!("relay-{repetition}-{server}");
            let run = LocalSet::new().block_on(&runtime, deliver(&servers, &room, server, writes))?;
            eprintln!(
                "  {}: p50 {:.2} ms, p99 {:.2} ms, {:.1} µs per delivery",
                if server == 0 { "direct" } else { "relayed" },
                run.p50_ms,
                run.p99_ms,
                run.microseconds_per_delivery
            );
            runs.push(run);
        }
    }
    let of = |runs: &[Run], pick: fn(&Run) -> f64| runs.iter().map(pick).collect::<Vec<f64>>();
    let ratio = |pick: fn(&Run) -> f64| {
        relayed
            .iter()
            .zip(&direct)
            .map(|(relayed, direct)| pick(relayed) / pick(direct))
            .collect::<Vec<f64>>()
    };
    let what = format!("{READERS} readers of a room, write → received");
    let none = Goal::default();
    add(
        table,
        "direct_p50",
        format!("{what}, p50, at its server"),
        "ms",
        none,
        of(&direct, |run| run.p50_ms),
    );
    add(
        table,
        "direct_p99",
        format!("{what}, p99, at its server"),
        "ms",
        none,
        of(&direct, |run| run.p99_ms),
    );
    add(table, "relayed_p50", format!("{what}, p50, relayed"), "ms", none, of(&relayed, |run| run.p50_ms));
    add(table, "relayed_p99", format!("{what}, p99, relayed"), "ms", none, of(&relayed, |run| run.p99_ms));
    let aim = Goal { must: None, aim: Some(1.3) };
    add(
        table,
        "relay_p50_ratio",
        format!("{what}, p50: relayed, times direct"),
        "",
        aim,
        ratio(|run| run.p50_ms),
    );
    let name = "processor time of all servers per delivery, at its server".to_owned();
    add(table, "direct_processor", name, "µs", none, of(&direct, |run| run.microseconds_per_delivery));
    let name = "processor time of all servers per delivery: relayed, times direct".to_owned();
    add(table, "relay_processor_ratio", name, "", aim, ratio(|run| run.microseconds_per_delivery));
    Ok(())
}

/// The arrivals at all readers.
#[derive(Default)]
struct Arrivals {
    /// When each revision was written.
    written: Vec<Instant>,
    delays_ms: Vec<f64>,
}

/// Writes at the first server, which runs the room, with the readers at another one or the same.
async fn deliver(servers: &Servers<'_>, room: &str, readers_at: usize, writes: usize) -> Outcome<Run> {
    let mut writer = Person::join(servers.address(0), room, 1).await?;
    // The room exists from here on.
    writer.type_text("A1", "0").await?;
    while writer.replica.unconfirmed() > 0 {
        writer.receive().await?;
    }
    let base = writer.replica.revision().0;
    let arrivals = Rc::new(RefCell::new(Arrivals::default()));
    let (ready, mut are_ready) = watch::channel(0);
    let ready = Rc::new(ready);
    let readers: Vec<_> = (0..READERS)
        .map(|_| {
            let last = base + writes as u64;
            let reading = read(
                servers.address(readers_at),
                room.to_owned(),
                base,
                last,
                arrivals.clone(),
                ready.clone(),
            );
            tokio::task::spawn_local(reading)
        })
        .collect();
    let all_ready = timeout(WAIT_MAX, are_ready.wait_for(|count| *count == READERS)).await;
    all_ready.map_err(|_| "not all readers have joined")?.map_err(|error| error.to_string())?;
    let relayed = servers.relayed_sessions(readers_at);
    let expected = if readers_at == 0 { 0.0 } else { READERS as f64 };
    if relayed != expected {
        return Err(format!("{relayed} sessions are relayed, not {expected}"));
    }
    let busy_before = servers.processor_seconds()?;
    let mut ticks = tokio::time::interval(PERIOD);
    for number in 0..writes {
        ticks.tick().await;
        arrivals.borrow_mut().written.push(Instant::now());
        writer.type_text("A1", &(number + 1).to_string()).await?;
        while writer.replica.unconfirmed() > 0 {
            writer.receive().await?;
        }
    }
    for reader in readers {
        timeout(WAIT_MAX, reader)
            .await
            .map_err(|_| "a delivery is missing")?
            .map_err(|error| error.to_string())??;
    }
    let busy = servers.processor_seconds()? - busy_before;
    let delays_ms = arrivals.take().delays_ms;
    Ok(Run {
        p50_ms: quantile(&delays_ms, 0.5),
        p99_ms: quantile(&delays_ms, 0.99),
        microseconds_per_delivery: busy * 1e6 / delays_ms.len() as f64,
    })
}

/// Joins and reads until the last revision has arrived.
async fn read(
    address: SocketAddr,
    room: String,
    base: u64,
    last: u64,
    arrivals: Rc<RefCell<Arrivals>>,
    ready: Rc<watch::Sender<usize>>,
) -> Outcome<()> {
    let stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
    let url = format!("ws://{address}/api/v1/rooms/{room}/socket");
    let (mut socket, _) = client_async(url, stream).await.map_err(|error| error.to_string())?;
    let hello = Hello {
        version: PROTOCOL_VERSION,
        replica: None,
        last: None,
        unconfirmed: 0,
        name: "reader".into(),
        color: None,
        secret: None,
    };
    let hello = Message::Binary(ClientFrame::Hello(hello).encode().into());
    socket.send(hello).await.map_err(|error| error.to_string())?;
    let (mut revision, mut is_ready) = (0, false);
    while revision < last {
        let message =
            socket.next().await.ok_or("the server went away")?.map_err(|error| error.to_string())?;
        let Message::Binary(bytes) = message else {
            if let Message::Close(frame) = message {
                return Err(format!("the server closed: {frame:?}"));
            }
            continue;
        };
        match ServerFrame::decode(&bytes).map_err(|error| error.to_string())? {
            ServerFrame::Snapshot { revision: of, part, parts, .. } if part + 1 == parts => revision = of.0,
            ServerFrame::Records { records } => {
                let mut arrivals = arrivals.borrow_mut();
                for _ in records {
                    revision += 1;
                    let Some(number) = revision.checked_sub(base + 1) else { continue };
                    let written = arrivals.written.get(number as usize).copied();
                    let delay = written.ok_or("a record that nobody has written")?.elapsed();
                    arrivals.delays_ms.push(delay.as_secs_f64() * 1e3);
                }
            }
            _ => {}
        }
        if revision >= base && !is_ready {
            is_ready = true;
            ready.send_modify(|count| *count += 1);
        }
    }
    Ok(())
}
