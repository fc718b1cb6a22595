//! The decision about pages that left the listing: a table of cases, and the laws.

use std::time::Duration;

use proptest::prelude::*;
use wholesite_address::{Scope, SiteUrl, StorePath};
use wholesite_store::{Absence, Fate, Timestamp};
use wholesite_sync::prune::{
    Candidate, Counting, Decision, DeleteLimit, Gate, Kept, Look, Policy, PruneMode, RunFacts, Said, Verdict,
    decide,
};

const HOUR: i64 = 3_600_000;

fn path(name: &str) -> StorePath {
    let url = SiteUrl::parse(&format!("https://docs.example/{name}")).unwrap();
    StorePath::of(&url, &Scope::below(&SiteUrl::parse("https://docs.example/").unwrap())).unwrap()
}

fn look(second: u64, said: Said) -> Look {
    Look { at: Duration::from_secs(second), said, evidence: String::new() }
}

fn moved(to: &str) -> Said {
    Said::Moved { to: path(to) }
}

/// One candidate of a case, owned.
#[derive(Debug, Clone)]
struct Page {
    path: StorePath,
    looks: Vec<Look>,
    before: Option<Absence>,
    listed: bool,
    pinned: bool,
    same_text: Option<StorePath>,
}

fn page(looks: &[Look]) -> Page {
    Page {
        path: path("p"),
        looks: looks.to_vec(),
        before: None,
        listed: false,
        pinned: false,
        same_text: None,
    }
}

fn twice(said: Said) -> Page {
    page(&[look(1, said.clone()), look(31, said)])
}

fn absence(runs: u32, hours_ago: i64, fingerprint: &str) -> Option<Absence> {
    Some(Absence {
        path: path("p"),
        runs,
        soft: 0,
        since: Timestamp(1_000 * HOUR - hours_ago * HOUR),
        last: Timestamp(0),
        fingerprint: fingerprint.to_owned(),
        evidence: String::new(),
    })
}

/// The facts of a run, owned.
#[derive(Debug, Clone)]
struct Run {
    whole: bool,
    shrunk: bool,
    doubts: Vec<String>,
    stored: usize,
    ill: usize,
    ill_stored: usize,
    failed: usize,
}

const HEALTHY: Run =
    Run { whole: true, shrunk: false, doubts: Vec::new(), stored: 100, ill: 0, ill_stored: 0, failed: 0 };

fn run(pages: &[Page], facts: &Run, policy: &Policy) -> Decision {
    let candidates: Vec<Candidate<'_>> = pages
        .iter()
        .map(|page| Candidate {
            path: &page.path,
            looks: &page.looks,
            before: page.before.as_ref(),
            listed: page.listed,
            pinned: page.pinned,
            same_text: page.same_text.as_ref(),
        })
        .collect();
    let facts = RunFacts {
        shrunk: facts.shrunk.then_some("shrunk"),
        whole: facts.whole,
        doubts: &facts.doubts,
        stored: facts.stored,
        listed_not_alive: facts.ill,
        listed_not_alive_stored: facts.ill_stored,
        failed: facts.failed,
        fingerprint: "f",
        at: Duration::from_secs(32),
        now: Timestamp(1_000 * HOUR),
    };
    decide(&candidates, &facts, policy)
}

fn verdict(page: Page, facts: &Run, policy: &Policy) -> Verdict {
    run(&[page], facts, policy).verdicts.remove(0)
}

#[test]
fn one_page() {
    let gone = Policy::default();
    let mode = |mode| Policy { mode, ..Policy::default() };
    let (cautious, unlisted, never) =
        (mode(PruneMode::Cautious), mode(PruneMode::Unlisted), mode(PruneMode::Never));
    let keep = |kept| Verdict::Keep(kept);
    let pending = |runs, needed, hours| {
        keep(Kept::Pending { runs, needed, due: Timestamp(1_000 * HOUR + hours * HOUR) })
    };
    let with = |before, page: Page| Page { before, ..page };
    let table: Vec<(&str, Page, &Policy, Verdict)> = vec![
        ("gone, twice", twice(Said::Gone), &gone, Verdict::Withdraw(Fate::Gone)),
        ("gone, once", page(&[look(31, Said::Gone)]), &gone, keep(Kept::Unconfirmed)),
        ("never asked", page(&[]), &gone, keep(Kept::Unknown)),
        ("too soon", page(&[look(2, Said::Gone), look(31, Said::Gone)]), &gone, keep(Kept::Unconfirmed)),
        (
            "just far enough",
            page(&[look(2, Said::Gone), look(32, Said::Gone)]),
            &gone,
            Verdict::Withdraw(Fate::Gone),
        ),
        ("served", twice(Said::Alive), &gone, keep(Kept::Unlisted)),
        (
            "back at the last look",
            page(&[look(1, Said::Gone), look(31, Said::Alive)]),
            &gone,
            keep(Kept::Unlisted),
        ),
        (
            "gone at the last look",
            page(&[look(1, Said::Alive), look(31, Said::Gone)]),
            &gone,
            keep(Kept::Unlisted),
        ),
        ("one time-out", page(&[look(1, Said::Gone), look(31, Said::Unknown)]), &gone, keep(Kept::Unknown)),
        (
            "a time-out between",
            page(&[look(0, Said::Gone), look(15, Said::Unknown), look(31, Said::Gone)]),
            &gone,
            keep(Kept::Unknown),
        ),
        ("moved", twice(moved("q")), &gone, Verdict::Withdraw(Fate::Moved { to: path("q") })),
        ("moved once", page(&[look(31, moved("q"))]), &gone, keep(Kept::Unconfirmed)),
        ("moved to and fro", page(&[look(1, moved("q")), look(31, moved("r"))]), &gone, keep(Kept::Unknown)),
        ("gone, then moved", page(&[look(1, Said::Gone), look(31, moved("r"))]), &gone, keep(Kept::Unknown)),
        (
            "same text elsewhere",
            Page { same_text: Some(path("q")), ..twice(Said::Gone) },
            &gone,
            Verdict::Withdraw(Fate::Moved { to: path("q") }),
        ),
        (
            "same text elsewhere, but served",
            Page { same_text: Some(path("q")), ..twice(Said::Alive) },
            &gone,
            keep(Kept::Unlisted),
        ),
        ("listed, and led elsewhere", Page { listed: true, ..twice(Said::Gone) }, &gone, keep(Kept::Unknown)),
        (
            "listed, and moved",
            Page { listed: true, ..twice(moved("q")) },
            &gone,
            Verdict::Withdraw(Fate::Moved { to: path("q") }),
        ),
        ("pinned", Page { pinned: true, ..twice(Said::Gone) }, &gone, keep(Kept::Pinned)),
        ("soft 404, first run", twice(Said::SoftGone), &gone, pending(1, 2, 0)),
        (
            "soft 404, second run",
            with(absence(1, 5, "f"), twice(Said::SoftGone)),
            &gone,
            Verdict::Withdraw(Fate::Gone),
        ),
        (
            "soft 404, second run of another configuration",
            with(absence(1, 5, "g"), twice(Said::SoftGone)),
            &gone,
            pending(1, 2, 0),
        ),
        ("soft, then plain", page(&[look(1, Said::SoftGone), look(31, Said::Gone)]), &gone, pending(1, 2, 0)),
        ("cautious, first run", twice(Said::Gone), &cautious, pending(1, 3, 48)),
        (
            "cautious, third run too soon",
            with(absence(2, 47, "f"), twice(Said::Gone)),
            &cautious,
            pending(3, 3, 1),
        ),
        (
            "cautious, second run after days",
            with(absence(1, 90, "f"), twice(Said::Gone)),
            &cautious,
            pending(2, 3, -42),
        ),
        (
            "cautious, third run after two days",
            with(absence(2, 48, "f"), twice(Said::Gone)),
            &cautious,
            Verdict::Withdraw(Fate::Gone),
        ),
        (
            "cautious, soft: a week",
            with(absence(4, 167, "f"), twice(Said::SoftGone)),
            &cautious,
            pending(5, 5, 1),
        ),
        (
            "cautious, soft: after a week",
            with(absence(4, 168, "f"), twice(Said::SoftGone)),
            &cautious,
            Verdict::Withdraw(Fate::Gone),
        ),
        ("unlisted wanted away", twice(Said::Alive), &unlisted, Verdict::Withdraw(Fate::Unlisted)),
        ("unlisted, one look", page(&[look(31, Said::Alive)]), &unlisted, keep(Kept::Unconfirmed)),
        ("unlisted, unknown", twice(Said::Unknown), &unlisted, keep(Kept::Unknown)),
        ("never", twice(Said::Gone), &never, keep(Kept::Gate(Fate::Gone))),
    ];
    for (name, page, policy, expected) in table {
        assert_eq!(verdict(page, &HEALTHY, policy), expected, "{name}");
    }
}

#[test]
fn a_look_that_is_old_when_the_decision_comes_does_not_count() {
    let stale = page(&[look(0, Said::Gone), look(31, Said::Gone)]);
    let policy = Policy { fresh_within: Duration::ZERO, ..Policy::default() };
    assert_eq!(verdict(stale, &HEALTHY, &policy), Verdict::Keep(Kept::Unconfirmed));
}

#[test]
fn the_gate() {
    let policy = Policy::default();
    let strict = Policy { strict: true, ..Policy::default() };
    let lost = |count: usize| -> Vec<Page> {
        (0..count).map(|n| Page { path: path(&format!("p{n}")), ..twice(Said::Gone) }).collect()
    };
    let table: Vec<(&str, usize, Run, &Policy, &str)> = vec![
        ("healthy", 1, HEALTHY, &policy, "open"),
        ("partial", 1, Run { whole: false, ..HEALTHY }, &policy, "shut"),
        ("doubts", 1, Run { doubts: vec!["cancelled".to_owned()], ..HEALTHY }, &policy, "shut"),
        ("5 % ill", 1, Run { ill: 5, ..HEALTHY }, &policy, "open"),
        ("over 5 % ill", 1, Run { ill: 6, ..HEALTHY }, &policy, "shut"),
        ("one broken link on a small site", 1, Run { ill: 1, stored: 4, ..HEALTHY }, &policy, "open"),
        ("two broken links on a small site", 1, Run { ill: 2, stored: 4, ..HEALTHY }, &policy, "shut"),
        ("shrunk", 1, Run { shrunk: true, ..HEALTHY }, &policy, "held"),
        ("shrunk, and nothing goes", 0, Run { shrunk: true, ..HEALTHY }, &policy, "open"),
        ("a failure", 1, Run { failed: 1, ill: 1, ..HEALTHY }, &policy, "open"),
        ("no failure, strict", 1, HEALTHY, &strict, "open"),
        ("a failure, strict", 1, Run { failed: 1, ill: 1, ..HEALTHY }, &strict, "shut"),
        ("3 of 4", 3, Run { stored: 4, ..HEALTHY }, &policy, "open"),
        ("4 of 39", 4, Run { stored: 39, ..HEALTHY }, &policy, "held"),
        ("4 of 40", 4, Run { stored: 40, ..HEALTHY }, &policy, "open"),
        ("10 of 100", 10, HEALTHY, &policy, "open"),
        ("11 of 100", 11, HEALTHY, &policy, "held"),
        ("8 of 100, and 3 listed ones dead", 8, Run { ill: 3, ill_stored: 3, ..HEALTHY }, &policy, "held"),
        ("all", 100, HEALTHY, &policy, "held"),
    ];
    for (name, gone, facts, policy, expected) in table {
        let decision = run(&lost(gone), &facts, policy);
        let gate = match &decision.gate {
            Gate::Open => "open",
            Gate::Shut(_) => "shut",
            Gate::Held(_) => "held",
        };
        assert_eq!(gate, expected, "{name}");
        let withdrawn = withdrawn(&decision);
        assert_eq!(withdrawn, if gate == "open" { gone } else { 0 }, "{name}: all or none");
    }
}

#[test]
fn a_person_consents_to_pages_not_to_numbers() {
    let pages: Vec<Page> =
        (0..20).map(|n| Page { path: path(&format!("p{n}")), ..twice(Said::Gone) }).collect();
    let approved = pages[..15].iter().map(|page| page.path.clone()).collect();
    let policy = Policy { approved, ..Policy::default() };
    let decision = run(&pages, &HEALTHY, &policy);
    assert_eq!((&decision.gate, withdrawn(&decision)), (&Gate::Open, 20), "5 more are within the limit");
    let more: Vec<Page> =
        (0..30).map(|n| Page { path: path(&format!("p{n}")), ..twice(Said::Gone) }).collect();
    let decision = run(&more, &HEALTHY, &policy);
    assert!(matches!(decision.gate, Gate::Held(_)));
    assert_eq!(withdrawn(&decision), 15, "15 more are not, and wait");
    let partial = run(&more, &Run { whole: false, ..HEALTHY }, &policy);
    assert_eq!(withdrawn(&partial), 0, "consent is no proof");
}

#[test]
fn moves_are_no_losses() {
    let moves: Vec<Page> =
        (0..50).map(|n| Page { path: path(&format!("p{n}")), ..twice(moved(&format!("q{n}"))) }).collect();
    let decision = run(&moves, &HEALTHY, &Policy::default());
    assert_eq!((&decision.gate, withdrawn(&decision)), (&Gate::Open, 50));
}

#[test]
fn what_is_counted() {
    let partial = Run { whole: false, ..HEALTHY };
    let ill = Run { ill: 50, ..HEALTHY };
    let table = [
        (Said::Gone, &ill, Counting::Leave),
        (Said::Gone, &HEALTHY, Counting::Count { soft: false }),
        (Said::SoftGone, &HEALTHY, Counting::Count { soft: true }),
        (Said::Alive, &HEALTHY, Counting::Reset),
        (Said::Alive, &partial, Counting::Reset),
        (Said::Gone, &partial, Counting::Leave),
        (Said::Unknown, &HEALTHY, Counting::Leave),
        (moved("q"), &HEALTHY, Counting::Leave),
    ];
    for (said, facts, expected) in table {
        assert_eq!(run(&[twice(said.clone())], facts, &Policy::default()).counting, [expected], "{said:?}");
    }
}

fn withdrawn(decision: &Decision) -> usize {
    decision.verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Withdraw(_))).count()
}

/// Cases of each law: `PROPTEST_CASES`, or as many as a few seconds allow.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(4_000)
}

fn said() -> impl Strategy<Value = Said> {
    prop_oneof![
        5 => Just(Said::Gone),
        1 => Just(Said::SoftGone),
        2 => Just(Said::Alive),
        1 => Just(Said::Unknown),
        1 => Just(Said::Moved { to: path("q") }),
        1 => Just(Said::Moved { to: path("r") }),
    ]
}

fn looks() -> impl Strategy<Value = Vec<Look>> {
    prop_oneof![
        4 => said().prop_map(|said| vec![look(1, said.clone()), look(31, said)]),
        2 => prop::collection::vec((0_u64..33, said()), 0..4).prop_map(|mut looks| {
            looks.sort_by_key(|(at, _)| *at);
            looks.into_iter().map(|(at, said)| look(at, said)).collect()
        }),
    ]
}

fn any_page() -> impl Strategy<Value = Page> {
    let before = prop::option::weighted(0.3, (0_u32..6, 0_i64..200, "[fg]"))
        .prop_map(|before| before.and_then(|(runs, hours, fingerprint)| absence(runs, hours, &fingerprint)));
    (looks(), before, prop::bool::weighted(0.1), prop::bool::weighted(0.1), prop::bool::weighted(0.1))
        .prop_map(|(looks, before, pinned, same, listed)| Page {
            path: path("p"),
            looks,
            before,
            listed,
            pinned,
            same_text: same.then(|| path("s")),
        })
}

fn any_pages() -> impl Strategy<Value = Vec<Page>> {
    prop::collection::vec(any_page(), 1..24).prop_map(|mut pages| {
        for (n, page) in pages.iter_mut().enumerate() {
            page.path = path(&format!("p{n}"));
        }
        pages
    })
}

fn any_run() -> impl Strategy<Value = Run> {
    (prop::bool::weighted(0.9), prop::bool::weighted(0.1), 0_usize..220, 0_usize..12, 0_usize..4, 0_usize..3)
        .prop_map(|(whole, doubt, stored, ill, new, failed)| Run {
            whole,
            shrunk: false,
            doubts: if doubt { vec!["a doubt".to_owned()] } else { Vec::new() },
            stored,
            ill,
            ill_stored: ill.saturating_sub(new),
            failed,
        })
}

fn any_policy() -> impl Strategy<Value = Policy> {
    let mode = prop_oneof![
        5 => Just(PruneMode::Gone),
        1 => Just(PruneMode::Unlisted),
        2 => Just(PruneMode::Cautious),
        1 => Just(PruneMode::Never),
    ];
    (mode, prop::bool::weighted(0.1), 0_usize..6, 0_u32..40, prop::collection::btree_set(0_usize..24, 0..4))
        .prop_map(|(mode, strict, pages, percent, approved)| Policy {
            mode,
            strict,
            max_delete: DeleteLimit { pages, percent },
            approved: approved.into_iter().map(|n| path(&format!("p{n}"))).collect(),
            ..Policy::default()
        })
}

fn going(pages: &[Page], decision: &Decision) -> Vec<StorePath> {
    let gone = |verdict: &Verdict| matches!(verdict, Verdict::Withdraw(_));
    pages.iter().zip(&decision.verdicts).filter(|(_, v)| gone(v)).map(|(page, _)| page.path.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    /// I2: unknown is not gone. Whatever answer is lost, nothing more is withdrawn.
    #[test]
    fn losing_an_answer_never_withdraws_more(
        pages in any_pages(), facts in any_run(), policy in any_policy(), which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(),
    ) {
        let before = going(&pages, &run(&pages, &facts, &policy));
        let mut poorer = pages.clone();
        let hit = which.index(pages.len());
        if poorer[hit].looks.is_empty() {
            return Ok(());
        }
        let at = at.index(poorer[hit].looks.len());
        poorer[hit].looks[at].said = Said::Unknown;
        for path in going(&poorer, &run(&poorer, &facts, &policy)) {
            prop_assert!(before.contains(&path), "{path}");
        }
    }

    /// I2, for a listed page: one that can't be proved alive any more.
    #[test]
    fn a_listed_page_that_fails_never_withdraws_more(
        pages in any_pages(), facts in any_run(), policy in any_policy(), stored in any::<bool>(),
    ) {
        let before = going(&pages, &run(&pages, &facts, &policy));
        let worse = Run {
            ill: facts.ill + 1,
            ill_stored: facts.ill_stored + usize::from(stored),
            failed: facts.failed + 1,
            ..facts
        };
        for path in going(&pages, &run(&pages, &worse, &policy)) {
            prop_assert!(before.contains(&path), "{path}");
        }
    }

    /// I3: a link never deletes. A candidate that is listed after all is fetched like any page, and
    /// is alive or not. (`--prune unlisted` takes the listing itself for evidence, so it can't hold.)
    #[test]
    fn adding_a_link_never_withdraws_more(
        pages in any_pages(), facts in any_run(), policy in any_policy(), which in any::<prop::sample::Index>(),
    ) {
        let mode = if policy.mode == PruneMode::Unlisted { PruneMode::Gone } else { policy.mode };
        let policy = Policy { mode, ..policy };
        let before = going(&pages, &run(&pages, &facts, &policy));
        let mut fewer = pages.clone();
        let listed = fewer.remove(which.index(pages.len()));
        let is_alive = !listed.looks.is_empty() && listed.looks.iter().all(|look| look.said == Said::Alive);
        let facts = if is_alive {
            facts
        } else {
            Run { ill: facts.ill + 1, ill_stored: facts.ill_stored + 1, failed: facts.failed + 1, ..facts }
        };
        for path in going(&fewer, &run(&fewer, &facts, &policy)) {
            prop_assert!(before.contains(&path), "{path}");
        }
    }

    /// I1, I4, I6, as far as one run shows: what is withdrawn was asked twice and never seen alive
    /// (unless the user wants unlisted pages away), in a run with a proof, within the limit or with
    /// consent.
    #[test]
    fn nothing_is_withdrawn_without_cause(pages in any_pages(), facts in any_run(), policy in any_policy()) {
        let decision = run(&pages, &facts, &policy);
        let going = going(&pages, &decision);
        if !facts.whole || !facts.doubts.is_empty() || policy.mode == PruneMode::Never {
            prop_assert!(going.is_empty());
        }
        let mut unasked = 0;
        for page in pages.iter().filter(|page| going.contains(&page.path)) {
            prop_assert!(page.looks.len() >= 2 && !page.pinned);
            let saw = |said: &Said| page.looks.iter().any(|look| look.said == *said);
            prop_assert!(!saw(&Said::Unknown));
            prop_assert!(!saw(&Said::Alive) || policy.mode == PruneMode::Unlisted);
            let moved = page.looks.iter().all(|look| matches!(look.said, Said::Moved { .. }));
            unasked += usize::from(!moved && !policy.approved.contains(&page.path));
        }
        prop_assert!(!policy.max_delete.is_exceeded(unasked, facts.stored));
    }

    /// The order of the candidates does not matter.
    #[test]
    fn order_does_not_matter(pages in any_pages(), facts in any_run(), policy in any_policy()) {
        let mut before = going(&pages, &run(&pages, &facts, &policy));
        let mut turned = pages.clone();
        turned.reverse();
        let mut after = going(&turned, &run(&turned, &facts, &policy));
        before.sort();
        after.sort();
        prop_assert_eq!(before, after);
    }
}
