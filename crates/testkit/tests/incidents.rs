//! 35 things that go wrong with real sites, each over three syncs: a healthy one, one (or more) with
//! the incident, and one after it in which a page is really gone.
//!
//! Counted are pages lost (the site serves them, or will when the incident is over), good texts
//! overwritten, and whether the page that is really gone is still there in the end (frozen). The
//! result stands in `docs/incidents.md`; `UPDATE=1` writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wholesite_discovery::Globs;
use wholesite_fetch::{Answer, Failure};
use wholesite_store::{MemoryStore, Store};
use wholesite_sync::Job;
use wholesite_testkit::{Absent, Asked, Web, World, answer, job, respond, simulate, site, sync_once};

type Reply = Option<Result<Answer, Failure>>;
type Fault = fn(Asked<'_>, usize) -> Reply;

/// An incident.
struct Incident {
    name: &'static str,
    /// What other tools do, where that was measured: of 20 pages.
    peer: &'static str,
    /// Changes the world for good, before the second sync.
    change: fn(&mut World),
    /// What goes wrong at the second and later syncs; the number is that of the sync, from 2.
    fault: Option<Fault>,
    /// Syncs under the incident.
    syncs: usize,
    /// Why a page that is gone stays, where the policy wants it so until the user says otherwise.
    named: &'static str,
}

const fn incident(name: &'static str, peer: &'static str) -> Incident {
    Incident { name, peer, change: |_| {}, fault: None, syncs: 1, named: "" }
}

const LISTING: &str = "/llms.txt";

fn listing(asked: Asked<'_>) -> bool {
    asked.request.url.path() == LISTING
}

fn text(asked: Asked<'_>, body: String) -> Reply {
    answer(asked, 200, &[("content-type", "text/plain; charset=utf-8")], body)
}

fn lines(asked: Asked<'_>, change: impl Fn(usize, &str) -> String) -> Reply {
    let index = asked.world.index("");
    let mut entry = 0;
    let changed: Vec<String> = index
        .lines()
        .map(|line| {
            if line.starts_with("- ") {
                entry += 1;
                change(entry, line)
            } else {
                line.to_owned()
            }
        })
        .collect();
    text(asked, changed.join("\n"))
}

fn first_entries(asked: Asked<'_>, count: usize) -> Reply {
    lines(asked, |entry, line| if entry <= count { line.to_owned() } else { String::new() })
}

fn is_page(asked: Asked<'_>) -> bool {
    asked.request.url.path().starts_with("/p") || asked.request.url.path().contains("/p")
}

fn redirect(asked: Asked<'_>, status: u16, to: &str) -> Reply {
    answer(asked, status, &[("location", to)], "")
}

const MAINTENANCE: &str = "<!doctype html><html><head><title>Maintenance</title></head><body><h1>Down for maintenance</h1>\
    <p>We will be back.</p>\n- [Status](/status.md)\n</body></html>";
const LOGIN: &str = "<!doctype html><html><head><title>Sign in</title></head><body><form><input name=user><input type=password></form></body></html>";
const CHALLENGE: &str = "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>Just a moment...</title>\
    <script src=\"/cdn-cgi/challenge-platform/x.js\"></script></head><body>Checking.</body></html>";

fn nest(world: &mut World) {
    world.nested.insert("n".to_owned());
}

fn incidents() -> Vec<Incident> {
    let from_second: fn(&mut World) = |_| {};
    let _ = from_second;
    vec![
        Incident {
            fault: Some(|a, _| if listing(a) { first_entries(a, 2) } else { None }),
            ..incident("the index is cut to two lines", "18 lost")
        },
        Incident {
            fault: Some(|a, _| {
                if listing(a) { answer(a, 200, &[("content-type", "text/html")], MAINTENANCE) } else { None }
            }),
            ..incident("a maintenance page with one list-like link at the index", "20 lost")
        },
        Incident {
            change: nest,
            fault: Some(|a, _| {
                (a.request.url.path() == "/n/llms.txt")
                    .then(|| a.world.index("n").lines().take(7).collect::<Vec<_>>().join("\n"))
                    .and_then(|index| text(a, index))
            }),
            ..incident("a nested index is cut to one of its entries", "9 lost")
        },
        Incident {
            change: nest,
            fault: Some(|a, _| {
                if listing(a) {
                    lines(a, |_, l| if l.contains("/n/llms") { String::new() } else { l.to_owned() })
                } else {
                    None
                }
            }),
            ..incident("the root names a nested index no more", "10 lost")
        },
        Incident {
            fault: Some(|a, _| {
                if listing(a) {
                    lines(a, |n, l| if n % 2 == 0 { l.replacen("- ", "* ", 1) } else { l.to_owned() })
                } else {
                    None
                }
            }),
            ..incident("half of the list uses `*` for bullets", "10 lost")
        },
        Incident {
            fault: Some(|a, _| {
                if listing(a) {
                    lines(a, |n, l| if n % 2 == 0 { format!("| {} |", &l[2..]) } else { l.to_owned() })
                } else {
                    None
                }
            }),
            ..incident("half of the list becomes a table", "10 lost")
        },
        Incident {
            fault: Some(|a, _| if listing(a) { lines(a, |_, l| format!("- **{}**", &l[2..])) } else { None }),
            ..incident("the links of the list become bold", "19 lost")
        },
        Incident {
            fault: Some(|a, _| {
                if listing(a) {
                    lines(a, |n, l| if n == 3 { l.replacen("[Page ", "[arr[i] ", 1) } else { l.to_owned() })
                } else {
                    None
                }
            }),
            ..incident("a title gains a bracket", "1 lost")
        },
        Incident {
            fault: Some(|a, _| if is_page(a) { redirect(a, 302, "/maintenance") } else { None }),
            ..incident("all pages lead to /maintenance for now", "20 lost")
        },
        Incident {
            fault: Some(|a, _| if is_page(a) { redirect(a, 302, "https://login.example/") } else { None }),
            ..incident("all pages lead to a login host", "20 lost")
        },
        Incident {
            fault: Some(|a, _| {
                let path = a.request.url.path();
                path.strip_suffix(".md").and_then(|twin| redirect(a, 308, twin))
            }),
            ..incident("the host serves no `.md` any more: 308 to the HTML twin", "20 lost")
        },
        Incident {
            fault: Some(|a, _| {
                if a.request.url.path() == "/p04.md" {
                    redirect(a, 307, "https://docs.example:443/p04.md")
                } else {
                    None
                }
            }),
            ..incident("a page leads to itself, spelled with `:443`", "1 lost")
        },
        Incident {
            fault: Some(|a, n| if listing(a) && n % 2 == 1 { first_entries(a, 10) } else { None }),
            syncs: 3,
            ..incident("a stale node serves an older index: old, new, old", "10, 0, 10 lost")
        },
        Incident {
            fault: Some(|a, _| if listing(a) && !a.request.no_cache { first_entries(a, 3) } else { None }),
            ..incident("a deploy window: short now, whole a moment later", "17 lost")
        },
        Incident {
            fault: Some(|a, _| match a.request.url.path() {
                LISTING => redirect(a, 302, "/v1/llms.txt"),
                "/v1/llms.txt" => first_entries(a, 4),
                _ => None,
            }),
            ..incident("the index leads to an older version's index", "16 lost")
        },
        Incident {
            fault: Some(|a, _| {
                if listing(a) {
                    lines(a, |n, l| if n == 5 { l.replace("/p04.md", "/docs.json") } else { l.to_owned() })
                } else {
                    None
                }
            }),
            ..incident("the link style changes: a page is named `docs.json`", "1 lost")
        },
        Incident {
            change: |world| {
                let text = world.pages["/p05"].clone();
                world.pages.insert("/P05".to_owned(), text);
                world.delisted.insert("/p05".to_owned());
            },
            ..incident("a rename by case only; both spellings answer", "1 lost")
        },
        Incident {
            change: |world| {
                world.delisted.insert("/p05".to_owned());
            },
            ..incident("a page is delisted, but still served", "1 lost")
        },
        Incident {
            fault: Some(|a, _| {
                is_page(a).then(|| respond(a.request, 200, &[("content-type", "text/markdown")], "# Oops\n\nSomething went wrong while this was rendered. Try again in a while, or write to the team that looks after it.\n".to_owned())).map(Ok)
            }),
            ..incident("a soft 404 in Markdown, with 200, everywhere", "20 overwritten")
        },
        Incident {
            fault: Some(|a, _| {
                if is_page(a) {
                    answer(a, 200, &[("content-type", "application/xhtml+xml")], CHALLENGE)
                } else {
                    None
                }
            }),
            ..incident("a challenge page typed as XHTML", "20 overwritten")
        },
        Incident {
            fault: Some(|a, _| {
                if is_page(a) {
                    redirect(a, 302, "/login")
                } else if a.request.url.path() == "/login" {
                    answer(a, 200, &[("content-type", "text/html")], LOGIN)
                } else {
                    None
                }
            }),
            ..incident("all pages lead to a login page of the site", "20 lost (with a guard on the listing)")
        },
        // Held by the peer too.
        Incident {
            fault: Some(|a, _| if listing(a) { text(a, String::new()) } else { None }),
            ..incident("an empty index", "held")
        },
        Incident {
            fault: Some(|a, _| {
                if listing(a) {
                    answer(
                        a,
                        200,
                        &[("content-type", "text/html")],
                        "<!doctype html><html><body><p>Hello.</p></body></html>",
                    )
                } else {
                    None
                }
            }),
            ..incident("an HTML page without links at the index", "held")
        },
        Incident {
            change: nest,
            fault: Some(
                |a, _| if a.request.url.path() == "/n/llms.txt" { answer(a, 404, &[], "") } else { None },
            ),
            ..incident("a nested index answers 404", "held")
        },
        Incident {
            change: nest,
            fault: Some(|a, _| {
                if a.request.url.path() == "/n/llms.txt" { text(a, "# Nothing\n".to_owned()) } else { None }
            }),
            ..incident("a nested index without entries", "held")
        },
        Incident {
            fault: Some(|a, _| if listing(a) { redirect(a, 302, "https://login.example/") } else { None }),
            ..incident("the index leads to a login host", "held")
        },
        Incident {
            fault: Some(|a, n| {
                is_page(a).then_some(())?;
                match (a.request.url.path().len() + n) % 3 {
                    0 => answer(a, 500, &[], ""),
                    1 => answer(a, 404, &[], ""),
                    _ => answer(a, 200, &[("content-type", "text/html")], MAINTENANCE),
                }
            }),
            ..incident("pages answer 500, 404 and HTML", "held")
        },
        // What freezes other tools for ever: the odd thing stays, and a page is really gone.
        Incident {
            change: |world| world.extra_lines.push("- [Elsewhere](https://other.example/page)".to_owned()),
            named: "blocker `offsite_link`, by design: `--allow-offsite` names it",
            ..incident("an external link in the index", "frozen")
        },
        Incident {
            change: |world| world.extra_lines.push("- [Part](https://docs.example/p01.md#part)".to_owned()),
            ..incident("a link with a fragment", "frozen")
        },
        Incident {
            change: |world| {
                world.extra_lines.push("- [Query](https://docs.example/p01.md?utm_source=index)".to_owned());
            },
            ..incident("a link with a query", "frozen")
        },
        Incident {
            change: |world| world.extra_lines.push("- [Plain](http://docs.example/p01.md)".to_owned()),
            named: "blocker `offsite_link`, by design: `--allow-offsite` names it",
            ..incident("an `http://` link on an https site", "frozen")
        },
        Incident {
            change: |world| world.extra_lines.push("- [Mail](mailto:docs@example.com)".to_owned()),
            ..incident("a `mailto:` link", "frozen")
        },
        Incident {
            change: |world| {
                world.extra_lines.push("- [Titled](https://docs.example/p01.md \"a title\")".to_owned())
            },
            ..incident("a link with a title", "frozen")
        },
        Incident {
            change: |world| {
                world.put("/caf%C3%A9", 1);
                world.put("/cafe%CC%81", 1);
            },
            named: "blocker `path_collision`: two addresses that file systems can't tell apart",
            ..incident("two spellings of é, composed and not", "frozen")
        },
        Incident {
            change: |world| world.extra_lines.push("- [Dead](https://docs.example/dead.md)".to_owned()),
            ..incident("a listed page that is 404 for good", "frozen")
        },
    ]
}

#[derive(Default)]
struct Harm {
    lost: usize,
    overwritten: usize,
    frozen: bool,
}

fn start() -> World {
    let mut world = World::of(10);
    for n in 10..20 {
        world.put(&format!("/n/p{n}"), 1);
    }
    world
}

fn of_page(path: &str) -> String {
    format!("{path}.md")
}

async fn stored(store: &MemoryStore) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for record in store.catalogue(&site()).await.unwrap() {
        let page = store.page(&site(), &record.path).await.unwrap().unwrap();
        texts.insert(page.record.path.to_string(), page.text);
    }
    texts
}

/// Runs an incident; `job` makes the job of each sync.
fn suffer(incident: &Incident, make: impl Fn(usize) -> Job) -> Harm {
    simulate(async {
        let (web, store) = (Web::new(start()), MemoryStore::new());
        if incident.name.contains("nested") {
            web.change(nest);
        }
        sync_once(&web, &store, &make(1)).await.unwrap();
        let healthy = stored(&store).await;
        assert_eq!(healthy.len(), 21, "{}", incident.name);
        web.change(incident.change);
        let mut harm = Harm::default();
        for sync in 0..incident.syncs {
            let number = sync + 3;
            if let Some(fault) = incident.fault {
                web.fault(move |asked| fault(asked, number));
            }
            let _ = sync_once(&web, &store, &make(number)).await;
            let now = stored(&store).await;
            let world = web.world();
            let served = healthy.keys().filter(|path| {
                let page = path.trim_end_matches(".md");
                page == "/index" || world.serves(page)
            });
            harm.lost += served.filter(|path| !now.contains_key(*path)).count();
            harm.overwritten +=
                healthy.iter().filter(|(path, text)| now.get(*path).is_some_and(|new| new != *text)).count();
        }
        web.heal();
        web.change(|world| world.pages.remove("/p02"));
        let last = sync_once(&web, &store, &make(90)).await.unwrap();
        harm.frozen = stored(&store).await.contains_key(&of_page("/p02"));
        if harm.frozen && incident.named.is_empty() {
            panic!("{}: frozen: {last:#?}", incident.name);
        }
        harm
    })
}

#[test]
fn nothing_is_lost_nothing_is_overwritten_nothing_freezes() {
    let incidents = incidents();
    assert_eq!(incidents.len(), 35);
    let mut table = String::from(
        "| # | incident | agno 3.1.10 | lost | overwritten | frozen |\n| ---: | --- | --- | ---: | ---: | --- |\n",
    );
    let (mut lost, mut overwritten, mut unnamed) = (0, 0, 0);
    for (at, incident) in incidents.iter().enumerate() {
        let harm = suffer(incident, job);
        let frozen = match (harm.frozen, incident.named) {
            (false, "") => "no".to_owned(),
            (false, named) => panic!("{}: not frozen, so not to be excused as {named}", incident.name),
            (true, "") => "yes".to_owned(),
            (true, named) => format!("until a person decides: {named}"),
        };
        writeln!(
            table,
            "| {} | {} | {} | {} | {} | {frozen} |",
            at + 1,
            incident.name,
            incident.peer,
            harm.lost,
            harm.overwritten
        )
        .unwrap();
        lost += harm.lost;
        overwritten += harm.overwritten;
        unnamed += usize::from(harm.frozen && incident.named.is_empty());
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/incidents.md");
    let page = format!("{INTRODUCTION}{table}");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert_eq!((lost, overwritten, unnamed), (0, 0, 0), "\n{table}");
    assert_eq!(
        std::fs::read_to_string(&path).unwrap_or_default(),
        page,
        "run with UPDATE=1 and look at the difference"
    );
}

/// What the policy names can be lifted by the user: with the off-site addresses allowed, nothing of
/// it freezes.
#[test]
fn what_is_named_can_be_lifted() {
    let allowed = |run| {
        let mut job = job(run);
        job.discovery.allow_offsite =
            Globs::new(["https://other.example/**", "http://docs.example/**"]).unwrap();
        job
    };
    for incident in incidents().iter().filter(|incident| incident.named.contains("offsite")) {
        let harm = suffer(incident, allowed);
        assert_eq!((harm.lost, harm.overwritten, harm.frozen), (0, 0, false), "{}", incident.name);
    }
}

const _: Absent = Absent::Status404;

const INTRODUCTION: &str = "# 35 incidents

A site of 20 pages (and its home page) is synced, then something goes wrong, then it is over and one page is
really gone. Counted are pages lost that the site serves, texts overwritten that were good, and whether the
page that is really gone is still stored in the end.

The column of agno 3.1.10 is what its own `sync_pages` did, of 20 pages, in measurements of that version; the
others are what `cargo test -p wholesite-testkit --test incidents` finds, which also keeps this file true.

";
