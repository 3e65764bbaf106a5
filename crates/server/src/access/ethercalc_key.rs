//! EtherCalc's links for editing: `?auth=` with a code that only who knows the server's key can
//! compute.
//!
//! As in EtherCalc with `--key`, the code of a workbook is HMAC-SHA256 of its name, in hexadecimal
//! digits. It raises the default role, and no more: a workbook that its owner has restricted stays
//! restricted, because `/{room}/edit` gives everybody its code.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use quadrille_protocol::RoomName;
use sha2::Sha256;

/// The key of the setting `ethercalc_key`.
#[derive(Clone)]
pub struct EtherCalcKey(Vec<u8>);

impl fmt::Debug for EtherCalcKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EtherCalcKey(…)")
    }
}

/// The code of a request, not verified yet. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct EtherCalcCode(String);

impl fmt::Debug for EtherCalcCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EtherCalcCode(…)")
    }
}

/// Prefix of a bearer token that is the code of a link, for the page and its WebSocket.
const BEARER_PREFIX: &str = "qe_";
/// What EtherCalc sends instead of a code for viewing.
const VIEW_ONLY: &str = "0";

impl EtherCalcCode {
    /// The code in the query of a URL; `None` without one, and for the value `0`, which stands for
    /// viewing.
    pub fn from_query(query: &str) -> Option<EtherCalcCode> {
        let value = query.split('&').find_map(|pair| pair.strip_prefix("auth="))?;
        (value != VIEW_ONLY && !value.is_empty()).then(|| EtherCalcCode(value.to_owned()))
    }

    /// The code in a bearer token; `None` for another token.
    pub fn from_bearer(token: &str) -> Option<EtherCalcCode> {
        token.strip_prefix(BEARER_PREFIX).map(|code| EtherCalcCode(code.to_owned()))
    }
}

impl EtherCalcKey {
    /// The key from its text.
    pub fn new(text: &str) -> EtherCalcKey {
        EtherCalcKey(text.as_bytes().to_vec())
    }

    /// The code of a workbook, 64 hexadecimal digits.
    pub fn code(&self, room: &RoomName) -> String {
        let bytes = self.mac(room.as_str()).finalize().into_bytes();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether it is the code of the workbook, in constant time. The code of EtherCalc's address
    /// with several sheets, `=room`, is accepted too: here every workbook can have several.
    pub fn accepts(&self, room: &RoomName, code: &EtherCalcCode) -> bool {
        let Some(bytes) = from_hex(&code.0) else { return false };
        let is_plain = self.mac(room.as_str()).verify_slice(&bytes).is_ok();
        let is_multiple = self.mac(&format!("={room}")).verify_slice(&bytes).is_ok();
        is_plain | is_multiple
    }

    fn mac(&self, name: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(name.as_bytes());
        mac
    }
}

/// The bytes of 64 lower-case hexadecimal digits, as EtherCalc writes them.
fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 2 * bytes.len() || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(name: &str) -> RoomName {
        RoomName::new(name).expect("a valid name")
    }

    fn code(text: &str) -> EtherCalcCode {
        EtherCalcCode::from_query(&format!("auth={text}")).expect("a code")
    }

    #[test]
    fn the_code_is_the_one_of_ethercalc() {
        // RFC 4231, test case 2.
        let key = EtherCalcKey::new("Jefe");
        let mac = key.mac("what do ya want for nothing?").finalize().into_bytes();
        let digits: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digits, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        // node -e 'require("crypto").createHmac("sha256","secret").update("budget").digest("hex")'
        let expected = "ef243a26748eb426e64a2d7b7afc7bf0bc53e652ee713b1544659b63b49f95dc";
        assert_eq!(EtherCalcKey::new("secret").code(&room("budget")), expected);
    }

    #[test]
    fn a_code_counts_for_its_workbook_and_key_only() {
        let key = EtherCalcKey::new("secret");
        let own = key.code(&room("budget"));
        assert!(key.accepts(&room("budget"), &code(&own)));
        assert!(!key.accepts(&room("plan"), &code(&own)));
        assert!(!EtherCalcKey::new("other").accepts(&room("budget"), &code(&own)));
        for wrong in [&own[..63], &own.to_uppercase(), &format!("{own}0"), "1", "é"] {
            assert!(!key.accepts(&room("budget"), &code(wrong)), "{wrong}");
        }
    }

    #[test]
    fn the_code_is_read_from_the_query_and_from_a_bearer_token() {
        for (query, expected) in [
            ("auth=ab", Some("ab")),
            ("view=1&auth=ab", Some("ab")),
            ("auth=0", None),
            ("auth=0&auth=ab", None),
            ("auth=", None),
            ("xauth=ab", None),
            ("", None),
        ] {
            assert_eq!(EtherCalcCode::from_query(query).map(|code| code.0).as_deref(), expected, "{query}");
        }
        assert_eq!(EtherCalcCode::from_bearer("qe_ab").map(|code| code.0).as_deref(), Some("ab"));
        assert_eq!(EtherCalcCode::from_bearer("ql_ab"), None);
        assert_eq!(format!("{:?}", code("ab")), "EtherCalcCode(…)");
    }
}
