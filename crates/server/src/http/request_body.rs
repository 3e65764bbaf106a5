//! Reading request bodies with limits of size and time.

use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::quotas::Upload;

/// An error of this server while it reads a body, such as a quota that is used up.
#[derive(Debug)]
struct Refused(ApiError);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl Error for Refused {}

/// A body of unknown length whose bytes count as they arrive. [`read`] fails with `quota_exceeded`
/// when they are too many.
pub fn counted(body: Body, upload: Upload) -> Body {
    Body::from_stream(body.into_data_stream().map(move |piece| {
        let piece = piece?;
        upload.take(piece.len()).map_err(|error| axum::Error::new(Refused(error)))?;
        Ok::<_, axum::Error>(piece)
    }))
}

/// The error by which [`counted`] has ended a body.
fn refusal(error: &axum::Error) -> Option<ApiError> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(Refused(refused)) = error.downcast_ref() {
            return Some(refused.clone());
        }
        cause = error.source();
    }
    None
}

/// Reads on for a while and discards what arrives. If a connection ends with bytes that were not read,
/// the client's system discards the answer (RFC 9112, 9.6).
async fn discard(pieces: &mut BodyDataStream) {
    let mut left = limits::BODY_DISCARDED_BYTES_MAX;
    let all = async {
        while let Some(Ok(piece)) = pieces.next().await {
            match left.checked_sub(piece.len()) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    // Then the connection ends.
    let _elapsed = tokio::time::timeout(Duration::from_secs(limits::BODY_DISCARD_SECONDS_MAX), all).await;
}

/// Reads the whole body. Of one with a declared length beyond the limit nothing is kept.
///
/// # Errors
///
/// Fails with `body_too_large`, with `quota_exceeded` for a [`counted`] body, with
/// `request_timeout` when the body is sent too slowly, and with `bad_request` when the connection
/// ends.
pub async fn read(headers: &HeaderMap, body: Body, bytes_max: usize) -> Result<Bytes, ApiError> {
    let too_large =
        || ApiError::new(ErrorCode::BodyTooLarge, format!("the body is longer than {bytes_max} bytes"));
    let declared =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let mut pieces = body.into_data_stream();
    if declared.is_some_and(|length| length > bytes_max as u64) {
        // A client that waits for 100 Continue has sent nothing, and need not.
        if !headers.contains_key(header::EXPECT) {
            discard(&mut pieces).await;
        }
        return Err(too_large());
    }
    let pause_max = Duration::from_secs(limits::BODY_PAUSE_SECONDS_MAX);
    let mut whole = BytesMut::new();
    let began = Instant::now();
    loop {
        let seconds_max =
            limits::BODY_PAUSE_SECONDS_MAX + (whole.len() / limits::BODY_BYTES_PER_SECOND_MIN) as u64;
        if began.elapsed().as_secs() > seconds_max {
            let message =
                format!("the body is sent slower than {} bytes/s", limits::BODY_BYTES_PER_SECOND_MIN);
            return Err(ApiError::new(ErrorCode::RequestTimeout, message));
        }
        match tokio::time::timeout(pause_max, pieces.next()).await {
            Err(_) => {
                let message = format!("no data of the body for {} s", limits::BODY_PAUSE_SECONDS_MAX);
                return Err(ApiError::new(ErrorCode::RequestTimeout, message));
            }
            Ok(None) => return Ok(whole.freeze()),
            Ok(Some(Err(error))) => {
                return Err(refusal(&error).unwrap_or_else(|| {
                    ApiError::new(ErrorCode::BadRequest, format!("reading the body failed: {error}"))
                }));
            }
            Ok(Some(Ok(piece))) if whole.len() + piece.len() > bytes_max => {
                discard(&mut pieces).await;
                return Err(too_large());
            }
            Ok(Some(Ok(piece))) => whole.extend_from_slice(&piece),
        }
    }
}
