//! Bugs that can be planted, so that the simulator can show that it would find them.
//!
//! Without the feature `sabotage`, which only tests switch on, `planted` is the constant `false`.

/// A bug, each the kind that somebody might make in earnest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// The health of the site is not looked at.
    IllSiteIsFine,
    /// Any number of pages may go at once.
    NoLimit,
    /// One look is enough.
    OneLook,
    /// An address that gave no answer that tells counts as gone.
    UnknownIsGone,
    /// A temporary redirect counts as a move.
    TemporaryIsMove,
    /// Pages that were sent to one place all moved there.
    CrowdsMove,
    /// A 404 out of an old cache is believed.
    OldCacheIsNews,
    /// A soft 404 is believed in the first run.
    SoftIsPlain,
    /// The page that unknown addresses get is published like any other.
    PublishSoft404,
    /// Any text may replace any other.
    PublishAnything,
    /// HTML takes the place of Markdown.
    PublishHtml,
    /// A page answered 304 does not count as seen.
    NotModifiedIsUnseen,
    /// Cancelling is heard, but the work goes on.
    DeafToCancel,
    /// A page that leads elsewhere for now is taken for an alias.
    ElsewhereIsAlias,
    /// A page that failed counts as published.
    FailureIsSuccess,
    /// A page that comes back from the trash is made anew, and the old entry stays.
    ForgetTrash,
    /// What was learned about a page that stays is not written down.
    ForgetAbsence,
    /// The listing is not looked at a second time.
    OneListing,
    /// No page that is known to be there is asked at the last look.
    NoCanaries,
}

impl Bug {
    /// All of them.
    pub const ALL: [Bug; 19] = [
        Bug::IllSiteIsFine,
        Bug::NoLimit,
        Bug::OneLook,
        Bug::UnknownIsGone,
        Bug::TemporaryIsMove,
        Bug::CrowdsMove,
        Bug::OldCacheIsNews,
        Bug::SoftIsPlain,
        Bug::PublishSoft404,
        Bug::PublishAnything,
        Bug::PublishHtml,
        Bug::NotModifiedIsUnseen,
        Bug::DeafToCancel,
        Bug::ElsewhereIsAlias,
        Bug::FailureIsSuccess,
        Bug::ForgetTrash,
        Bug::ForgetAbsence,
        Bug::OneListing,
        Bug::NoCanaries,
    ];
}

#[cfg(feature = "sabotage")]
thread_local! {
    static PLANTED: std::cell::Cell<Option<Bug>> = const { std::cell::Cell::new(None) };
}

/// Plants a bug in this thread, or takes it away.
#[cfg(feature = "sabotage")]
pub fn plant(bug: Option<Bug>) {
    PLANTED.set(bug);
}

#[cfg(feature = "sabotage")]
pub(crate) fn planted(bug: Bug) -> bool {
    PLANTED.get() == Some(bug)
}

#[cfg(not(feature = "sabotage"))]
pub(crate) const fn planted(_: Bug) -> bool {
    false
}
