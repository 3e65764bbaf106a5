//! The names of EtherCalc's rooms as names of rooms here.
//!
//! EtherCalc's page stores rooms under the name as it is in the URL, percent-encoded, and its REST routes
//! under the decoded name. Both mean the same URL.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use quadrille_protocol::RoomName;

use crate::room_name;

/// Rooms by their name here, with the name in EtherCalc's keys.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RoomNames {
    pub rooms: BTreeMap<RoomName, String>,
    /// Names that cannot be used, with the reason.
    pub rejected: Vec<(String, String)>,
}

impl RoomNames {
    /// Names the rooms. `renames` has other names for some of EtherCalc's; the sheets of a workbook, `R.1`,
    /// follow the room `R`.
    pub fn of<'a>(names: impl Iterator<Item = &'a str>, renames: &BTreeMap<String, RoomName>) -> RoomNames {
        let mut named = RoomNames::default();
        for name in names {
            let room = match renames.get(name) {
                Some(room) => Ok(room.clone()),
                None => sheet_of_renamed(name, renames).unwrap_or_else(|| room_of(name)),
            };
            let room = match room {
                Ok(room) => room,
                Err(reason) => {
                    let reason = format!("{reason}; --rename gives it another name");
                    named.rejected.push((name.to_owned(), reason));
                    continue;
                }
            };
            let reason = |other: &str| {
                format!("{other} has the same URL, which is shown there; --rename gives it another name")
            };
            match named.rooms.remove(&room) {
                None => _ = named.rooms.insert(room, name.to_owned()),
                Some(other) => {
                    // EtherCalc's page shows the encoded one.
                    let is_shown = name.contains('%');
                    let (shown, hidden) = if is_shown { (name, &*other) } else { (&*other, name) };
                    named.rejected.push((hidden.to_owned(), reason(shown)));
                    named.rooms.insert(room, shown.to_owned());
                }
            }
        }
        named
    }

    /// The rooms `R.1`, `R.2` … of a room, by number.
    pub fn members(&self, room: &RoomName) -> BTreeMap<u32, (RoomName, String)> {
        let prefix = format!("{room}.");
        let Ok(first) = RoomName::new(&prefix) else { return BTreeMap::new() };
        let following = self.rooms.range(first..);
        let members = following.take_while(|(name, _)| name.as_str().starts_with(&prefix));
        let numbered = members.filter_map(|(name, from)| {
            let number = &name.as_str()[prefix.len()..];
            let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
            Some((number.parse().ok().filter(|_| is_number)?, (name.clone(), from.clone())))
        });
        numbered.collect()
    }
}

/// The name of a room `R.1` whose room `R` has another name, if it has none of its own.
fn sheet_of_renamed(name: &str, renames: &BTreeMap<String, RoomName>) -> Option<Result<RoomName, String>> {
    let (workbook, number) = name.rsplit_once('.')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let room = renames.get(workbook).filter(|_| is_number)?;
    Some(room_name::parse(&format!("{room}.{number}")).map_err(|error| error.message))
}

/// The name of a room here, from that in a key.
///
/// # Errors
/// The reason why rooms cannot have the name.
pub fn room_of(name: &str) -> Result<RoomName, String> {
    let decoded = percent_decode_str(name).decode_utf8();
    let decoded = decoded.map_err(|_| format!("the name is not UTF-8: {}", name.escape_debug()))?;
    room_name::parse(&decoded).map_err(|error| error.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(name: &str) -> RoomName {
        RoomName::new(name).expect("a name")
    }

    fn named(names: &[&str], renames: &[(&str, &str)]) -> RoomNames {
        let renames = renames.iter().map(|(old, new)| ((*old).to_owned(), room(new))).collect();
        RoomNames::of(names.iter().copied(), &renames)
    }

    #[test]
    fn encoded_names_are_decoded_and_the_room_that_the_page_shows_wins() {
        for names in [["caf%C3%A9", "café"], ["café", "caf%C3%A9"]] {
            let named = named(&names, &[]);
            assert_eq!(named.rooms, BTreeMap::from([(room("café"), "caf%C3%A9".to_owned())]));
            assert_eq!(named.rejected[0].0, "café");
            assert!(named.rejected[0].1.contains("caf%C3%A9 has the same URL"));
        }
    }

    #[test]
    fn names_that_rooms_cannot_have_are_told_and_can_be_given_another() {
        let names = ["a b", "budget", "favicon.ico", "%FF", "api"];
        let named = named(&names, &[("a b", "a-b")]);
        assert_eq!(named.rooms.keys().map(RoomName::as_str).collect::<Vec<_>>(), ["a-b", "budget"]);
        let rejected: Vec<&str> = named.rejected.iter().map(|(name, _)| &**name).collect();
        assert_eq!(rejected, ["favicon.ico", "%FF", "api"]);
        assert!(named.rejected.iter().all(|(_, reason)| reason.contains("--rename")));
    }

    #[test]
    fn sheets_follow_their_renamed_workbook() {
        let names = ["a b", "a b.1", "a b.2", "a b.x"];
        let named = named(&names, &[("a b", "plan"), ("a b.2", "other")]);
        assert_eq!(named.rooms.keys().map(RoomName::as_str).collect::<Vec<_>>(), ["other", "plan", "plan.1"]);
        assert_eq!(named.rejected[0].0, "a b.x");
    }

    #[test]
    fn sheets_are_found_by_number() {
        let named = named(
            &["sales", "sales-2", "sales.1", "sales.10", "sales.01", "sales.1.2", "sales.x", "sales2"],
            &[],
        );
        let members = named.members(&room("sales"));
        assert_eq!(members.keys().copied().collect::<Vec<_>>(), [1, 10]);
        assert_eq!(members[&10], (room("sales.10"), "sales.10".to_owned()));
    }
}
