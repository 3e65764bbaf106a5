//! Import of a public data set of 200,000 rows: by the reader alone and into a room.

use std::fs;
use std::io::{BufRead, BufReader};
use std::time::Instant;

use quadrille_files::{FileFormat, Numbers, ReadOptions, ShouldContinue, WriteOptions, read, write};

use crate::report::Figures;
use crate::server::Server;
use crate::setting::{Outcome, Setting};

const DATA_SET: &str = "web/node_modules/vega-datasets/data/flights-200k.json";

/// Runs the workload.
pub fn run(setting: &Setting) -> Outcome<Figures> {
    let file = setting.root.join(DATA_SET);
    let json = fs::read(&file).map_err(|error| format!("{}: {error}; run npm ci in web/", file.display()))?;
    let parse = |format, bytes: &[u8]| {
        read(format, bytes, &ReadOptions::default(), &mut |_| ShouldContinue::Continue)
            .map_err(|error| error.to_string())
    };
    let workbook = parse(FileFormat::Json, &json)?.workbook;
    let options = WriteOptions { numbers: Numbers::Raw, ..WriteOptions::default() };
    let mut figures = Figures::new("flights-200k of vega-datasets: 200,000 rows of 3 numbers and a header");
    for format in [FileFormat::Csv, FileFormat::Xlsx] {
        let name = format.extension();
        let started = Instant::now();
        let bytes = write(&workbook, format, &options).map_err(|error| error.to_string())?;
        figures.add(format!("{name}: writing"), started.elapsed().as_secs_f64() * 1e3, "ms");
        figures.add(format!("{name}: size of the file"), bytes.len() as f64 / 1e6, "MB");
        let started = Instant::now();
        parse(format, &bytes)?;
        figures.add(format!("{name}: reading alone"), started.elapsed().as_secs_f64() * 1e3, "ms");

        let server = Server::start(setting)?;
        let before = server.memory()? as f64;
        let (first_ms, done_ms) = import(&server, &format!("flights.{name}"), &bytes)?;
        figures.add(format!("{name}: first report of progress"), first_ms, "ms");
        figures.add(format!("{name}: import into a room, durable"), done_ms, "ms");
        figures.add(
            format!("{name}: server memory at the most"),
            (server.memory_peak()? as f64 - before) / 1e6,
            "MB above idle",
        );
        figures.add(
            format!("{name}: server memory after"),
            (server.memory()? as f64 - before) / 1e6,
            "MB above idle",
        );
    }
    Ok(figures)
}

/// Imports a file; returns the time to the first and to the last line of the reply, in milliseconds.
fn import(server: &Server, name: &str, bytes: &[u8]) -> Outcome<(f64, f64)> {
    let url = server.url(&format!("/api/v1/rooms/bench/import?name={name}"));
    let started = Instant::now();
    let reply = ureq::post(&url).send(bytes).map_err(|error| format!("POST {url}: {error}"))?;
    let mut first = None;
    let mut last = String::new();
    for line in BufReader::new(reply.into_body().into_reader()).lines() {
        last = line.map_err(|error| format!("POST {url}: {error}"))?;
        first.get_or_insert(started.elapsed());
    }
    let done = started.elapsed();
    if !last.contains("\"done\"") {
        return Err(format!("the import ended with: {last}"));
    }
    Ok((first.unwrap_or(done).as_secs_f64() * 1e3, done.as_secs_f64() * 1e3))
}
