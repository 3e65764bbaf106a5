//! [`ServerStatement`]: commands that act outside the sheet, which the server carries out.

use quadrille_cell::CellAddress;

/// Values of a submitted form, at most: SocialCalc's columns A to ZZ.
const FORM_VALUES_MAX: usize = 702;
/// Times of a trigger, at most.
const TRIGGER_TIMES_MAX: usize = 100;

/// A command that acts outside the sheet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServerStatement {
    /// `submitform`, then values after carriage returns: a row for the answers of a form.
    SubmitForm(Vec<String>),
    /// `settimetrigger A1 29926715,29926716`: times in minutes since 1970 at which the mail formula of
    /// the cell is carried out. No times remove the trigger.
    SetTimeTrigger { cell: CellAddress, times_min: Vec<i64> },
    /// `sendemail TO SUBJECT BODY`, in which `%20` stands for a space.
    SendMail { to: String, subject: String, body: String },
}

/// Reads `submitform` with its values. The line is one command although it has carriage returns.
pub(crate) fn submit_form(line: &str) -> Option<Result<ServerStatement, String>> {
    let mut parts = line.split('\r');
    if parts.next()?.trim() != "submitform" {
        return None;
    }
    let values: Vec<String> = parts.map(str::to_owned).collect();
    Some(match values.len() {
        0 => Err("'submitform' needs values, each after a carriage return".to_owned()),
        count if count > FORM_VALUES_MAX => Err(format!("'submitform' has at most {FORM_VALUES_MAX} values")),
        _ => Ok(ServerStatement::SubmitForm(values)),
    })
}

/// Reads what follows `settimetrigger`.
pub(crate) fn set_time_trigger(cell: CellAddress, times: &str) -> Result<ServerStatement, String> {
    let times = times.trim().split(',').filter(|time| !time.is_empty());
    let read = |time: &str| {
        time.parse::<i64>()
            .ok()
            .filter(|time| *time >= 0)
            .ok_or_else(|| format!("'{time}' is not a time in minutes since 1970"))
    };
    let times_min = times.map(read).collect::<Result<Vec<i64>, String>>()?;
    match times_min.len() > TRIGGER_TIMES_MAX {
        true => Err(format!("a trigger has at most {TRIGGER_TIMES_MAX} times")),
        false => Ok(ServerStatement::SetTimeTrigger { cell, times_min }),
    }
}

/// Reads what follows `sendemail`.
pub(crate) fn send_mail(rest: &str) -> Result<ServerStatement, String> {
    let mut words = rest.splitn(3, ' ').map(|word| word.replace("%20", " "));
    let mut next = || words.next().filter(|word| !word.is_empty());
    let needs = || "'sendemail' needs an address, a subject and a text; %20 is a space".to_owned();
    let (to, subject, body) =
        (next().ok_or_else(needs)?, next().ok_or_else(needs)?, next().ok_or_else(needs)?);
    Ok(ServerStatement::SendMail { to, subject, body })
}

/// Ends the name of a room for the answers of a form.
const FORM_DATA: &str = "_formdata";

/// The room for the answers of a form: `plan_formdata` for `plan`, and for its copies such as
/// `plan_4h2kd8`.
pub fn form_data_room(room: &str) -> String {
    let is_suffix = |at: &usize| {
        room[at + 1..].chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '=' | '_'))
    };
    let form = room.match_indices('_').map(|(at, _)| at).find(is_suffix).map_or(room, |at| &room[..at]);
    format!("{form}{FORM_DATA}")
}

/// Whether a room has the name of one for the answers of a form.
pub fn is_form_data_room(room: &str) -> bool {
    room.ends_with(FORM_DATA)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_for_answers_is_that_of_the_form() {
        for (room, expected) in [
            ("plan", "plan_formdata"),
            ("plan_4h2kd8", "plan_formdata"),
            ("plan_4h2kd8_copy", "plan_formdata"),
            ("my_plan-2026_4h2kd8", "my_plan-2026_formdata"),
            ("a_b-c", "a_b-c_formdata"),
            ("survey_a.b=c_d", "survey_formdata"),
            ("survey_ä", "survey_ä_formdata"),
        ] {
            assert_eq!(form_data_room(room), expected, "{room}");
        }
    }
}
