//! References to rooms that get other names: in formulas, `="two words"!A1`, and in the links of tables of
//! contents, `/two words.1`. They are rewritten in what EtherCalc has stored, before it is read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use quadrille_files::socialcalc_escapes::{decode, encode};
use quadrille_protocol::RoomName;

use super::source::StoredRoom;

/// The new names of rooms, by the names that EtherCalc's formulas and links have for them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RenamedRooms(BTreeMap<String, RoomName>);

impl RenamedRooms {
    /// The rooms, by their names here, that have another one in EtherCalc's keys.
    pub fn of(rooms: &BTreeMap<RoomName, String>) -> RenamedRooms {
        let mut renamed = BTreeMap::new();
        for (room, from) in rooms {
            let decoded = percent_decode_str(from).decode_utf8_lossy().into_owned();
            // A name that another room has here means that room, as its URL does.
            let means_another = RoomName::new(&decoded).is_ok_and(|name| rooms.contains_key(&name));
            if decoded != room.as_str() && !means_another {
                renamed.insert(from.clone(), room.clone());
                renamed.insert(decoded, room.clone());
            }
        }
        RenamedRooms(renamed)
    }

    /// Rewrites the references in a save and in commands.
    pub fn rewrite(&self, stored: &mut StoredRoom) {
        if self.0.is_empty() {
            return;
        }
        if let Ok(save) = std::str::from_utf8(&stored.snapshot) {
            let lines: Vec<Cow<'_, str>> = save.split('\n').map(|line| self.save_line(line)).collect();
            if lines.iter().any(|line| matches!(line, Cow::Owned(_))) {
                stored.snapshot = lines.join("\n").into_bytes();
            }
        }
        for entry in stored.log.iter_mut().chain(&mut stored.audit) {
            let lines: Vec<Cow<'_, str>> = entry.split('\n').map(|line| self.command(line)).collect();
            if lines.iter().any(|line| matches!(line, Cow::Owned(_))) {
                *entry = lines.join("\n");
            }
        }
    }

    /// A line of a save: a cell with a formula or a link, or a name that is a formula.
    fn save_line<'a>(&self, line: &'a str) -> Cow<'a, str> {
        let (content, end) = line.strip_suffix('\r').map_or((line, ""), |content| (content, "\r"));
        let mut fields: Vec<Cow<'_, str>> = content.split(':').map(Cow::Borrowed).collect();
        let changed = match &*fields[0] {
            "cell" => self.attributes(&mut fields, 2),
            "name" => fields.get(3).and_then(|formula| self.encoded_formula(formula)).map(|formula| {
                fields[3] = Cow::Owned(formula);
            }),
            _ => None,
        };
        changed.map_or(Cow::Borrowed(line), |()| Cow::Owned(fields.join(":") + end))
    }

    /// Rewrites the attributes of a cell from this field on; `None` when none has changed.
    fn attributes(&self, fields: &mut [Cow<'_, str>], first: usize) -> Option<()> {
        let mut changed = None;
        let mut at = first;
        while at < fields.len() {
            let (value_at, width) = match &*fields[at] {
                "t" => (at + 1, 2),
                // Type, value and formula.
                "vtf" => (at + 3, 4),
                "vt" => (at + 2, 3),
                "vtc" => (at + 3, 4),
                "b" => (at + 4, 5),
                _ => (at + 1, 2),
            };
            let rewritten = match (&*fields[at], fields.get(value_at)) {
                ("t", Some(text)) => self.link(&decode(text)).map(|link| encode(&link)),
                ("vtf", Some(formula)) => self.encoded_formula(formula),
                _ => None,
            };
            if let Some(rewritten) = rewritten {
                fields[value_at] = Cow::Owned(rewritten);
                changed = Some(());
            }
            at += width;
        }
        changed
    }

    fn encoded_formula(&self, text: &str) -> Option<String> {
        self.formula(&decode(text)).map(|formula| encode(&formula))
    }

    /// A command that sets a formula, a link or a name.
    fn command<'a>(&self, line: &'a str) -> Cow<'a, str> {
        let mut words = line.splitn(4, ' ');
        let words = [words.next(), words.next(), words.next(), words.next()];
        let [Some(command), Some(target), Some(what), Some(rest)] = words else { return Cow::Borrowed(line) };
        let rewritten = match (command, what) {
            ("set", "formula") => self.formula(rest),
            ("set", "text") => rest
                .split_once(' ')
                .and_then(|(kind, text)| Some(format!("{kind} {}", encode(&self.link(&decode(text))?)))),
            ("set", "all") => {
                let mut fields: Vec<Cow<'_, str>> = rest.split(':').map(Cow::Borrowed).collect();
                self.attributes(&mut fields, 1).map(|()| fields.join(":"))
            }
            ("name", _) if target == "define" => self.formula(rest),
            _ => None,
        };
        rewritten.map_or(Cow::Borrowed(line), |rest| Cow::Owned(format!("{command} {target} {what} {rest}")))
    }

    /// The link to a room or to its sheet in a table of contents; `None` when it stays.
    fn link(&self, text: &str) -> Option<String> {
        let name = percent_decode_str(text.strip_prefix('/')?).decode_utf8().ok()?;
        Some(format!("/{}", self.0.get(&*name)?))
    }

    /// The formula with the new names before exclamation marks; `None` when nothing changes.
    fn formula(&self, formula: &str) -> Option<String> {
        let mut written = String::new();
        let mut rest = formula;
        let mut is_changed = false;
        while let Some(first) = rest.chars().next() {
            let (token, is_quoted) = match first {
                '"' => (&rest[..quoted_end(rest)], true),
                _ if is_of_name(first) => {
                    (&rest[..rest.find(|c| !is_of_name(c)).unwrap_or(rest.len())], false)
                }
                _ => (&rest[..first.len_utf8()], false),
            };
            rest = &rest[token.len()..];
            let name = match is_quoted {
                true => token.trim_matches('"').replace("\"\"", "\""),
                false => token.to_owned(),
            };
            match self.0.get(&name).filter(|_| rest.starts_with('!')) {
                Some(room) => {
                    written += &format!("\"{room}\"");
                    is_changed = true;
                }
                None => written += token,
            }
        }
        is_changed.then_some(written)
    }
}

/// The end of a text in quotation marks, of which those within it are doubled.
fn quoted_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'"', Some(b'"')) => at += 2,
            (b'"', _) => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed() -> RenamedRooms {
        let rooms = [("two-words", "two words"), ("two-words.1", "two words.1"), ("rates-2", "rates")];
        let rooms = rooms.map(|(new, old)| (RoomName::new(new).expect("a name"), old.to_owned()));
        RenamedRooms::of(&BTreeMap::from(rooms))
    }

    #[test]
    fn formulas_have_the_new_names_before_exclamation_marks_only() {
        for (formula, expected) in [
            ("\"two words\"!A1*2", Some("\"two-words\"!A1*2")),
            ("SUM(rates!A1:B2,\"two words.1\"!C3)", Some("SUM(\"rates-2\"!A1:B2,\"two-words.1\"!C3)")),
            ("\"rates\"&\"rates!\"", None),
            ("\"a \"\"rates\"\" !\"&B1", None),
            ("myrates!A1+rates.old!A1", None),
            ("rates", None),
            ("\"open", None),
        ] {
            assert_eq!(renamed().formula(formula).as_deref(), expected, "{formula}");
        }
    }

    #[test]
    fn saves_and_commands_are_rewritten_where_they_refer() {
        let mut stored = StoredRoom {
            name: "x".to_owned(),
            snapshot: b"cell:A1:vtf:n:5:rates!B1\\cC2:f:1\ncell:A2:t:/two%20words.1\ncell:A3:t:rates!A1\n"
                .to_vec(),
            log: vec!["set A1 formula rates!A1\nset A2 text t /rates\nset A3 text t rates!A1".to_owned()],
            audit: vec!["set B1 all :vtf:n:0:rates!A1:f:2".to_owned(), "name define X =rates!A1".to_owned()],
            chat: Vec::new(),
            changed_ms: None,
        };
        renamed().rewrite(&mut stored);
        assert_eq!(
            String::from_utf8_lossy(&stored.snapshot),
            "cell:A1:vtf:n:5:\"rates-2\"!B1\\cC2:f:1\ncell:A2:t:/two-words.1\ncell:A3:t:rates!A1\n"
        );
        let log = "set A1 formula \"rates-2\"!A1\nset A2 text t /rates-2\nset A3 text t rates!A1";
        assert_eq!(stored.log, [log]);
        assert_eq!(stored.audit, ["set B1 all :vtf:n:0:\"rates-2\"!A1:f:2", "name define X =\"rates-2\"!A1"]);
    }

    #[test]
    fn a_name_that_another_room_has_here_means_that_room() {
        let rooms = [("café", "caf%C3%A9"), ("old-café", "café")];
        let rooms = rooms.map(|(new, old)| (RoomName::new(new).expect("a name"), old.to_owned()));
        assert_eq!(RenamedRooms::of(&BTreeMap::from(rooms)), RenamedRooms::default());
    }
}
