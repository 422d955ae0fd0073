//! spike
#![allow(missing_docs)]
pub mod backoff;
