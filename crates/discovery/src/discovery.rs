//! The machine: it asks, is answered, and ends in an [`Inventory`].

use wholesite_address::SiteUrl;

use crate::exchange::{Answer, Request, RequestId};
use crate::folder::FolderMachine;
use crate::inventory::Inventory;
use crate::options::Options;
use crate::site::SiteMachine;

/// A discovery under way. It does no I/O: whoever drives it fetches, replays or reads what it asks
/// for, one request at a time or many at once, and hands the answers back in any order.
///
/// ```
/// use wholesite_discovery::{Answer, Ask, Discovery, Options, Response};
///
/// let seed = "https://docs.example.com/".parse()?;
/// let mut discovery = Discovery::of_site(seed, Options::default());
/// while let Some(request) = discovery.next_request() {
///     let Ask::Get { url, .. } = &request.ask else { unreachable!("a site asks for addresses only") };
///     let (status, body) = match url.path() {
///         "/llms.txt" => (200, "# Docs\n\n- [Setup](/setup)\n- [Usage](/usage)\n"),
///         _ => (404, ""),
///     };
///     discovery.answer(request.id, Answer::Response(Response { status, body: body.into(), framed: true, ..Response::default() }));
/// }
/// let inventory = discovery.finish();
/// assert!(inventory.is_complete());
/// assert_eq!(inventory.pages().len(), 2);
/// # Ok::<(), wholesite_address::ReferenceError>(())
/// ```
#[derive(Debug)]
pub struct Discovery {
    plan: Plan,
}

#[derive(Debug)]
enum Plan {
    Site(Box<SiteMachine>),
    Folder(Box<FolderMachine>),
}

impl Discovery {
    /// Discovers a site from any address of it: its start, a base path, a page, or an index.
    pub fn of_site(seed: SiteUrl, options: Options) -> Self {
        Discovery { plan: Plan::Site(Box::new(SiteMachine::new(seed, options))) }
    }

    /// Discovers the pages that a docs source folder makes. `name` is what reports call it.
    /// Addresses are built on `site`, the address that the docs will be served at.
    pub fn of_folder(name: impl Into<String>, site: SiteUrl, options: Options) -> Self {
        Discovery { plan: Plan::Folder(Box::new(FolderMachine::new(name.into(), site, options))) }
    }

    /// The next thing to ask. `None` means that there is nothing to ask *now*: either answers are
    /// outstanding, or all is [done](Discovery::is_done).
    pub fn next_request(&mut self) -> Option<Request> {
        match &mut self.plan {
            Plan::Site(machine) => machine.next_request(),
            Plan::Folder(machine) => machine.next_request(),
        }
    }

    /// Takes the answer to a request. Answers to unknown requests, and second answers, are ignored.
    pub fn answer(&mut self, id: RequestId, answer: Answer) {
        match &mut self.plan {
            Plan::Site(machine) => machine.answer(id, answer),
            Plan::Folder(machine) => machine.answer(id, answer),
        }
    }

    /// Whether nothing is left to ask and nothing is outstanding. Only [`Discovery::next_request`]
    /// moves the machine, so ask that first.
    pub fn is_done(&self) -> bool {
        match &self.plan {
            Plan::Site(machine) => machine.is_done(),
            Plan::Folder(machine) => machine.is_done(),
        }
    }

    /// Ends the discovery. One that is not done is partial, with the blocker `stopped`.
    pub fn finish(self) -> Inventory {
        match self.plan {
            Plan::Site(machine) => machine.finish(),
            Plan::Folder(machine) => machine.finish(),
        }
    }
}
