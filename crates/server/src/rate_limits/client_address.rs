//! The client address of a request: the peer's address, or the one that a trusted proxy reports.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::HeaderMap;

use crate::network::Network;

/// Proxies whose `x-forwarded-for` is trusted: this machine and the configured addresses and networks.
pub struct TrustedProxies(Vec<Network>);

impl TrustedProxies {
    /// Parses the configured addresses and networks. A proxy that may say who somebody is may say from where, too.
    ///
    /// # Errors
    ///
    /// Fails when one is neither an IP address nor a network.
    pub fn new(trusted: &[String], sign_in: &[String]) -> Result<TrustedProxies, String> {
        let parse = |text: &String| {
            let message = || format!("trusted_proxies: not an IP address or network: {text}");
            Network::parse(text).ok_or_else(message)
        };
        trusted.iter().chain(sign_in).map(parse).collect::<Result<_, _>>().map(TrustedProxies)
    }

    fn trusts(&self, address: IpAddr) -> bool {
        address.is_loopback() || self.0.iter().any(|network| network.contains(address))
    }
}

/// Returns the address to which limits per address apply; `None` for programs on this machine,
/// which are not limited.
///
/// Proxies append to `x-forwarded-for`, so the last address that is not a trusted proxy cannot be
/// forged. Of an IPv6 address only the first 64 bits count, because a household can use any number
/// of addresses within them.
pub fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &TrustedProxies) -> Option<IpAddr> {
    let peer = peer.to_canonical();
    if !trusted.trusts(peer) {
        return Some(network_of(peer));
    }
    let forwarded = headers.get_all("x-forwarded-for").into_iter().filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
    for hop in hops.into_iter().rev() {
        // Trusted proxies write valid addresses only.
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
    fn only_trusted_proxies_can_report_the_client_address() {
        let trusted =
            TrustedProxies::new(&["10.0.0.1".into(), "10.9.0.0/16".into()], &[]).expect("an address");
        for (peer, forwarded, expected) in [
            ("192.0.2.9", "", "192.0.2.9"),
            ("192.0.2.9", "198.51.100.1", "192.0.2.9"), // forged by the client
            ("127.0.0.1", "", ""),
            ("127.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("10.0.0.1", "203.0.113.7, 198.51.100.1", "198.51.100.1"), // the first is forged
            ("127.0.0.1", "198.51.100.1, 10.0.0.1", "198.51.100.1"),
            ("10.9.7.1", "198.51.100.1", "198.51.100.1"), // of a network
            ("10.8.7.1", "198.51.100.1", "10.8.7.1"),
            ("127.0.0.1", "unknown", ""),
            ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::"),
        ] {
            let mut headers = HeaderMap::new();
            if !forwarded.is_empty() {
                headers.insert("x-forwarded-for", forwarded.parse().expect("a value"));
            }
            let address = client_address(peer.parse().expect("an address"), &headers, &trusted);
            assert_eq!(
                address.map_or(String::new(), |address| address.to_string()),
                expected,
                "{peer} {forwarded}"
            );
        }
        for wrong in ["proxy.example", "10.0.0.0/33", "10.0.0.0/"] {
            assert!(TrustedProxies::new(&[wrong.into()], &[]).is_err(), "{wrong}");
        }
    }
}
