//! The seam between those who ask and those who fetch.

use std::future::Future;
use std::sync::Arc;

use crate::{Answer, Failure, Request};

/// Something that fetches documents: the network, a recording, a folder, a simulated site.
///
/// Implementations retry as they see fit and say how often in [`Answer::attempts`]; they never follow a
/// redirect. Dropping the future cancels: no request of it is in flight afterwards.
pub trait Fetch: Send + Sync {
    /// Fetches one document.
    ///
    /// # Errors
    /// A [`Failure`] where no answer came that can be trusted. A status such as 404 or 503 is an answer.
    fn fetch(&self, request: Request) -> impl Future<Output = Result<Answer, Failure>> + Send;
}

impl<F: Fetch + ?Sized> Fetch for &F {
    fn fetch(&self, request: Request) -> impl Future<Output = Result<Answer, Failure>> + Send {
        (**self).fetch(request)
    }
}

impl<F: Fetch> Fetch for Arc<F> {
    fn fetch(&self, request: Request) -> impl Future<Output = Result<Answer, Failure>> + Send {
        (**self).fetch(request)
    }
}
