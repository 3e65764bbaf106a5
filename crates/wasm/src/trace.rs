//! [`Trace`]: the transactions that the engine sends and receives while the client records a trace.
//!
//! A transaction is identified as in the server's traces: the replica in 16 hexadecimal digits, a
//! hyphen, and its counter.

use quadrille_protocol::{ClientFrame, Counter, RecordHeader, ReplicaId, ServerFrame};

use crate::messages::Notice;

/// Identities of transactions since the last report.
#[derive(Default)]
pub struct Trace {
    /// In the order of their frames.
    sent: Vec<String>,
    received: Vec<String>,
}

impl Trace {
    /// Records an outgoing frame.
    pub fn record_sent(&mut self, replica: Option<ReplicaId>, frame: &[u8]) {
        if let (Some(replica), Ok(ClientFrame::Submit { counter, .. })) =
            (replica, ClientFrame::decode(frame))
        {
            self.sent.push(identity(replica, counter));
        }
    }

    /// Records an incoming frame.
    pub fn record_received(&mut self, frame: &[u8]) {
        let Ok(ServerFrame::Records { records }) = ServerFrame::decode(frame) else { return };
        let headers = records.iter().filter_map(|record| RecordHeader::decode(record).ok());
        self.received.extend(headers.map(|header| identity(header.replica, header.counter)));
    }

    /// Takes the identities since the last call; `None` when there are none.
    pub fn take(&mut self) -> Option<Notice> {
        let Trace { sent, received } = std::mem::take(self);
        (!sent.is_empty() || !received.is_empty()).then_some(Notice::Traced { sent, received })
    }
}

fn identity(ReplicaId(replica): ReplicaId, Counter(counter): Counter) -> String {
    format!("{replica:016x}-{counter}")
}
