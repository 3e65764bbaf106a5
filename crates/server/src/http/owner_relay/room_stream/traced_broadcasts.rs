//! Stages of transactions at a server that relays, for `--trace`.

use quadrille_protocol::{RecordHeader, Revision, RoomName, ServerFrame};

use crate::trace::{self, Stage, TraceTime, TransactionId};

/// The transactions of broadcasts that have arrived together; empty when tracing is off.
#[derive(Default)]
pub struct TracedBroadcasts {
    transactions: Vec<(TransactionId, Revision, TraceTime)>,
}

impl TracedBroadcasts {
    /// Adds a broadcast as it is written to clients, with the head of its WebSocket frame.
    pub fn add(&mut self, frame: &[u8]) {
        let Some(now) = trace::now() else { return };
        let Some(Ok(ServerFrame::Records { records })) = payload(frame).map(ServerFrame::decode) else {
            return;
        };
        let headers = records.iter().filter_map(|record| RecordHeader::decode(record).ok());
        self.transactions.extend(headers.map(|header| {
            let id = TransactionId { replica: header.replica, counter: header.counter };
            (id, header.revision, now)
        }));
    }

    /// Notes that the broadcasts are written to the clients that keep up.
    pub fn written(self, room: &RoomName) {
        let Some(now) = trace::now() else { return };
        for (id, revision, since) in self.transactions {
            trace::span(id, Stage::RelayFanOut, since, now, room, revision);
        }
    }
}

/// The payload of an unmasked WebSocket frame (RFC 6455, section 5.2).
fn payload(frame: &[u8]) -> Option<&[u8]> {
    let head = match frame.get(1)? & 0x7f {
        126 => 4,
        127 => 10,
        _ => 2,
    };
    frame.get(head..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_follows_lengths_of_three_sizes() {
        assert_eq!(payload(&[0x82, 2, 7, 8]), Some(&[7, 8][..]));
        let head_of_64_bits = [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0];
        for head in [&[0x82, 126, 1, 0][..], &head_of_64_bits[..]] {
            assert_eq!(payload(&[head, &[9; 3]].concat()), Some(&[9; 3][..]));
        }
        assert_eq!(payload(&[0x82]), None);
    }
}
