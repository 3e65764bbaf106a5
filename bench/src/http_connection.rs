//! [`HttpConnection`]: a connection of HTTP/1.1 that is kept open, for load generators that have many.

use std::net::SocketAddr;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::setting::Outcome;

/// An answer with its whole body.
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

/// A connection for one request at a time.
pub struct HttpConnection {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

impl HttpConnection {
    /// Connects.
    ///
    /// # Errors
    /// A message when nobody listens.
    pub async fn open(address: SocketAddr) -> Outcome<HttpConnection> {
        Ok(HttpConnection { address, stream: connect(address).await? })
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// A message when the connection ends, or the answer has neither a length nor chunks.
    pub async fn request(
        &mut self,
        method: &str,
        path: &str,
        content_type: &str,
        body: &str,
    ) -> Outcome<Answer> {
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: {content_type}\r\n\
             content-length: {length}\r\n\r\n{body}",
            self.address
        );
        self.stream.write_all(request.as_bytes()).await.map_err(|error| error.to_string())?;
        let head = read_head(&mut self.stream).await?;
        let body = match head.length {
            Some(length) => read_exactly(&mut self.stream, length).await?,
            None if head.is_chunked => self.read_chunks().await?,
            None => return Err(format!("{method} {path}: the answer has no length")),
        };
        Ok(Answer { status: head.status, body })
    }

    async fn read_chunks(&mut self) -> Outcome<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).await.map_err(|error| error.to_string())?;
            let length = usize::from_str_radix(line.trim_end(), 16);
            let length = length.map_err(|_| format!("not the length of a chunk: {}", line.trim_end()))?;
            body.extend(read_exactly(&mut self.stream, length).await?);
            // The end of the line after a chunk.
            read_exactly(&mut self.stream, 2).await?;
            if length == 0 {
                return Ok(body);
            }
        }
    }
}

/// A connection without delayed packets.
///
/// # Errors
/// A message when nobody listens.
pub async fn connect(address: SocketAddr) -> Outcome<BufReader<TcpStream>> {
    let stream = TcpStream::connect(address).await.map_err(|error| format!("connect: {error}"))?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    Ok(BufReader::new(stream))
}

/// The head of an answer.
pub struct Head {
    pub status: u16,
    /// Length of the body in bytes, if the head has it.
    pub length: Option<usize>,
    is_chunked: bool,
}

/// Reads the head of an answer.
///
/// # Errors
/// A message when the connection ends or something else than HTTP arrives.
pub async fn read_head(stream: &mut BufReader<TcpStream>) -> Outcome<Head> {
    let mut line = String::new();
    stream.read_line(&mut line).await.map_err(|error| error.to_string())?;
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| format!("not an answer: {}", line.trim_end()))?;
    let mut head = Head { status, length: None, is_chunked: false };
    loop {
        line.clear();
        if stream.read_line(&mut line).await.map_err(|error| error.to_string())? == 0 {
            return Err("the connection ended within an answer".to_owned());
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { return Ok(head) };
        if name.eq_ignore_ascii_case("content-length") {
            head.length = value.trim().parse().ok();
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            head.is_chunked = value.trim().eq_ignore_ascii_case("chunked");
        }
    }
}

/// Reads a body, or a part of one.
///
/// # Errors
/// A message when the connection ends first.
pub async fn read_exactly(stream: &mut BufReader<TcpStream>, length: usize) -> Outcome<Vec<u8>> {
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).await.map_err(|error| error.to_string())?;
    Ok(bytes)
}
