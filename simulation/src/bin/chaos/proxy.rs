//! A TCP proxy in this process that can stop passing bytes on, and delay them.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How often a cut connection looks whether it goes on.
const POLL: Duration = Duration::from_millis(5);
/// Bytes that are passed on at once.
const PIECE_BYTES: usize = 64 << 10;

/// A proxy. Its threads end with the process.
pub struct Proxy {
    pub address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    is_cut: AtomicBool,
    /// Milliseconds by which each piece is delayed.
    delay_ms: AtomicU64,
}

impl Proxy {
    /// Passes connections on to an address.
    ///
    /// # Errors
    /// When no port is free.
    pub fn start(target: SocketAddr) -> std::io::Result<Proxy> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || connect(client, target, &state));
            }
        });
        Ok(Proxy { address, state })
    }

    /// Cuts all connections, also new ones: bytes wait until they are not cut any more, as in a partition.
    pub fn set_cut(&self, is_cut: bool) {
        self.state.is_cut.store(is_cut, Ordering::Relaxed);
    }

    /// Delays each piece of bytes.
    pub fn set_delay(&self, delay: Duration) {
        self.state.delay_ms.store(delay.as_millis() as u64, Ordering::Relaxed);
    }
}

impl State {
    /// Waits as long as the connections are cut.
    fn wait(&self) {
        while self.is_cut.load(Ordering::Relaxed) {
            std::thread::sleep(POLL);
        }
        std::thread::sleep(Duration::from_millis(self.delay_ms.load(Ordering::Relaxed)));
    }
}

fn connect(client: TcpStream, target: SocketAddr, state: &Arc<State>) {
    state.wait();
    // A server that is down refuses; so does the proxy, by closing.
    let Ok(server) = TcpStream::connect(target) else { return };
    let (Ok(from_client), Ok(from_server)) = (client.try_clone(), server.try_clone()) else { return };
    let back = Arc::clone(state);
    std::thread::spawn(move || pass_on(from_server, client, &back));
    pass_on(from_client, server, state);
}

/// Passes bytes on in one direction until either end closes.
fn pass_on(mut from: TcpStream, mut to: TcpStream, state: &State) {
    let mut piece = vec![0; PIECE_BYTES];
    // Without this, small messages wait for acknowledgements of earlier ones; with an error they only do so.
    let _ = to.set_nodelay(true);
    loop {
        let length = match from.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        state.wait();
        if to.write_all(&piece[..length]).is_err() {
            break;
        }
    }
    // The end of a connection is not seen during a cut either.
    state.wait();
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
