//! The right to withdraw.

use wholesite_discovery::WholeSite;
use wholesite_store::SiteKey;

/// The proof that nothing was overlooked: two complete discoveries of one site in one run. Only its
/// holder can withdraw pages, withdrawing uses it up, and nobody can make one without the two
/// proofs, which only discovery can make.
#[derive(Debug)]
pub struct Warrant {
    run: String,
}

impl Warrant {
    /// A warrant for a site and a run; `None` where the proofs are of another one.
    pub fn new(site: &SiteKey, run: &str, proofs: [WholeSite; 2]) -> Option<Self> {
        let [first, second] = &proofs;
        let of_this_run = proofs.iter().all(|proof| proof.run() == run);
        let of_one_site = first.scope() == second.scope();
        let of_this_site = site.as_str().split('/').nth(2) == first.scope().origin().split('/').nth(2);
        (of_this_run && of_one_site && of_this_site).then(|| Warrant { run: run.to_owned() })
    }

    /// The run.
    pub fn run(&self) -> &str {
        &self.run
    }
}
