//! What leaves a store: the laws of `decide`, for any facts.

use std::time::Duration;

use arbitrary::{Arbitrary, Unstructured};
use wholesite_address::StorePath;
use wholesite_store::{Absence, Timestamp};
use wholesite_sync::prune::{
    Candidate, Decision, DeleteLimit, Gate, Look, Policy, PruneMode, RunFacts, Said, Verdict, decide,
};

const FINGERPRINTS: [&str; 2] = ["this", "other"];

#[derive(Debug, Clone, Arbitrary)]
struct Case {
    pages: Vec<PageCase>,
    whole: bool,
    doubt: bool,
    shrunk: bool,
    stored: u8,
    ill: u8,
    ill_stored: u8,
    failed: u8,
    at: u8,
    now: u32,
    mode: u8,
    limit: (u8, u8),
    strict: bool,
    approved: Vec<u8>,
    unknown: (u8, u8),
}

#[derive(Debug, Clone, Arbitrary)]
struct PageCase {
    looks: Vec<(u8, SaidCase)>,
    before: Option<(u8, u32, bool)>,
    listed: bool,
    pinned: bool,
    same_text: bool,
}

#[derive(Debug, Clone, Copy, Arbitrary)]
enum SaidCase {
    Alive,
    Gone,
    SoftGone,
    Moved(bool),
    Unknown,
}

/// A page in the form that `decide` borrows from.
struct Page {
    path: StorePath,
    looks: Vec<Look>,
    before: Option<Absence>,
    case: PageCase,
    twin: StorePath,
}

/// Any facts about any pages.
pub fn decision(data: &[u8]) {
    let Ok(mut case) = Case::arbitrary(&mut Unstructured::new(data)) else { return };
    case.pages.truncate(20);
    let pages: Vec<Page> = case.pages.iter().enumerate().map(|(at, page)| Page::new(at, page)).collect();
    let decision = run(&case, &pages);
    check_shape(&case, &pages, &decision);

    // Unknown is not gone: any answer replaced by "unknown" never makes it withdraw more.
    let mut doubtful = case.clone();
    let which = usize::from(case.unknown.0) % case.pages.len().max(1);
    if let Some(page) = doubtful.pages.get_mut(which) {
        let looks = page.looks.len().max(1);
        if let Some(look) = page.looks.get_mut(usize::from(case.unknown.1) % looks) {
            look.1 = SaidCase::Unknown;
        }
    }
    check_no_more(&decision, &again(&doubtful), "an unknown answer withdrew a page");

    // A link never deletes: a page that is listed after all is a candidate less or a listed one.
    let mut listed = case.clone();
    if let Some(page) = listed.pages.get_mut(which) {
        page.listed = true;
    }
    check_no_more(&decision, &again(&listed), "a link withdrew a page");

    // Without the proof nothing goes.
    let unproved = again(&Case { whole: false, ..case.clone() });
    assert_eq!(withdrawn(&unproved).count(), 0, "withdrawn without a proof");
    assert_eq!(decision, run(&case, &pages), "the same facts, the same decision");
}

fn again(case: &Case) -> Decision {
    let pages: Vec<Page> = case.pages.iter().enumerate().map(|(at, page)| Page::new(at, page)).collect();
    run(case, &pages)
}

fn check_shape(case: &Case, pages: &[Page], decision: &Decision) {
    assert_eq!((decision.verdicts.len(), decision.counting.len()), (pages.len(), pages.len()));
    let policy = policy(case);
    for at in withdrawn(decision) {
        let page = &pages[at];
        assert!(!page.case.pinned, "a pinned page was withdrawn");
        assert!(page.looks.len() >= 2, "withdrawn after {} looks", page.looks.len());
        assert!(page.looks.iter().all(|look| look.said != Said::Unknown), "withdrawn on an unknown answer");
        assert!(case.whole && !case.doubt && policy.mode != PruneMode::Never);
        match &decision.gate {
            Gate::Open => {}
            Gate::Held(_) => assert!(policy.approved.contains(&page.path), "held, and withdrawn"),
            Gate::Shut(_) => panic!("shut, and withdrawn"),
        }
        let is_alive = page.looks.iter().any(|look| look.said == Said::Alive);
        assert!(!is_alive || policy.mode == PruneMode::Unlisted, "a living page was withdrawn");
    }
    if decision.gate == Gate::Open {
        let unapproved = withdrawn(decision).filter(|at| !policy.approved.contains(&pages[*at].path));
        let moved = |at: &usize| pages[*at].looks.iter().all(|look| matches!(look.said, Said::Moved { .. }));
        let count = unapproved.filter(|at| !moved(at)).count();
        assert!(!policy.max_delete.is_exceeded(count, usize::from(case.stored)), "more than the limit");
    }
}

fn check_no_more(before: &Decision, after: &Decision, what: &str) {
    let all: Vec<usize> = withdrawn(before).collect();
    assert!(withdrawn(after).all(|at| all.contains(&at)), "{what}");
}

fn withdrawn(decision: &Decision) -> impl Iterator<Item = usize> {
    let is_gone = |verdict: &Verdict| matches!(verdict, Verdict::Withdraw(_));
    decision.verdicts.iter().enumerate().filter(move |(_, verdict)| is_gone(verdict)).map(|(at, _)| at)
}

fn run(case: &Case, pages: &[Page]) -> Decision {
    let candidates: Vec<Candidate<'_>> = pages.iter().map(Page::candidate).collect();
    let doubts: Vec<String> = case.doubt.then(|| "a doubt".to_owned()).into_iter().collect();
    let facts = RunFacts {
        whole: case.whole,
        doubts: &doubts,
        shrunk: case.shrunk.then_some("much shorter"),
        stored: usize::from(case.stored),
        listed_not_alive: usize::from(case.ill),
        listed_not_alive_stored: usize::from(case.ill_stored.min(case.ill)),
        failed: usize::from(case.failed),
        fingerprint: FINGERPRINTS[0],
        at: Duration::from_secs(u64::from(case.at)),
        now: Timestamp(i64::from(case.now) * 1000),
    };
    decide(&candidates, &facts, &policy(case))
}

fn policy(case: &Case) -> Policy {
    Policy {
        mode: [PruneMode::Gone, PruneMode::Unlisted, PruneMode::Cautious, PruneMode::Never]
            [usize::from(case.mode % 4)],
        max_delete: DeleteLimit { pages: usize::from(case.limit.0), percent: u32::from(case.limit.1) },
        strict: case.strict,
        approved: case.approved.iter().map(|at| path(usize::from(*at))).collect(),
        ..Policy::default()
    }
}

fn path(at: usize) -> StorePath {
    StorePath::parse(&format!("/p{at}.md")).expect("a store path")
}

impl Page {
    fn new(at: usize, case: &PageCase) -> Self {
        let mut looks: Vec<(u8, SaidCase)> = case.looks.iter().take(4).copied().collect();
        // Looks are made one after the other.
        looks.sort_by_key(|look| look.0);
        let look = |(at, said): (u8, SaidCase)| Look {
            at: Duration::from_secs(u64::from(at)),
            said: said.said(),
            evidence: String::new(),
        };
        let before = case.before.map(|(runs, since, same)| Absence {
            path: path(at),
            runs: u32::from(runs),
            soft: 0,
            since: Timestamp(i64::from(since) * 1000),
            last: Timestamp(i64::from(since) * 1000),
            fingerprint: FINGERPRINTS[usize::from(!same)].to_owned(),
            evidence: String::new(),
        });
        Page {
            path: path(at),
            looks: looks.into_iter().map(look).collect(),
            before,
            case: case.clone(),
            twin: path(1000 + at),
        }
    }

    fn candidate(&self) -> Candidate<'_> {
        Candidate {
            path: &self.path,
            looks: &self.looks,
            before: self.before.as_ref(),
            listed: self.case.listed,
            pinned: self.case.pinned,
            same_text: self.case.same_text.then_some(&self.twin),
        }
    }
}

impl SaidCase {
    fn said(self) -> Said {
        match self {
            SaidCase::Alive => Said::Alive,
            SaidCase::Gone => Said::Gone,
            SaidCase::SoftGone => Said::SoftGone,
            SaidCase::Moved(first) => Said::Moved { to: path(if first { 2000 } else { 2001 }) },
            SaidCase::Unknown => Said::Unknown,
        }
    }
}
