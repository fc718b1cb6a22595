//! Why an address is, or is not, a page: the chain of evidence behind it.

use wholesite_address::{Scope, SiteUrl, Within};

use crate::disposition::Disposition;
use crate::inventory::Inventory;
use crate::ledger::Entry;
use crate::pages::Page;

/// The answer to "why is this address (not) a page?".
#[derive(Debug, PartialEq, Eq)]
pub struct Explanation<'i> {
    /// The address in question.
    pub url: SiteUrl,
    /// The short answer.
    pub verdict: Verdict<'i>,
    /// Every link that led to the address, in any spelling, in ledger order.
    pub entries: Vec<&'i Entry>,
}

/// The short answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict<'i> {
    /// It is the address of a page, or another spelling of it.
    Page(&'i Page),
    /// It leads for good to a page.
    AliasOf(&'i Page),
    /// A document links to it, and it counts as something else.
    NotAPage(Disposition, String),
    /// It is one of the documents that discovery read.
    Document(&'static str),
    /// No document names it.
    Unknown(Scope),
    /// It lies outside the site.
    Outside(Scope),
}

impl Inventory {
    /// Explains an address.
    pub fn explain(&self, url: &SiteUrl) -> Explanation<'_> {
        let identity = self.fold().apply(url);
        let same = |other: &SiteUrl| other == url || self.fold().apply(other) == identity;
        let entries: Vec<&Entry> =
            self.ledger().entries().iter().filter(|entry| entry.url.as_ref().is_some_and(same)).collect();
        let verdict = self.verdict(url, &entries);
        Explanation { url: url.clone(), verdict, entries }
    }

    fn verdict(&self, url: &SiteUrl, entries: &[&Entry]) -> Verdict<'_> {
        if let Some(page) = self.page(url) {
            return if self.aliases().contains_key(url) {
                Verdict::AliasOf(page)
            } else {
                Verdict::Page(page)
            };
        }
        if let Some(entry) = entries.first() {
            return Verdict::NotAPage(entry.disposition, entry.why.to_string());
        }
        let document = self.ledger().documents().iter().find(|document| document.name == url.as_str());
        match (document, self.scope().locate(url)) {
            (Some(document), _) => Verdict::Document(document.kind.name()),
            (None, Within::Inside) => Verdict::Unknown(self.scope().clone()),
            (None, _) => Verdict::Outside(self.scope().clone()),
        }
    }
}
