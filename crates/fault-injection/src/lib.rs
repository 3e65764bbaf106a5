//! Faults that can be planted on purpose, to see that the simulator's checkers notice them.
//!
//! Rooms, replicas and the journal ask [`is_planted`] at the places where a mistake would hurt. In the product that
//! is a constant `false` and nothing of it is left; with the feature `planted`, which only the simulator's proof of
//! itself turns on, one fault of [`Fault::ALL`] is planted at a time. `docs/simulation.md` names for each of
//! them the seed that catches it.

/// A mistake that somebody could make.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// The room tells what has a place, without waiting for the disk.
    TellBeforeDurable,
    /// The room applies again what a replica sends again.
    ForgetResends,
    /// The room rebases a submission over nothing.
    RebaseNothing,
    /// The room does not lead its bridge past the submissions of the session.
    BridgeStandsStill,
    /// The replica does not rebase what it has not confirmed.
    QueueStandsStill,
    /// The replica brings an undo over what others have written since.
    UndoOverOthers,
    /// The replica takes formats of others for nothing.
    FormatsDropped,
    /// The journal says that a batch is durable without a sync.
    SkipSync,
    /// Recovery takes batches whose checksum is wrong.
    TakeTornBatches,
    /// A stored snapshot does not say who had submitted what.
    SnapshotForgetsCounters,
    /// A snapshot is sent before its revision is durable.
    SnapshotSentEarly,
    /// The room forgets that a slow reader has missed something.
    MissedIsForgotten,
    /// A stamp is the server's clock, also when that was set back.
    ClockGoesBack,
    /// The room's ring is never shortened.
    RingGrows,
    /// The room gives changes of protected cells a place.
    ProtectionForgotten,
    /// A snapshot is taken for whole from its first piece on.
    SnapshotCountsEarly,
    /// The room tells what is said without waiting for the disk.
    ChatSentEarly,
    /// The room takes a chat message that is said again for a new one.
    ChatForgetsResends,
}

impl Fault {
    pub const ALL: [Fault; 18] = [
        Fault::TellBeforeDurable,
        Fault::ForgetResends,
        Fault::RebaseNothing,
        Fault::BridgeStandsStill,
        Fault::QueueStandsStill,
        Fault::UndoOverOthers,
        Fault::FormatsDropped,
        Fault::SkipSync,
        Fault::TakeTornBatches,
        Fault::SnapshotForgetsCounters,
        Fault::SnapshotSentEarly,
        Fault::MissedIsForgotten,
        Fault::ClockGoesBack,
        Fault::RingGrows,
        Fault::ProtectionForgotten,
        Fault::SnapshotCountsEarly,
        Fault::ChatSentEarly,
        Fault::ChatForgetsResends,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Fault::TellBeforeDurable => "tell-before-durable",
            Fault::ForgetResends => "forget-resends",
            Fault::RebaseNothing => "rebase-nothing",
            Fault::BridgeStandsStill => "bridge-stands-still",
            Fault::QueueStandsStill => "queue-stands-still",
            Fault::UndoOverOthers => "undo-over-others",
            Fault::FormatsDropped => "formats-dropped",
            Fault::SkipSync => "skip-sync",
            Fault::TakeTornBatches => "take-torn-batches",
            Fault::SnapshotForgetsCounters => "snapshot-forgets-counters",
            Fault::SnapshotSentEarly => "snapshot-sent-early",
            Fault::MissedIsForgotten => "missed-is-forgotten",
            Fault::ClockGoesBack => "clock-goes-back",
            Fault::RingGrows => "ring-grows",
            Fault::ProtectionForgotten => "protection-forgotten",
            Fault::SnapshotCountsEarly => "snapshot-counts-early",
            Fault::ChatSentEarly => "chat-sent-early",
            Fault::ChatForgetsResends => "chat-forgets-resends",
        }
    }

    pub fn from_name(name: &str) -> Option<Fault> {
        Fault::ALL.into_iter().find(|fault| fault.name() == name)
    }
}

/// Whether faults can be planted in this build.
pub const CAN_PLANT: bool = cfg!(feature = "planted");

#[cfg(not(feature = "planted"))]
#[inline(always)]
pub const fn is_planted(_: Fault) -> bool {
    false
}

#[cfg(feature = "planted")]
pub use planted::{is_planted, plant};

#[cfg(feature = "planted")]
mod planted {
    use std::cell::Cell;

    use super::Fault;

    thread_local! {
        static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
    }

    /// From here on, in this thread, the program makes this mistake, or none.
    pub fn plant(fault: Option<Fault>) {
        PLANTED.set(fault);
    }

    pub fn is_planted(fault: Fault) -> bool {
        PLANTED.get() == Some(fault)
    }
}
