//! Faults that can be planted on purpose, to prove that the simulator's checkers detect them.
//!
//! The room, the replica and the journal call [`is_planted`] at the points where a mistake would
//! break a guarantee. In the product, [`is_planted`] is a constant `false` and the compiler removes
//! the branch. With the feature `planted`, which only the simulator enables, a test plants one
//! fault of [`Fault::ALL`] at a time in its own thread. `docs/simulation.md` lists the seed that
//! detects each fault.

/// A deliberate defect. The name of each variant says which guarantee is broken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// The room broadcasts a transaction before its record is durable.
    BroadcastBeforeDurable,
    /// The room applies a transaction again when a replica resends it.
    ResendsAppliedTwice,
    /// The room does not rebase submissions over the records that their author had not applied.
    SubmissionsNotRebased,
    /// The room does not rebase the session's rebase window over the session's own submissions.
    RebaseWindowNotRebased,
    /// The replica does not rebase its unconfirmed transactions over confirmed ones.
    UnconfirmedNotRebased,
    /// Undo overwrites cells that other replicas have changed since.
    UndoOverwritesOthers,
    /// The replica ignores format operations of other replicas.
    RemoteFormatsIgnored,
    /// The journal reports a batch as durable without calling sync.
    SyncSkipped,
    /// Recovery accepts batches with a wrong checksum.
    TornBatchesAccepted,
    /// Stored snapshots lack the last counter of each replica, by which resends are recognized.
    SnapshotOmitsCounters,
    /// The room sends a snapshot before its revision is durable.
    SnapshotSentBeforeDurable,
    /// The room does not resynchronize a slow session after dropping frames for it.
    DroppedFramesNotResent,
    /// Timestamps of records decrease when the server's clock is set back.
    TimestampsNotMonotonic,
    /// The room never trims its recent records.
    RecentRecordsNotTrimmed,
    /// The room accepts changes of protected cells.
    ProtectionNotEnforced,
    /// The room lets everybody who may edit change cells whose protection names its editors.
    NamedEditorsNotChecked,
    /// The room does not close a session that has lost its role.
    RevokedSessionsKept,
    /// The storage counts a snapshot as complete after its first piece.
    PartialSnapshotAccepted,
    /// The room broadcasts a chat message before it is stored.
    ChatSentBeforeDurable,
    /// The room treats a resent chat message as a new one.
    ChatResendsDuplicated,
    /// The shared storage accepts an append with an epoch that a later claim has replaced.
    EpochsNotChecked,
    /// A server trusts its own clock about the others: polls that the storage has not answered count against
    /// them.
    UnansweredPollsCounted,
    /// A room is claimed without waiting until its owner has released it or was removed.
    ClaimsNotAwaited,
    /// A commit whose answer was lost counts as stored when it is sent again.
    LostAnswersTrusted,
    /// A room that is opened again has not read the counters of replicas from its records.
    TakeoverForgetsCounters,
    /// A server that finds its row removed goes on.
    RemovedServersGoOn,
    /// A listener whose next broadcast has been dropped goes on with the oldest one that is kept.
    FellOffCursorsSkip,
}

impl Fault {
    /// Every fault, in declaration order.
    pub const ALL: [Fault; 27] = [
        Fault::BroadcastBeforeDurable,
        Fault::ResendsAppliedTwice,
        Fault::SubmissionsNotRebased,
        Fault::RebaseWindowNotRebased,
        Fault::UnconfirmedNotRebased,
        Fault::UndoOverwritesOthers,
        Fault::RemoteFormatsIgnored,
        Fault::SyncSkipped,
        Fault::TornBatchesAccepted,
        Fault::SnapshotOmitsCounters,
        Fault::SnapshotSentBeforeDurable,
        Fault::DroppedFramesNotResent,
        Fault::TimestampsNotMonotonic,
        Fault::RecentRecordsNotTrimmed,
        Fault::ProtectionNotEnforced,
        Fault::NamedEditorsNotChecked,
        Fault::RevokedSessionsKept,
        Fault::PartialSnapshotAccepted,
        Fault::ChatSentBeforeDurable,
        Fault::ChatResendsDuplicated,
        Fault::EpochsNotChecked,
        Fault::UnansweredPollsCounted,
        Fault::ClaimsNotAwaited,
        Fault::LostAnswersTrusted,
        Fault::TakeoverForgetsCounters,
        Fault::RemovedServersGoOn,
        Fault::FellOffCursorsSkip,
    ];

    /// The fault's name in plans, on the command line and in `docs/simulation.md`.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::BroadcastBeforeDurable => "broadcast-before-durable",
            Fault::ResendsAppliedTwice => "resends-applied-twice",
            Fault::SubmissionsNotRebased => "submissions-not-rebased",
            Fault::RebaseWindowNotRebased => "rebase-window-not-rebased",
            Fault::UnconfirmedNotRebased => "unconfirmed-not-rebased",
            Fault::UndoOverwritesOthers => "undo-overwrites-others",
            Fault::RemoteFormatsIgnored => "remote-formats-ignored",
            Fault::SyncSkipped => "sync-skipped",
            Fault::TornBatchesAccepted => "torn-batches-accepted",
            Fault::SnapshotOmitsCounters => "snapshot-omits-counters",
            Fault::SnapshotSentBeforeDurable => "snapshot-sent-before-durable",
            Fault::DroppedFramesNotResent => "dropped-frames-not-resent",
            Fault::TimestampsNotMonotonic => "timestamps-not-monotonic",
            Fault::RecentRecordsNotTrimmed => "recent-records-not-trimmed",
            Fault::ProtectionNotEnforced => "protection-not-enforced",
            Fault::NamedEditorsNotChecked => "named-editors-not-checked",
            Fault::RevokedSessionsKept => "revoked-sessions-kept",
            Fault::PartialSnapshotAccepted => "partial-snapshot-accepted",
            Fault::ChatSentBeforeDurable => "chat-sent-before-durable",
            Fault::ChatResendsDuplicated => "chat-resends-duplicated",
            Fault::EpochsNotChecked => "epochs-not-checked",
            Fault::UnansweredPollsCounted => "unanswered-polls-counted",
            Fault::ClaimsNotAwaited => "claims-not-awaited",
            Fault::LostAnswersTrusted => "lost-answers-trusted",
            Fault::TakeoverForgetsCounters => "takeover-forgets-counters",
            Fault::RemovedServersGoOn => "removed-servers-go-on",
            Fault::FellOffCursorsSkip => "fell-off-cursors-skip",
        }
    }

    /// Returns the fault with this [`name`](Fault::name), or `None` for an unknown name.
    pub fn from_name(name: &str) -> Option<Fault> {
        Fault::ALL.into_iter().find(|fault| fault.name() == name)
    }
}

/// Whether this build can plant faults.
pub const CAN_PLANT: bool = cfg!(feature = "planted");

/// Whether `fault` is planted in the current thread; always `false` without the feature `planted`.
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

    /// Plants `fault` in the current thread in place of the previous one; `None` removes it.
    pub fn plant(fault: Option<Fault>) {
        PLANTED.set(fault);
    }

    /// Whether `fault` is planted in the current thread.
    pub fn is_planted(fault: Fault) -> bool {
        PLANTED.get() == Some(fault)
    }
}
