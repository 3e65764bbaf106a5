//! The address of a database: a URL as in PostgreSQL's manual, section "Connection Strings".

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::tls::TlsConnector;

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// After this time without an acknowledgement of sent data, a connection counts as lost.
const UNANSWERED_DATA_TIMEOUT: Duration = Duration::from_secs(10);
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(3);
const KEEPALIVE_RETRIES: u32 = 3;

/// Where a database is and how to sign in.
#[derive(Clone)]
pub struct Address {
    pub(crate) config: Config,
    pub(crate) tls: TlsConnector,
    /// Without the password, for messages.
    shown: String,
}

/// Why an address cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddressError(pub String);

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AddressError {}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.shown)
    }
}

impl Address {
    /// Parses a URL such as `postgres://user:password@host:5432/database?sslmode=require`.
    ///
    /// `sslmode` is `disable`, `require` or `verify-full`; the last two are the same, as certificates are
    /// always verified: by the authorities of the file `sslrootcert`, or by those of the system. Without
    /// `sslmode`, connections to this machine are not encrypted and all others are.
    ///
    /// `password` is used when the URL has none.
    ///
    /// # Errors
    /// A message without the password, when the URL cannot be used.
    pub fn parse(url: &str, password: Option<&str>) -> Result<Address, AddressError> {
        let refused = |reason: String| AddressError(format!("the address of the database: {reason}"));
        if !is_postgres(url) {
            return Err(refused("it has to begin with postgres://".into()));
        }
        check_at_signs(url).map_err(&refused)?;
        let Options { url, ssl_mode, root_certificates } = Options::split(url).map_err(&refused)?;
        // The client's message does not repeat the URL.
        let mut config = Config::from_str(&url).map_err(|error| {
            let reason = std::error::Error::source(&error).map_or(error.to_string(), ToString::to_string);
            refused(reason)
        })?;
        if config.get_hosts().is_empty() {
            return Err(refused("it names no host".into()));
        }
        if config.get_dbname().is_none() {
            return Err(refused("it names no database".into()));
        }
        if config.get_user().is_none() {
            return Err(refused("it names no user".into()));
        }
        if let (None, Some(password)) = (config.get_password(), password) {
            config.password(password);
        }
        let is_encrypted = ssl_mode.unwrap_or(!config.get_hosts().iter().all(is_here));
        config.ssl_mode(if is_encrypted { SslMode::Require } else { SslMode::Disable });
        config.connect_timeout(CONNECT_TIMEOUT);
        config.tcp_user_timeout(UNANSWERED_DATA_TIMEOUT);
        config.keepalives_idle(KEEPALIVE_IDLE);
        config.keepalives_interval(KEEPALIVE_INTERVAL);
        config.keepalives_retries(KEEPALIVE_RETRIES);
        let tls = match is_encrypted {
            true => TlsConnector::new(root_certificates.as_deref()).map_err(&refused)?,
            false => TlsConnector::none(),
        };
        let shown = shown(&config);
        Ok(Address { config, tls, shown })
    }
}

/// Checks that the first `@`, which ends user and password, is the only one: if it is part of the password, the rest
/// of that counts as host, database or parameter, which messages name.
///
/// # Errors
/// A message without the URL.
fn check_at_signs(url: &str) -> Result<(), String> {
    let (_, after) = url.split_once('@').unwrap_or_default();
    let (place, query) = after.split_once('?').unwrap_or((after, ""));
    // The name of a file is not decoded.
    let mut parameters = query.split('&').filter(|parameter| !parameter.starts_with("sslrootcert="));
    match place.contains('@') || parameters.any(|parameter| parameter.contains('@')) {
        true => Err("it has more than one @: percent-encode that of the user or password as %40".to_owned()),
        false => Ok(()),
    }
}

/// Whether a text is the URL of a PostgreSQL database.
pub fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

fn is_here(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    }
}

/// The parameters that the client does not know.
struct Options {
    url: String,
    /// `None` when the URL does not say.
    ssl_mode: Option<bool>,
    root_certificates: Option<PathBuf>,
}

impl Options {
    fn split(url: &str) -> Result<Options, String> {
        let (before, query) = url.split_once('?').unwrap_or((url, ""));
        let mut options = Options { url: before.to_owned(), ssl_mode: None, root_certificates: None };
        let mut separator = '?';
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslmode", "disable")) => options.ssl_mode = Some(false),
                Some(("sslmode", "require" | "verify-full")) => options.ssl_mode = Some(true),
                Some(("sslmode", other)) => {
                    return Err(format!("sslmode is disable, require or verify-full, not {other}"));
                }
                Some(("sslrootcert", file)) => options.root_certificates = Some(Path::new(file).to_owned()),
                _ => {
                    options.url.push(separator);
                    options.url.push_str(parameter);
                    separator = '&';
                }
            }
        }
        Ok(options)
    }
}

fn shown(config: &Config) -> String {
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .enumerate()
        .map(|(index, host)| {
            let port = config.get_ports().get(index).or(config.get_ports().first()).copied().unwrap_or(5432);
            match host {
                Host::Tcp(name) => format!("{name}:{port}"),
                Host::Unix(directory) => format!("{}:{port}", directory.display()),
            }
        })
        .collect();
    let (user, database) = (config.get_user().unwrap_or(""), config.get_dbname().unwrap_or(""));
    format!("postgres://{user}@{}/{database}", hosts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> Result<(String, SslMode), String> {
        Address::parse(url, None)
            .map(|address| (address.to_string(), address.config.get_ssl_mode()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn addresses_are_shown_without_the_password_and_encrypted_unless_local() {
        let shown = |url: &str| parsed(url).expect("valid");
        assert_eq!(
            shown("postgres://ada:s3cret@localhost/books"),
            ("postgres://ada@localhost:5432/books".into(), SslMode::Disable)
        );
        assert_eq!(
            shown("postgres://ada:s3%40cret?/@localhost/books").0,
            "postgres://ada@localhost:5432/books"
        );
        assert_eq!(shown("postgresql://ada@db.example.org:6000/books").1, SslMode::Require);
        assert_eq!(shown("postgres://ada@db.example.org/books?sslmode=disable").1, SslMode::Disable);
        assert_eq!(shown("postgres://ada@127.0.0.1/books?sslmode=verify-full").1, SslMode::Require);
        assert_eq!(
            shown(
                "postgres://ada@10.0.0.1,10.0.0.2:5433/books?sslmode=disable&target_session_attrs=read-write"
            )
            .0,
            "postgres://ada@10.0.0.1:5432,10.0.0.2:5433/books"
        );
    }

    #[test]
    fn unusable_addresses_are_refused_without_telling_the_password() {
        for (url, reason) in [
            ("mysql://ada:s3cret@localhost/books", "it has to begin with postgres://"),
            ("postgres://ada:s3cret@localhost", "it names no database"),
            ("postgres://localhost/books", "it names no user"),
            (
                "postgres://ada:s3cret@localhost/b?sslmode=prefer",
                "sslmode is disable, require or verify-full, not prefer",
            ),
            ("postgres://ada:s3cret@localhost/b?sslmode=require&sslrootcert=/nowhere", "/nowhere"),
            ("postgres://ada:s3cret@localhost:x/b", ""),
            ("postgres://ada:top@s3cret@localhost/b", "it has more than one @: percent-encode"),
            ("postgres://ada:top@x/s3cret@localhost/b", "it has more than one @: percent-encode"),
            ("postgres://ada:top@x?s3cret=@localhost/b", "it has more than one @: percent-encode"),
        ] {
            let error = parsed(url).expect_err(url);
            assert!(error.contains(reason) && !error.contains("s3cret"), "{url}: {error}");
        }
    }
}
