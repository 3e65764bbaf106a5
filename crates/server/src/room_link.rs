//! The links of forms and of published pages: the name of the workbook, encrypted with the server's own
//! secret, so that the link reveals no address at which the workbook could be opened.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use quadrille_protocol::RoomName;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::Sha256;

use crate::room_name;

/// Names are padded to a multiple of this many bytes, so that the link does not tell their length.
const PADDING: usize = 32;
/// Longest text that is decoded: a name of 128 bytes, the nonce and the tag, in base64.
const TEXT_BYTES_MAX: usize = 256;

/// What a link leads to. A link of one purpose is none of the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkPurpose {
    Form,
    PublishedPage,
}

/// The secret of a link, and the workbook that it is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoomLink {
    pub purpose: LinkPurpose,
    /// Random: another one makes another link. The form or page that has it is the one of the link.
    pub nonce: [u8; NONCE_LEN],
    pub room: RoomName,
}

impl RoomLink {
    /// A new nonce, as access documents store it.
    pub fn new_nonce() -> String {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).expect("the operating system provides random numbers");
        URL_SAFE_NO_PAD.encode(nonce)
    }

    /// The link with a stored nonce; `None` when it is damaged.
    pub fn of(purpose: LinkPurpose, room: &RoomName, nonce: &str) -> Option<RoomLink> {
        let nonce = URL_SAFE_NO_PAD.decode(nonce).ok()?.try_into().ok()?;
        Some(RoomLink { purpose, nonce, room: room.clone() })
    }

    /// The nonce, as access documents store it.
    pub fn stored_nonce(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.nonce)
    }

    /// The text in the address. `key` is the server's own secret.
    pub fn reveal(&self, key: &[u8; 32]) -> String {
        let mut sealed = self.room.as_str().as_bytes().to_vec();
        // A name has no control characters.
        sealed.resize(sealed.len().next_multiple_of(PADDING), 0);
        let nonce = Nonce::assume_unique_for_key(self.nonce);
        let sealing = cipher(self.purpose, key).seal_in_place_append_tag(nonce, Aad::empty(), &mut sealed);
        sealing.expect("a name of a workbook is short");
        URL_SAFE_NO_PAD.encode([&self.nonce[..], &sealed].concat())
    }

    /// Reads the text; `None` when this server has not made it.
    pub fn parse(purpose: LinkPurpose, key: &[u8; 32], text: &str) -> Option<RoomLink> {
        if text.len() > TEXT_BYTES_MAX {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN)?;
        let nonce: [u8; NONCE_LEN] = nonce.try_into().ok()?;
        let mut sealed = sealed.to_vec();
        let opening = Nonce::assume_unique_for_key(nonce);
        let opened = cipher(purpose, key).open_in_place(opening, Aad::empty(), &mut sealed).ok()?;
        let name = std::str::from_utf8(opened).ok()?.trim_end_matches('\0');
        Some(RoomLink { purpose, nonce, room: room_name::parse(name).ok()? })
    }
}

/// The cipher of links. Its key is derived, because the secret also signs other tokens.
fn cipher(purpose: LinkPurpose, key: &[u8; 32]) -> LessSafeKey {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    mac.update(match purpose {
        LinkPurpose::Form => b"links of forms",
        LinkPurpose::PublishedPage => b"links of published pages",
    });
    let derived = mac.finalize().into_bytes();
    LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &derived).expect("32 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(room: &str) -> RoomLink {
        let room = RoomName::new(room).expect("a name");
        RoomLink::of(LinkPurpose::Form, &room, &RoomLink::new_nonce()).expect("a new nonce")
    }

    #[test]
    fn a_link_survives_its_text_and_does_not_show_the_workbook() {
        for name in ["annual-plan", "budget-2026", "übersicht"] {
            let link = link(name);
            let text = link.reveal(&[7; 32]);
            assert_eq!(RoomLink::parse(LinkPurpose::Form, &[7; 32], &text), Some(link));
            assert!(!text.contains(name) && !text.contains(&URL_SAFE_NO_PAD.encode(name)));
        }
        assert_eq!(link("a").reveal(&[7; 32]).len(), link("budget-2026").reveal(&[7; 32]).len());
    }

    #[test]
    fn changed_links_and_those_of_other_servers_are_none() {
        let text = link("plan").reveal(&[7; 32]);
        assert_eq!(RoomLink::parse(LinkPurpose::Form, &[8; 32], &text), None);
        assert_eq!(RoomLink::parse(LinkPurpose::PublishedPage, &[7; 32], &text), None);
        let other = if text.starts_with('A') { "B" } else { "A" };
        let long = "A".repeat(1_000);
        for text in ["", "x", "ä", &format!("{other}{}", &text[1..]), &text[..text.len() - 4], &long] {
            assert_eq!(RoomLink::parse(LinkPurpose::Form, &[7; 32], text), None, "{text}");
        }
    }
}
