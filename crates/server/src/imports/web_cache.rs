//! Fetches from web servers, and keeps what they have sent for a while.
//!
//! Nobody waits for a web server: a request is made beside the updates of workbooks, which get what is
//! there and are made again when something has come.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{Request, Uri, header};
use quadrille_workbook::{ImportFailure, ImportSource, Imported};

use super::web_tables;
use crate::config::Settings;
use crate::guarded_resolver::Destinations;
use crate::http_client::HttpClient;
use crate::limits;

/// What web servers have sent. Clones share it.
#[derive(Clone)]
pub struct WebCache(Arc<Inner>);

struct Inner {
    /// `None` when the settings allow no host.
    web: Option<(HttpClient, Destinations)>,
    /// Told of an address whose response has come.
    arrived: Box<dyn Fn(&str) + Send + Sync>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    pages: HashMap<Arc<str>, Page>,
    /// When the last requests to a host began.
    requests: HashMap<String, VecDeque<Instant>>,
    running: usize,
    /// Approximate bytes of all pages.
    bytes: usize,
}

/// The body of a response, or why there is none with a message about it.
type WebResponse = Result<Arc<[u8]>, (ImportFailure, String)>;

/// The response of an address.
struct Page {
    /// `None` before the first response.
    response: Option<WebResponse>,
    /// What functions return for it.
    imported: HashMap<ImportSource, Imported>,
    received: Instant,
    used: Instant,
    is_running: bool,
}

/// Time for which a response is not asked for again.
const FRESH: Duration = Duration::from_secs(limits::IMPORT_FRESH_SECONDS);
/// Failed requests are made again sooner.
const FAILED_FRESH: Duration = Duration::from_secs(60);
const MINUTE: Duration = Duration::from_secs(60);

impl WebCache {
    /// A cache for the hosts of the settings. `arrived` is told of each address with a new response.
    ///
    /// # Errors
    /// A message when a host or network of the settings cannot be read.
    pub fn new(
        settings: &Settings,
        arrived: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<WebCache, String> {
        let hosts = &settings.import_hosts;
        let is_any = hosts.iter().any(|host| host == "*");
        let web = match hosts.is_empty() {
            true => None,
            false => {
                let hosts = if is_any { &[][..] } else { hosts };
                let destinations = Destinations::parse(&settings.import_private_networks, hosts)?;
                let (seconds, bytes) = (limits::IMPORT_FETCH_SECONDS_MAX, limits::IMPORT_FETCH_BYTES_MAX);
                Some((HttpClient::guarded(seconds, bytes as u64, destinations.clone()), destinations))
            }
        };
        Ok(WebCache(Arc::new(Inner { web, arrived: Box::new(arrived), state: Mutex::default() })))
    }

    /// What a function returns for an address, as far as is known; `None` before the first response. Asks
    /// for a new response if the last one is old.
    pub fn get(&self, url: &str, source: &ImportSource) -> Option<Imported> {
        let host = match self.check(url) {
            Ok(host) => host,
            Err((failure, details)) => return Some(Imported::Failure(failure, details.into())),
        };
        let now = Instant::now();
        let mut state = self.lock();
        let is_fresh = state.pages.get(url).is_some_and(|page| match &page.response {
            Some(Ok(_)) => page.received + FRESH > now,
            Some(Err(_)) => page.received + FAILED_FRESH > now,
            None => false,
        });
        let is_running = state.pages.get(url).is_some_and(|page| page.is_running);
        if !is_fresh && !is_running && state.may_request(&host, now) {
            state.begin(url, now);
            let (cache, url) = (self.clone(), Arc::<str>::from(url));
            tokio::task::spawn_blocking(move || cache.fetch(&url));
        }
        let page = state.pages.get_mut(url)?;
        page.used = now;
        if let Some(imported) = page.imported.get(source) {
            return Some(imported.clone());
        }
        let imported = match page.response.as_ref()? {
            Ok(body) => {
                let body = Arc::clone(body);
                drop(state);
                let imported = web_tables::imported(source, &body);
                state = self.lock();
                imported
            }
            Err((failure, details)) => Imported::Failure(*failure, details.as_str().into()),
        };
        if let Some(page) = state.pages.get_mut(url) {
            let before = page.bytes();
            page.imported.insert(source.clone(), imported.clone());
            let after = page.bytes();
            state.bytes = state.bytes - before + after;
            state.forget_oldest();
        }
        Some(imported)
    }

    /// The host of an address that may be asked.
    fn check(&self, url: &str) -> Result<String, (ImportFailure, String)> {
        let uri: Uri = url.parse().map_err(|_| (ImportFailure::Failed, "not an address".to_owned()))?;
        let host = uri.host().unwrap_or_default().to_ascii_lowercase();
        let Some((_, destinations)) = &self.0.web else {
            let details = "this server fetches nothing from the web; see its setting import_hosts";
            return Err((ImportFailure::NotAllowed, details.to_owned()));
        };
        let refused = |reason: &str| (ImportFailure::NotAllowed, reason.replace("webhook_", "import_"));
        destinations.check(&uri).map_err(refused)?;
        Ok(host)
    }

    /// Makes a request and stores its response.
    fn fetch(&self, url: &Arc<str>) {
        let response = self.request(url);
        let mut state = self.lock();
        state.running -= 1;
        if let Some(page) = state.pages.get_mut(url) {
            let before = page.bytes();
            page.is_running = false;
            page.received = Instant::now();
            // What was there stays while the server fails for a while.
            let is_better = response.is_ok() || !matches!(page.response, Some(Ok(_)));
            if is_better && page.response.as_ref() != Some(&response) {
                page.response = Some(response);
                page.imported.clear();
            }
            let after = page.bytes();
            state.bytes = state.bytes - before + after;
        }
        state.forget_oldest();
        drop(state);
        (self.0.arrived)(url);
    }

    fn request(&self, url: &str) -> WebResponse {
        let failed = |details: String| (ImportFailure::Failed, details);
        let mut url = url.to_owned();
        for _ in 0..=limits::IMPORT_REDIRECTS_MAX {
            // Each address on the way is checked, and resolved by the guarded client.
            self.check(&url)?;
            let Some((client, _)) = &self.0.web else { break };
            let request = Request::get(&url)
                .header(header::ACCEPT, "text/csv, application/json, text/html, text/plain, */*;q=0.5")
                .body(Vec::new())
                .map_err(|_| failed("not an address".to_owned()))?;
            let response = client.send(request).map_err(|error| failed(error.to_string()))?;
            let status = response.status();
            if status.is_redirection() {
                let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
                let location = location.ok_or_else(|| failed(format!("status {}", status.as_u16())))?;
                url = redirected(&url, location)
                    .ok_or_else(|| failed("a redirect to no address".to_owned()))?;
                continue;
            }
            return match status.is_success() {
                true => Ok(response.into_body().into()),
                false => Err(failed(format!("status {}", status.as_u16()))),
            };
        }
        Err(failed("too many redirects".to_owned()))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code under this lock panics.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address that a redirect leads to: an absolute one, or a path of the same host.
fn redirected(url: &str, location: &str) -> Option<String> {
    if location.starts_with("https://") || location.starts_with("http://") {
        return Some(location.to_owned());
    }
    let uri: Uri = url.parse().ok()?;
    let origin = format!("{}://{}", uri.scheme_str()?, uri.authority()?);
    match location.strip_prefix("//") {
        Some(rest) => Some(format!("{}://{rest}", uri.scheme_str()?)),
        None if location.starts_with('/') => Some(format!("{origin}{location}")),
        None => None,
    }
}

impl Page {
    /// Approximate bytes in memory.
    fn bytes(&self) -> usize {
        let body = match &self.response {
            Some(Ok(body)) => body.len(),
            _ => 0,
        };
        let imported = self.imported.values().map(|imported| match imported {
            Imported::Values(values) => values.values().len() * 24 + Imported::text_bytes(values),
            Imported::Failure(..) => 256,
        });
        body + imported.sum::<usize>()
    }
}

impl State {
    /// Whether a request may begin, and counts it.
    fn may_request(&mut self, host: &str, now: Instant) -> bool {
        if self.running >= limits::IMPORT_FETCHES_MAX || self.pages.len() >= 2 * limits::IMPORT_PAGES_MAX {
            return false;
        }
        self.requests.retain(|_, times| times.back().is_some_and(|last| *last + MINUTE > now));
        let times = self.requests.entry(host.to_owned()).or_default();
        while times.front().is_some_and(|first| *first + MINUTE <= now) {
            times.pop_front();
        }
        let may = times.len() < limits::IMPORT_FETCHES_PER_HOST_MAX;
        if may {
            times.push_back(now);
        }
        may
    }

    fn begin(&mut self, url: &str, now: Instant) {
        self.running += 1;
        let page = self.pages.entry(url.into()).or_insert_with(|| Page {
            response: None,
            imported: HashMap::new(),
            received: now,
            used: now,
            is_running: false,
        });
        page.is_running = true;
    }

    /// Forgets what was used longest ago, until the rest is within the limits.
    fn forget_oldest(&mut self) {
        while self.bytes > limits::IMPORT_CACHE_BYTES_MAX || self.pages.len() > limits::IMPORT_PAGES_MAX {
            let done = self.pages.iter().filter(|(_, page)| !page.is_running);
            let Some(oldest) = done.min_by_key(|(_, page)| page.used).map(|(url, _)| Arc::clone(url)) else {
                return;
            };
            if let Some(page) = self.pages.remove(&oldest) {
                self.bytes -= page.bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_lead_to_addresses() {
        let url = "https://example.org:8443/a/b?c";
        for (location, expected) in [
            ("https://other.example/x", Some("https://other.example/x")),
            ("/x?y", Some("https://example.org:8443/x?y")),
            ("//other.example/x", Some("https://other.example/x")),
            ("x", None),
            ("ftp://example.org/x", None),
            ("", None),
        ] {
            assert_eq!(redirected(url, location).as_deref(), expected, "{location}");
        }
    }

    #[test]
    fn requests_to_one_host_are_limited() {
        let (mut state, now) = (State::default(), Instant::now());
        for _ in 0..limits::IMPORT_FETCHES_PER_HOST_MAX {
            assert!(state.may_request("a.example", now));
        }
        assert!(!state.may_request("a.example", now));
        assert!(state.may_request("b.example", now));
        assert!(state.may_request("a.example", now + MINUTE));
        state.running = limits::IMPORT_FETCHES_MAX;
        assert!(!state.may_request("c.example", now + MINUTE));
    }
}
