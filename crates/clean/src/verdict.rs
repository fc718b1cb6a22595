//! The names of what is no page.

/// What came in place of a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAPage {
    /// Nothing.
    #[error("the body is empty")]
    Empty,
    /// An HTML document in answer to a request for Markdown.
    #[error("HTML came where Markdown was asked for")]
    HtmlForMarkdown,
    /// No text.
    #[error("the body is no text: {kind}")]
    Binary {
        /// What it is.
        kind: &'static str,
    },
    /// Data for programs, such as an error in JSON.
    #[error("the body is data for programs: {kind}")]
    Data {
        /// What it is.
        kind: &'static str,
    },
    /// A form to sign in.
    #[error("a login page came")]
    Login,
    /// A check whether the reader is human.
    #[error("a challenge for robots came")]
    Challenge,
    /// Too many requests.
    #[error("a page about too many requests came")]
    RateLimited,
    /// The site is being worked on.
    #[error("a maintenance page came")]
    Maintenance,
    /// A page that only a script fills.
    #[error("an empty page came, which only a script fills")]
    AppShell,
    /// "Not found", with status 200.
    #[error("a page that says `not found` came")]
    NotFound,
    /// A server's excuse: a gateway without an answer, a door that is shut.
    #[error("an error page came")]
    ErrorPage,
    /// A stub that does nothing but send its reader to another address.
    #[error("a page came that only leads to another address")]
    Redirect,
    /// Elements nested too deeply to be read.
    #[error("the document nests more than {limit} elements")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
}

impl NotAPage {
    /// The name on every wire.
    pub fn code(&self) -> &'static str {
        match self {
            NotAPage::Empty => "empty_body",
            NotAPage::HtmlForMarkdown => "html_for_markdown",
            NotAPage::Binary { .. } => "not_text",
            NotAPage::Data { .. } => "data_body",
            NotAPage::Login => "login_page",
            NotAPage::Challenge => "challenge_page",
            NotAPage::RateLimited => "rate_limit_page",
            NotAPage::Maintenance => "maintenance_page",
            NotAPage::AppShell => "app_shell",
            NotAPage::NotFound => "not_found_page",
            NotAPage::ErrorPage => "error_page",
            NotAPage::Redirect => "redirect_page",
            NotAPage::TooDeep { .. } => "too_deep",
        }
    }
}
