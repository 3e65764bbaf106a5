//! The workloads of rooms with their goals.

use std::net::SocketAddr;
use std::time::Duration;

use quadrille_cell::SheetId;

use super::client_protocol::{ClientProtocol, ThinClient};
use super::histogram::Histogram;
use super::load::{Load, Pace, Tally};
use super::peers::PEERS;
use crate::client::Client;
use crate::goals::{Better, Measured, Row, Table, show};
use crate::server::{Server, processor_seconds};
use crate::setting::{Outcome, Setting};

/// One edit per user every six seconds, as in a published benchmark of SpreadJS.
const PERIOD: Duration = Duration::from_secs(6);
/// Number of complete replicas among the users of a room.
const REPLICA_CLIENTS: u32 = 4;
/// Settings that raise rate limits for a pipelining writer and a thousand joins at once. All other
/// settings have their defaults.
const ARGUMENTS: [&str; 12] = [
    "--sessions-per-room-max",
    "20000",
    "--connections-max",
    "20000",
    "--connection-operations-per-second",
    "0",
    "--room-operations-per-second",
    "0",
    "--room-joins-per-second",
    "0",
    "--metrics",
    "true",
];

const USERS: [u32; 4] = [300, 2_000, 5_000, 10_000];
const CELLS: [u32; 4] = [4_000, 10_000, 100_000, 1_000_000];

/// The results of one load.
struct Result {
    tally: Tally,
    join: Histogram,
    /// Delays of joins during the load.
    joined_meanwhile: Histogram,
    server_cores: f64,
    generator_cores: f64,
    memory: f64,
    /// p99 of commits to disk in milliseconds, rounded up to a power of two.
    commit_p99: Option<f64>,
}

pub struct Bench<'a> {
    pub setting: &'a Setting,
    table: Table,
    details: Table,
    mismatches: f64,
    has_metrics: bool,
    deliveries_per_second_max: f64,
}

type Part = fn(&mut Bench<'_>);

/// The names for `--only`; `peers` is another.
const PARTS: [(&str, Part); 11] = [
    ("a", |bench| bench.one_room()),
    ("b", |bench| bench.documents()),
    ("c", |bench| bench.cells()),
    ("capacity", |bench| bench.capacity()),
    ("d", |bench| bench.snapshots()),
    ("e", |bench| bench.quick_typists()),
    ("f", |bench| bench.joins()),
    ("g", |bench| bench.reconnect()),
    ("h", |bench| bench.heavy()),
    ("pipeline", |bench| bench.pipeline()),
    ("memory", |bench| bench.memory()),
];

pub fn run(setting: &Setting) -> Outcome<Vec<Table>> {
    let mut bench = Bench {
        setting,
        table: Table::new("Rooms, with a synced journal", &["Quadrille"]),
        details: Table::new("… in detail", &["Quadrille"]),
        mismatches: 0.0,
        has_metrics: true,
        deliveries_per_second_max: 0.0,
    };
    for (name, part) in PARTS {
        if setting.wants(name) {
            part(&mut bench);
        }
    }
    if PARTS.iter().any(|(name, _)| setting.wants(name)) {
        bench.totals();
    }
    let mut tables = vec![bench.table, bench.details];
    if setting.with_peers && setting.wants("peers") {
        tables.push(beside_peers(setting));
    }
    Ok(tables)
}

impl Bench<'_> {
    fn pace(&self, period: Duration) -> Pace {
        let counted = if self.setting.is_quick { 6 } else { 18 };
        Pace { period, warm_up: Duration::from_secs(2), counted: Duration::from_secs(counted) }
    }

    pub fn server(&self) -> Outcome<Server> {
        Server::start_with(self.setting, &ARGUMENTS)
    }

    /// Starts a server with more arguments.
    pub fn server_with(&self, more: &[&str]) -> Outcome<Server> {
        Server::start_with(self.setting, &[&ARGUMENTS, more].concat())
    }

    /// A: one room with increasing numbers of users.
    fn one_room(&mut self) {
        let goals = [(20.0, 10.0), (50.0, 30.0), (150.0, 100.0), (f64::NAN, 200.0)];
        for (users, (must, aim)) in USERS.into_iter().zip(goals) {
            let name = format!("A: {} users in one room", show(f64::from(users)));
            let pace = self.pace(PERIOD);
            let result = self.server().and_then(|server| self.load(&server, 1, users, pace, 0));
            if let Ok(result) = &result {
                let rate = result.tally.delivery.count() as f64 / result.tally.seconds;
                if result.tally.lost() == 0 && result.tally.faults == 0 {
                    self.deliveries_per_second_max = self.deliveries_per_second_max.max(rate);
                }
            }
            let key = format!("a_{users}");
            if must.is_nan() {
                let dropped =
                    result.as_ref().map(|result| (result.tally.lost() + result.tally.faults) as f64);
                let dropped = dropped.map_err(Clone::clone);
                self.goal(
                    &format!("{key}_dropped"),
                    &format!("{name}, lost or dropped"),
                    "",
                    Some(0.0),
                    None,
                    dropped,
                );
            }
            let must = (!must.is_nan()).then_some(must);
            self.latency(&key, &name, must, Some(aim), result);
        }
    }

    /// B: many documents with two users each.
    fn documents(&mut self) {
        for (key, name, documents, users, period, must, aim) in [
            ("b_3000x1", "B: 3,000 documents × 1 user", 3_000, 1, PERIOD, None, None),
            ("b_9000x2", "B: 9,000 documents × 2 users, 3,000 op/s", 9_000, 2, PERIOD, Some(50.0), None),
            ("b_9000x2_fast", "B: the same at 36,000 op/s", 9_000, 2, PERIOD / 12, None, Some(50.0)),
        ] {
            let pace = self.pace(period);
            let result = self.server().and_then(|server| self.load(&server, documents, users, pace, 0));
            self.latency(key, name, must, aim, result);
        }
    }

    /// C: A with 300 users in sheets of increasing size.
    fn cells(&mut self) {
        for cells in CELLS {
            let name = format!("C: 300 users, {} cells", show(f64::from(cells)));
            let pace = self.pace(PERIOD);
            let result = self.server().and_then(|server| {
                put_cells(&server, "load-0", cells)?;
                self.load(&server, 1, 300, pace, 0)
            });
            self.latency(&format!("c_{cells}"), &name, None, None, result);
        }
    }

    /// Throughput of one writer in a room, by the number of cells in its sheet. All rounds count instead of
    /// the best, since snapshots and digests of the sheet occur only in some.
    fn capacity(&mut self) {
        // At this rate, snapshots of a million cells occur every few seconds.
        let seconds = if self.setting.is_quick { 6 } else { 15 };
        let rounds = if self.setting.is_quick { 2 } else { 4 };
        let sizes = [0, CELLS[0], CELLS[1], CELLS[2], CELLS[3]];
        let mut rates = [0.0; 5];
        let mut failed = None;
        for _ in 0..rounds {
            // Alternates the sizes, so that a disturbance affects all.
            for (rate, cells) in rates.iter_mut().zip(sizes) {
                match self.pipelined(cells, seconds) {
                    Ok(measured) => *rate += measured / f64::from(rounds),
                    Err(reason) => failed = Some(reason),
                }
            }
        }
        for (rate, cells) in rates.into_iter().zip(sizes) {
            let name = format!("C: one writer pipelining, {} cells", show(f64::from(cells)));
            self.detail(&format!("c_pipeline_{cells}"), &name, "op/s", rate);
        }
        let lost = failed.map_or(Ok((1.0 - rates[4] / rates[0]).max(0.0) * 100.0), Err);
        let name = "C: decrease of operations per second with 1,000,000 cells";
        self.goal("c_capacity_lost", name, "%", Some(10.0), Some(2.0), lost);
    }

    /// D: A with 300 users and a snapshot after every operation and after every hundred operations. For a
    /// large sheet also with each snapshot written in one piece.
    fn snapshots(&mut self) {
        const WHOLE: &str = "4294967296";
        for (after, cells, piece_bytes) in [
            ("1", 0, None),
            ("1", 10_000, None),
            ("1", 1_000_000, None),
            ("1", 1_000_000, Some(WHOLE)),
            ("100", 0, None),
            ("100", 10_000, None),
            ("100", 1_000_000, None),
            ("100", 1_000_000, Some(WHOLE)),
        ] {
            let mut more = vec!["--snapshot-after-records", after];
            more.extend(piece_bytes.iter().flat_map(|bytes| ["--snapshot-piece-bytes", bytes]));
            let pace = self.pace(PERIOD);
            let result = Server::start_with(self.setting, &[&ARGUMENTS[..], &more].concat());
            let mut stored = f64::NAN;
            let result = result.and_then(|server| {
                if cells > 0 {
                    put_cells(&server, "load-0", cells)?;
                }
                let result = self.load(&server, 1, 300, pace, 0);
                stored = server.metric("quadrille_snapshots_stored_total").unwrap_or(f64::NAN);
                result
            });
            let every = if after == "1" { "operation" } else { "100 operations" };
            let whole = if piece_bytes.is_some() { " in one piece" } else { "" };
            let name =
                format!("D: 300 users, {} cells, a snapshot every {every}{whole}", show(f64::from(cells)));
            let key = format!("d_{after}_{cells}{}", whole.replace(' ', "_"));
            self.latency(&key, &name, None, None, result);
            // Operations during a snapshot share the next one.
            self.detail(&format!("{key}_stored"), &format!("{name}: stored"), "", stored);
        }
    }

    /// E: few users who type fast.
    fn quick_typists(&mut self) {
        let pace = self.pace(Duration::from_millis(250));
        let result = self.server().and_then(|server| self.load(&server, 1, 50, pace, 0));
        self.latency("e", "E: 50 users at 4 op/s each", None, None, result);
    }

    /// F: a thousand users open a room of 100,000 cells within a second while 300 users edit it.
    fn joins(&mut self) {
        let pace = self.pace(PERIOD);
        let result = self.server().and_then(|server| {
            put_cells(&server, "load-0", 100_000)?;
            self.load(&server, 1, 300, pace, 1_000)
        });
        if let Ok(result) = &result {
            let joined = &result.joined_meanwhile;
            for (share, label) in [(0.5, "p50"), (0.99, "p99")] {
                let name = format!("F: until a joining user has the document, {label}");
                self.detail(&format!("f_join_{label}"), &name, "ms", joined.quantile(share));
            }
            self.detail("f_joined", "F: users who joined", "", joined.count() as f64);
        }
        self.latency("f", "F: 300 users while 1,000 join within a second", None, None, result);
    }

    /// G: all connections break and all users reconnect at once.
    fn reconnect(&mut self) {
        let users = 2_000;
        let result = self.server().and_then(|server| {
            let mut load = self.joined(&server, 1, users)?;
            load.reconnect()
        });
        let name =
            format!("G: {} users reconnect at once, until the last has the document", show(f64::from(users)));
        self.goal("g_last", &name, "ms", None, None, result.map(|back| back.max()));
    }

    /// One writer who does not wait for acknowledgements.
    fn pipeline(&mut self) {
        let rounds = if self.setting.is_quick { 2 } else { 5 };
        let seconds = if self.setting.is_quick { 2 } else { 5 };
        let rates: Outcome<Vec<f64>> = (0..rounds).map(|_| self.pipelined(0, seconds)).collect();
        let best = rates.map(|rates| rates.into_iter().fold(0.0, f64::max));
        self.add(Row {
            better: Better::Higher,
            ..row("pipeline", "one writer pipelining", "op/s", Some(50_000.0), Some(200_000.0), best)
        });
    }

    fn pipelined(&mut self, cells: u32, seconds: u64) -> Outcome<f64> {
        /// Outstanding transactions; a room closes a session with more than 1,024.
        const WINDOW: u64 = 1_000;
        let server = self.server()?;
        if cells > 0 {
            put_cells(&server, "load-0", cells)?;
        }
        let mut load = Load::new(server.address, thin(&server)?, 1, 1, 0)?;
        load.join()?;
        load.pipeline(0, WINDOW, Duration::from_secs(1))?;
        load.pipeline(0, WINDOW, Duration::from_secs(seconds))
    }

    /// Memory of an idle server, of idle connections of one room, and of open rooms of 100 cells.
    fn memory(&mut self) {
        let measured = self.memory_figures();
        let [idle, connection, room] = match measured {
            Ok(figures) => figures.map(Ok),
            Err(reason) => std::array::from_fn(|_| Err(reason.clone())),
        };
        self.goal("memory_idle", "memory: idle server", "MB", Some(20.0), Some(10.0), idle);
        self.goal("memory_connection", "memory: an idle connection", "KB", Some(8.0), Some(4.0), connection);
        self.goal("memory_room", "memory: an open room of 100 cells", "KB", Some(30.0), Some(8.0), room);
    }

    fn memory_figures(&self) -> Outcome<[f64; 3]> {
        const CONNECTIONS: u32 = 5_000;
        const ROOMS: u32 = 1_000;
        let pause = || std::thread::sleep(Duration::from_secs(1));
        let server = self.server()?;
        pause();
        let idle = server.memory()? as f64;
        let mut load = Load::new(server.address, thin(&server)?, 1, CONNECTIONS, 0)?;
        let before = server.memory()? as f64;
        load.join()?;
        load.settle(Duration::from_secs(2))?;
        let connection = (server.memory()? as f64 - before) / f64::from(CONNECTIONS);
        drop((load, server));

        let server = self.server()?;
        for room in 0..ROOMS {
            put_cells(&server, &format!("load-{room}"), 100)?;
        }
        let mut load = Load::new(server.address, thin(&server)?, ROOMS, 1, 0)?;
        load.join()?;
        load.settle(Duration::from_secs(2))?;
        let room = (server.memory()? as f64 - idle) / f64::from(ROOMS) - connection;
        Ok([idle / 1e6, connection / 1e3, room / 1e3])
    }

    fn totals(&mut self) {
        if self.setting.wants("a") {
            let name = "highest rate of deliveries without loss";
            let best = self.deliveries_per_second_max;
            self.add(Row {
                better: Better::Higher,
                ..row("deliveries", name, "1/s", Some(2e6), Some(15e6), Ok(best))
            });
        }
        let name = match self.has_metrics {
            true => "digest mismatches, all workloads",
            false => "digest mismatches, by the replicas (the server has no metrics)",
        };
        self.goal("mismatches", name, "", Some(0.0), Some(0.0), Ok(self.mismatches));
    }

    fn joined(&self, server: &Server, documents: u32, users: u32) -> Outcome<Load> {
        let replica_clients = if documents == 1 { REPLICA_CLIENTS } else { 0 };
        let mut load = Load::new(server.address, thin(server)?, documents, users, replica_clients)?;
        load.join()?;
        Ok(load)
    }

    fn load(
        &mut self,
        server: &Server,
        documents: u32,
        users: u32,
        pace: Pace,
        joiners: u32,
    ) -> Outcome<Result> {
        let replica_clients = if documents == 1 { REPLICA_CLIENTS } else { 0 };
        let mut load = Load::new(server.address, thin(server)?, documents, users, replica_clients)?;
        let join = load.join()?;
        let own = std::process::id();
        let (server_before, own_before) = (server.processor_seconds()?, processor_seconds(own)?);
        let started = std::time::Instant::now();
        let (tally, joined_meanwhile) = load.write(pace, joiners)?;
        let seconds = started.elapsed().as_secs_f64();
        let result = Result {
            server_cores: (server.processor_seconds()? - server_before) / seconds,
            generator_cores: (processor_seconds(own)? - own_before) / seconds,
            memory: server.memory()? as f64 / 1e6,
            commit_p99: commit_p99(server),
            tally,
            join,
            joined_meanwhile,
        };
        self.mismatches += result.tally.mismatches as f64;
        match server.metric("quadrille_digest_mismatches_total") {
            Some(count) => self.mismatches += count,
            None => self.has_metrics = false,
        }
        if let Some(fault) = &result.tally.first_fault {
            eprintln!("  {} faults, the first: {fault}", result.tally.faults);
        }
        Ok(result)
    }

    /// Adds the p99 as a row with goals, and all other figures as details.
    fn latency(
        &mut self,
        key: &str,
        name: &str,
        must: Option<f64>,
        aim: Option<f64>,
        result: Outcome<Result>,
    ) {
        let p99 = match &result {
            // Lost deliveries have no delay and must not improve the figure.
            Ok(result) if result.tally.lost() + result.tally.faults > 0 => {
                Err(format!("{} lost, {} faults", result.tally.lost(), result.tally.faults))
            }
            Ok(result) => Ok(result.tally.delivery.quantile(0.99)),
            Err(reason) => Err(reason.clone()),
        };
        self.goal(key, &format!("{name}, p99"), "ms", must, aim, p99);
        let Ok(result) = result else { return };
        let tally = &result.tally;
        for (label, value, unit) in [
            ("delivery p50", tally.delivery.quantile(0.5), "ms"),
            ("delivery p95", tally.delivery.quantile(0.95), "ms"),
            ("delivery p99", tally.delivery.quantile(0.99), "ms"),
            ("delivery max", tally.delivery.max(), "ms"),
            ("acknowledgement p99", tally.acknowledgement.quantile(0.99), "ms"),
            ("operations", tally.writes as f64 / tally.seconds, "1/s"),
            ("deliveries", tally.delivery.count() as f64 / tally.seconds, "1/s"),
            ("not delivered", tally.lost() as f64, ""),
            ("connections lost", tally.faults as f64, ""),
            ("joining p99", result.join.quantile(0.99), "ms"),
            ("server", result.server_cores, "cores"),
            ("generator", result.generator_cores, "cores"),
            ("server memory", result.memory, "MB"),
            ("commit to the disk p99, at most", result.commit_p99.unwrap_or(f64::NAN), "ms"),
        ] {
            self.detail(
                &format!("{key}_{}", label.replace(' ', "_")),
                &format!("{name}: {label}"),
                unit,
                value,
            );
        }
    }

    pub fn goal(
        &mut self,
        key: &str,
        name: &str,
        unit: &'static str,
        must: Option<f64>,
        aim: Option<f64>,
        value: Outcome<f64>,
    ) {
        self.add(row(key, name, unit, must, aim, value));
    }

    fn add(&mut self, row: Row) {
        match &row.measured[0] {
            Some(Measured::Failed(reason)) => eprintln!("  {}: {reason}", row.name),
            Some(measured) => {
                eprintln!(
                    "  {}: {} {}",
                    row.name,
                    measured.best(row.better).map_or(String::new(), show),
                    row.unit
                );
            }
            None => {}
        }
        self.table.rows.push(row);
    }

    pub fn detail(&mut self, key: &str, name: &str, unit: &'static str, value: f64) {
        self.details.rows.push(row(key, name, unit, None, None, Ok(value)));
    }
}

/// One room with increasing numbers of users, in Quadrille with its journal and in the peers in memory.
fn beside_peers(setting: &Setting) -> Table {
    let sizes: &[u32] = if setting.is_quick { &[100, 300, 1_000] } else { &[100, 300, 700, 1_000, 1_400] };
    let mut columns = vec!["Quadrille", "Quadrille, journal in memory"];
    columns.extend(PEERS.iter().map(|peer| peer.name));
    let mut table = Table::new("One room beside others, p99; theirs keep nothing on a disk", &columns);
    let counted = if setting.is_quick { 5 } else { 12 };
    let pace =
        Pace { period: PERIOD, warm_up: Duration::from_secs(2), counted: Duration::from_secs(counted) };
    let mut has_failed = [false; PEERS.len()];
    for users in sizes.iter().copied() {
        let ours = Server::start_with(setting, &ARGUMENTS).and_then(|server| {
            beside(server.address, thin(&server)?, users, pace, || server.processor_seconds())
        });
        let in_memory = Server::start_in_memory(setting, &ARGUMENTS)
            .unwrap_or(Err("no file system in memory".to_owned()))
            .and_then(|server| {
                beside(server.address, thin(&server)?, users, pace, || server.processor_seconds())
            });
        let mut measured = vec![ours, in_memory];
        for (peer, has_failed) in PEERS.iter().zip(&mut has_failed) {
            if *has_failed {
                measured.push(Err("gave up before".to_owned()));
                continue;
            }
            let theirs = peer.start(setting, 1).and_then(|server| {
                beside(server.address, (peer.client_protocol)(), users, pace, || server.processor_seconds())
            });
            // A peer whose p99 exceeds half a second is not measured with more users.
            *has_failed = theirs.as_ref().map_or(true, |(p99, _)| *p99 > 500.0);
            measured.push(theirs);
        }
        let cell = |value: Outcome<f64>| {
            Some(value.map_or_else(Measured::Failed, |value| Measured::Values(vec![value])))
        };
        let name = format!("{} users", show(f64::from(users)));
        for (index, (what, unit)) in [("p99", "ms"), ("server", "cores")].into_iter().enumerate() {
            let mut line =
                row(&format!("peers_{users}_{what}"), &format!("{name}, {what}"), unit, None, None, Ok(0.0));
            let pick = |(p99, cores): &(f64, f64)| if index == 0 { *p99 } else { *cores };
            line.measured =
                measured.iter().map(|result| cell(result.as_ref().map(pick).map_err(Clone::clone))).collect();
            table.rows.push(line);
        }
        eprintln!("  beside peers: {users} users");
    }
    table
}

fn commit_p99(server: &Server) -> Option<f64> {
    server.quantile("quadrille_commit_seconds", 0.99).map(|seconds| seconds * 1e3)
}

/// p99 of delivery in milliseconds, and processor cores that the server uses.
fn beside(
    address: SocketAddr,
    client_protocol: Box<dyn ClientProtocol>,
    users: u32,
    pace: Pace,
    seconds: impl Fn() -> Outcome<f64>,
) -> Outcome<(f64, f64)> {
    let mut load = Load::new(address, client_protocol, 1, users, 0)?;
    load.join()?;
    let (before, started) = (seconds()?, std::time::Instant::now());
    let (tally, _) = load.write(pace, 0)?;
    let cores = (seconds()? - before) / started.elapsed().as_secs_f64();
    match (&tally.first_fault, tally.lost()) {
        (Some(fault), _) => Err(fault.clone()),
        (None, 0) => Ok((tally.delivery.quantile(0.99), cores)),
        (None, lost) => Err(format!("{} % not delivered", lost * 100 / tally.deliveries_expected.max(1))),
    }
}

fn row(
    key: &str,
    name: &str,
    unit: &'static str,
    must: Option<f64>,
    aim: Option<f64>,
    value: Outcome<f64>,
) -> Row {
    let measured = match value {
        Ok(value) => Measured::Values(vec![value]),
        Err(reason) => Measured::Failed(reason),
    };
    Row {
        key: key.to_owned(),
        name: name.to_owned(),
        unit,
        better: Better::Lower,
        must,
        aim,
        contains: "",
        measured: vec![Some(measured)],
    }
}

/// A thin client that writes into the first sheet of the room, whose identity a replica looks up.
pub fn thin(server: &Server) -> Outcome<Box<ThinClient>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let client = runtime.block_on(Client::join(server.address, "load-0", 0))?;
    let sheet: SheetId = client.replica.document().workbook().sheets()[0].id();
    Ok(Box::new(ThinClient::new(sheet)))
}

/// Writes about `cells` cells: column A for the users, eight columns of numbers, a column of formulas over
/// them, and a formula that counts the users' writes.
fn put_cells(server: &Server, room: &str, cells: u32) -> Outcome<()> {
    const COLUMNS: u32 = 10;
    let mut csv = String::new();
    for row in 1..=cells / COLUMNS {
        csv.push_str(if row == 1 { "," } else { ",," });
        if row == 1 {
            csv.push_str("=COUNTA(A1:A1000000),");
        }
        for column in 3..COLUMNS {
            csv.push_str(&format!("{}.5,", row * 7 + column));
        }
        csv.push_str(&format!("=C{row}*2+D{row}\n"));
    }
    let url = server.url(&format!("/api/v1/rooms/{room}"));
    let reply = ureq::put(&url).header("content-type", "text/csv").send(csv);
    reply.map(|_| ()).map_err(|error| format!("PUT {url}: {error}"))
}
