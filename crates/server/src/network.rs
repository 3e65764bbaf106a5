//! [`Network`]: a range of IP addresses, such as `10.1.0.0/16`.

use std::net::IpAddr;

/// The addresses that have the first `prefix` bits of `address`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Network {
    address: IpAddr,
    prefix: u32,
}

impl Network {
    /// Reads a network, or an address, which is the network of itself. `None` for any other text.
    pub fn parse(text: &str) -> Option<Network> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let address: IpAddr = address.parse().ok()?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Some(bits), |prefix| prefix.parse().ok())?;
        (prefix <= bits).then_some(Network { address, prefix })
    }

    /// Whether an address is in the network.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let differing = u32::from(network) ^ u32::from(address);
                differing.checked_shr(32 - self.prefix).unwrap_or(0) == 0
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let differing = u128::from(network) ^ u128::from(address);
                differing.checked_shr(128 - self.prefix).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}
