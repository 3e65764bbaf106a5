//! `quadrille serve`: starts the server and stops it.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quadrille_access::{AccessError, Use};
use quadrille_protocol::RoomName;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::command_error::{CommandError, STORAGE_FAILED};
use crate::access::{
    Access, Assertions, BreachedPasswords, ContextWords, DefaultAccess, Document, EtherCalcKey, Listeners,
    Passwords, ProxySignIn,
};
use crate::cli::ServeArguments;
use crate::config::{AccessMode, LogFormat, Settings, SettingsSource};
use crate::guarded_resolver::Destinations;
use crate::host_tokens::HostTokens;
use crate::http::accept::FreeConnections;
use crate::http::{
    self, App, EtherCalcClipboards, EtherCalcPeers, FixedHeaders, Hosts, OwnerRelay, RunningKeys, SocketIo,
};
use crate::imports::{ImportWorker, Importer, Imports, WebCache};
use crate::limits;
use crate::mail::Mailer;
use crate::maintenance;
use crate::mcp::agents::Agents;
use crate::notifications::{Notifications, Notifier, RunningNotifier};
use crate::openid::OpenId;
use crate::published::PublishedPages;
use crate::quotas::Quotas;
use crate::rate_limits::RateLimiter;
use crate::rooms::Rooms;
use crate::storage_location::StorageLocation;
use crate::time_triggers::TimeTriggers;
use crate::tls::{Maintenance, Tls};
use crate::webhooks::{DeliveryWorker, Dispatcher, Webhooks};

/// Serves workbooks until a signal stops it.
///
/// # Errors
///
/// Fails when the configuration is invalid, the address is in use or the data directory cannot be
/// opened.
pub fn serve(arguments: ServeArguments) -> Result<(), CommandError> {
    let file = match &arguments.config {
        Some(path) => SettingsSource::from_file(path).map_err(CommandError::Misconfigured)?,
        None => SettingsSource::default(),
    };
    let settings = Arc::new(arguments.settings.or(file));
    start_logging(&settings)?;
    settings.check_tenants().map_err(CommandError::Misconfigured)?;
    settings.check_node_url().map_err(CommandError::Misconfigured)?;
    if !settings.trace.as_os_str().is_empty() {
        crate::trace::start(&settings.trace, &settings.node_url).map_err(CommandError::Failed)?;
    }
    let connections_max =
        settings.connections_max.min(raise_open_files_limit().saturating_sub(limits::FILES_RESERVED));
    let rate_limiter = Arc::new(RateLimiter::new(&settings).map_err(CommandError::Misconfigured)?);
    let fixed_headers = Arc::new(FixedHeaders::new(&settings).map_err(CommandError::Misconfigured)?);
    // Refuses unusable certificates before anything else starts.
    let tls = Tls::new(&settings).map_err(CommandError::Misconfigured)?;
    let storage = StorageLocation::of(&settings).map_err(CommandError::Misconfigured)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::Failed(format!("cannot start threads: {error}")))?;
    let served = runtime.block_on(run(settings, storage, fixed_headers, rate_limiter, tls, connections_max));
    // Ends tasks that still run after the drain timed out.
    runtime.shutdown_background();
    served
}

async fn run(
    settings: Arc<Settings>,
    storage: StorageLocation,
    fixed_headers: Arc<FixedHeaders>,
    rate_limiter: Arc<RateLimiter>,
    tls: Option<(Tls, Maintenance)>,
    connections_max: usize,
) -> Result<(), CommandError> {
    // The port first: if another server uses it, this one does not touch the data.
    let (listener, address) = listen(&settings.listen).await?;
    let redirecting = match settings.redirect_listen.as_str() {
        "" => None,
        address => Some(listen(address).await?),
    };
    let machine = http::machine_name();
    let hosts = Hosts::new(&settings.own_urls(), Some(address.ip()), machine.as_deref())
        .map_err(CommandError::Misconfigured)?;
    let hosts = Arc::new(hosts);
    let openid = OpenId::new(&settings.openid).map_err(CommandError::Misconfigured)?;
    let proxy_sign_in = ProxySignIn::new(&settings).map_err(CommandError::Misconfigured)?;
    let assertions = assertions(&settings).map_err(CommandError::Misconfigured)?;
    let destinations = Destinations::parse(&settings.webhook_private_networks, &settings.webhook_hosts)
        .map_err(CommandError::Misconfigured)?;
    let webhooks = Webhooks::new(destinations.clone());
    let own_url = own_url(&settings, address);
    let imports = Imports::default();
    let arriving = imports.clone();
    let web = WebCache::new(&settings, move |url| arriving.arrived(url));
    let web = web.map_err(CommandError::Misconfigured)?;
    let told = (webhooks.clone(), imports.clone());
    let opened = open_storage(storage, own_url.clone(), Arc::clone(&settings), told, assertions).await;
    let (rooms, access) = opened.map_err(CommandError::Failed)?;
    if rooms.is_shared() && settings.node_url.is_empty() && address.ip().is_unspecified() {
        tracing::warn!(
            %address,
            "other servers of the database cannot reach this one at the address on which it listens; set `node_url`"
        );
    }
    let quotas = Quotas::start(&settings, &access, &rooms).await;
    let quotas = quotas.map_err(|error| CommandError::Failed(error.message))?;
    let time_triggers = TimeTriggers::open(&settings.data).map_err(CommandError::Failed)?;
    let mut terminate = stop_signal(SignalKind::terminate())?;
    let mut interrupt = stop_signal(SignalKind::interrupt())?;

    let breached = match settings.breached_passwords.as_os_str().is_empty() {
        true => None,
        false => {
            Some(BreachedPasswords::open(&settings.breached_passwords).map_err(CommandError::Misconfigured)?)
        }
    };
    let (stop, stopping) = watch::channel(false);
    let mailer = Mailer::new(&settings, stopping.clone()).map_err(CommandError::Misconfigured)?;
    if settings.ethercalc_mail && mailer.is_none() {
        return Err(CommandError::Misconfigured("ethercalc_mail needs a mail server: set smtp_url".into()));
    }
    let relay = OwnerRelay::new(&rooms, &own_url);
    let app = App {
        rooms: rooms.clone(),
        settings: Arc::clone(&settings),
        rate_limiter,
        fixed_headers,
        access: access.clone(),
        proxy_sign_in: proxy_sign_in.map(Arc::new),
        passwords: Passwords::new(
            ContextWords::of_server(&settings),
            breached,
            rooms.metrics().password_hashes.clone(),
        ),
        attempts: Arc::default(),
        openid,
        used_states: Arc::default(),
        hosts: Arc::clone(&hosts),
        quotas,
        denials: Arc::default(),
        maintaining: Arc::default(),
        mailer: mailer.clone(),
        ethercalc_clipboards: EtherCalcClipboards::default(),
        time_triggers: Arc::new(time_triggers),
        agents: Agents::default(),
        ethercalc_peers: EtherCalcPeers::default(),
        socket_io: SocketIo::default(),
        running_keys: RunningKeys::default(),
        webhooks: webhooks.clone(),
        published: PublishedPages::new(rooms.clone(), access.clone(), relay.clone(), stopping.clone()),
        relay,
        stop: stopping.clone(),
    };
    let reporting = webhooks.clone();
    let notifications =
        mailer.as_ref().filter(|_| settings.mail_notifications).map(|_| Notifications::default());
    let (noting, notifier) = (notifications.clone(), start_notifier(&app, notifications));
    rooms.change_feeds().on_durable(move |room, base, up_to| {
        reporting.durable(room, base, up_to);
        if let Some(notifications) = &noting {
            notifications.durable(room, base, up_to);
        }
    });
    let worker = DeliveryWorker::new(rooms.clone(), access.clone(), destinations);
    let dispatcher = Dispatcher::new(worker, webhooks, &settings.webhook_retry_seconds, stopping.clone());
    tokio::spawn(dispatcher.run());
    let is_own_host = Arc::new(move |host: &str| hosts.is_ours(host));
    let worker = ImportWorker::new(rooms.clone(), access.clone(), web, app.relay.clone(), is_own_host);
    let reporting = imports.clone();
    rooms.import_listener().set(move |room, event, has_imports| reporting.report(room, event, has_imports));
    tokio::spawn(Importer::new(worker, imports, stopping.clone()).run());
    let triggered = tokio::spawn(http::repeat_time_triggers(app.clone(), stopping.clone()));
    let (balanced, every) = (rooms.clone(), Duration::from_secs(settings.balance_seconds));
    let balancing = stopping.clone();
    tokio::spawn(async move { balanced.balance(every, balancing).await });
    let maintained = tokio::spawn(maintenance::repeat(app.clone(), stopping.clone()));
    let connections = FreeConnections::new(connections_max);
    let (tls, certificate) = tls.unzip();
    if let Some((listener, redirecting)) = redirecting {
        let router = http::redirect::router(app.clone(), address.port());
        tokio::spawn(http::accept::serve(listener, None, router, connections.clone(), stopping.clone()));
        tracing::info!(address = %redirecting, "redirecting to https");
    }
    if let Some(certificate) = certificate {
        tokio::spawn(certificate.run());
    }
    let scheme = if tls.is_some() { "https" } else { "http" };
    let serving = tokio::spawn(http::accept::serve(listener, tls, http::router(app), connections, stopping));
    announce(scheme, address);

    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("stopping: clients are told to reconnect later");
    stop.send_replace(true);
    rooms.close_sessions();
    let ends = Instant::now() + Duration::from_secs(settings.drain_seconds);
    let drained = async {
        // Requests in progress may still change rooms, so the rooms stop after the last of them.
        let _ = serving.await;
        let _ = maintained.await;
        let _ = triggered.await;
        // A mail server that does not answer must not keep the rooms from storing snapshots.
        let mailed = ends.saturating_duration_since(Instant::now()) / 2;
        let mailing = async {
            if let Some(notifier) = notifier {
                notifier.finish().await;
            }
            if let Some(mailer) = mailer {
                mailer.finish().await;
            }
        };
        if tokio::time::timeout(mailed, mailing).await.is_err() {
            tracing::warn!("some messages were not sent: the mail server is too slow");
        }
        // A quarter of the time is reserved for everything but snapshots.
        let left = ends.saturating_duration_since(Instant::now()) * 3 / 4;
        rooms.stop(Instant::now() + left.min(Duration::from_secs(limits::STOP_SNAPSHOT_SECONDS_MAX))).await;
        let _ = tokio::task::spawn_blocking(move || access.stop()).await;
    };
    tokio::select! {
        _ = tokio::time::timeout_at(ends.into(), drained) => {}
        _ = terminate.recv() => tracing::warn!("second stop signal: ending at once"),
        _ = interrupt.recv() => tracing::warn!("second stop signal: ending at once"),
    }
    tracing::info!("stopped");
    Ok(())
}

/// Starts to tell people of what concerns them in comments, if the settings say so.
fn start_notifier(app: &App, changes: Option<Notifications>) -> Option<RunningNotifier> {
    let notifier = Notifier {
        rooms: app.rooms.clone(),
        access: app.access.clone(),
        mailer: app.mailer.clone()?,
        attempts: Arc::clone(&app.attempts),
        settings: Arc::clone(&app.settings),
        changes: changes?,
    };
    Some(notifier.start())
}

/// Where the other servers of a database reach this one.
fn own_url(settings: &Settings, address: SocketAddr) -> String {
    match settings.node_url.as_str() {
        "" if settings.has_own_tls() => format!("https://{address}"),
        "" => format!("http://{address}"),
        url => url.to_owned(),
    }
}

/// Opens the storage of rooms and the access store, on a thread that may block: clients of a database wait
/// for its answers.
async fn open_storage(
    storage: StorageLocation,
    own_url: String,
    settings: Arc<Settings>,
    told: (Webhooks, Imports),
    assertions: Assertions,
) -> Result<(Rooms, Access), String> {
    let open = move || {
        let rooms = Rooms::start(&storage, &own_url, &settings, storage_failed)?;
        let access = open_access(&settings, &storage, &rooms, told, assertions);
        Ok((rooms, access.map_err(|error| error.to_string())?))
    };
    tokio::task::spawn_blocking(open).await.map_err(|error| error.to_string())?
}

/// Opens the access store of the storage that the rooms have locked.
fn open_access(
    settings: &Settings,
    storage: &StorageLocation,
    rooms: &Rooms,
    (webhooks, imports): (Webhooks, Imports),
    assertions: Assertions,
) -> Result<Access, AccessError> {
    let store = storage.open_access()?;
    let default_access = DefaultAccess {
        role: settings.default_role.into(),
        needs_account: settings.access == AccessMode::Accounts,
        needs_ethercalc_code: assertions.ethercalc_key.is_some(),
    };
    let (changing, revoking, asking) = (rooms.clone(), rooms.clone(), rooms.clone());
    let (reporting, reading) = (webhooks.clone(), webhooks.clone());
    let listeners = Listeners {
        changed: Box::new(move |room: &RoomName, document: &Document| {
            changing.reauthorize(room, document.clone(), default_access);
            imports.access_changed(room);
            if document.is_none() {
                reporting.room_deleted(room);
            }
        }),
        revoked: Box::new(move |revoked| revoking.revoke(revoked)),
        webhooks: Box::new(move || reading.edited_elsewhere()),
        is_away: Box::new(move || asking.is_storage_away()),
    };
    let access = Access::start(store, default_access, assertions, settings.session_times(), listeners)?;
    let listed = access.clone();
    rooms.on_facts(move |room, facts| {
        listed.record_use(Use::Workbook { room: room.clone(), facts: Some(facts.clone()) });
    });
    Ok(access)
}

/// What verifies roles that host applications and EtherCalc's links give.
fn assertions(settings: &Settings) -> Result<Assertions, String> {
    let host_tokens = HostTokens::new(&settings.token_issuers, &settings.public_url)?;
    let key = settings.ethercalc_key.or_file("ethercalc_key", &settings.ethercalc_key_file)?;
    Ok(Assertions { host_tokens, ethercalc_key: key.as_deref().map(EtherCalcKey::new) })
}

async fn listen(address: &str) -> Result<(TcpListener, SocketAddr), CommandError> {
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| CommandError::Failed(format!("cannot listen on {address}: {}", describe(&error))))?;
    let address =
        listener.local_addr().map_err(|error| CommandError::Failed(format!("cannot listen: {error}")))?;
    Ok((listener, address))
}

/// Raises the limit of open files to the hard limit and returns it. Every connection is an open
/// file, and the usual soft limit of 1,024 is meant for programs that use `select`.
fn raise_open_files_limit() -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "cannot raise the limit of open files");
    }
    getrlimit(Resource::Nofile).current.map_or(usize::MAX, |files| files as usize)
}

/// Prints the address on standard output, which people and programs wait for.
fn announce(scheme: &str, address: SocketAddr) {
    let host = match address.ip() {
        ip if ip.is_loopback() || ip.is_unspecified() => "localhost".to_owned(),
        std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        ip => ip.to_string(),
    };
    let mut out = std::io::stdout().lock();
    // A closed standard output is not an error.
    let _ = writeln!(out, "Quadrille listens on {address}: open {scheme}://{host}:{}", address.port());
    let _ = out.flush();
}

fn stop_signal(kind: SignalKind) -> Result<tokio::signal::unix::Signal, CommandError> {
    signal(kind).map_err(|error| CommandError::Failed(format!("cannot listen for signals: {error}")))
}

/// Ends the process. Nothing may be acknowledged after a failed sync, because no later sync makes
/// the lost write durable.
fn storage_failed(error: quadrille_journal::StorageError) {
    tracing::error!(%error, "the storage failed; ending the process, no more changes are acknowledged");
    eprintln!("quadrille: {error}");
    std::process::exit(STORAGE_FAILED);
}

fn start_logging(settings: &Settings) -> Result<(), CommandError> {
    let filter = tracing_subscriber::EnvFilter::try_new(&settings.log)
        .map_err(|error| CommandError::Misconfigured(format!("log filter '{}': {error}", settings.log)))?;
    let lines =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    match settings.log_format {
        LogFormat::Text => lines.with_ansi(false).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    Ok(())
}

/// Describes common errors without the operating system's error number.
fn describe(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => "the port is in use by another program".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::AddrNotAvailable => "this machine has no such address".into(),
        _ => error.to_string(),
    }
}
