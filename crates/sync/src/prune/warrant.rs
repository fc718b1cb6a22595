//! The right to withdraw.

use wholesite_discovery::WholeSite;

/// The proof that nothing was overlooked: two complete discoveries of one site in one run. Only its
/// holder can withdraw pages, withdrawing uses it up, and nobody can make one without the two
/// proofs, which only discovery can make.
#[derive(Debug)]
pub struct Warrant {
    run: String,
}

impl Warrant {
    /// A warrant for a run; `None` where the proofs are of another run, of two sites, or of another
    /// site than the last complete listing, where there was one.
    pub fn new(known_scope: Option<&str>, run: &str, proofs: [WholeSite; 2]) -> Option<Self> {
        let [first, second] = &proofs;
        let of_this_run = proofs.iter().all(|proof| proof.run() == run);
        let of_one_site = first.scope() == second.scope();
        let of_this_site = known_scope.is_none_or(|known| known == first.scope().to_string());
        (of_this_run && of_one_site && of_this_site).then(|| Warrant { run: run.to_owned() })
    }

    /// The run.
    pub fn run(&self) -> &str {
        &self.run
    }
}
