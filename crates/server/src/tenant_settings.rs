//! Tenants in the settings: their names, limits and URLs.

use quadrille_access::Quota;
use serde::{Deserialize, Serialize};

use crate::access::base_path;
use crate::http::public_host;

/// A host name, or a path prefix, with workbooks and quotas of its own. A limit of 0 is none.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TenantSettings {
    /// One of the hosts of `public_url`; empty for a tenant by `path`.
    #[serde(default)]
    pub host: String,
    /// A path such as `/acme`; empty for a tenant by `host`.
    #[serde(default)]
    pub path: String,
    #[serde(default)]
    pub workbooks_max: u64,
    #[serde(default)]
    pub bytes_max: u64,
    #[serde(default)]
    pub sessions_max: u64,
    #[serde(default)]
    pub operations_per_second: u64,
    #[serde(default)]
    pub exports_per_hour: u64,
}

/// First segments of paths that the server uses itself, as far as they could be the path of a tenant.
const OWN_SEGMENTS: [&str; 6] = ["api", "assets", "healthz", "mcp", "metrics", "readyz"];
/// Longest path of a tenant, in bytes.
const TENANT_PATH_BYTES_MAX: usize = 64;

impl TenantSettings {
    /// What names the tenant: its host, or its path, which begins with a slash.
    pub fn name(&self) -> &str {
        if self.host.is_empty() { &self.path } else { &self.host }
    }

    /// Checks that the path is one segment that neither the server nor EtherCalc uses.
    fn check_path(&self) -> Result<(), String> {
        let path = &self.path;
        let segment = path.strip_prefix('/').unwrap_or_default();
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if segment.is_empty() || path.len() > TENANT_PATH_BYTES_MAX || !segment.bytes().all(is_plain) {
            return Err(format!(
                "tenants: a path is like /acme, of lower-case letters, digits and hyphens: {path}"
            ));
        }
        match OWN_SEGMENTS.contains(&segment) {
            true => Err(format!("tenants: the server uses this path itself: {path}")),
            false => Ok(()),
        }
    }

    /// The limits of the tenant.
    pub fn quota(&self) -> Quota {
        Quota {
            workbooks: Some(self.workbooks_max),
            bytes: Some(self.bytes_max),
            sessions: Some(self.sessions_max),
            operations_per_second: Some(self.operations_per_second),
            exports_per_hour: Some(self.exports_per_hour),
        }
    }
}

/// Checks that each tenant is a host name of this server or a path, and named once.
///
/// # Errors
///
/// Fails with a message.
pub fn check_tenants(tenants: &[TenantSettings], public_url: &[String]) -> Result<(), String> {
    let hosts: Vec<String> = public_url.iter().filter_map(|url| public_host(url)).collect();
    for (index, tenant) in tenants.iter().enumerate() {
        let (host, name) = (&tenant.host, tenant.name());
        match (host.is_empty(), tenant.path.is_empty()) {
            (true, true) => return Err("tenants: each needs a `host` or a `path`".to_owned()),
            (false, false) => {
                return Err(format!("tenants: {host} has a `path` too; a tenant is one of both"));
            }
            (true, false) => tenant.check_path()?,
            (false, true) if !hosts.contains(host) => {
                return Err(format!("tenants: {host} is not a host of public_url"));
            }
            (false, true) => {}
        }
        if tenants[..index].iter().any(|other| other.name() == name) {
            return Err(format!("tenants: {name} is named twice"));
        }
    }
    Ok(())
}

/// The URL by which browsers reach the server, or a tenant of it, without a slash at its end.
/// Without a `public_url` it has no host: empty, or the path of the tenant.
pub fn public_base(tenants: &[TenantSettings], public_url: &[String], tenant: Option<&str>) -> String {
    let path = base_path(tenant);
    let host_of = |url: &String| public_host(url).unwrap_or_default();
    let is_of_tenant = |url: &&String| tenants.iter().any(|other| other.host == host_of(url));
    let url = match tenant {
        Some(host) if path.is_empty() => public_url.iter().find(|url| host_of(url) == host),
        _ => public_url.iter().find(|url| !is_of_tenant(url)),
    };
    let url = url.or(public_url.first()).map_or("", |url| url.trim_end_matches('/'));
    format!("{url}{path}")
}
