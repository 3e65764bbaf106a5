//! `submitform`: the fields of a form become a row of the room that collects them.

use quadrille_access::Action;
use quadrille_cell::{ColumnIndex, column_name};
use quadrille_protocol::RoomName;
use quadrille_socialcalc::{parse, plan};

use super::connection::Connection;
use crate::error::{ApiError, ErrorCode};
use crate::http::authorization::check_room;
use crate::http::creation::write_owned;
use crate::http::internal_error::internal;
use crate::room_name;
use crate::rooms::{Change, MissingRoom};

/// The fields of a form that was sent; `None` for other commands. EtherCalc separates them by carriage
/// returns.
pub fn fields(commands: &str) -> Option<Vec<String>> {
    let mut parts = commands.split('\r');
    (parts.next()?.trim() == "submitform").then(|| parts.map(|field| field.replace('\n', "\\n")).collect())
}

/// The room that collects what is sent with the form of `room`: the one beside its template.
fn collecting(room: &RoomName) -> Result<RoomName, ApiError> {
    let is_suffix = |character: char| character.is_ascii_alphanumeric() || ".=_".contains(character);
    let name = room.as_str();
    // A copy of a template that was made for one person has a suffix.
    let mut underscores = name.match_indices('_').map(|(at, _)| at);
    let suffix = underscores.find(|at| name[at + 1..].chars().all(is_suffix));
    let template = &name[..suffix.unwrap_or(name.len())];
    room_name::parse(&format!("{template}_formdata"))
}

/// Adds the fields as the last row of the collecting room, from the second row on; the room and the
/// commands that do so.
///
/// # Errors
///
/// Fails when the client may not edit the collecting room, and when a field cannot be set.
pub async fn submit(
    connection: &Connection<'_>,
    fields: Vec<String>,
) -> Result<(RoomName, String), ApiError> {
    let Connection { app, client, visitor, .. } = connection;
    let room = collecting(&connection.name)?;
    let grant = check_room(app, visitor, &client.identity, &room, Action::Edit).await?;
    let (sender, receiver) = std::sync::mpsc::channel();
    let change = Change::new(MissingRoom::Create, move |workbook, new_sheet| {
        let bad = |message: String| ApiError::new(ErrorCode::BadRequest, message);
        let sheet = &workbook.sheets()[0];
        let row = sheet.used_range().map_or(1, |used| used.last().row.get() + 1) + 1;
        let mut commands = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            let column = u32::try_from(index).ok().and_then(ColumnIndex::new);
            let column = column.ok_or_else(|| bad("the form has too many fields".to_owned()))?;
            commands.push(format!("set {}{row} text t {field}", column_name(column)));
        }
        let commands = commands.join("\n");
        let statements = parse(&commands).map_err(|error| bad(error.to_string()))?;
        let planned = plan(&statements, workbook, sheet.id(), None, new_sheet);
        let planned = planned.map_err(|error| bad(error.to_string()))?;
        sender.send(commands).map_err(|_| internal("adding a row"))?;
        Ok(planned.transaction)
    });
    let (rooms, name, role, change) = (app.rooms.clone(), room.clone(), grant.role, grant.sign(change));
    let write = async move { rooms.change(&name, role, change).await };
    write_owned(app, &room, visitor, &grant.identity, write).await?;
    let commands = receiver.try_recv().map_err(|_| internal("adding a row"))?;
    Ok((room, commands))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_template_share_the_collecting_room() {
        for (room, expected) in [
            ("survey", "survey_formdata"),
            ("survey_k3j2h4", "survey_formdata"),
            ("survey_a.b=c_d", "survey_formdata"),
            ("survey_ä", "survey_ä_formdata"),
        ] {
            let room = room_name::parse(room).expect("a name");
            assert_eq!(collecting(&room).expect("a name").as_str(), expected);
        }
    }

    #[test]
    fn fields_are_separated_by_carriage_returns() {
        assert_eq!(fields("submitform\rAda\ra\nb"), Some(vec!["Ada".to_owned(), "a\\nb".to_owned()]));
        assert_eq!(fields("set A1 text t submitform"), None);
    }
}
