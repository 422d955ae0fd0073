//! An error and what lies beneath it.

use core::{error::Error, iter};

use crate::classify::MAX_CAUSES;

/// `error`, its [`source`](Error::source), that one's, and so on: at most [`MAX_CAUSES`] sources, so a chain that runs
/// in a circle ends.
///
/// ```
/// use retry_primitives::executor::sources;
///
/// let inner = "42x".parse::<u32>().unwrap_err();
/// let outer = std::io::Error::other(inner);
/// let said: Vec<String> = sources(&outer).map(|error| error.to_string()).collect();
/// assert_eq!(said[0], "invalid digit found in string");
/// ```
pub fn sources<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| error.source()).take(MAX_CAUSES + 1)
}

/// The first of an error's [`sources`] that is an `E`, itself included.
///
/// ```
/// use std::num::ParseIntError;
/// use retry_primitives::executor::{CallError, find_source};
///
/// let error = CallError::Failed("42x".parse::<u32>().unwrap_err());
/// assert!(find_source::<ParseIntError>(&error).is_some());
/// assert!(find_source::<std::io::Error>(&error).is_none());
/// ```
pub fn find_source<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    sources(error).find_map(<dyn Error>::downcast_ref)
}

#[cfg(feature = "std")]
mod with_std {
    use std::{error::Error, io};

    use crate::{
        Outcome,
        classify::{self, ErrorFacts},
    };

    /// The conservative default for errors of Rust programs: failures of the transport and timeouts may be repeated,
    /// nothing else. That is [`classify::error_outcome`] of the error's [`sources`](super::sources).
    ///
    /// It knows an [`io::Error`] by its kind and, with the feature `tokio`, the error of `tokio::time::timeout`; both
    /// also beneath the errors of an HTTP client that names them as its source.
    ///
    /// ```
    /// use std::io;
    /// use retry_primitives::{Outcome, executor::io_outcome};
    ///
    /// assert_eq!(io_outcome(&io::Error::from(io::ErrorKind::ConnectionReset)), Outcome::RETRYABLE);
    /// assert_eq!(io_outcome(&io::Error::from(io::ErrorKind::PermissionDenied)), Outcome::NON_RETRYABLE);
    /// ```
    pub fn io_outcome(error: &(dyn Error + 'static)) -> Outcome {
        classify::error_outcome(super::sources(error).map(facts))
    }

    fn facts<'a>(error: &'a (dyn Error + 'static)) -> ErrorFacts<'a> {
        #[cfg(feature = "tokio")]
        if error.is::<tokio::time::error::Elapsed>() {
            return ErrorFacts { name: "TimeoutError", ..ErrorFacts::default() };
        }
        let code = error.downcast_ref::<io::Error>().map_or("", |error| code(error.kind()));
        ErrorFacts { code, ..ErrorFacts::default() }
    }

    /// The name by which POSIX and Node know the kind.
    fn code(kind: io::ErrorKind) -> &'static str {
        match kind {
            io::ErrorKind::ConnectionRefused => "ECONNREFUSED",
            io::ErrorKind::ConnectionReset => "ECONNRESET",
            io::ErrorKind::ConnectionAborted => "ECONNABORTED",
            io::ErrorKind::BrokenPipe => "EPIPE",
            io::ErrorKind::HostUnreachable => "EHOSTUNREACH",
            io::ErrorKind::NetworkUnreachable => "ENETUNREACH",
            io::ErrorKind::NetworkDown => "ENETDOWN",
            io::ErrorKind::TimedOut => "ETIMEDOUT",
            // The other side closed the connection in the middle of a message.
            io::ErrorKind::UnexpectedEof => "ERR_STREAM_PREMATURE_CLOSE",
            _ => "",
        }
    }
}

#[cfg(feature = "std")]
pub use with_std::io_outcome;
