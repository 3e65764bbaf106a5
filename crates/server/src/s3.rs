//! [`S3Bucket`]: objects under a prefix of a bucket of S3, or of a server that speaks its protocol.
//!
//! Requests are signed by `rusty-s3` and sent by the HTTP client of the server. A request that fails in a way that may
//! pass is sent again. An object is read and written as a whole.

use std::fmt;
use std::time::Duration;

use axum::http::{Request, Response, StatusCode};
use rusty_s3::actions::ListObjectsV2;
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};

use crate::http_client;
use crate::limits;

/// Times that a request is sent, with longer and longer pauses.
const ATTEMPTS: u32 = 4;
/// Pause before the second attempt; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(200);

/// The namespace of lists, and another that some servers write.
const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";
const NAMESPACE_EARLY: &str = "http://doc.s3.amazonaws.com/2006-03-01/";

/// A prefix within a bucket.
pub struct S3Bucket {
    bucket: Bucket,
    credentials: Credentials,
    /// Empty, or ends with `/`.
    prefix: String,
    agent: ureq::Agent,
    request_seconds_max: u64,
}

/// The variables of the environment by which the SDKs of AWS are configured, or others in tests.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Why a request failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum S3Failure {
    /// The server does not answer, or answers that it cannot now: the request may be sent again later.
    Away(String),
    /// The server refuses: wrong credentials, no such bucket.
    Refused(String),
}

impl fmt::Display for S3Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            S3Failure::Away(reason) | S3Failure::Refused(reason) => f.write_str(reason),
        }
    }
}

/// What a list says of an object.
pub struct S3Object {
    pub name: String,
    /// The time of its last change as the server writes it (RFC 3339).
    pub modified: String,
    pub bytes: u64,
}

/// What a list says of the names right under a prefix.
#[derive(Default)]
pub struct S3List {
    pub objects: Vec<S3Object>,
    /// Names that have further ones under them.
    pub folders: Vec<String>,
}

impl S3Bucket {
    /// Opens `s3://bucket/prefix`, with the credentials, the region and the endpoint that the variables name. Sends
    /// nothing. A request may take `request_seconds_max`.
    ///
    /// # Errors
    /// A message that names what is missing or wrong.
    pub fn open(
        address: &str,
        variables: Variables<'_>,
        request_seconds_max: u64,
    ) -> Result<S3Bucket, String> {
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
        let agent = http_client::config(request_seconds_max).build().into();
        Ok(S3Bucket { bucket, credentials, prefix, agent, request_seconds_max })
    }

    /// The address of an object, for messages.
    pub fn address(&self, key: &str) -> String {
        format!("s3://{}/{}{key}", self.bucket.name(), self.prefix).trim_end_matches('/').to_owned()
    }

    /// Returns an object; `None` when there is none.
    ///
    /// # Errors
    /// With the address of the object.
    pub fn get(&self, key: &str) -> Result<Option<Vec<u8>>, S3Failure> {
        let full = self.full(key);
        let action = self.bucket.get_object(Some(&self.credentials), &full);
        let response = self.send(&action, &[]);
        let response = match response {
            // A missing bucket is not a missing object.
            Ok(response) if response.status() == StatusCode::NOT_FOUND && !is_no_bucket(&response) => {
                return Ok(None);
            }
            response => response.and_then(|response| checked(response, &[StatusCode::OK])),
        };
        response.map(|response| Some(response.into_body())).map_err(|failure| self.at(key, failure))
    }

    /// Writes an object.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub fn put(&self, key: &str, bytes: &[u8]) -> Result<(), S3Failure> {
        let full = self.full(key);
        let action = self.bucket.put_object(Some(&self.credentials), &full);
        let response = self.send(&action, bytes).and_then(|response| checked(response, &[StatusCode::OK]));
        response.map(drop).map_err(|failure| self.at(key, failure))
    }

    /// Removes an object, if there is one.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub fn remove(&self, key: &str) -> Result<(), S3Failure> {
        let full = self.full(key);
        let action = self.bucket.delete_object(Some(&self.credentials), &full);
        let expected = [StatusCode::OK, StatusCode::NO_CONTENT, StatusCode::NOT_FOUND];
        let response = self.send(&action, &[]).and_then(|response| checked(response, &expected));
        response.map(drop).map_err(|failure| self.at(key, failure))
    }

    /// Lists the names right under a folder, which is empty or ends with `/`.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub fn list(&self, folder: &str) -> Result<S3List, S3Failure> {
        let prefix = self.full(folder);
        let mut found = S3List::default();
        let mut continued: Option<String> = None;
        loop {
            let mut action = self.bucket.list_objects_v2(Some(&self.credentials));
            action.with_prefix(prefix.as_str());
            action.with_delimiter("/");
            if let Some(token) = continued.take() {
                action.with_continuation_token(token);
            }
            let response = self.send(&action, &[]).and_then(|response| checked(response, &[StatusCode::OK]));
            let response = response.map_err(|failure| self.at(folder, failure))?;
            let text = String::from_utf8_lossy(response.body()).replacen(NAMESPACE_EARLY, NAMESPACE, 1);
            let list = ListObjectsV2::parse_response(&text).map_err(|error| {
                self.at(folder, S3Failure::Refused(format!("the list cannot be read: {error}")))
            })?;
            let own = |key: &str| {
                let name = key.strip_prefix(&prefix)?.trim_end_matches('/');
                (!name.is_empty()).then(|| name.to_owned())
            };
            found.folders.extend(list.common_prefixes.iter().filter_map(|found| own(&found.prefix)));
            found.objects.extend(list.contents.into_iter().filter_map(|object| {
                Some(S3Object {
                    name: own(&object.key)?,
                    modified: object.last_modified.unwrap_or_default(),
                    bytes: object.size.unwrap_or_default(),
                })
            }));
            match list.next_continuation_token {
                Some(token) => continued = Some(token),
                None => return Ok(found),
            }
        }
    }

    fn full(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    fn at(&self, key: &str, failure: S3Failure) -> S3Failure {
        let address = self.address(key);
        match failure {
            S3Failure::Away(reason) => S3Failure::Away(format!("{address}: {reason}")),
            S3Failure::Refused(reason) => S3Failure::Refused(format!("{address}: {reason}")),
        }
    }

    /// Sends a request, again if it fails in a way that may pass.
    fn send<'a, A: S3Action<'a>>(&self, action: &A, body: &[u8]) -> Result<Response<Vec<u8>>, S3Failure> {
        let mut pause = PAUSE;
        let mut attempt = 1;
        loop {
            let result = self.send_once(action, body);
            let may_pass = match &result {
                Ok(response) => is_away(response.status()),
                Err(_) => true,
            };
            if !may_pass || attempt == ATTEMPTS {
                return result.map_err(S3Failure::Away);
            }
            std::thread::sleep(pause);
            pause *= 2;
            attempt += 1;
        }
    }

    fn send_once<'a, A: S3Action<'a>>(&self, action: &A, body: &[u8]) -> Result<Response<Vec<u8>>, String> {
        let url = action.sign(Duration::from_secs(self.request_seconds_max));
        let request = Request::builder().method(A::METHOD.to_str()).uri(url.as_str()).body(body.to_vec());
        let request = request.map_err(|error| error.to_string())?;
        let (parts, mut body) = self.agent.run(request).map_err(|error| error.to_string())?.into_parts();
        let body = body.with_config().limit(limits::BACKUP_FILE_BYTES_MAX).read_to_vec();
        Ok(Response::from_parts(parts, body.map_err(|error| error.to_string())?))
    }
}

/// Whether a status says that the server cannot answer now.
fn is_away(status: StatusCode) -> bool {
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
}

fn is_no_bucket(response: &Response<Vec<u8>>) -> bool {
    String::from_utf8_lossy(response.body()).contains("<Code>NoSuchBucket</Code>")
}

/// Returns a response with one of these statuses, or what the server says.
fn checked(response: Response<Vec<u8>>, expected: &[StatusCode]) -> Result<Response<Vec<u8>>, S3Failure> {
    if expected.contains(&response.status()) {
        return Ok(response);
    }
    let text = String::from_utf8_lossy(response.body());
    let element = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split_once("</")?.0.to_owned())
    };
    let reason = [element("Code"), element("Message")].into_iter().flatten().collect::<Vec<_>>().join(": ");
    let status = response.status();
    let message = format!("the server answers {status}: {reason}").trim_end_matches(": ").to_owned();
    Err(if is_away(status) { S3Failure::Away(message) } else { S3Failure::Refused(message) })
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
            S3Bucket::open(address, &find, 30).map(|bucket| bucket.address("2026/x"))
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
