//! Keys that verify tokens: a shared secret, a PEM file, or a published key set (RFC 7517). A key is
//! used only with the algorithms of its type, so that a public key is never taken for a secret.

use jsonwebtoken::crypto::rust_crypto::DEFAULT_PROVIDER;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::limits;

/// A key that is known to be usable.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its name in a key set.
    pub id: Option<String>,
    pub algorithms: Vec<Algorithm>,
    pub key: DecodingKey,
}

/// NIST SP 800-57 part 1, table 2: 2,048 bits are the least; more than 4,096 the crate `rsa`
/// refuses.
const RSA_BYTES: std::ops::RangeInclusive<usize> = 256..=512;

/// A key from a secret, for the named algorithms or HS256.
///
/// # Errors
/// When it is shorter than the hash (RFC 7518, 3.2), or an algorithm is not HS256, HS384 or HS512.
pub fn from_secret(secret: &[u8], named: &[Algorithm]) -> Result<Key, String> {
    let algorithms = if named.is_empty() { vec![Algorithm::HS256] } else { named.to_vec() };
    for algorithm in &algorithms {
        let bytes_min = match algorithm {
            Algorithm::HS256 => 32,
            Algorithm::HS384 => 48,
            Algorithm::HS512 => 64,
            other => return Err(format!("the algorithm {other:?} does not fit a secret")),
        };
        if secret.len() < bytes_min {
            return Err(format!("the secret must have at least {bytes_min} bytes for {algorithm:?}"));
        }
    }
    Ok(Key { id: None, algorithms, key: DecodingKey::from_secret(secret) })
}

/// A public key from a PEM file, for the named algorithms or the usual one of its type.
///
/// # Errors
/// When it is not a public key of a known type, too short, or does not fit an algorithm.
pub fn from_pem(pem: &[u8], named: &[Algorithm]) -> Result<Key, String> {
    let found = [
        (DecodingKey::from_ed_pem(pem), vec![Algorithm::EdDSA]),
        (DecodingKey::from_ec_pem(pem), vec![Algorithm::ES256, Algorithm::ES384]),
        (DecodingKey::from_rsa_pem(pem), vec![Algorithm::RS256]),
    ];
    let found = found.into_iter().find_map(|(key, usual)| Some((key.ok()?, usual)));
    let Some((key, usual)) = found else {
        return Err("not a public key in PEM (Ed25519, P-256, P-384 or RSA)".into());
    };
    let usual = usual.into_iter().filter(|algorithm| is_usable(&key, *algorithm)).collect::<Vec<_>>();
    if usual.is_empty() {
        return Err("not a usable public key; RSA keys have 2,048 to 4,096 bits".into());
    }
    if let Some(other) = named.iter().find(|algorithm| !is_usable(&key, **algorithm)) {
        return Err(format!("the algorithm {other:?} does not fit the key"));
    }
    let algorithms = if named.is_empty() { usual } else { named.to_vec() };
    Ok(Key { id: None, algorithms, key })
}

/// The keys of a published set. Keys of unknown types, for encryption, and secrets are left out
/// (RFC 7517, 5).
///
/// # Errors
/// When it is not a key set or has too many keys.
pub fn from_key_set(bytes: &[u8]) -> Result<Vec<Key>, String> {
    #[derive(Deserialize)]
    struct KeySet {
        keys: Vec<Json>,
    }
    let set: KeySet = serde_json::from_slice(bytes).map_err(|error| format!("not a key set: {error}"))?;
    if set.keys.len() > limits::HOST_KEYS_MAX {
        return Err(format!("more than {} keys", limits::HOST_KEYS_MAX));
    }
    Ok(set.keys.into_iter().filter_map(|key| from_jwk(&serde_json::from_value(key).ok()?)).collect())
}

fn from_jwk(jwk: &Jwk) -> Option<Key> {
    let is_for_signatures =
        jwk.common.public_key_use.as_ref().is_none_or(|usage| *usage == PublicKeyUse::Signature);
    let operations = jwk.common.key_operations.as_ref();
    let may_verify = operations.is_none_or(|operations| operations.contains(&KeyOperations::Verify));
    if !is_for_signatures || !may_verify {
        return None;
    }
    let fitting: &[Algorithm] = match &jwk.algorithm {
        AlgorithmParameters::OctetKeyPair(pair) if pair.curve == EllipticCurve::Ed25519 => {
            &[Algorithm::EdDSA]
        }
        AlgorithmParameters::EllipticCurve(point) => match point.curve {
            EllipticCurve::P256 => &[Algorithm::ES256],
            EllipticCurve::P384 => &[Algorithm::ES384],
            _ => return None,
        },
        AlgorithmParameters::RSA(_) => AlgorithmFamily::Rsa.algorithms(),
        // A secret is not published.
        _ => return None,
    };
    let key = DecodingKey::from_jwk(jwk).ok()?;
    let is_stated = |algorithm: &Algorithm| match jwk.common.key_algorithm {
        Some(stated) => stated == KeyAlgorithm::from(*algorithm),
        None => true,
    };
    let algorithms =
        fitting.iter().copied().filter(|algorithm| is_stated(algorithm) && is_usable(&key, *algorithm));
    let algorithms: Vec<Algorithm> = algorithms.collect();
    (!algorithms.is_empty()).then(|| Key { id: jwk.common.key_id.clone(), algorithms, key })
}

/// Whether the key fits the algorithm and is long enough.
fn is_usable(key: &DecodingKey, algorithm: Algorithm) -> bool {
    if key.family() != algorithm.family() {
        return false;
    }
    match algorithm.family() {
        AlgorithmFamily::Rsa => {
            let modulus = match key.kind() {
                DecodingKeyKind::RsaModulusExponent { n, .. } => Some(n.clone()),
                DecodingKeyKind::SecretOrDer(der) => {
                    (DEFAULT_PROVIDER.key_utils.rsa_pub_components_from_public_key)(der).ok().map(|(n, _)| n)
                }
            };
            modulus.is_some_and(|modulus| {
                let significant = modulus.iter().skip_while(|byte| **byte == 0).count();
                RSA_BYTES.contains(&significant)
            })
        }
        // The crate reads 32 bytes of an Ed25519 key without looking how many there are.
        AlgorithmFamily::Ed => {
            key.try_get_as_bytes().is_ok_and(|bytes| bytes.len() == 32) && has_verifier(key, algorithm)
        }
        AlgorithmFamily::Ec => has_verifier(key, algorithm),
        AlgorithmFamily::Hmac => false,
    }
}

/// Whether the point is on the curve of the algorithm.
fn has_verifier(key: &DecodingKey, algorithm: Algorithm) -> bool {
    (DEFAULT_PROVIDER.verifier_factory)(&algorithm, key).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The public key of RFC 8037, appendix A.2.
    const ED25519_X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    /// The public key of RFC 7515, appendix A.3.
    const P256: (&str, &str) =
        ("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0");
    /// The modulus of RFC 7515, appendix A.2.
    const RSA_N: &str = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";

    fn algorithms(jwk: &str) -> Vec<Vec<Algorithm>> {
        let set = format!("{{\"keys\":[{jwk}]}}");
        let keys = from_key_set(set.as_bytes()).expect("a key set");
        keys.into_iter().map(|key| key.algorithms).collect()
    }

    #[test]
    fn a_published_key_is_used_with_the_algorithms_of_its_type() {
        let ed = format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{ED25519_X}"}}"#);
        assert_eq!(algorithms(&ed), [[Algorithm::EdDSA]]);
        let ec = format!(r#"{{"kty":"EC","crv":"P-256","x":"{}","y":"{}"}}"#, P256.0, P256.1);
        assert_eq!(algorithms(&ec), [[Algorithm::ES256]]);
        let rsa = format!(r#"{{"kty":"RSA","n":"{RSA_N}","e":"AQAB"}}"#);
        assert_eq!(algorithms(&rsa).concat().len(), 6);
        let stated = format!(r#"{{"kty":"RSA","n":"{RSA_N}","e":"AQAB","alg":"PS256","use":"sig"}}"#);
        assert_eq!(algorithms(&stated), [[Algorithm::PS256]]);
        assert_eq!(algorithms(&format!("{ed},{ec},{rsa}")).len(), 3);
    }

    #[test]
    fn other_published_keys_are_left_out() {
        let (x, y) = P256;
        for jwk in [
            // A secret, an encryption key, another operation, an algorithm of another type.
            r#"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75"}"#.to_owned(),
            format!(r#"{{"kty":"RSA","n":"{RSA_N}","e":"AQAB","use":"enc"}}"#),
            format!(r#"{{"kty":"RSA","n":"{RSA_N}","e":"AQAB","key_ops":["encrypt"]}}"#),
            format!(r#"{{"kty":"RSA","n":"{RSA_N}","e":"AQAB","alg":"HS256"}}"#),
            format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{ED25519_X}","alg":"RS256"}}"#),
            // Too short, of another curve, not on the curve, not a key.
            r#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#.to_owned(),
            r#"{"kty":"OKP","crv":"Ed25519","x":"AQAB"}"#.to_owned(),
            format!(r#"{{"kty":"EC","crv":"P-384","x":"{x}","y":"{y}"}}"#),
            format!(r#"{{"kty":"EC","crv":"P-256","x":"{y}","y":"{x}"}}"#),
            r#"{"kty":"new"}"#.to_owned(),
            "7".to_owned(),
        ] {
            assert_eq!(algorithms(&jwk), Vec::<Vec<Algorithm>>::new(), "{jwk}");
        }
        for set in ["", "[]", "{}", r#"{"keys":{}}"#] {
            assert!(from_key_set(set.as_bytes()).is_err(), "{set}");
        }
        let many = vec!["{}"; limits::HOST_KEYS_MAX + 1].join(",");
        assert!(from_key_set(format!("{{\"keys\":[{many}]}}").as_bytes()).is_err());
    }

    #[test]
    fn other_files_are_no_public_keys() {
        let private = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n";
        for pem in ["", "secret", private] {
            assert!(from_pem(pem.as_bytes(), &[]).is_err(), "{pem}");
        }
        let public = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n";
        assert_eq!(from_pem(public.as_bytes(), &[]).expect("a key").algorithms, [Algorithm::EdDSA]);
        assert!(from_pem(public.as_bytes(), &[Algorithm::HS256]).is_err(), "a public key is no secret");
    }
}
