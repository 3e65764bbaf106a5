//! Which of several servers has a session: its id tells, signed with the secret that they share.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::hexadecimal::{hex, hex_bytes};

/// Bytes of the signature in an id. Whoever guesses one makes a server send a request to an address.
const SIGNATURE_BYTES: usize = 16;

/// Returns the id of a session of the server with this URL: secret, URL and signature in hexadecimal, with dots.
pub fn sid_at(key: &[u8; 32], secret: &str, url: &str) -> String {
    format!("{secret}.{}.{}", hex(url.as_bytes()), hex(&signature(key, secret, url)))
}

/// Returns the URL of the server that has given an id.
pub fn home_of(key: &[u8; 32], sid: &str) -> Option<String> {
    let (secret, rest) = sid.split_once('.')?;
    let (url, signed) = rest.split_once('.')?;
    let url = String::from_utf8(hex_bytes(url)?).ok()?;
    mac(key, secret, &url)
        .verify_truncated_left(&hex_bytes(signed).filter(|bytes| bytes.len() == SIGNATURE_BYTES)?)
        .ok()?;
    Some(url)
}

fn mac(key: &[u8; 32], secret: &str, url: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(format!("socket.io {secret} {url}").as_bytes());
    mac
}

fn signature(key: &[u8; 32], secret: &str, url: &str) -> Vec<u8> {
    mac(key, secret, url).finalize().into_bytes()[..SIGNATURE_BYTES].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_the_server_that_has_given_it() {
        let (key, url) = ([7; 32], "http://10.0.0.5:8000");
        let sid = sid_at(&key, "00ff", url);
        assert!(sid.starts_with("00ff.687474703a2f2f31302e302e302e353a38303030."), "{sid}");
        // printf 'socket.io 00ff http://10.0.0.5:8000' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…07
        assert!(sid.ends_with(".a1a2e17f2561a7a28d43882764aae72d"), "{sid}");
        assert_eq!(home_of(&key, &sid).as_deref(), Some(url));
        assert_eq!(home_of(&[8; 32], &sid), None, "of other servers");
        for changed in [
            sid.replacen("00ff", "00fe", 1),
            sid.replace("6874", "6875"),
            "00ff".to_owned(),
            format!("{sid}0"),
        ] {
            assert_eq!(home_of(&key, &changed), None, "{changed}");
        }
        let short = sid.rsplit_once('.').expect("two dots").0;
        assert_eq!(home_of(&key, &format!("{short}.")), None, "without a signature");
    }
}
