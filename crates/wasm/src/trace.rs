//! Which transactions go through the engine, while the page records its half of a trace. Their identities are those of the
//! server's half: the replica in 16 hexadecimal digits, a hyphen, and its counter.

use quadrille_protocol::{ClientFrame, Counter, RecordHeader, ReplicaId, ServerFrame};

use crate::messages::Notice;

#[derive(Default)]
pub struct Trace {
    /// In the order in which their frames are handed out.
    sent: Vec<String>,
    received: Vec<String>,
}

impl Trace {
    /// A frame that goes out.
    pub fn sends(&mut self, replica: Option<ReplicaId>, frame: &[u8]) {
        if let (Some(replica), Ok(ClientFrame::Submit { counter, .. })) =
            (replica, ClientFrame::decode(frame))
        {
            self.sent.push(identity(replica, counter));
        }
    }

    /// A frame that came in.
    pub fn receives(&mut self, frame: &[u8]) {
        let Ok(ServerFrame::Records { records }) = ServerFrame::decode(frame) else { return };
        let headers = records.iter().filter_map(|record| RecordHeader::decode(record).ok());
        self.received.extend(headers.map(|header| identity(header.replica, header.counter)));
    }

    /// What has gone through since the last time, if anything.
    pub fn take(&mut self) -> Option<Notice> {
        let Trace { sent, received } = std::mem::take(self);
        (!sent.is_empty() || !received.is_empty()).then_some(Notice::Traced { sent, received })
    }
}

fn identity(ReplicaId(replica): ReplicaId, Counter(counter): Counter) -> String {
    format!("{replica:016x}-{counter}")
}
