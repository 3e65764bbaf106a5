//! Where rooms, accounts and the audit log are stored: SQLite in the data directory, a PostgreSQL
//! database, or several of them.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use quadrille_access::{AccessError, AccessStore};
use quadrille_journal::{Storage, StorageError};
use quadrille_storage_postgres::{Address, PostgresAccessStore, PostgresStorage, inspect};
use quadrille_storage_shards::{ShardedStorage, check_alone, is_member};
use quadrille_storage_sqlite::{SqliteAccessStore, SqliteStorage};

use crate::config::Settings;
use crate::object_storage::{ObjectStorage, WithObjects};
use crate::secret_setting::SecretSetting;

/// The stores that a server or a command opens.
#[derive(Clone, Debug)]
pub enum StorageLocation {
    Directory(PathBuf),
    Database(Box<Address>),
    /// Rooms are in any of them, everything else is in the first.
    Shards(Vec<Address>),
}

/// The database of a command that works without a server.
#[derive(Args, Clone, Default)]
pub struct DatabaseArguments {
    /// PostgreSQL database to use without a server, such as postgres://user@host/database, instead of
    /// a data directory; servers may be running on it
    #[arg(long, env = "QUADRILLE_STORAGE", value_name = "URL", hide_env_values = true)]
    pub storage: Option<SecretSetting>,
    /// File with the password of the user in --storage
    #[arg(long, env = "QUADRILLE_STORAGE_PASSWORD_FILE", value_name = "FILE")]
    pub storage_password_file: Option<PathBuf>,
}

impl fmt::Display for StorageLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StorageLocation::Directory(data) => write!(f, "{}", data.display()),
            StorageLocation::Database(address) => write!(f, "{address}"),
            StorageLocation::Shards(addresses) => {
                let all: Vec<String> = addresses.iter().map(ToString::to_string).collect();
                write!(f, "{}", all.join(" "))
            }
        }
    }
}

impl StorageLocation {
    /// Returns what the settings name.
    ///
    /// # Errors
    /// A message when the address of the database cannot be used. It does not contain the password.
    pub fn of(settings: &Settings) -> Result<StorageLocation, String> {
        StorageLocation::named(&settings.storage, &settings.storage_password_file, &settings.data)
    }

    /// Returns what the arguments of a command name.
    ///
    /// # Errors
    /// As for [`of`](Self::of).
    pub fn of_command(database: &DatabaseArguments, data: &Path) -> Result<StorageLocation, String> {
        let storage = database.storage.clone().unwrap_or_default();
        let password_file = database.storage_password_file.clone().unwrap_or_default();
        StorageLocation::named(&storage, &password_file, data)
    }

    /// Reads a data directory or the URL of a database.
    ///
    /// # Errors
    /// A message when it is neither. It does not contain the password.
    pub fn parse(text: &str, password_file: Option<&Path>) -> Result<StorageLocation, String> {
        match (text.contains("://"), password_file) {
            (true, file) => StorageLocation::named(
                &SecretSetting::from_str(text).unwrap_or_default(),
                file.unwrap_or(Path::new("")),
                Path::new(""),
            ),
            (false, None) if !text.is_empty() => Ok(StorageLocation::Directory(PathBuf::from(text))),
            (false, None) => Err("name a data directory or postgres://user@host/database".to_owned()),
            (false, Some(_)) => Err("a data directory has no password".to_owned()),
        }
    }

    fn named(storage: &SecretSetting, password_file: &Path, data: &Path) -> Result<StorageLocation, String> {
        let Some(url) = storage.or_file("storage", Path::new(""))? else {
            return Ok(StorageLocation::Directory(data.to_owned()));
        };
        let password = SecretSetting::default().or_file("storage_password", password_file)?;
        let parse =
            |url: &str| Address::parse(url, password.as_deref()).map_err(|error| format!("storage: {error}"));
        let urls: Vec<&str> = url.split_whitespace().collect();
        match urls[..] {
            [] | [_] => Ok(StorageLocation::Database(Box::new(parse(url.trim())?))),
            _ => {
                let addresses: Vec<Address> = urls.into_iter().map(parse).collect::<Result<_, _>>()?;
                match repeated(&addresses) {
                    Some(address) => Err(format!("storage: the list names the database {address} twice")),
                    None => Ok(StorageLocation::Shards(addresses)),
                }
            }
        }
    }

    /// Opens the storage of rooms. A directory is locked until it is dropped; a database may have several
    /// servers, which reach this one at `own_url`. A command has an empty one.
    ///
    /// # Errors
    /// When it cannot be opened, for example because another server uses the directory.
    pub fn open_rooms(&self, own_url: &str) -> Result<Box<dyn Storage>, StorageError> {
        match self {
            StorageLocation::Directory(data) => {
                let storage = SqliteStorage::open(data)?;
                for line in storage.repairs() {
                    tracing::warn!("storage repaired: {line}");
                }
                for line in storage.damage() {
                    tracing::error!(
                        "stored data is damaged: {line}; other rooms are served; run `quadrille check` for \
                         details"
                    );
                }
                Ok(Box::new(storage))
            }
            StorageLocation::Database(address) => {
                let mut storage = PostgresStorage::open(address, own_url)?;
                check_alone(&address.to_string(), &mut storage)?;
                if storage.is_unsynced()? {
                    tracing::warn!(
                        "the database has fsync = off: a crash of its machine loses changes that were \
                         acknowledged"
                    );
                }
                tracing::info!(%address, "rooms and accounts are stored in PostgreSQL");
                Ok(Box::new(storage))
            }
            StorageLocation::Shards(addresses) => Ok(Box::new(open_shards(addresses, own_url)?)),
        }
    }

    /// Opens the storage of rooms with its object store, if it has one, for a command.
    ///
    /// # Errors
    /// As for [`open_rooms`](Self::open_rooms), and when the object store cannot be used.
    pub fn open_rooms_with_objects(&self) -> Result<Box<dyn Storage>, StorageError> {
        with_objects(self.open_rooms("")?)
    }

    /// Opens the store of access documents, accounts and the audit log. The caller has opened the storage of
    /// rooms, which holds the lock of a directory.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open_access(&self) -> Result<Box<dyn AccessStore>, AccessError> {
        match self {
            StorageLocation::Directory(data) => Ok(Box::new(SqliteAccessStore::open(data)?)),
            StorageLocation::Database(address) => Ok(Box::new(PostgresAccessStore::open(address)?)),
            StorageLocation::Shards(addresses) => Ok(Box::new(PostgresAccessStore::open(&addresses[0])?)),
        }
    }
}

/// Returns a database that is named before in the list, whatever the user.
fn repeated(addresses: &[Address]) -> Option<&Address> {
    let place = |address: &Address| address.to_string().rsplit('@').next().map(str::to_owned);
    let mut seen = HashSet::new();
    addresses.iter().find(|address| !seen.insert(place(address)))
}

/// Adds the object store that a storage has used.
///
/// # Errors
/// When it cannot be used.
pub fn with_objects(mut storage: Box<dyn Storage>) -> Result<Box<dyn Storage>, StorageError> {
    match ObjectStorage::of_command(&mut *storage) {
        Ok(None) => Ok(storage),
        Ok(Some(objects)) => Ok(Box::new(WithObjects::new(storage, Arc::new(objects)))),
        Err(reason) => Err(StorageError::Engine { reason }),
    }
}

/// Opens several databases as one storage.
///
/// # Errors
/// When one cannot be opened, when they do not belong together, and when servers would not know of a new one.
pub fn open_shards(addresses: &[Address], own_url: &str) -> Result<ShardedStorage, StorageError> {
    let reason = |reason: String| StorageError::Engine { reason };
    let first = inspect(&addresses[0]).map_err(|error| reason(format!("{}: {error}", addresses[0])))?;
    let mut list: Vec<(String, Box<dyn Storage>)> = Vec::new();
    for address in addresses {
        let mut storage = PostgresStorage::open(address, own_url).map_err(|error| match error {
            // The first of the two names has this server.
            StorageError::Engine { reason: text } if !list.is_empty() => reason(format!(
                "{address}: {text}; or is it another name of a database before it in the list?"
            )),
            error => error,
        })?;
        if storage.is_unsynced()? {
            tracing::warn!(%address, "the database has fsync = off: a crash of its machine loses changes");
        }
        if !first.servers.is_empty() && !is_member(&mut storage)? {
            return Err(reason(format!(
                "{address} is not yet one of the databases of {}, which servers or commands use: stop them before a \
                 database is added",
                addresses[0]
            )));
        }
        list.push((address.to_string(), Box::new(storage)));
    }
    let storage = ShardedStorage::join(list)?;
    tracing::info!(databases = addresses.len(), "rooms are stored in several databases");
    Ok(storage)
}
