//! Arriving: the address that the user gave, and where it led.

use wholesite_address::{Scope, SiteUrl};
use wholesite_extract::Role;

use super::errand::{Conclusion, Errand, Purpose, is_permanent};
use super::{Phase, SiteMachine};
use crate::blocker::BlockerCode;
use crate::classify::index_kind;
use crate::probe::UnknownPaths;
use crate::read::{self, Outcome, ReadDocument};
use wholesite_content::sniff::Kind;

/// How often a whole site may move to another origin before we stop believing it.
const MOVES: usize = 3;

impl SiteMachine {
    pub(super) fn ask_seed(&mut self) {
        self.phase = Phase::Seed;
        if index_kind(&self.seed, Role::Entry).is_some() || !self.may_ask(&self.seed) {
            // An index is read as one in the next phase. A forbidden seed does not forbid indexes.
            return self.ask_indexes();
        }
        let seed = self.seed.clone();
        self.enqueue(Errand::new(Purpose::Seed, seed));
    }

    pub(super) fn after_seed(&mut self, settled: Vec<Conclusion>) {
        for conclusion in settled {
            if self.follows_move(&conclusion) {
                return;
            }
            self.take_seed(conclusion);
        }
        self.ask_indexes();
    }

    /// A permanent redirect of the seed to another origin moves the whole site: start over there,
    /// under that origin's robots.txt.
    fn follows_move(&mut self, conclusion: &Conclusion) -> bool {
        let Outcome::Redirect { status, to: Ok(to) } = &conclusion.fetched.outcome else { return false };
        if to.origin() == conclusion.errand.url.origin()
            || !is_permanent(*status)
            || self.moves.len() >= MOVES
        {
            return false;
        }
        self.moves.push((conclusion.errand.url.clone(), to.clone()));
        self.notes.push(format!("the site moved: {} redirects for good to {to}", conclusion.errand.url));
        self.seed = to.clone();
        self.ask_robots();
        true
    }

    fn take_seed(&mut self, conclusion: Conclusion) {
        let Conclusion { errand, fetched } = conclusion;
        match &fetched.outcome {
            Outcome::Redirect { to, .. } => self.seed_left_the_site(&errand, to),
            Outcome::Status(status @ (401 | 407)) => self.block(
                BlockerCode::LoginRequired,
                errand.first.to_string(),
                format!("the start of the site answered {status}: what lies behind the login can't be seen"),
                "give credentials with --header",
            ),
            Outcome::Body(_) => {
                let login =
                    errand.hops.iter().find(|hop| !is_permanent(hop.status) && looks_like_login(&hop.to));
                if let Some(hop) = login {
                    self.seed_left_the_site(&errand, &Ok(hop.to.clone()));
                }
            }
            _ => {}
        }
        for hop in &errand.hops {
            let outcome = Outcome::Redirect { status: hop.status, to: Ok(hop.to.clone()) };
            self.remember_page(read::Fetched::new(&hop.from, outcome));
        }
        if let Outcome::Body(body) = &fetched.outcome
            && matches!(body.kind, Kind::Html | Kind::Text)
        {
            self.seed_page = Some((fetched.url.clone(), read::read_page(&fetched.url, body)));
            if body.kind == Kind::Html {
                self.keep_head(&fetched.url, read::read_head(&fetched.url, body));
            }
        }
        self.remember_page(fetched);
    }

    /// The head of the seed is a document of its own: it names indexes, twins and languages. Its
    /// body is read for links only where no index lists the pages.
    fn keep_head(&mut self, url: &SiteUrl, head: ReadDocument) {
        if !head.links.is_empty() {
            self.documents.push(super::Kept { url: url.clone(), depth: 0, read: head });
        }
    }

    fn seed_left_the_site(&mut self, errand: &Errand, to: &Result<SiteUrl, String>) {
        match to {
            Ok(to) if looks_like_login(to) => self.block(
                BlockerCode::LoginRequired,
                errand.first.to_string(),
                format!(
                    "the start of the site redirects to a login ({to}): what lies behind it can't be seen"
                ),
                "give credentials with --header",
            ),
            Ok(to) if to.origin() != errand.url.origin() => self.block(
                BlockerCode::SourceChanged,
                errand.first.to_string(),
                format!("the start of the site redirects, for the time being, to another origin ({to})"),
                format!("if that is the site, start from it: discover {to}"),
            ),
            Ok(_) => {}
            Err(why) => {
                let (first, why) = (errand.first.to_string(), why.clone());
                self.block(BlockerCode::RedirectFault, first, why, "mend the redirect on the site");
            }
        }
    }

    /// Scopes to look for indexes in: what the user named, else the seed as a folder, then every
    /// folder above it.
    pub(super) fn scope_candidates(&self) -> Vec<Scope> {
        if let Some(base_path) = &self.options.base_path {
            let path = format!("/{}", base_path.trim_matches('/'));
            return vec![Scope::below(&self.seed.with_path(&path))];
        }
        if index_kind(&self.seed, Role::Entry).is_some() {
            return vec![index_home(&self.seed)];
        }
        let mut candidates = vec![Scope::below(&self.seed)];
        while let Some(parent) = candidates.last().and_then(Scope::parent) {
            candidates.push(parent);
        }
        candidates
    }

    /// Settles the scope once the indexes are known. A seed without a final slash may be a folder
    /// (`/docs`) or a page in one (`/reference/overview`): it is a folder if anything lies below it.
    pub(super) fn settle_scope(&mut self) {
        let nearest = self.candidates[0].clone();
        let named_by_user = self.options.base_path.is_some();
        let is_index = index_kind(&self.seed, Role::Entry).is_some();
        if named_by_user || is_index || self.seed.path().ends_with('/') {
            self.scope = nearest;
            return;
        }
        if let Some(home) = self.hinted_home() {
            self.scope = home;
            return;
        }
        let below = |url: &SiteUrl| nearest.relative(url).is_some_and(|path| path != "/");
        let has_children = self.known_addresses().any(below);
        self.scope = if has_children { nearest } else { Scope::folder_of(&self.seed) };
        self.notes.push(format!("the scope is {}; --base names another one", self.scope));
    }

    /// The folder of the llms.txt that the seed's own headers name, if it holds the seed.
    fn hinted_home(&self) -> Option<Scope> {
        let seen = self.final_seed()?;
        let hints = seen.fetched.hints.iter().chain(seen.facts.iter().flat_map(|facts| &facts.index_hints));
        let mut homes: Vec<Scope> = hints
            .filter(|hint| hint.last_segment() == "llms.txt" && hint.origin() == self.seed.origin())
            .map(index_home)
            .filter(|home| home.relative(&self.seed).is_some())
            .collect();
        homes.sort_by_key(|home| home.base_path().len());
        homes.pop()
    }

    /// What the seed answered after its redirects.
    pub(super) fn final_seed(&self) -> Option<&super::Seen> {
        let mut url = &self.seed;
        for _ in 0..=self.options.limits.redirects {
            let seen = self.pages.get(url)?;
            match &seen.fetched.outcome {
                Outcome::Redirect { to: Ok(to), .. } => url = to,
                _ => return Some(seen),
            }
        }
        None
    }

    pub(super) fn answers_like_unknown(&self, fetched: &crate::read::Fetched) -> bool {
        self.unknown_paths != UnknownPaths::NotProbed && self.unknown_paths.looks_like(fetched)
    }
}

/// The site that an index speaks for: its folder, or for `/.well-known/llms.txt` the one above.
fn index_home(index: &SiteUrl) -> Scope {
    let folder = Scope::folder_of(index);
    match folder.base_path().strip_suffix("/.well-known") {
        Some(_) => folder.parent().unwrap_or(folder),
        None => folder,
    }
}

/// Whether an address is a login page by its name. Used only to say *why* something can't be seen.
pub(super) fn looks_like_login(url: &SiteUrl) -> bool {
    let names = ["login", "signin", "sign-in", "log-in", "sso", "oauth", "auth"];
    let host = url.authority().split('.').next().unwrap_or_default();
    url.path().split('/').any(|segment| names.contains(&segment.to_ascii_lowercase().as_str()))
        || names.contains(&host)
        || ["accounts", "id", "idp"].contains(&host)
}
