//! Laws of discovery, on generated sites and on arbitrary answers.

mod support;

use std::collections::BTreeSet;

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use support::{Route, World};
use wholesite_discovery::{Answer, Ask, Discovery, Disposition, Failure, Options, Response};

/// A site of a few indexes that name pages and one another.
#[derive(Debug, Clone)]
struct Plan {
    /// For each index: its pages, and the later indexes that it names.
    indexes: Vec<(BTreeSet<u8>, BTreeSet<usize>)>,
    sitemap: Option<BTreeSet<u8>>,
}

fn plan() -> impl Strategy<Value = Plan> {
    let index = (btree_set(0_u8..40, 0..8), btree_set(0_usize..6, 0..3));
    (vec(index, 1..6), proptest::option::of(btree_set(0_u8..40, 1..8))).prop_map(|(mut indexes, sitemap)| {
        // The root lists a page, so that the site is a listed one.
        indexes[0].0.insert(0);
        Plan { indexes, sitemap }
    })
}

fn text(body: String) -> Route {
    Route::Answer { status: 200, headers: vec![("content-type".into(), "text/plain".into())], body }
}

impl Plan {
    fn address(at: usize) -> String {
        if at == 0 { "/llms.txt".to_owned() } else { format!("/part{at}/llms.txt") }
    }

    fn world(&self) -> World {
        let mut world = World { seed: "https://docs.example.com/".to_owned(), ..World::default() };
        for (at, (pages, children)) in self.indexes.iter().enumerate() {
            let mut body = format!("# Index {at}\n\n");
            for page in pages {
                body.push_str(&format!("- [Page {page}](/p/{page})\n"));
            }
            for child in children.iter().filter(|child| **child < self.indexes.len()) {
                body.push_str(&format!("- [Part {child}]({})\n", Plan::address(*child)));
            }
            body.push_str("- [Home](/)\n");
            world.routes.insert(Plan::address(at), text(body));
        }
        if let Some(pages) = &self.sitemap {
            let locs: String = pages
                .iter()
                .map(|page| format!("<url><loc>https://docs.example.com/p/{page}</loc></url>"))
                .collect();
            let body =
                format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{locs}</urlset>");
            world.routes.insert("/sitemap.xml".to_owned(), text(body));
        }
        world
    }

    /// Indexes that can be reached from the root.
    fn reachable(&self) -> BTreeSet<usize> {
        let mut reached = BTreeSet::from([0]);
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            for child in self.indexes[at].1.iter().filter(|child| **child < self.indexes.len()) {
                if reached.insert(*child) {
                    open.push(*child);
                }
            }
        }
        reached
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_ledger_balances(plan in plan()) {
        let (inventory, _) = plan.world().discover();
        let counts = inventory.ledger().counts();
        prop_assert_eq!(counts.values().sum::<usize>(), inventory.ledger().entries().len());
        prop_assert_eq!(counts[&Disposition::Page], inventory.pages().len());
        prop_assert!(inventory.is_complete(), "{:?}", inventory.blockers());
    }

    #[test]
    fn order_does_not_matter_and_twice_is_the_same(plan in plan(), picks in vec(0_usize..100, 1..40)) {
        let world = plan.world();
        let (first, _) = world.discover();
        let (again, _) = world.discover();
        prop_assert_eq!(&first, &again);
        let mut at = 0;
        let (shuffled, _) = world.discover_in_order(|_| { at += 1; picks[at % picks.len()] });
        prop_assert_eq!(&first, &shuffled);
    }

    #[test]
    fn each_address_is_asked_once(plan in plan()) {
        let (_, asked) = plan.world().discover();
        let distinct: BTreeSet<_> = asked.iter().collect();
        prop_assert_eq!(distinct.len(), asked.len());
    }

    #[test]
    fn adding_a_link_never_removes_a_page(plan in plan(), extra in 40_u8..60, at in 0_usize..6) {
        let (before, _) = plan.world().discover();
        let mut more = plan.clone();
        let at = at % more.indexes.len();
        more.indexes[at].0.insert(extra);
        let (after, _) = more.world().discover();
        prop_assert!(support::paths(&before).is_subset(&support::paths(&after)));
    }

    #[test]
    fn adding_a_document_never_removes_a_page(plan in plan(), pages in btree_set(0_u8..60, 1..8)) {
        let (before, _) = plan.world().discover();
        let mut more = plan.clone();
        let next = more.indexes.len();
        more.indexes[0].1.insert(next);
        more.indexes.push((pages, BTreeSet::new()));
        let (after, _) = more.world().discover();
        prop_assert!(support::paths(&before).is_subset(&support::paths(&after)));
    }

    /// An index that fails, is cut, or turns into HTML can never leave the discovery complete.
    #[test]
    fn any_single_bad_answer_makes_the_decision_partial(plan in plan(), which in 0_usize..6, how in 0_u8..6) {
        let reachable: Vec<usize> = plan.reachable().into_iter().collect();
        let address = Plan::address(reachable[which % reachable.len()]);
        let mut world = plan.world();
        let Some(Route::Answer { body, .. }) = world.routes.get(&address).cloned() else { unreachable!() };
        let bad = match how {
            0 => Route::Fail("connection reset by peer".to_owned()),
            1 => Route::Answer { status: 503, headers: Vec::new(), body: String::new() },
            2 => text("<!doctype html><html><body><a href=\"/p/1\">one</a></body></html>".to_owned()),
            3 => text(String::new()),
            4 => text(body[..body.rfind("](").expect("a link") + 3].to_owned()),
            _ => Route::Answer { status: 302, headers: vec![("location".into(), "https://elsewhere.example.net/".into())], body: String::new() },
        };
        world.routes.insert(address.clone(), bad);
        let (inventory, _) = world.discover();
        prop_assert!(!inventory.is_complete(), "{address} went bad ({how}) and nobody noticed");
        let listed = support::paths(&plan.world().discover().0);
        prop_assert!(support::paths(&inventory).iter().all(|path| listed.contains(path) || path == "/index.md"));
    }
}

/// Any answers, in any order: no panic, an end, and a ledger that balances.
fn any_answer() -> impl Strategy<Value = (u16, Vec<(String, String)>, Vec<u8>)> {
    let status = prop_oneof![8 => Just(200_u16), 1 => Just(404), 1 => 100_u16..1000, 2 => prop_oneof![Just(301_u16), Just(302), Just(308)]];
    let location = prop_oneof![
        "/[a-c]{0,2}",
        Just("https://docs.example.com/llms.txt".to_owned()),
        Just("//x/".to_owned()),
        "\\PC{0,12}"
    ];
    let headers = prop_oneof![
        location.prop_map(|to| vec![("location".to_owned(), to)]),
        Just(vec![("X-Llms-Txt".to_owned(), "/llms.txt".to_owned())]),
        Just(Vec::new()),
    ];
    let piece = prop_oneof![
        "- \\[[a-z ]{0,6}( \\([0-9]{1,2} pages\\))?\\]\\(/?[a-c./_]{0,8}\\)\n",
        "<a href=\"[a-c/#.]{0,6}\">[a-z]{0,4}</a>",
        "<url><loc>https://docs.example.com/[a-c]{0,3}</loc></url>",
        Just("<!doctype html><html>".to_owned()),
        Just("<urlset>".to_owned()),
        Just("<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>".to_owned()),
        Just("User-agent: *\nDisallow: /a\nSitemap: /b.xml\n".to_owned()),
        Just("<link rel=\"canonical\" href=\"/a\">".to_owned()),
        Just("<meta http-equiv=refresh content=\"0;url=/b\">".to_owned()),
        "\\PC{0,20}",
    ];
    let body = vec(piece, 0..8).prop_map(|pieces| pieces.concat().into_bytes());
    (status, headers, body)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_answers_in_any_order_come_to_an_end(
        answers in vec(any_answer(), 1..12),
        picks in vec(0_usize..100, 1..40),
        fails in 0_usize..12,
    ) {
        let run = |picks: &[usize]| {
            let seed = "https://docs.example.com/a".parse().expect("a URL");
            let mut options = Options::default();
            options.limits.pages = 60;
            let mut discovery = Discovery::of_site(seed, options);
            let (mut outstanding, mut step) = (Vec::new(), 0);
            loop {
                while let Some(request) = discovery.next_request() {
                    outstanding.push(request);
                }
                if outstanding.is_empty() {
                    return discovery.finish();
                }
                step += 1;
                assert!(step < 3_000, "no end");
                let request = outstanding.swap_remove(picks[step % picks.len()] % outstanding.len());
                let Ask::Get { url, .. } = &request.ask else { unreachable!() };
                // The answer depends on the address alone, whatever the order.
                let hash = url.as_str().bytes().fold(7_usize, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
                let (status, headers, body) = answers[hash % answers.len()].clone();
                let answer = if hash % 13 == fails {
                    Answer::Failed(Failure::Unreachable { message: "no answer".to_owned() })
                } else {
                    Answer::Response(Response { status, headers, body, framed: hash % 7 != 0 })
                };
                discovery.answer(request.id, answer);
            }
        };
        let inventory = run(&[0]);
        let counts = inventory.ledger().counts();
        prop_assert_eq!(counts.values().sum::<usize>(), inventory.ledger().entries().len());
        let paths: BTreeSet<_> = inventory.pages().iter().map(|page| page.url.clone()).collect();
        prop_assert_eq!(paths.len(), inventory.pages().len(), "a page is listed once");
        prop_assert_eq!(inventory, run(&picks));
    }
}

/// A site without any index: pages that link to one another, by number; the first one is the start.
fn graph() -> impl Strategy<Value = Vec<BTreeSet<usize>>> {
    vec(btree_set(0_usize..10, 0..4), 1..10)
}

fn page_address(at: usize) -> String {
    if at == 0 { "/".to_owned() } else { format!("/page-{at}") }
}

/// Every page carries what templates carry: one title for all, a canonical link to the start.
fn crawl_world(graph: &[BTreeSet<usize>]) -> World {
    let mut world = World { seed: "https://docs.example.com/".to_owned(), ..World::default() };
    for (at, links) in graph.iter().enumerate() {
        let links: String =
            links.iter().map(|to| format!("<a href=\"{}\">to {to}</a> ", page_address(*to))).collect();
        let body = format!(
            "<!doctype html><title>Docs</title><link rel=\"canonical\" href=\"/\"><h1>Page {at}</h1>{links}</html>"
        );
        let headers = vec![("content-type".into(), "text/html".into())];
        world.routes.insert(page_address(at), Route::Answer { status: 200, headers, body });
    }
    world
}

fn reachable(graph: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let (mut reached, mut open) = (BTreeSet::from([0]), vec![0]);
    while let Some(at) = open.pop() {
        for to in graph[at].iter().filter(|to| **to < graph.len()) {
            if reached.insert(*to) {
                open.push(*to);
            }
        }
    }
    reached
}

fn redirect(status: u16, to: &str) -> Route {
    Route::Answer { status, headers: vec![("location".into(), to.into())], body: String::new() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_crawl_finds_every_page_that_links_lead_to(graph in graph(), picks in vec(0_usize..100, 1..40)) {
        let world = crawl_world(&graph);
        let (inventory, _) = world.discover();
        let found: BTreeSet<String> = inventory.pages().iter().map(|page| page.url.path().to_owned()).collect();
        let expected: BTreeSet<String> = reachable(&graph).into_iter().map(page_address).collect();
        prop_assert_eq!(found, expected);
        prop_assert!(inventory.is_complete(), "{:?}", inventory.blockers());
        let mut at = 0;
        let (shuffled, _) = world.discover_in_order(|_| { at += 1; picks[at % picks.len()] });
        prop_assert_eq!(inventory, shuffled);
    }

    /// A page that fails, is cut, or forbids following may have been the only way to others.
    #[test]
    fn any_single_bad_page_makes_a_crawl_partial(graph in graph(), which in 0_usize..10, how in 0_u8..7) {
        let known: Vec<usize> = reachable(&graph).into_iter().collect();
        let address = page_address(known[which % known.len()]);
        let mut world = crawl_world(&graph);
        let Some(Route::Answer { body, headers, .. }) = world.routes.get(&address).cloned() else { unreachable!() };
        let bad = match how {
            0 => Route::Fail("connection reset by peer".to_owned()),
            1 => Route::Answer { status: 503, headers, body: String::new() },
            2 => Route::Answer { status: 200, headers, body: String::new() },
            3 => Route::Answer { status: 200, headers, body: "<!doctype html><h1>x</h1><a hre".to_owned() },
            4 => redirect(302, "https://status.example.net/"),
            5 => redirect(307, "/login"),
            // With no link left to follow, nothing is lost.
            _ if !body.contains("href=\"/page") => return Ok(()),
            _ => Route::Answer { status: 200, headers, body: body.replace("<title>", "<meta name=robots content=nofollow><title>") },
        };
        let before = reachable(&graph);
        world.routes.insert(address.clone(), bad);
        let (inventory, _) = world.discover();
        let found: BTreeSet<String> = inventory.pages().iter().map(|page| page.url.path().to_owned()).collect();
        let lost = before.into_iter().map(page_address).any(|page| !found.contains(&page));
        if how < 6 || lost {
            prop_assert!(!inventory.is_complete(), "{address} went bad ({how}) and nobody noticed");
        }
    }
}
