//! [`Listener`]: a program that follows a workbook.

use std::net::SocketAddr;
use std::rc::Rc;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::deliveries::{Deliveries, ROOM};
use crate::http_connection::{connect, read_exactly, read_head};
use crate::setting::Outcome;

/// How a listener follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Events,
    /// Closes the connection once and continues on a new one.
    ReconnectingEvents,
    /// Asks for the next revisions again and again.
    Polls,
}

pub struct Listener {
    pub address: SocketAddr,
    pub shared: Rc<Deliveries>,
    /// The revision after which it connects again.
    pub cut_at: u64,
}

impl Listener {
    /// Follows the workbook to the last write.
    ///
    /// # Errors
    /// A message when the server refuses, or ends the feed.
    pub async fn follow(self, kind: Kind) -> Outcome<()> {
        match kind {
            Kind::Events => self.events(None).await,
            Kind::ReconnectingEvents => self.events(Some(self.cut_at)).await,
            Kind::Polls => self.polls().await,
        }
    }

    async fn events(&self, cut_at: Option<u64>) -> Outcome<()> {
        let mut position = self.shared.base.to_string();
        let mut seen = self.shared.base;
        let mut is_open = false;
        loop {
            let mut stream = connect(self.address).await?;
            // HTTP/1.0, so that the events are not wrapped in chunks.
            let request = format!(
                "GET /api/v1/rooms/{ROOM}/changes HTTP/1.0\r\nhost: {}\r\naccept: text/event-stream\r\nlast-event-id: {position}\r\n\r\n",
                self.address
            );
            stream.write_all(request.as_bytes()).await.map_err(|error| error.to_string())?;
            read_success(&mut stream).await?;
            let cut_at = cut_at.filter(|_| !is_open);
            let mut line = String::new();
            while seen < self.shared.last && cut_at.is_none_or(|cut_at| seen < cut_at) {
                line.clear();
                if stream.read_line(&mut line).await.map_err(|error| error.to_string())? == 0 {
                    return Err(format!("the feed ended after revision {seen}"));
                }
                match line.trim_end().split_once(": ") {
                    Some(("id", id)) => position = id.to_owned(),
                    Some(("data", _)) => {
                        let revision = position.split('-').next().and_then(|number| number.parse().ok());
                        seen = self.take(seen, revision.ok_or_else(|| format!("no revision: {position}"))?);
                    }
                    Some(("event", _)) => return Err(format!("the feed ended after revision {seen}")),
                    // The block with the position is complete: the feed is open.
                    None if line == "\n" && !is_open => {
                        is_open = true;
                        self.shared.are_open.wait().await;
                    }
                    _ => {}
                }
            }
            if seen >= self.shared.last {
                return Ok(());
            }
        }
    }

    async fn polls(&self) -> Outcome<()> {
        let mut stream = connect(self.address).await?;
        let (mut seen, mut wait) = (self.shared.base, 0);
        while seen < self.shared.last {
            let request = format!(
                "GET /api/v1/rooms/{ROOM}/changes?after={seen}&wait={wait} HTTP/1.1\r\nhost: {}\r\n\r\n",
                self.address
            );
            stream.write_all(request.as_bytes()).await.map_err(|error| error.to_string())?;
            let length = read_success(&mut stream).await?.ok_or("an answer without a length")?;
            let body = read_exactly(&mut stream, length).await?;
            let answer: Value = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
            for revision in answer["revisions"].as_array().into_iter().flatten() {
                let revision = revision["revision"].as_u64();
                seen = self.take(seen, revision.ok_or_else(|| format!("no revision: {answer}"))?);
            }
            if wait == 0 {
                wait = 60;
                self.shared.are_open.wait().await;
            }
        }
        Ok(())
    }

    /// Records a revision and returns the last one that has arrived. What was left out is missing in the
    /// number of deliveries.
    fn take(&self, seen: u64, revision: u64) -> u64 {
        if revision <= seen {
            self.shared.repeated.set(self.shared.repeated.get() + 1);
            return seen;
        }
        self.shared.arrived(revision);
        revision
    }
}

/// Reads the head of an answer; the length of its body, if it has one.
async fn read_success(stream: &mut BufReader<TcpStream>) -> Outcome<Option<usize>> {
    let head = read_head(stream).await?;
    if head.status != 200 {
        return Err(format!("the server answered with status {}", head.status));
    }
    Ok(head.length)
}
