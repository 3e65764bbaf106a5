//! Which room a request is about, by its path.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use quadrille_files::FileFormat;
use quadrille_protocol::RoomName;

use crate::error::ApiError;
use crate::http::app::App;
use crate::http::ethercalc_workbook::named_sheet;
use crate::room_link::{LinkPurpose, RoomLink};
use crate::room_name;

/// How the path of a route names a room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addressing {
    /// `{room}` is its name.
    Name,
    /// `{room}` is its name, that of a sheet such as `R.1`, or `=R`.
    EtherCalc,
    /// `{room}` is a page, which every server has, or an export such as `R.csv`. The page of a sheet leads
    /// to its workbook.
    Page,
    /// `{template}` is its name.
    Template,
    /// `{link}` is a link for this purpose.
    Link(LinkPurpose),
    /// The body names the rooms, if any; the handler finds out.
    Body,
    /// The body is a message of the Model Context Protocol, whose tools name a room.
    Agent,
}

impl Addressing {
    /// The addressing of a route; `None` when it is about no room.
    pub fn of(path: &str) -> Option<Addressing> {
        match path {
            "/api/v1/rooms" | "/_" | "/_/" => Some(Addressing::Body),
            "/mcp" => Some(Addressing::Agent),
            "/_form/{link}" => Some(Addressing::Link(LinkPurpose::Form)),
            // Their events are relayed once for all readers (`published/relayed.rs`).
            "/_published/{link}" => Some(Addressing::Link(LinkPurpose::PublishedPage)),
            path if path.starts_with("/api/v1/forms/{link}") => Some(Addressing::Link(LinkPurpose::Form)),
            path if path.contains("{template}") => Some(Addressing::Template),
            path if !path.contains("{room}") => None,
            path if path.starts_with("/api/") => Some(Addressing::Name),
            path if path.starts_with("/{room}") => Some(Addressing::Page),
            _ => Some(Addressing::EtherCalc),
        }
    }

    /// The room in the path of a request. `None` for names that are none, which the handler refuses, and
    /// for pages.
    ///
    /// # Errors
    ///
    /// Fails when the storage does not answer.
    pub async fn room(self, app: &App, parts: &mut Parts) -> Result<Option<RoomName>, ApiError> {
        let Ok(parameters) = RawPathParams::from_request_parts(parts, app).await else { return Ok(None) };
        let parameter = |wanted: &str| {
            let found = parameters.iter().find(|(name, _)| *name == wanted);
            found.map_or("", |(_, value)| value)
        };
        match self {
            Addressing::Name => Ok(room_name::parse(parameter("room")).ok()),
            Addressing::Template => Ok(room_name::parse(parameter("template")).ok()),
            Addressing::Link(purpose) => {
                let link = RoomLink::parse(purpose, app.access.key(), parameter("link"));
                Ok(link.map(|link| link.room))
            }
            Addressing::Body | Addressing::Agent => Ok(None),
            Addressing::EtherCalc => {
                let name = parameter("room");
                match name.strip_prefix('=') {
                    Some(all) => Ok(room_name::parse(without_extension(all).unwrap_or(all)).ok()),
                    None => room_or_workbook(app, name).await,
                }
            }
            Addressing::Page => {
                let name = parameter("room");
                match without_extension(name) {
                    Some(exported) => match exported.strip_prefix('=') {
                        Some(all) => Ok(room_name::parse(all).ok()),
                        None => room_or_workbook(app, exported).await,
                    },
                    None if named_sheet(name).is_some() => room_or_workbook(app, name).await,
                    None => Ok(None),
                }
            }
        }
    }
}

/// `R` of an export such as `R.csv`.
fn without_extension(name: &str) -> Option<&str> {
    let format = FileFormat::from_name(name).filter(|format| format.can_write())?;
    name.strip_suffix(format.extension())?.strip_suffix('.')
}

/// The room of this name; the workbook `R` for the name `R.1` of a sheet, unless there is such a room.
async fn room_or_workbook(app: &App, name: &str) -> Result<Option<RoomName>, ApiError> {
    let Some(sheet) = named_sheet(name) else { return Ok(room_name::parse(name).ok()) };
    let is_workbook = !app.rooms.exists(&sheet.own).await? && app.rooms.exists(&sheet.workbook).await?;
    Ok(Some(if is_workbook { sheet.workbook } else { sheet.own }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_name_rooms_in_their_paths() {
        for (path, expected) in [
            ("/api/v1/rooms/{room}", Some(Addressing::Name)),
            ("/api/v1/admin/workbooks/{room}/owner", Some(Addressing::Name)),
            ("/_/{room}/cells/{coordinate}", Some(Addressing::EtherCalc)),
            ("/_ws/{room}", Some(Addressing::EtherCalc)),
            ("/{room}", Some(Addressing::Page)),
            ("/{room}/view", Some(Addressing::Page)),
            ("/_from/{template}", Some(Addressing::Template)),
            ("/{template}/form", Some(Addressing::Template)),
            ("/_form/{link}", Some(Addressing::Link(LinkPurpose::Form))),
            ("/api/v1/forms/{link}/responses", Some(Addressing::Link(LinkPurpose::Form))),
            ("/_published/{link}", Some(Addressing::Link(LinkPurpose::PublishedPage))),
            ("/_published/{link}/events", None),
            ("/api/v1/rooms", Some(Addressing::Body)),
            ("/mcp", Some(Addressing::Agent)),
            ("/socket.io/", None),
        ] {
            assert_eq!(Addressing::of(path), expected, "{path}");
        }
    }

    #[test]
    fn the_name_of_an_export_has_an_extension() {
        assert_eq!(without_extension("budget.csv"), Some("budget"));
        assert_eq!(without_extension("=budget.xlsx"), Some("=budget"));
        assert_eq!(without_extension("budget"), None);
        assert_eq!(without_extension("budget.1"), None);
    }
}
