//! Append-only log, snapshots and recovery behind the Storage trait; memory and faulty implementations.
