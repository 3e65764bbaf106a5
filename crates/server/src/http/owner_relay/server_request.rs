//! Requests that this server itself makes to another one of the database.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use bytes::Bytes;
use quadrille_journal::RoomOwner;
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use super::connections::Connection;
use super::heads::host_of;
use super::relay::OwnerRelay;
use super::signature::{Addressee, Once, Signatures, Signed};
use crate::access::now_ms;
use crate::limits;

/// Time for the answer.
const ANSWER_MAX: Duration = Duration::from_millis(limits::RELAY_OWNER_WAIT_MS);

/// What another server has answered.
pub enum ServerAnswer {
    Answered(StatusCode, Bytes),
    /// It does not run the room.
    Elsewhere,
}

/// Sends `GET` for a path and query, signed with the key that the servers share.
///
/// # Errors
///
/// Fails with the reason when the server is not reached, does not answer in time, is none of this database or
/// answers with more than `bytes_max` bytes.
pub async fn get(
    relay: &OwnerRelay,
    key: &[u8; 32],
    owner: &RoomOwner,
    target: &str,
    bytes_max: usize,
) -> Result<ServerAnswer, String> {
    let exchange = async {
        let host = host_of(&owner.url).ok_or_else(|| format!("not the URL of a server: {}", owner.url))?;
        let mut headers = HeaderMap::from_iter([(header::HOST, host)]);
        let signed = Signed { method: &Method::GET, target, headers: &headers };
        let to = Addressee { url: &owner.url, process: Some(owner.peer) };
        let once = Once { to, number: relay.numbers.next(), body: Some(Sha256::digest([]).into()) };
        let signatures = Signatures::new(key, &signed, &once, IpAddr::V4(Ipv4Addr::LOCALHOST), now_ms());
        signatures.put(&mut headers);
        loop {
            let Connection { mut sender, is_reused } =
                relay.connections.get(&owner.url).await.map_err(|error| error.to_string())?;
            let mut request = Request::get(target).body(Body::empty()).map_err(|error| error.to_string())?;
            request.headers_mut().clone_from(&headers);
            let response = match sender.try_send_request(request).await {
                Ok(response) => response,
                Err(mut error) => match error.take_message() {
                    // The other server has closed the connection before.
                    Some(_) if is_reused => continue,
                    _ => return Err(error.into_error().to_string()),
                },
            };
            let is_elsewhere = signatures.is_elsewhere(key, response.headers());
            let is_elsewhere = is_elsewhere.ok_or("the answer is not one of a server of this database")?;
            let status = response.status();
            let body = to_bytes(Body::new(response.into_body()), bytes_max).await;
            let body = body.map_err(|error| error.to_string())?;
            relay.connections.keep(&owner.url, sender);
            return Ok(if is_elsewhere {
                ServerAnswer::Elsewhere
            } else {
                ServerAnswer::Answered(status, body)
            });
        }
    };
    timeout(ANSWER_MAX, exchange).await.map_err(|_| "it does not answer in time".to_owned())?
}
