//! `quadrille serve`: from settings to a running server, and its end.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::Failure;
use crate::cli::ServeArguments;
use crate::config::{LogFormat, Settings, SettingsSource};
use crate::http::{self, App, FixedHeaders};
use crate::limits;
use crate::rates::Rates;
use crate::rooms::Rooms;

/// The exit code after the storage failed; see `docs/configuration.md`.
pub const STORAGE_FAILED: i32 = 3;

pub fn serve(arguments: ServeArguments) -> Result<(), Failure> {
    let file = match &arguments.config {
        Some(path) => SettingsSource::from_file(path).map_err(Failure::Misconfigured)?,
        None => SettingsSource::default(),
    };
    let settings = Arc::new(arguments.settings.or(file));
    start_logging(&settings)?;
    if !settings.trace.as_os_str().is_empty() {
        crate::trace::start(&settings.trace).map_err(Failure::Failed)?;
    }
    let connections_max = settings.connections_max.min(files_max().saturating_sub(limits::FILES_RESERVED));
    let rates = Arc::new(Rates::new(&settings).map_err(Failure::Misconfigured)?);
    let fixed_headers = Arc::new(FixedHeaders::new(&settings).map_err(Failure::Misconfigured)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Failed(format!("cannot start threads: {error}")))?;
    let served = runtime.block_on(run(settings, fixed_headers, rates, connections_max));
    // Whatever still runs after a drain that took too long is cut off here.
    runtime.shutdown_background();
    served
}

async fn run(
    settings: Arc<Settings>,
    fixed_headers: Arc<FixedHeaders>,
    rates: Arc<Rates>,
    connections_max: usize,
) -> Result<(), Failure> {
    // The port first: when another server has it, this one has not touched the data.
    let listener = TcpListener::bind(&settings.listen).await.map_err(|error| {
        Failure::Failed(format!("cannot listen on {}: {}", settings.listen, plain(&error)))
    })?;
    let address =
        listener.local_addr().map_err(|error| Failure::Failed(format!("cannot listen: {error}")))?;
    let rooms = Rooms::start(&settings, storage_failed).map_err(Failure::Failed)?;
    let mut terminate = stop_signal(SignalKind::terminate())?;
    let mut interrupt = stop_signal(SignalKind::interrupt())?;

    let (stop, stopping) = watch::channel(false);
    let app = App {
        rooms: rooms.clone(),
        settings: Arc::clone(&settings),
        rates,
        fixed_headers,
        stop: stopping.clone(),
    };
    let serving = tokio::spawn(http::accept::serve(listener, http::router(app), connections_max, stopping));
    announce(address);

    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("stopping: sessions are asked to connect again later");
    stop.send_replace(true);
    rooms.close_sessions();
    let ends = Instant::now() + Duration::from_secs(settings.drain_seconds);
    let drained = async {
        // Requests under way may still change rooms, so the rooms stop after the last of them.
        let _ = serving.await;
        // Something of the time stays for what is not a snapshot.
        let left = ends.saturating_duration_since(Instant::now()) * 3 / 4;
        rooms.stop(Instant::now() + left.min(Duration::from_secs(limits::STOP_SNAPSHOT_SECONDS_MAX))).await;
    };
    tokio::select! {
        _ = tokio::time::timeout_at(ends.into(), drained) => {}
        _ = terminate.recv() => tracing::warn!("told to stop twice: ending at once"),
        _ = interrupt.recv() => tracing::warn!("told to stop twice: ending at once"),
    }
    tracing::info!("stopped");
    Ok(())
}

/// Every connection is an open file, and the usual bound of 1,024 is a default for programs that use `select`: raises it
/// as far as the system lets us, and says how far that is.
fn files_max() -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit of open files stays low");
    }
    getrlimit(Resource::Nofile).current.map_or(usize::MAX, |files| files as usize)
}

/// The line that people and programs wait for, on standard output.
fn announce(address: SocketAddr) {
    let host = match address.ip() {
        ip if ip.is_loopback() || ip.is_unspecified() => "localhost".to_owned(),
        std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        ip => ip.to_string(),
    };
    let mut out = std::io::stdout().lock();
    // Who closed our standard output does not want to know.
    let _ = writeln!(out, "Quadrille listens on {address}: open http://{host}:{}", address.port());
    let _ = out.flush();
}

fn stop_signal(kind: SignalKind) -> Result<tokio::signal::unix::Signal, Failure> {
    signal(kind).map_err(|error| Failure::Failed(format!("cannot listen for signals: {error}")))
}

/// Nothing may be acknowledged after a failed sync, and no later success would make the lost write durable.
fn storage_failed(error: quadrille_journal::StorageError) {
    tracing::error!(%error, "the storage failed; ending without acknowledging anything more");
    eprintln!("quadrille: {error}");
    std::process::exit(STORAGE_FAILED);
}

fn start_logging(settings: &Settings) -> Result<(), Failure> {
    let filter = tracing_subscriber::EnvFilter::try_new(&settings.log)
        .map_err(|error| Failure::Misconfigured(format!("log filter '{}': {error}", settings.log)))?;
    let lines =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    match settings.log_format {
        LogFormat::Text => lines.with_ansi(false).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    Ok(())
}

/// `address in use` instead of `Address already in use (os error 98)`.
fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => "another program uses this port".into(),
        std::io::ErrorKind::PermissionDenied => "not allowed".into(),
        std::io::ErrorKind::AddrNotAvailable => "this machine has no such address".into(),
        _ => error.to_string(),
    }
}
