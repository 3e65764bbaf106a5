//! `quadrille convert`, and `quadrille import` and `quadrille export` on a data directory or a
//! running server.

use std::path::Path;

use quadrille_files::{FileFormat, Imported};
use quadrille_number_format::InputContext;
use quadrille_protocol::{Role, RoomName};

use super::command_error::{CommandError, STORAGE_FAILED};
use super::ethercalc_import::import_ethercalc;
use crate::cli::{ConvertArguments, ExportArguments, ImportArguments, RoomsLocation};
use crate::config::{DefaultRole, Settings, SettingsSource};
use crate::error::ApiError;
use crate::room_name::{self, percent_encoded};
use crate::rooms::{Change, Rooms};
use crate::storage_location::StorageLocation;
use crate::workbook_files::{self, ExportOptions};

/// Converts a file, with all formulas recalculated.
///
/// # Errors
///
/// Fails when a file cannot be read or written.
pub fn convert(arguments: &ConvertArguments) -> Result<(), CommandError> {
    let output = format_of(&arguments.output)?;
    let imported = read_file(&arguments.input)?;
    let workbook = workbook_files::with_values(imported.workbook);
    let options = ExportOptions { raw: arguments.raw, ..ExportOptions::default() };
    let bytes = workbook_files::write(&workbook, output, options, &imported.images)
        .map_err(|error| file_error(&arguments.output, error))?;
    for warning in workbook_files::warnings(&workbook, output, options, &imported.images) {
        eprintln!("quadrille: {}: {warning}", arguments.output.display());
    }
    write_file(&arguments.output, &bytes)
}

/// Imports files into rooms, and prints the room of each file; or the rooms of EtherCalc.
///
/// # Errors
///
/// Fails when a file cannot be read or a room cannot be changed.
pub fn import(arguments: &ImportArguments) -> Result<(), CommandError> {
    if let Some(from) = &arguments.ethercalc.from_ethercalc {
        return import_ethercalc(arguments, from);
    }
    if arguments.room.is_some() && arguments.files.len() > 1 {
        return Err(CommandError::Failed(
            "--room takes a single file: omit --room, or import the files one at a time".into(),
        ));
    }
    let room = arguments.room.as_deref().map(room_name::parse).transpose().map_err(failed_request)?;
    let rooms = RoomAccess::open(&arguments.location)?;
    for file in &arguments.files {
        let room = room.clone().unwrap_or_else(room_name::random);
        rooms.put(&room, file)?;
        println!("{}\t{}", room, file.display());
    }
    rooms.close();
    Ok(())
}

/// Exports a room to a file.
///
/// # Errors
///
/// Fails when the room does not exist or the file cannot be written.
pub fn export(arguments: &ExportArguments) -> Result<(), CommandError> {
    let room = room_name::parse(&arguments.room).map_err(failed_request)?;
    let format = format_of(&arguments.file)?;
    let rooms = RoomAccess::open(&arguments.location)?;
    let bytes = rooms.get(&room, format)?;
    rooms.close();
    write_file(&arguments.file, &bytes)
}

/// The rooms that `import` and `export` use.
pub(super) enum RoomAccess {
    Server {
        url: String,
        /// `Bearer …`, if there is a credential.
        authorization: Option<String>,
    },
    /// The rooms run in this process while the command runs.
    DataDirectory { rooms: Rooms, runtime: tokio::runtime::Runtime },
}

impl RoomAccess {
    pub(super) fn open(location: &RoomsLocation) -> Result<RoomAccess, CommandError> {
        if let Some(url) = &location.server {
            let url = url.trim_end_matches('/').to_owned();
            let token = read_token(location.token_file.as_deref())?;
            return Ok(RoomAccess::Server {
                url,
                authorization: token.map(|token| format!("Bearer {token}")),
            });
        }
        let given = SettingsSource {
            data: Some(location.data.clone()),
            room_threads: Some(1),
            // A user who can write to the directory has full access.
            default_role: Some(DefaultRole::Owner),
            ..SettingsSource::default()
        };
        let settings: Settings = given.or(SettingsSource::default());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| CommandError::Failed(format!("cannot start: {error}")))?;
        let failed = |error| {
            eprintln!("quadrille: {error}");
            std::process::exit(STORAGE_FAILED);
        };
        let storage = StorageLocation::of_command(&location.database, &location.data);
        let rooms = Rooms::start(&storage.map_err(CommandError::Misconfigured)?, "", &settings, failed);
        let rooms = rooms.map_err(|error| {
            CommandError::Failed(format!(
                "{error}; if a server is running on it, use --server http://localhost:8000"
            ))
        })?;
        Ok(RoomAccess::DataDirectory { rooms, runtime })
    }

    pub(super) fn put(&self, room: &RoomName, file: &Path) -> Result<(), CommandError> {
        match self {
            RoomAccess::DataDirectory { rooms, runtime } => {
                let Imported { workbook, images, .. } = read_file(file)?;
                let put = async {
                    rooms.change(room, Role::Owner, Change::replace_contents(workbook)).await?;
                    rooms.put_images(room, Role::Owner, &images).await
                };
                for warning in runtime.block_on(put).map_err(failed_request)? {
                    eprintln!("quadrille: {}: {warning}", file.display());
                }
                Ok(())
            }
            RoomAccess::Server { url, authorization } => {
                let format = format_of(file)?;
                let bytes = std::fs::read(file).map_err(|error| file_error(file, error))?;
                let url = format!("{url}/api/v1/rooms/{}", percent_encoded(room.as_str()));
                let mut request = agent().put(&url).content_type(format.media_type());
                if let Some(authorization) = authorization {
                    request = request.header("authorization", authorization);
                }
                let reply = read_response(&url, request.send(&bytes))?;
                let reply: serde_json::Value = serde_json::from_slice(&reply).unwrap_or_default();
                for warning in reply["warnings"].as_array().into_iter().flatten() {
                    eprintln!("quadrille: {}: {}", file.display(), warning.as_str().unwrap_or_default());
                }
                Ok(())
            }
        }
    }

    pub(super) fn get(&self, room: &RoomName, format: FileFormat) -> Result<Vec<u8>, CommandError> {
        match self {
            RoomAccess::DataDirectory { rooms, runtime } => {
                let reading = runtime.block_on(rooms.read(room)).map_err(failed_request)?;
                let images =
                    runtime.block_on(rooms.images_of(room, &reading.workbook)).map_err(failed_request)?;
                let options = ExportOptions::default();
                for warning in workbook_files::warnings(&reading.workbook, format, options, &images) {
                    eprintln!("quadrille: {room}: {warning}");
                }
                let written = workbook_files::write(&reading.workbook, format, options, &images);
                written.map_err(|error| CommandError::Failed(error.to_string()))
            }
            RoomAccess::Server { url, authorization } => {
                let url = format!(
                    "{url}/api/v1/rooms/{}?format={}",
                    percent_encoded(room.as_str()),
                    format.extension()
                );
                let mut request = agent().get(&url);
                if let Some(authorization) = authorization {
                    request = request.header("authorization", authorization);
                }
                let response = request.call();
                let headers = response.as_ref().ok().map(ureq::http::Response::headers);
                if let Some(warnings) = headers.and_then(|headers| headers.get("quadrille-warnings")) {
                    eprintln!("quadrille: {room}: {}", warnings.to_str().unwrap_or_default());
                }
                read_response(&url, response)
            }
        }
    }

    pub(super) fn close(self) {
        if let RoomAccess::DataDirectory { rooms, runtime } = self {
            runtime.block_on(rooms.stop(std::time::Instant::now()));
        }
    }
}

/// The credential of `--token-file` or of the variable: not of a flag, which other users of the
/// machine could read.
pub(super) fn read_token(file: Option<&Path>) -> Result<Option<String>, CommandError> {
    let text = match file {
        Some(path) => std::fs::read_to_string(path).map_err(|error| file_error(path, error))?,
        None => std::env::var("QUADRILLE_TOKEN").unwrap_or_default(),
    };
    let token = text.trim();
    match token.chars().all(|c| c.is_ascii_graphic()) {
        true => Ok(Some(token.to_owned()).filter(|token| !token.is_empty())),
        false => Err(CommandError::Failed("the token has characters that no token has".into())),
    }
}

fn agent() -> ureq::Agent {
    // Error responses have a message to be shown.
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}

fn read_response(
    url: &str,
    response: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
) -> Result<Vec<u8>, CommandError> {
    let mut response =
        response.map_err(|error| CommandError::Failed(format!("cannot reach {url}: {error}")))?;
    let body = response.body_mut().with_config().limit(1 << 30).read_to_vec();
    let body =
        body.map_err(|error| CommandError::Failed(format!("reading the response of {url} failed: {error}")))?;
    if response.status().is_success() {
        return Ok(body);
    }
    let json: Option<serde_json::Value> = serde_json::from_slice(&body).ok();
    let message = json.as_ref().and_then(|json| json["error"]["message"].as_str());
    Err(CommandError::Failed(message.map_or_else(|| format!("{url}: {}", response.status()), str::to_owned)))
}

fn read_file(path: &Path) -> Result<Imported, CommandError> {
    let format = format_of(path)?;
    let bytes = std::fs::read(path).map_err(|error| file_error(path, error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let imported = workbook_files::read(format, &bytes, &name, InputContext::default(), &mut |_| true)
        .map_err(|error| file_error(path, error))?;
    for warning in &imported.warnings {
        eprintln!("quadrille: {}: {warning}", path.display());
    }
    Ok(imported)
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    std::fs::write(path, bytes).map_err(|error| file_error(path, error))
}

fn format_of(path: &Path) -> Result<FileFormat, CommandError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    FileFormat::from_name(&name).ok_or_else(|| {
        let extensions: Vec<String> =
            FileFormat::all_extensions().map(|extension| format!(".{extension}")).collect();
        CommandError::Failed(format!(
            "{}: unknown file format; supported: {}",
            path.display(),
            extensions.join(" ")
        ))
    })
}

fn file_error(path: &Path, error: impl std::fmt::Display) -> CommandError {
    CommandError::Failed(format!("{}: {error}", path.display()))
}

fn failed_request(error: ApiError) -> CommandError {
    CommandError::Failed(error.message)
}
