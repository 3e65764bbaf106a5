//! [`S3Place`]: backups in a bucket of S3 or of a server that speaks its protocol.
//!
//! Requests are signed by `rusty-s3` and sent by the HTTP client of the server. A request that fails in a way that may
//! pass is sent again. An object is written as a whole, as the place needs it.

use std::time::Duration;

use axum::http::{Request, Response, StatusCode};
use quadrille_storage_sqlite::DirectoryLock;
use rusty_s3::actions::ListObjectsV2;
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};

use super::place::Place;
use crate::http_client;
use crate::limits;

/// Validity of a signed request, and the time that it may take.
const REQUEST_SECONDS_MAX: u64 = 300;
/// Times that a request is sent, with longer and longer pauses.
const ATTEMPTS: u32 = 4;
/// Pause before the second attempt; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(200);

/// The namespace of lists, and another that some servers write.
const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";
const NAMESPACE_EARLY: &str = "http://doc.s3.amazonaws.com/2006-03-01/";

/// A prefix within a bucket.
pub struct S3Place {
    bucket: Bucket,
    credentials: Credentials,
    /// Empty, or ends with `/`.
    prefix: String,
    agent: ureq::Agent,
}

/// The variables of the environment by which the SDKs of AWS are configured, or others in tests.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

impl S3Place {
    /// Opens `s3://bucket/prefix`, with the credentials, the region and the endpoint that the variables name.
    ///
    /// # Errors
    /// A message that names what is missing or wrong.
    pub fn open(address: &str, variables: Variables<'_>) -> Result<S3Place, String> {
        let variable = |name: &str| variables(name).filter(|value| !value.trim().is_empty());
        let path = address.strip_prefix("s3://").ok_or("name s3://bucket/prefix")?;
        let (bucket, prefix) = path.split_once('/').unwrap_or((path, ""));
        if bucket.is_empty() {
            return Err(format!("{address}: name the bucket: s3://bucket/prefix"));
        }
        let prefix = prefix.trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        let needed = |name: &str| variable(name).ok_or(format!("{address}: the variable {name} is not set"));
        let (key, secret) = (needed("AWS_ACCESS_KEY_ID")?, needed("AWS_SECRET_ACCESS_KEY")?);
        let credentials = match variable("AWS_SESSION_TOKEN") {
            Some(token) => Credentials::new_with_token(key, secret, token),
            None => Credentials::new(key, secret),
        };
        let region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION"));
        let region = region.unwrap_or_else(|| "us-east-1".to_owned());
        let endpoint = variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL"));
        // Other servers have no names for buckets.
        let (endpoint, style) = match endpoint {
            Some(endpoint) => (endpoint, UrlStyle::Path),
            None => (format!("https://s3.{region}.amazonaws.com"), UrlStyle::VirtualHost),
        };
        let url = endpoint.parse().map_err(|error| format!("AWS_ENDPOINT_URL {endpoint}: {error}"))?;
        let bucket = Bucket::new(url, style, bucket.to_owned(), region)
            .map_err(|error| format!("{address} at {endpoint}: {error}"))?;
        let agent = http_client::config(REQUEST_SECONDS_MAX).build().into();
        Ok(S3Place { bucket, credentials, prefix, agent })
    }

    fn key(&self, chain: &str, file: &str) -> String {
        format!("{}{chain}/{file}", self.prefix)
    }

    /// Sends a request, again if it fails in a way that may pass.
    fn send<'a, A: S3Action<'a>>(&self, action: &A, body: &[u8]) -> Result<Response<Vec<u8>>, String> {
        let mut pause = PAUSE;
        let mut attempt = 1;
        loop {
            let result = self.send_once(action, body);
            let may_pass = match &result {
                Ok(response) => {
                    let status = response.status();
                    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
                }
                Err(_) => true,
            };
            if !may_pass || attempt == ATTEMPTS {
                return result;
            }
            std::thread::sleep(pause);
            pause *= 2;
            attempt += 1;
        }
    }

    fn send_once<'a, A: S3Action<'a>>(&self, action: &A, body: &[u8]) -> Result<Response<Vec<u8>>, String> {
        let url = action.sign(Duration::from_secs(REQUEST_SECONDS_MAX));
        let request = Request::builder().method(A::METHOD.to_str()).uri(url.as_str()).body(body.to_vec());
        let request = request.map_err(|error| error.to_string())?;
        let (parts, mut body) = self.agent.run(request).map_err(|error| error.to_string())?.into_parts();
        let body = body.with_config().limit(limits::BACKUP_FILE_BYTES_MAX).read_to_vec();
        Ok(Response::from_parts(parts, body.map_err(|error| error.to_string())?))
    }

    /// Lists the names right under a prefix: those of objects, or those that have further ones under them.
    fn names(&self, prefix: &str, of_chains: bool) -> Result<Vec<String>, String> {
        let mut names = Vec::new();
        let mut continued: Option<String> = None;
        loop {
            let mut action = self.bucket.list_objects_v2(Some(&self.credentials));
            action.with_prefix(prefix);
            action.with_delimiter("/");
            if let Some(token) = continued.take() {
                action.with_continuation_token(token);
            }
            let response = self.send(&action, &[]).and_then(|response| checked(response, &[StatusCode::OK]));
            let response = response.map_err(|error| format!("{}: {error}", self.address(prefix)))?;
            let text = String::from_utf8_lossy(response.body()).replacen(NAMESPACE_EARLY, NAMESPACE, 1);
            let list = ListObjectsV2::parse_response(&text)
                .map_err(|error| format!("{}: the list cannot be read: {error}", self.address(prefix)))?;
            let found: Vec<String> = match of_chains {
                true => list.common_prefixes.into_iter().map(|found| found.prefix).collect(),
                false => list.contents.into_iter().map(|found| found.key).collect(),
            };
            let own = |key: &String| Some(key.strip_prefix(prefix)?.trim_end_matches('/').to_owned());
            names.extend(found.iter().filter_map(own).filter(|name| !name.is_empty()));
            match list.next_continuation_token {
                Some(token) => continued = Some(token),
                None => return Ok(names),
            }
        }
    }

    fn address(&self, key: &str) -> String {
        format!("s3://{}/{key}", self.bucket.name()).trim_end_matches('/').to_owned()
    }
}

/// Returns a response with one of these statuses, or what the server says.
fn checked(response: Response<Vec<u8>>, expected: &[StatusCode]) -> Result<Response<Vec<u8>>, String> {
    if expected.contains(&response.status()) {
        return Ok(response);
    }
    let text = String::from_utf8_lossy(response.body());
    let element = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split_once("</")?.0.to_owned())
    };
    let reason = [element("Code"), element("Message")].into_iter().flatten().collect::<Vec<_>>().join(": ");
    Err(format!("the server answers {}: {reason}", response.status()).trim_end_matches(": ").to_owned())
}

impl Place for S3Place {
    fn describe(&self, chain: &str, file: &str) -> String {
        self.address(&self.key(chain, file))
    }

    fn chains(&self) -> Result<Vec<String>, String> {
        self.names(&self.prefix, true)
    }

    fn files(&self, chain: &str) -> Result<Vec<String>, String> {
        self.names(&self.key(chain, ""), false)
    }

    fn read(&self, chain: &str, file: &str) -> Result<Option<Vec<u8>>, String> {
        let key = self.key(chain, file);
        let action = self.bucket.get_object(Some(&self.credentials), &key);
        let response = self.send(&action, &[]);
        let response =
            response.and_then(|response| checked(response, &[StatusCode::OK, StatusCode::NOT_FOUND]));
        let response = response.map_err(|error| format!("{}: {error}", self.address(&key)))?;
        Ok((response.status() == StatusCode::OK).then(|| response.into_body()))
    }

    fn write(&self, chain: &str, file: &str, bytes: &[u8]) -> Result<(), String> {
        let key = self.key(chain, file);
        if bytes.len() as u64 > limits::BACKUP_FILE_BYTES_MAX {
            let (length, max) = (bytes.len(), limits::BACKUP_FILE_BYTES_MAX);
            return Err(format!("{}: it would have {length} bytes, more than {max}", self.address(&key)));
        }
        let action = self.bucket.put_object(Some(&self.credentials), &key);
        let response = self.send(&action, bytes);
        let response = response.and_then(|response| checked(response, &[StatusCode::OK]));
        response.map(drop).map_err(|error| format!("{}: {error}", self.address(&key)))
    }

    fn remove(&self, chain: &str, file: &str) -> Result<(), String> {
        let key = self.key(chain, file);
        let action = self.bucket.delete_object(Some(&self.credentials), &key);
        let expected = [StatusCode::OK, StatusCode::NO_CONTENT, StatusCode::NOT_FOUND];
        let response = self.send(&action, &[]).and_then(|response| checked(response, &expected));
        response.map(drop).map_err(|error| format!("{}: {error}", self.address(&key)))
    }

    fn remove_chain(&self, chain: &str) -> Result<(), String> {
        let mut files = self.files(chain)?;
        files.sort_by_key(|file| !file.ends_with(super::manifest::SUFFIX));
        files.iter().try_for_each(|file| self.remove(chain, file))
    }

    /// A bucket has no locks: who writes to it from two machines at once spoils the chain, which is noticed.
    fn lock(&self) -> Result<Option<DirectoryLock>, String> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let all = [("AWS_ACCESS_KEY_ID", "key"), ("AWS_SECRET_ACCESS_KEY", "secret")];
        let open = |address: &str, set: &[(&str, &str)]| {
            let find =
                |name: &str| set.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned());
            S3Place::open(address, &find).map(|place| place.describe("2026", "x"))
        };
        assert_eq!(open("s3://bucket/a/b/", &all), Ok("s3://bucket/a/b/2026/x".into()));
        assert_eq!(open("s3://bucket", &all), Ok("s3://bucket/2026/x".into()));
        for (address, set, message) in [
            ("s3://", &all[..], "name the bucket"),
            ("s3://bucket", &all[..1], "the variable AWS_SECRET_ACCESS_KEY is not set"),
            (
                "s3://bucket",
                &[all[0], all[1], ("AWS_ENDPOINT_URL", "nonsense")][..],
                "AWS_ENDPOINT_URL nonsense",
            ),
            ("s3://bucket", &[all[0], all[1], ("AWS_ENDPOINT_URL", "ftp://x")][..], "ftp://x"),
        ] {
            assert!(open(address, set).is_err_and(|error| error.contains(message)), "{address}: {message}");
        }
    }
}
