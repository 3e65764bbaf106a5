//! The numbers of relayed requests, by which each is accepted once.
//!
//! Each process counts what it relays. The receiving server knows of each sender the newest number, and which of the
//! [`NUMBERS`] up to it have arrived: as in RFC 4303, 3.4.3. So it remembers requests for as long as they could
//! arrive, in little memory, and forgets a sender after the signatures of its requests have expired.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::signature::{CLOCKS_MAX, RequestNumber, refused};
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// Numbers that are known of a sender, a multiple of the bits of a word.
const NUMBERS: u64 = limits::RELAY_NUMBERS_KEPT;
const WORD_BITS: u64 = u64::BITS as u64;
/// A request of a clock that is ahead is valid for as long as that, and a minute more.
const FORGOTTEN_AFTER: Duration = CLOCKS_MAX.saturating_mul(2);

/// Numbers the requests of this process.
pub struct RequestNumbers {
    sender: u64,
    last: AtomicU64,
}

impl Default for RequestNumbers {
    fn default() -> RequestNumbers {
        let mut random = [0; 8];
        getrandom::fill(&mut random).expect("the operating system provides random numbers");
        RequestNumbers { sender: u64::from_le_bytes(random), last: AtomicU64::new(0) }
    }
}

impl RequestNumbers {
    pub fn next(&self) -> RequestNumber {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        RequestNumber { sender: self.sender, number }
    }
}

/// The numbers of requests that have arrived.
#[derive(Default)]
pub struct ReceivedNumbers {
    senders: Mutex<HashMap<u64, Received>>,
}

struct Received {
    newest: u64,
    /// Bit `number % NUMBERS`: whether a number above `newest - NUMBERS` has arrived.
    arrived: Box<[u64]>,
    at: Instant,
}

impl ReceivedNumbers {
    /// Notes the number of a request whose signature is right.
    ///
    /// # Errors
    ///
    /// Fails with `misdirected_request` when it has arrived before or is too old to know, and with `overloaded` when
    /// there are too many senders.
    pub fn accept(&self, request: RequestNumber, now: Instant) -> Result<(), ApiError> {
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        if !senders.contains_key(&request.sender) {
            senders.retain(|_, received| now.duration_since(received.at) <= FORGOTTEN_AFTER);
            if senders.len() >= limits::RELAY_SENDERS_MAX {
                let message = "too many servers relay requests to this one; try again later";
                return Err(ApiError::new(ErrorCode::Overloaded, message));
            }
        }
        let received = senders.entry(request.sender).or_insert_with(|| Received {
            newest: request.number,
            arrived: vec![0; (NUMBERS / WORD_BITS) as usize].into(),
            at: now,
        });
        received.at = now;
        match received.is_first(request.number) {
            true => Ok(()),
            false => Err(refused("it has arrived before, or after very many later ones")),
        }
    }
}

impl Received {
    fn is_first(&mut self, number: u64) -> bool {
        if number > self.newest {
            match number - self.newest < NUMBERS {
                true => (self.newest + 1..=number).for_each(|skipped| self.set(skipped, false)),
                false => self.arrived.fill(0),
            }
            self.newest = number;
        }
        if self.newest - number >= NUMBERS || self.has(number) {
            return false;
        }
        self.set(number, true);
        true
    }

    fn has(&self, number: u64) -> bool {
        let bit = number % NUMBERS;
        self.arrived[(bit / WORD_BITS) as usize] >> (bit % WORD_BITS) & 1 == 1
    }

    fn set(&mut self, number: u64, has_arrived: bool) {
        let bit = number % NUMBERS;
        let word = &mut self.arrived[(bit / WORD_BITS) as usize];
        let mask = 1 << (bit % WORD_BITS);
        *word = if has_arrived { *word | mask } else { *word & !mask };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(numbers: &ReceivedNumbers, sender: u64, number: u64) -> bool {
        numbers.accept(RequestNumber { sender, number }, Instant::now()).is_ok()
    }

    #[test]
    fn a_number_is_accepted_once_in_any_order() {
        let numbers = ReceivedNumbers::default();
        for number in [5, 3, 4, 200, 1, 199, 70, 2] {
            assert!(accepts(&numbers, 1, number), "{number}");
            assert!(!accepts(&numbers, 1, number), "{number}");
            assert!(accepts(&numbers, 2, number), "of another sender");
        }
        assert!(!accepts(&numbers, 1, 5));
    }

    #[test]
    fn what_is_older_than_the_numbers_that_are_kept_is_refused() {
        let numbers = ReceivedNumbers::default();
        assert!(accepts(&numbers, 1, 10));
        assert!(accepts(&numbers, 1, NUMBERS + 10));
        assert!(!accepts(&numbers, 1, 10));
        assert!(accepts(&numbers, 1, 11), "not seen, and just near enough");
        assert!(!accepts(&numbers, 1, 11));
        assert!(accepts(&numbers, 1, 5 * NUMBERS));
        for older in [11, NUMBERS + 10, 4 * NUMBERS] {
            assert!(!accepts(&numbers, 1, older), "{older}");
        }
        assert!(accepts(&numbers, 1, 4 * NUMBERS + 1));
    }

    #[test]
    fn senders_are_forgotten_when_their_signatures_have_expired() {
        let (numbers, began) = (ReceivedNumbers::default(), Instant::now());
        let accept = |sender, now| numbers.accept(RequestNumber { sender, number: 1 }, now);
        for sender in 0..limits::RELAY_SENDERS_MAX as u64 {
            accept(sender, began).expect("free");
        }
        let later = began + FORGOTTEN_AFTER;
        assert_eq!(accept(1_000, later).map_err(|error| error.code), Err(ErrorCode::Overloaded));
        assert_eq!(accept(1, later).map_err(|error| error.code), Err(ErrorCode::MisdirectedRequest));
        accept(1_000, later + Duration::from_millis(1)).expect("the others are forgotten");
    }

    #[test]
    fn this_process_gives_each_number_once() {
        let numbers = RequestNumbers::default();
        assert_eq!([1, 2, 3], [(); 3].map(|()| numbers.next().number));
        assert_ne!(numbers.next().sender, RequestNumbers::default().next().sender);
    }
}
