//! Errors and what lies beneath them (case 19), and what the errors of Rust programs mean.
#![cfg(feature = "tokio")]

use std::{cell::Cell, error::Error, fmt, io, time::Duration};

use retry_primitives::{
    Outcome,
    breaker::Status,
    classify::MAX_CAUSES,
    executor::{CallError, CircuitOpen, find_source, io_outcome, sources},
};

/// An error whose source is itself, as far as anybody who asks can tell.
#[derive(Debug)]
struct Circular(Cell<u64>);

impl fmt::Display for Circular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("circular")
    }
}

impl Error for Circular {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.set(self.0.get() + 1);
        Some(self)
    }
}

#[derive(Debug)]
struct Wrapped(Option<Box<dyn Error>>);

impl fmt::Display for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("wrapped")
    }
}

impl Error for Wrapped {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.as_deref()
    }
}

impl Drop for Wrapped {
    /// One after the other: ten thousand drops within each other would be too many for the stack.
    fn drop(&mut self) {
        let mut inner = self.0.take();
        while let Some(mut wrapped) = inner.and_then(|inner| inner.downcast::<Self>().ok()) {
            inner = wrapped.0.take();
        }
    }
}

fn beneath(depth: usize, error: impl Error + 'static) -> Box<dyn Error> {
    (0..depth).fold(Box::new(error), |inner, _| Box::new(Wrapped(Some(inner))))
}

#[test]
fn a_circle_of_sources_ends() {
    let error = Circular(Cell::new(0));
    assert_eq!(sources(&error).count(), MAX_CAUSES + 1);
    assert!(error.0.get() <= MAX_CAUSES as u64 + 1);
    assert_eq!(find_source::<io::Error>(&error).map(io::Error::kind), None);
    assert_eq!(CircuitOpen::find(&error), None);
    assert_eq!(io_outcome(&error), Outcome::NON_RETRYABLE);
}

#[test]
fn a_long_chain_is_looked_at_up_to_a_bound() {
    let reset = || io::Error::from(io::ErrorKind::ConnectionReset);
    for (depth, found) in [(0, true), (MAX_CAUSES, true), (MAX_CAUSES + 1, false), (10_000, false)] {
        let error = beneath(depth, reset());
        assert_eq!(find_source::<io::Error>(&*error).is_some(), found, "{depth}");
        assert_eq!(io_outcome(&*error).retryable, found, "{depth}");
    }
}

#[test]
fn a_refusal_is_found_beneath_the_errors_of_a_program() {
    let refused = CircuitOpen { retry_after: Duration::from_secs(5), status: Status::Open };
    let error = beneath(3, CallError::<io::Error>::Open(refused));
    assert_eq!(CircuitOpen::find(&*error), Some(&refused));
    let failed = beneath(3, CallError::Failed(io::Error::from(io::ErrorKind::TimedOut)));
    assert_eq!(CircuitOpen::find(&*failed), None);
    assert_eq!(find_source::<io::Error>(&*failed).map(io::Error::kind), Some(io::ErrorKind::TimedOut));
}

/// Reference, "Classification": transport failures and timeouts only.
#[test]
fn what_an_io_error_means() {
    use io::ErrorKind::*;

    for kind in [
        ConnectionRefused,
        ConnectionReset,
        ConnectionAborted,
        BrokenPipe,
        HostUnreachable,
        NetworkUnreachable,
        NetworkDown,
        TimedOut,
        UnexpectedEof,
    ] {
        assert_eq!(io_outcome(&io::Error::from(kind)), Outcome::RETRYABLE, "{kind}");
        assert_eq!(io_outcome(&CallError::Failed(io::Error::from(kind))), Outcome::RETRYABLE, "{kind}");
    }
    for kind in [NotFound, PermissionDenied, InvalidInput, InvalidData, AddrInUse, Unsupported, OutOfMemory, Other] {
        assert_eq!(io_outcome(&io::Error::from(kind)), Outcome::NON_RETRYABLE, "{kind}");
    }
    assert_eq!(io_outcome(&fmt::Error), Outcome::NON_RETRYABLE);
}

/// The kinds that the system itself gives.
#[tokio::test]
async fn a_refused_connection_and_a_timeout() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = std::net::TcpStream::connect(free).unwrap_err();
    assert_eq!(io_outcome(&refused), Outcome::RETRYABLE);
    let elapsed = tokio::time::timeout(Duration::ZERO, std::future::pending::<()>()).await.unwrap_err();
    assert_eq!(io_outcome(&elapsed), Outcome::RETRYABLE);
    assert_eq!(io_outcome(&Wrapped(Some(Box::new(elapsed)))), Outcome::RETRYABLE);
}
