//! The commands that need no server: `convert`, and `import` and `export` on a data directory or over HTTP.

use std::path::Path;

use quadrille_files::{FileFormat, Imported};
use quadrille_protocol::RoomName;

use crate::Failure;
use crate::cli::{ConvertArguments, ExportArguments, ImportArguments, RoomsLocation};
use crate::config::{DefaultRole, Settings, SettingsSource};
use crate::error::ApiError;
use crate::room_name::{self, percent_encoded};
use crate::rooms::{Change, Rooms};
use crate::workbook_files::{self, Wanted};

pub fn convert(arguments: &ConvertArguments) -> Result<(), Failure> {
    let output = format_of(&arguments.output)?;
    let imported = read_file(&arguments.input)?;
    let workbook = workbook_files::computed(imported.workbook);
    let wanted = Wanted { raw: arguments.raw, ..Wanted::default() };
    let bytes = workbook_files::write(&workbook, output, wanted, &imported.images)
        .map_err(|error| about(&arguments.output, error))?;
    write_file(&arguments.output, &bytes)
}

pub fn import(arguments: &ImportArguments) -> Result<(), Failure> {
    if arguments.room.is_some() && arguments.files.len() > 1 {
        return Err(Failure::Failed(
            "one room takes one file: leave out --room, or import the files one by one".into(),
        ));
    }
    let room = arguments.room.as_deref().map(room_name::parse).transpose().map_err(refused)?;
    let place = Place::open(&arguments.place)?;
    for file in &arguments.files {
        let room = room.clone().unwrap_or_else(room_name::unguessable);
        place.put(&room, file)?;
        println!("{}\t{}", room, file.display());
    }
    place.close();
    Ok(())
}

pub fn export(arguments: &ExportArguments) -> Result<(), Failure> {
    let room = room_name::parse(&arguments.room).map_err(refused)?;
    let format = format_of(&arguments.file)?;
    let place = Place::open(&arguments.place)?;
    let bytes = place.get(&room, format)?;
    place.close();
    write_file(&arguments.file, &bytes)
}

/// Where `import` and `export` find the rooms.
enum Place {
    Server {
        url: String,
    },
    /// The rooms run in this process for a moment, just as they do in the server.
    Data {
        rooms: Rooms,
        runtime: tokio::runtime::Runtime,
    },
}

impl Place {
    fn open(place: &RoomsLocation) -> Result<Place, Failure> {
        if let Some(url) = &place.server {
            return Ok(Place::Server { url: url.trim_end_matches('/').to_owned() });
        }
        let given = SettingsSource {
            data: Some(place.data.clone()),
            room_threads: Some(1),
            // Who can write to the directory may do everything.
            default_role: Some(DefaultRole::Owner),
            ..SettingsSource::default()
        };
        let settings: Settings = given.or(SettingsSource::default());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::Failed(format!("cannot start: {error}")))?;
        let failed = |error| {
            eprintln!("quadrille: {error}");
            std::process::exit(crate::serve::STORAGE_FAILED);
        };
        let rooms = Rooms::start(&settings, failed);
        let rooms = rooms.map_err(|error| {
            Failure::Failed(format!(
                "{error}; if a server runs there, name it with --server http://localhost:8000"
            ))
        })?;
        Ok(Place::Data { rooms, runtime })
    }

    fn put(&self, room: &RoomName, file: &Path) -> Result<(), Failure> {
        match self {
            Place::Data { rooms, runtime } => {
                let Imported { workbook, images, .. } = read_file(file)?;
                let put = async {
                    rooms.change(room, Change::replacing(workbook)).await?;
                    rooms.put_images(room, &images).await
                };
                for warning in runtime.block_on(put).map_err(refused)? {
                    eprintln!("quadrille: {}: {warning}", file.display());
                }
                Ok(())
            }
            Place::Server { url } => {
                let format = format_of(file)?;
                let bytes = std::fs::read(file).map_err(|error| about(file, error))?;
                let url = format!("{url}/api/v1/rooms/{}", percent_encoded(room.as_str()));
                let request = agent().put(&url).content_type(format.media_type());
                answered(&url, request.send(&bytes)).map(|_| ())
            }
        }
    }

    fn get(&self, room: &RoomName, format: FileFormat) -> Result<Vec<u8>, Failure> {
        match self {
            Place::Data { rooms, runtime } => {
                let reading = runtime.block_on(rooms.read(room)).map_err(refused)?;
                let images = runtime.block_on(rooms.images_of(room, &reading.workbook)).map_err(refused)?;
                let written = workbook_files::write(&reading.workbook, format, Wanted::default(), &images);
                written.map_err(|error| Failure::Failed(error.to_string()))
            }
            Place::Server { url } => {
                let room = percent_encoded(room.as_str());
                let url = format!("{url}/api/v1/rooms/{room}?format={}", format.extension());
                answered(&url, agent().get(&url).call())
            }
        }
    }

    fn close(self) {
        if let Place::Data { rooms, runtime } = self {
            runtime.block_on(rooms.stop(std::time::Instant::now()));
        }
    }
}

fn agent() -> ureq::Agent {
    // Refusals come with a sentence that is worth showing.
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}

fn answered(
    url: &str,
    response: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
) -> Result<Vec<u8>, Failure> {
    let mut response = response.map_err(|error| Failure::Failed(format!("cannot reach {url}: {error}")))?;
    let body = response.body_mut().with_config().limit(1 << 30).read_to_vec();
    let body = body.map_err(|error| Failure::Failed(format!("the answer of {url} broke off: {error}")))?;
    if response.status().is_success() {
        return Ok(body);
    }
    let json: Option<serde_json::Value> = serde_json::from_slice(&body).ok();
    let message = json.as_ref().and_then(|json| json["error"]["message"].as_str());
    Err(Failure::Failed(message.map_or_else(|| format!("{url}: {}", response.status()), str::to_owned)))
}

fn read_file(path: &Path) -> Result<Imported, Failure> {
    let format = format_of(path)?;
    let bytes = std::fs::read(path).map_err(|error| about(path, error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let imported =
        workbook_files::read(format, &bytes, &name, &mut |_| true).map_err(|error| about(path, error))?;
    for warning in &imported.warnings {
        eprintln!("quadrille: {}: {warning}", path.display());
    }
    Ok(imported)
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| about(path, error))
}

fn format_of(path: &Path) -> Result<FileFormat, Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    FileFormat::from_name(&name).ok_or_else(|| {
        let known: Vec<String> =
            FileFormat::all_extensions().map(|extension| format!(".{extension}")).collect();
        Failure::Failed(format!("{}: unknown kind of file; known are {}", path.display(), known.join(" ")))
    })
}

fn about(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::Failed(format!("{}: {error}", path.display()))
}

fn refused(error: ApiError) -> Failure {
    Failure::Failed(error.message)
}
