//! Whose request it is: the peer's address, or what a proxy that is trusted says.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::HeaderMap;

/// Whose `x-forwarded-for` is believed: this machine, and the configured addresses.
pub struct TrustedProxies(Vec<IpAddr>);

impl TrustedProxies {
    pub fn new(addresses: &[String]) -> Result<TrustedProxies, String> {
        let parse = |text: &String| {
            text.parse().map_err(|_| format!("trusted_proxies holds what is not an IP address: {text}"))
        };
        addresses.iter().map(parse).collect::<Result<_, _>>().map(TrustedProxies)
    }

    fn trusts(&self, address: IpAddr) -> bool {
        address.is_loopback() || self.0.contains(&address)
    }
}

/// Whom limits per address count; `None` for programs on this machine, which are not limited.
///
/// Proxies append to `x-forwarded-for`, so the last address that no trusted proxy has is the one that cannot be made up.
/// Of IPv6 the first 64 bits count: a household has as many addresses as it wants within them.
pub fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &TrustedProxies) -> Option<IpAddr> {
    let peer = peer.to_canonical();
    if !trusted.trusts(peer) {
        return Some(network_of(peer));
    }
    let forwarded = headers.get_all("x-forwarded-for").into_iter().filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
    for hop in hops.into_iter().rev() {
        // What is not an address was not written by a proxy we trust.
        let address: IpAddr = hop.parse().ok()?;
        if !trusted.trusts(address.to_canonical()) {
            return Some(network_of(address.to_canonical()));
        }
    }
    None
}

fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !(u128::MAX >> 64)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trusted_proxies_say_whose_request_it_is() {
        let trusted = TrustedProxies::new(&["10.0.0.1".into()]).expect("an address");
        for (peer, forwarded, expected) in [
            ("192.0.2.9", "", "192.0.2.9"),
            ("192.0.2.9", "198.51.100.1", "192.0.2.9"), // made up by the client
            ("127.0.0.1", "", ""),
            ("127.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("10.0.0.1", "203.0.113.7, 198.51.100.1", "198.51.100.1"), // the first was made up
            ("127.0.0.1", "198.51.100.1, 10.0.0.1", "198.51.100.1"),
            ("127.0.0.1", "unknown", ""),
            ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::"),
        ] {
            let mut headers = HeaderMap::new();
            if !forwarded.is_empty() {
                headers.insert("x-forwarded-for", forwarded.parse().expect("a value"));
            }
            let found = client_address(peer.parse().expect("an address"), &headers, &trusted);
            assert_eq!(
                found.map_or(String::new(), |found| found.to_string()),
                expected,
                "{peer} {forwarded}"
            );
        }
        assert!(TrustedProxies::new(&["proxy.example".into()]).is_err());
    }
}
