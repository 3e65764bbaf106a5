//! The page `docs/sizing.md`.

use std::fmt::Write;

use super::coefficients::Coefficients;
use super::week::{self, Installation, Peak, simulate};

/// Cells of an open workbook, on average.
const CELLS: f64 = 20_000.0;
/// Bytes of a stored edit with its keys and the index.
const BYTES_PER_EDIT: f64 = 200.0;
/// Bytes of a change on the network, with the frame.
const BYTES_PER_DELIVERY: f64 = 150.0;

/// A server, of which at most these parts are used at the peak, so that the others can take over from one.
const CORES: f64 = 8.0;
const MEMORY_GB: f64 = 32.0;
/// `connections_max` of a server, as it is by default.
const CONNECTIONS: f64 = 50_000.0;
const CORES_USED: f64 = 0.5;
const MEMORY_USED: f64 = 0.6;
/// Part of what a database can do that is used at the peak.
const DATABASE_USED: f64 = 0.5;
/// How often each server reads the heartbeats of all others.
const HEARTBEATS_PER_SECOND: f64 = 4.0;
/// Prices of an hour of such a server and of a database server, in any currency.
const SERVER_PRICE: f64 = 0.3;
const DATABASE_PRICE: f64 = 0.8;

/// What an installation needs at its peak.
struct Need {
    peak: Peak,
    memory_gb: f64,
    cores: f64,
    servers: f64,
    databases: f64,
}

fn need(installation: &Installation, costs: &Coefficients) -> Need {
    let peak = simulate(installation);
    let workbook_bytes = costs.workbook.value * 1e3 + CELLS * costs.cell.value;
    let memory_gb = (peak.sessions * costs.connection.value * 1e3 + peak.workbooks * workbook_bytes) / 1e9;
    let further = (peak.deliveries_per_second - peak.edits_per_second).max(0.0);
    let edits = peak.edits_per_second * costs.edit.value;
    let deliveries = further * costs.delivery.value * costs.relayed.value;
    let hashes = peak.sign_ins_per_second / costs.sign_ins.value * 2e6;
    let cores = (edits + deliveries + hashes) / 1e6;
    let by_cores = (cores / (CORES * CORES_USED)).ceil();
    let by_memory = (memory_gb / (MEMORY_GB * MEMORY_USED)).ceil();
    let by_connections = (peak.sessions / CONNECTIONS).ceil();
    let by_edits = peak.edits_per_second / (costs.stored.value * DATABASE_USED);
    let by_claims = peak.openings_per_second / (costs.claims.value * DATABASE_USED);
    Need {
        peak,
        memory_gb,
        cores,
        // One more, so that one can be lost or restarted.
        servers: by_cores.max(by_memory).max(by_connections) + 1.0,
        databases: by_edits.max(by_claims).ceil().max(1.0),
    }
}

/// The page for the costs.
pub fn render(costs: &Coefficients) -> String {
    let base = Installation { tenants: 35_000, people: 100 };
    let needs =
        [1, 10, 100].map(|times| need(&Installation { tenants: base.tenants * times, ..base }, costs));
    let mut page = String::from(HEAD);
    for costs in costs.all() {
        let value = number(costs.value);
        _ = writeln!(page, "| {} | {value} {} | `{}` |", costs.what, costs.unit, costs.file);
    }
    page.push_str(ASSUMPTIONS);
    for (what, value) in assumptions() {
        _ = writeln!(page, "| {what} | {value} |");
    }
    page.push_str(NEEDS);
    let mut row = |what: &str, of: &dyn Fn(&Need) -> String| {
        _ = writeln!(page, "| {what} | {} | {} | {} |", of(&needs[0]), of(&needs[1]), of(&needs[2]));
    };
    row("open sessions", &|need| number(need.peak.sessions));
    row("open workbooks", &|need| number(need.peak.workbooks));
    row("edits a second", &|need| number(need.peak.edits_per_second));
    row("deliveries a second", &|need| number(need.peak.deliveries_per_second));
    row("workbooks opened a second", &|need| number(need.peak.openings_per_second));
    row("sign-ins with a password a second", &|need| number(need.peak.sign_ins_per_second));
    row("memory, GB", &|need| number(need.memory_gb));
    row("processor time, cores", &|need| number(need.cores));
    row("network, Mbit/s", &|need| number(need.peak.deliveries_per_second * BYTES_PER_DELIVERY * 8.0 / 1e6));
    row("**servers** of 8 cores and 32 GB, with one to spare", &|need| number(need.servers));
    row("**databases**", &|need| number(need.databases));
    row("rows of heartbeats that the servers read a second", &|need| {
        number(HEARTBEATS_PER_SECOND * need.servers * (need.servers - 1.0))
    });
    row("records stored a day, GB", &|need| number(need.peak.edits_per_day * BYTES_PER_EDIT / 1e9));
    row("price of an hour", &|need| number(need.servers * SERVER_PRICE + need.databases * DATABASE_PRICE));
    let peak = &needs[0].peak;
    let day = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    _ = write!(
        page,
        "\nThe peak is on {} at {:02}:{:02} UTC, at {} times the mean of the week.\n",
        day[(peak.hour / 24.0) as usize % 7],
        peak.hour as u64 % 24,
        (peak.hour.fract() * 60.0) as u64,
        number(peak.peak_to_mean),
    );
    page.push_str(LIMITS);
    let mut limits = [
        ("edits stored by one database", costs.stored.value / peak.edits_per_second),
        ("workbooks claimed in one database", costs.claims.value / peak.openings_per_second),
        ("processor time of one server", CORES / needs[0].cores),
        ("memory of one server", MEMORY_GB / needs[0].memory_gb),
        ("connections of one server (`connections_max`, 50,000)", CONNECTIONS / peak.sessions),
    ];
    limits.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (what, times) in limits {
        _ = writeln!(page, "| {what} | {} |", number(times));
    }
    page.push_str(TAIL);
    page
}

fn assumptions() -> [(&'static str, String); 9] {
    [
        ("people of a tenant", "100 on average: of 100 tenants 40 have 10, 30 have 60, 22 have 150 and 8 have 565".into()),
        (
            "time zones",
            "of 100 tenants 35 in the Americas, 39 in Europe and Africa, 26 in Asia and Oceania; the days of a zone begin within an hour".into(),
        ),
        (
            "people with an open workbook",
            format!("{} % in the busiest hour of a working day, a tenth at the weekend", number(busiest_hour())),
        ),
        ("people in one workbook", number(week::PEOPLE_PER_WORKBOOK)),
        ("edits", "a third of those people make one in six seconds".into()),
        ("a workbook is open for", format!("{} minutes", number(week::OPEN_MINUTES))),
        ("cells of an open workbook", number(CELLS)),
        ("sign-ins with a password", "a tenth of the people, between 8 and 9 in the morning".into()),
        (
            "prices of an hour, in any currency",
            format!("{SERVER_PRICE} for a server of {CORES} cores and {MEMORY_GB} GB, {DATABASE_PRICE} for a database"),
        ),
    ]
}

fn busiest_hour() -> f64 {
    week::OPEN_BY_HOUR.iter().copied().fold(0.0, f64::max)
}

/// A number with at most three digits that count, and commas.
fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let digits = value.abs().log10().floor() as i32 + 1;
    let unit = 10_f64.powi((digits - 3).clamp(-2, 0));
    let rounded = match digits > 3 {
        true => (value / 10_f64.powi(digits - 3)).round() * 10_f64.powi(digits - 3),
        false => (value / unit).round() * unit,
    };
    let text = match digits {
        ..1 => format!("{rounded:.2}"),
        1 => format!("{rounded:.1}"),
        _ => format!("{rounded:.0}"),
    };
    let (whole, fraction) =
        text.split_once('.').map_or((text.as_str(), ""), |(whole, fraction)| (whole, fraction));
    let fraction = fraction.trim_end_matches('0');
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if fraction.is_empty() { grouped } else { format!("{grouped}.{fraction}") }
}

const HEAD: &str = "\
# Sizing

How many servers and databases an installation of many tenants needs. `cargo xtask sizing` writes
this page from the results of the benchmarks (`bench/results`); `cargo xtask tidy` fails when it is
not up to date. A week is simulated: each tenant has a size and a time zone, and its people open,
edit and close workbooks through the hours of their days.

## What things cost

Measured on two shared cores with all clients on the same machine, so a server of its own does more.

| what | measured | file |
|---|---|---|
";

const ASSUMPTIONS: &str = "
## What is assumed

Change these in `xtask/src/sizing` for an installation of your own.

| what | assumed |
|---|---|
";

const NEEDS: &str = "
## What is needed at the peak

35,000 tenants, and ten and a hundred times as many. Of a server at most half of the processor time,
three fifths of the memory and `connections_max` are used, so that the others can take over from
one, and of a database half of what it can do.

| at the peak | 35,000 tenants | 350,000 | 3,500,000 |
|---|---|---|---|
";

const LIMITS: &str = "
## What is reached first

At which multiple of 35,000 tenants a single part reaches its measured limit. Below 1, several are
needed already: servers share the rooms of a database, and
[several databases](operations-guide.md#several-databases) share the rooms.

| part | times 35,000 tenants |
|---|---|
";

const TAIL: &str = "
Two things are not shared. The first database has the accounts and the access of all workbooks; they
are read once by each server and kept, and written when somebody signs in or shares. And each server
reads the heartbeats of all others four times a second, so this work grows with the square of their
number. With hundreds of servers, divide the installation into several, each with its own tenants
and databases.
";

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_three_digits_that_count() {
        for (value, text) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (2.2, "2.2"),
            (40.4, "40"),
            (123.4, "123"),
            (132_788.3, "133,000"),
            (1_234_567.0, "1,230,000"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
