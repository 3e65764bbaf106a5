//! A connection to the database that is made again when it was lost.
//!
//! The calls block. A runtime of the connection's own drives it, so it needs no thread but the caller's.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio_postgres::Client;

use crate::address::Address;
use crate::error::Failure;
use crate::session::{ANSWER_TIMEOUT, Open, Session, timed_out};

/// The pause before the second attempt to connect; each further one is twice as long.
const RETRY_DELAY_MIN: Duration = Duration::from_millis(50);
/// The longest pause between two attempts to connect.
pub const RETRY_DELAY_MAX: Duration = Duration::from_secs(2);

/// A connection that is made again when it was lost.
pub struct Connection {
    address: Address,
    /// Names the connections of this value among those of the database.
    application_name: String,
    runtime: Runtime,
    open: Option<Open>,
    /// No attempt to connect is made before this time.
    retry_at: Instant,
    retry_delay: Duration,
    retry_delay_max: Duration,
    last_failure: Option<Failure>,
    /// Whether the database has been reached before: then it counts as away when it refuses.
    was_reached: bool,
    /// Whether another connection would not be the same, because this one is in a transaction.
    is_kept: bool,
}

impl Connection {
    /// Connects. No other connection of the database has the name.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub fn open(
        address: &Address,
        application_name: String,
        retry_delay_max: Duration,
    ) -> Result<Connection, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(|error| Failure::Other(format!("cannot start the client: {error}")))?;
        let mut connection = Connection {
            address: address.clone(),
            application_name,
            runtime,
            open: None,
            retry_at: Instant::now(),
            retry_delay: RETRY_DELAY_MIN,
            retry_delay_max,
            last_failure: None,
            was_reached: false,
            is_kept: false,
        };
        connection.connect()?;
        Ok(connection)
    }

    /// Runs statements. When the connection was lost before or during them, they are run once more on a new
    /// one, so running them twice must give the same result.
    ///
    /// # Errors
    /// `Away` when the database cannot be reached now; otherwise the error of `work`.
    pub fn run<T, E: From<Failure>>(
        &mut self,
        mut work: impl FnMut(&mut Session<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let is_new = match &self.open {
            Some(open) if !open.is_closed() => false,
            _ => {
                self.connect()?;
                true
            }
        };
        match self.attempt(&mut work) {
            Err(_) if self.open.is_none() && !is_new => {
                self.connect()?;
                self.attempt(&mut work)
            }
            result => result,
        }
    }

    /// Runs statements once on the connection.
    fn attempt<T, E>(&mut self, work: &mut impl FnMut(&mut Session<'_>) -> Result<T, E>) -> Result<T, E> {
        let open = self.open.as_mut().expect("connected by the caller");
        let mut session = Session::new(&self.runtime, open);
        let result = work(&mut session);
        if result.is_err() && session.is_lost() {
            self.open = None;
        }
        result
    }

    /// From now on, a lost connection is not made again.
    pub fn keep_open(&mut self) {
        self.is_kept = true;
    }

    /// Waits until the next attempt to connect is due.
    pub fn wait(&self) {
        std::thread::sleep(self.retry_at.saturating_duration_since(Instant::now()));
    }

    fn connect(&mut self) -> Result<(), Failure> {
        self.open = None;
        if self.is_kept {
            return Err(Failure::Away("the connection was lost".into()));
        }
        if let (Some(failure), true) = (&self.last_failure, Instant::now() < self.retry_at) {
            return Err(failure.clone());
        }
        match self.runtime.block_on(connect(&self.address, &self.application_name)) {
            Ok(client) => {
                self.open = Some(Open::new(client));
                if self.was_reached
                    && let Err(failure) = self.end_lost_connections()
                {
                    self.open = None;
                    return Err(self.failed(failure));
                }
                self.retry_delay = RETRY_DELAY_MIN;
                self.last_failure = None;
                self.was_reached = true;
                Ok(())
            }
            Err(failure) => Err(self.failed(failure)),
        }
    }

    /// Ends connections of this value that were lost: the database may not have noticed, and a transaction on
    /// them may hold rows.
    fn end_lost_connections(&mut self) -> Result<(), Failure> {
        let open = self.open.as_mut().expect("connected by the caller");
        Session::new(&self.runtime, open).query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE application_name = $1 AND pid <> pg_backend_pid() AND datname = current_database()
               AND usename = current_user",
            &[&self.application_name],
        )?;
        Ok(())
    }

    /// Whether the connection is there, as far as is known.
    pub fn is_open(&self) -> bool {
        self.open.as_ref().is_some_and(|open| !open.is_closed())
    }

    fn failed(&mut self, failure: Failure) -> Failure {
        self.retry_at = Instant::now() + self.retry_delay;
        self.retry_delay = (self.retry_delay * 2).min(self.retry_delay_max);
        let failure = match failure {
            // Passwords and primaries change while a server runs, and may change back.
            Failure::Refused(reason) if self.was_reached => Failure::Away(reason),
            Failure::ReadOnly if self.was_reached => Failure::Away(Failure::ReadOnly.to_string()),
            other => other,
        };
        self.last_failure = Some(failure.clone());
        failure
    }
}

/// Returns a name for the connections of one process. Process numbers repeat on other machines; the seed of a
/// hash map is random.
pub fn new_name() -> String {
    format!("quadrille {:016x}", RandomState::new().build_hasher().finish())
}

/// Opens a connection whose statements survive a crash of the database once they are committed.
async fn connect(address: &Address, application_name: &str) -> Result<Client, Failure> {
    let mut config = address.config.clone();
    config.application_name(application_name);
    let connecting = tokio::time::timeout(ANSWER_TIMEOUT, config.connect(address.tls.clone()));
    let (client, connection) = connecting.await.map_err(|_| timed_out())??;
    // Ends with an error when the connection is lost, which the next statement reports.
    tokio::spawn(async move { _ = connection.await });
    let prepare = client.batch_execute(
        "SET search_path TO quadrille; SET client_min_messages TO warning; SET timezone TO 'UTC'; \
         SET default_transaction_isolation TO 'read committed'; \
         SET idle_in_transaction_session_timeout TO '60s'",
    );
    tokio::time::timeout(ANSWER_TIMEOUT, prepare).await.map_err(|_| timed_out())??;
    let settings = client
        .query_one(
            "SELECT current_setting('synchronous_commit'), current_setting('transaction_read_only')",
            &[],
        )
        .await?;
    if settings.get::<_, &str>(1) == "on" {
        return Err(Failure::ReadOnly);
    }
    // J1: `off` acknowledges commits that a crash loses. Stricter settings are the administrator's.
    if settings.get::<_, &str>(0) == "off" {
        client.batch_execute("SET synchronous_commit TO on").await?;
    }
    Ok(client)
}
