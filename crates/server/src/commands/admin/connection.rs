//! Where an administrative command works: the access store of a data directory or database, or the REST
//! API of a running server.

use quadrille_access::{AccessError, AccessStore};
use quadrille_journal::StorageError;
use quadrille_storage_sqlite::{DirectoryLock, lock_directory};
use serde_json::Value as Json;

use crate::cli::AdminLocation;
use crate::commands::CommandError;
use crate::storage_location::StorageLocation;

/// An access store. Of a data directory, no server uses it meanwhile.
pub struct OpenedStore {
    pub store: Box<dyn AccessStore>,
    _lock: Option<DirectoryLock>,
}

/// Opens the access store of a data directory or database, and creates it if there is none.
///
/// # Errors
///
/// Fails when a server runs on the directory, or it cannot be opened.
pub fn open_store(location: &StorageLocation) -> Result<OpenedStore, CommandError> {
    let lock = match location {
        StorageLocation::Directory(data) => Some(lock_directory(data).map_err(in_use)?),
        // Servers read accounts from the database each time they need them.
        StorageLocation::Database(_) | StorageLocation::Shards(_) => None,
    };
    Ok(OpenedStore { store: location.open_access().map_err(failed)?, _lock: lock })
}

fn in_use(error: StorageError) -> CommandError {
    match error {
        StorageError::InUse { path } => CommandError::Failed(format!(
            "a server is running on {}: stop it, or send the command to it with --server and the API token \
             of an admin in QUADRILLE_TOKEN",
            path.display()
        )),
        error => CommandError::Failed(error.to_string()),
    }
}

/// The error of a store as one of the command.
pub fn failed(error: AccessError) -> CommandError {
    CommandError::Failed(error.to_string())
}

/// Sends a request to a running server in the name of an admin, and returns its answer; `Null` when
/// that has no body.
///
/// # Errors
///
/// Fails without a token, when the server cannot be reached, and with its message when it refuses.
pub fn send(
    location: &AdminLocation,
    server: &str,
    method: &str,
    path: &str,
    body: Option<&Json>,
) -> Result<Json, CommandError> {
    let token = location.token.as_deref().ok_or_else(|| {
        CommandError::Failed("--server needs the API token of an admin in QUADRILLE_TOKEN".to_owned())
    })?;
    let url = format!("{}{path}", server.trim_end_matches('/'));
    let unreachable = |error: ureq::Error| CommandError::Failed(format!("cannot reach {url}: {error}"));
    let mut request = ureq::http::Request::builder().method(method).uri(&url);
    request = request.header("authorization", format!("Bearer {token}"));
    if body.is_some() {
        request = request.header("content-type", "application/json");
    }
    let body = body.map_or(String::new(), Json::to_string);
    let request = request.body(body);
    let request = request.map_err(|error| CommandError::Failed(format!("{url}: {error}")))?;
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut response = agent.run(request).map_err(unreachable)?;
    let text = response.body_mut().read_to_string().map_err(unreachable)?;
    let json: Json = serde_json::from_str(&text).unwrap_or(Json::Null);
    if response.status().is_success() {
        return Ok(json);
    }
    let message = json["error"]["message"].as_str();
    Err(CommandError::Failed(message.map_or_else(|| format!("{url}: {}", response.status()), str::to_owned)))
}
