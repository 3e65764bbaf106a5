//! [`stopped`]: the end of the server, for tasks that run until then.

use tokio::sync::watch;

/// Waits until the server stops.
pub async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender was dropped, which is a stop as well. The value is a lock
    // guard and is dropped at once.
    drop(stop.wait_for(|is_stopping| *is_stopping).await);
}
