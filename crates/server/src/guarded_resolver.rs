//! Which addresses the server may connect to when a user chooses the destination: public ones, and the
//! private networks that the operator allows. Otherwise a user could reach machines that only the
//! server can reach (server-side request forgery).
//!
//! The name is resolved once, and the connection goes to the address that was checked: a name server
//! cannot give another address in between.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::Uri;
use ureq::config::Config;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::network::Network;

/// Where requests may go whose destination a user chooses.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Destinations {
    /// Private networks that are allowed.
    networks: Vec<Network>,
    /// The only hosts that are allowed, in lower case; all without any. `*.` stands for any number of
    /// labels.
    hosts: Vec<String>,
}

impl Destinations {
    /// Reads networks such as `10.1.0.0/16` or `127.0.0.1`, and hosts such as `example.org` or
    /// `*.example.org`.
    ///
    /// # Errors
    ///
    /// Fails with a message that names the setting of webhooks.
    pub fn parse(networks: &[String], hosts: &[String]) -> Result<Destinations, String> {
        let parse = |text: &String| {
            Network::parse(text)
                .ok_or_else(|| format!("webhook_private_networks: not a network such as 10.1.0.0/16: {text}"))
        };
        let networks = networks.iter().map(parse).collect::<Result<_, _>>()?;
        let is_name = |host: &&String| {
            let name = host.strip_prefix("*.").unwrap_or(host);
            !name.is_empty() && !name.contains(['*', '/', ':', '@', ' '])
        };
        match hosts.iter().find(|host| !is_name(host)) {
            Some(host) => Err(format!("webhook_hosts: not a host such as *.example.org: {host}")),
            None => Ok(Destinations {
                networks,
                hosts: hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            }),
        }
    }

    /// Whether requests may go to a host, whatever its addresses are.
    fn allows_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let host = host.trim_end_matches('.');
        let is_allowed = |allowed: &String| match allowed.strip_prefix("*.") {
            Some(domain) => host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
            None => host == allowed,
        };
        self.hosts.is_empty() || self.hosts.iter().any(is_allowed)
    }

    /// Whether the server may connect to an address. Without TLS only to an allowed network: on the
    /// way to a public address everybody could read and change what is sent.
    pub fn allows(&self, address: IpAddr, is_https: bool) -> bool {
        let address = address.to_canonical();
        self.networks.iter().any(|network| network.contains(address)) || is_https && is_public(address)
    }

    /// Checks an address that a user gives, as far as that is possible without resolving its name.
    ///
    /// # Errors
    ///
    /// Fails with the reason.
    pub fn check(&self, uri: &Uri) -> Result<(), &'static str> {
        let is_https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("the address must begin with https://"),
        };
        let host = uri.host().filter(|host| !host.is_empty()).ok_or("the address has no host")?;
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err("the address must not have a user name");
        }
        if !self.allows_host(host) {
            return Err("the host is not one of the setting `webhook_hosts`");
        }
        match host.trim_start_matches('[').trim_end_matches(']').parse() {
            Ok(address) if !self.allows(address, is_https) => {
                Err("the address is not public; see the setting `webhook_private_networks`")
            }
            Err(_) if !is_https && self.networks.is_empty() => Err("the address must begin with https://"),
            _ => Ok(()),
        }
    }
}

/// Whether an address is one of the public Internet: globally reachable in the registries of special
/// addresses of IANA, and not one that stands for an address of IPv4.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = match (a, b, c) {
        // "This network", private, loopback, link-local, multicast, reserved and broadcast.
        (0 | 10 | 127 | 224.., ..) | (169, 254, _) | (172, 16..=31, _) | (192, 168, _) => true,
        // Shared by carriers, protocol assignments, documentation, 6to4 relays, benchmarks.
        (100, 64..=127, _) | (192, 0, 0 | 2) | (192, 88, 99) | (198, 18 | 19, _) => true,
        (198, 51, 100) | (203, 0, 113) => true,
        _ => false,
    };
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    // Only 2000::/3 is assigned for global unicast. Within it: protocol assignments with Teredo
    // (2001::/23), documentation, and 6to4, which stands for an address of IPv4.
    (a & 0xe000) == 0x2000
        && !(a == 0x2001 && b < 0x0200)
        && !(a == 0x2001 && b == 0x0db8)
        && a != 0x2002
        && !(a == 0x3fff && b < 0x1000)
}

/// The host has no address that the server may connect to.
#[derive(Debug)]
struct NotAllowed;

impl fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the address is not allowed")
    }
}

impl std::error::Error for NotAllowed {}

/// Resolves names to those of their addresses that the server may connect to.
#[derive(Debug, Default)]
pub struct GuardedResolver {
    destinations: Destinations,
    names: DefaultResolver,
}

impl GuardedResolver {
    pub fn new(destinations: Destinations) -> GuardedResolver {
        GuardedResolver { destinations, names: DefaultResolver::default() }
    }
}

impl Resolver for GuardedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let is_https = uri.scheme_str() == Some("https");
        let mut allowed = self.empty();
        if !self.destinations.allows_host(uri.host().unwrap_or_default()) {
            return Err(ureq::Error::Other(Box::new(NotAllowed)));
        }
        for address in self.names.resolve(uri, config, timeout)?.iter() {
            if self.destinations.allows(address.ip(), is_https) {
                allowed.push(*address);
            }
        }
        if allowed.is_empty() {
            return Err(ureq::Error::Other(Box::new(NotAllowed)));
        }
        Ok(allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks(texts: &[&str]) -> Destinations {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Destinations::parse(&texts, &[]).expect("networks")
    }

    /// The registries of special-purpose addresses (RFC 6890 and later): each block by an address of it.
    #[test]
    fn special_addresses_are_not_public() {
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!networks(&[]).allows(address.parse().expect(address), true), "{address}");
        }
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:4860:4860::8888",
            "::ffff:8.8.8.8",
        ] {
            let address = address.parse().expect(address);
            assert!(networks(&[]).allows(address, true), "{address}");
            assert!(!networks(&[]).allows(address, false), "{address} without TLS");
        }
    }

    #[test]
    fn allowed_networks_are_reached_with_and_without_tls() {
        let allowed = networks(&["10.1.0.0/16", "127.0.0.1", "fd00::/8", "0.0.0.0/32"]);
        for (address, expected) in [
            ("10.1.255.255", true),
            ("10.2.0.0", false),
            ("127.0.0.1", true),
            ("127.0.0.2", false),
            ("fdff::1", true),
            ("fc00::1", false),
            ("::ffff:10.1.0.1", true),
        ] {
            for is_https in [true, false] {
                assert_eq!(allowed.allows(address.parse().expect(address), is_https), expected, "{address}");
            }
        }
        assert!(networks(&["0.0.0.0/0"]).allows("192.168.0.1".parse().expect("an address"), true));
        for text in ["10.0.0.0/33", "10.0.0", "example.org", "::/129", ""] {
            assert!(Destinations::parse(&[text.to_owned()], &[]).is_err(), "{text}");
        }
    }

    #[test]
    fn hosts_can_be_limited() {
        let parse = |hosts: &[&str]| {
            let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
            Destinations::parse(&[], &hosts)
        };
        let limited = parse(&["hooks.example.org", "*.Example.com"]).expect("hosts");
        for (host, expected) in [
            ("hooks.example.org", true),
            ("HOOKS.example.org.", true),
            ("example.org", false),
            ("a.hooks.example.org", false),
            ("a.example.com", true),
            ("a.b.example.com", true),
            ("example.com", false),
            ("badexample.com", false),
            ("93.184.215.14", false),
        ] {
            assert_eq!(limited.allows_host(host), expected, "{host}");
            assert!(parse(&[]).expect("none").allows_host(host));
            let uri: Uri = format!("https://{host}/").parse().expect("a URI");
            assert_eq!(limited.check(&uri).is_ok(), expected, "{host}");
        }
        for host in ["", "*.", "*", "https://example.org", "a.*.org"] {
            assert!(parse(&[host]).is_err(), "{host}");
        }
    }

    #[test]
    fn addresses_are_checked_before_they_are_resolved() {
        let local = networks(&["127.0.0.1"]);
        for (uri, is_allowed, is_allowed_locally) in [
            ("https://example.org/hook", true, true),
            ("https://example.org:8443/hook?a=1", true, true),
            ("https://93.184.215.14/", true, true),
            ("http://example.org/hook", false, true),
            ("http://127.0.0.1:8080/hook", false, true),
            ("https://127.0.0.1/hook", false, true),
            ("https://[::1]/hook", false, false),
            ("https://[fe80::1]/hook", false, false),
            ("https://169.254.169.254/latest/meta-data", false, false),
            ("https://user@example.org/", false, false),
            ("https://10.0.0.1@example.org/", false, false),
            ("ftp://example.org/", false, false),
            ("/hook", false, false),
        ] {
            let uri: Uri = uri.parse().expect("a URI");
            assert_eq!(networks(&[]).check(&uri).is_ok(), is_allowed, "{uri}");
            assert_eq!(local.check(&uri).is_ok(), is_allowed_locally, "{uri}");
        }
    }
}
