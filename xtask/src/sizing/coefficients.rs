//! What each thing costs, as the benchmarks have measured it.

use std::fs;

use serde_json::Value as Json;

use crate::project::Project;

/// A measured cost, with where it is from.
pub struct Coefficient {
    pub value: f64,
    pub unit: &'static str,
    pub what: &'static str,
    pub file: &'static str,
}

/// The costs of an installation.
pub struct Coefficients {
    /// Memory of a connection in KB.
    pub connection: Coefficient,
    /// Memory of an open workbook of 100 cells in KB.
    pub workbook: Coefficient,
    /// Memory of a cell in bytes.
    pub cell: Coefficient,
    /// Processor time of a stored edit with its delivery to one other person, in µs.
    pub edit: Coefficient,
    /// Processor time of all servers for one more delivery, in µs.
    pub delivery: Coefficient,
    /// The same relayed, as a ratio.
    pub relayed: Coefficient,
    /// Edits that one PostgreSQL database stores a second, with many workbooks in a commit.
    pub stored: Coefficient,
    /// Commits for single workbooks that one PostgreSQL database makes a second: a workbook is claimed when
    /// it is opened.
    pub claims: Coefficient,
    /// Sign-ins with a password a second, each of which costs a hash, on the two cores of the benchmark.
    pub sign_ins: Coefficient,
}

impl Coefficients {
    pub fn read(project: &Project) -> Result<Coefficients, String> {
        let read = |file: &str| -> Result<Json, String> {
            let path = format!("bench/results/{file}");
            let text =
                fs::read_to_string(project.root.join(&path)).map_err(|error| format!("{path}: {error}"))?;
            serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))
        };
        let (rooms, cluster, engine) = (read("rooms.json")?, read("cluster.json")?, read("engine.json")?);
        let (storage, access) = (read("storage.json")?, read("access.json")?);
        let one_room =
            storage["commits"].as_array().into_iter().flatten().find(|row| row["roomsInCommit"] == 1);
        let claims = one_room.and_then(|row| row["postgresql"]["operationsPerSecond"].as_f64());
        let (cores, edits) = (row(&rooms, "b_9000x2_fast_server")?, row(&rooms, "b_9000x2_fast_operations")?);
        Ok(Coefficients {
            connection: Coefficient {
                value: row(&rooms, "memory_connection")?,
                unit: "KB",
                what: "memory of a connection",
                file: "rooms.json",
            },
            workbook: Coefficient {
                value: row(&rooms, "memory_room")?,
                unit: "KB",
                what: "memory of an open workbook of 100 cells",
                file: "rooms.json",
            },
            cell: Coefficient {
                value: row(&engine, "load_bytes")?,
                unit: "bytes",
                what: "memory of each further cell",
                file: "engine.json",
            },
            edit: Coefficient {
                value: cores / edits * 1e6,
                unit: "µs",
                what: "processor time of an edit, stored and delivered to one other person",
                file: "rooms.json",
            },
            delivery: Coefficient {
                value: row(&cluster, "direct_processor")?,
                unit: "µs",
                what: "processor time of each further delivery",
                file: "cluster.json",
            },
            relayed: Coefficient {
                value: row(&cluster, "relay_processor_ratio")?.max(1.0),
                unit: "times",
                what: "processor time of a relayed delivery (at least 1)",
                file: "cluster.json",
            },
            stored: Coefficient {
                value: storage["best"].as_f64().ok_or("storage.json: no best")?,
                unit: "per second",
                what: "edits that one database stores",
                file: "storage.json",
            },
            claims: Coefficient {
                value: claims.ok_or("storage.json: no commits of one room")?,
                unit: "per second",
                what: "workbooks that one database lets servers claim, one commit each",
                file: "storage.json",
            },
            sign_ins: Coefficient {
                value: figure(&access, "many addresses: attempts answered as wrong")?,
                unit: "per second",
                what: "sign-ins with a password on two cores",
                file: "access.json",
            },
        })
    }

    /// All of them, for the table of the page.
    pub fn all(&self) -> [&Coefficient; 9] {
        [
            &self.connection,
            &self.workbook,
            &self.cell,
            &self.edit,
            &self.delivery,
            &self.relayed,
            &self.stored,
            &self.claims,
            &self.sign_ins,
        ]
    }
}

/// The best value of a row of a file with tables.
fn row(results: &Json, name: &str) -> Result<f64, String> {
    let tables = results["tables"].as_array().into_iter().flatten();
    let mut rows = tables.filter_map(|table| table["rows"][name]["measured"]["Quadrille"]["best"].as_f64());
    rows.next().ok_or_else(|| format!("bench/results: no row {name}"))
}

/// A value of a file with figures.
fn figure(results: &Json, name: &str) -> Result<f64, String> {
    results["figures"][name]["value"].as_f64().ok_or_else(|| format!("bench/results: no figure {name}"))
}
