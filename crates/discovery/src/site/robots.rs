//! robots.txt (RFC 9309): what may be asked, and which sitemaps it names.

use std::collections::BTreeMap;

use wholesite_address::SiteUrl;
use wholesite_extract::robots::Robots;

use super::errand::{Conclusion, Errand, Purpose};
use super::{Phase, SiteMachine};
use crate::blocker::BlockerCode;
use crate::options::RobotsPolicy;
use crate::read::{self, Outcome};

/// The rules of each origin that was asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RobotsGate {
    by_origin: BTreeMap<String, OriginRules>,
    agent: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum OriginRules {
    AllowAll,
    /// RFC 9309 §2.3.1.4: unreachable means complete disallow.
    DisallowAll,
    Rules(Box<wholesite_extract::robots::Rules>),
}

impl RobotsGate {
    pub(crate) fn allows(&self, url: &SiteUrl, policy: RobotsPolicy) -> bool {
        if policy == RobotsPolicy::Ignore {
            return true;
        }
        match self.by_origin.get(url.origin()) {
            None | Some(OriginRules::AllowAll) => true,
            Some(OriginRules::DisallowAll) => false,
            Some(OriginRules::Rules(rules)) => rules.allows(url.path_and_query()),
        }
    }
}

impl SiteMachine {
    pub(super) fn ask_robots(&mut self) {
        self.phase = Phase::Robots;
        self.robots.agent = self.options.user_agent.clone();
        let url = self.seed.with_path("/robots.txt");
        self.enqueue(Errand::new(Purpose::Robots, url));
    }

    pub(super) fn after_robots(&mut self, settled: Vec<Conclusion>) {
        for conclusion in settled {
            self.take_robots(conclusion);
        }
        let unreachable =
            matches!(self.robots.by_origin.get(self.seed.origin()), Some(OriginRules::DisallowAll));
        if unreachable && self.options.robots == RobotsPolicy::Obey {
            self.phase = Phase::Done;
            return;
        }
        self.ask_seed();
    }

    fn take_robots(&mut self, conclusion: Conclusion) {
        let Conclusion { errand, fetched } = conclusion;
        let origin = errand.first.origin().to_owned();
        let rules = match &fetched.outcome {
            Outcome::Body(body) => {
                let read = read::read_robots(&fetched.url, body);
                let robots = read.robots;
                self.keep(errand.first.clone(), 0, read.document);
                robots.map_or(OriginRules::AllowAll, |robots: Robots| {
                    OriginRules::Rules(Box::new(robots.rules_for(&self.robots.agent)))
                })
            }
            // RFC 9309 §2.3.1.3: a 4xx makes the file unavailable, and all is allowed. 429 says
            // "not now", which is no permission.
            Outcome::Status(status @ 400..=499) if *status != 429 => OriginRules::AllowAll,
            Outcome::Redirect { .. } => OriginRules::AllowAll,
            Outcome::Status(status) => {
                let help = "try again later; if the site is your own, use --robots ignore";
                self.robots_unavailable(&errand.first, format!("answered {status}"), help)
            }
            Outcome::Failed(failure) => {
                let (cause, help) = (failure.to_string(), failure.help());
                self.robots_unavailable(&errand.first, cause, help)
            }
        };
        self.robots.by_origin.insert(origin, rules);
    }

    fn robots_unavailable(&mut self, url: &SiteUrl, cause: String, help: &str) -> OriginRules {
        if self.options.robots == RobotsPolicy::Ignore {
            self.notes.push(format!(
                "robots.txt could not be read ({cause}); --robots ignore goes on all the same"
            ));
            return OriginRules::AllowAll;
        }
        self.block(
            BlockerCode::RobotsUnavailable,
            url.to_string(),
            format!("robots.txt could not be read ({cause}), so nothing of this site may be asked (RFC 9309 §2.3.1.4)"),
            help,
        );
        OriginRules::DisallowAll
    }
}
