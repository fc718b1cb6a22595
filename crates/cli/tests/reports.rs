//! What people read after a sync, as it is printed. `cargo insta review` or `INSTA_UPDATE=always` takes
//! changes over.

use std::path::Path;
use std::process::Command;

/// Syncs recorded sites one after the other into one store; the last report counts.
fn report(sites: &[&str], more: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora");
    let mut said = String::new();
    for (at, site) in sites.iter().enumerate() {
        let last = at + 1 == sites.len();
        let output = Command::new(env!("CARGO_BIN_EXE_wholesite"))
            .args(["sync", corpora.join(site).to_str().expect("a path")])
            .args(if last { more } else { &[] })
            .env_remove("WHOLESITE_STORE")
            .env("NO_COLOR", "1")
            .current_dir(folder.path())
            .output()
            .expect("it runs");
        let code = output.status.code().expect("an exit status");
        said = format!(
            "{}{}exit {code}\n",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    said.replace(corpora.to_str().expect("a path"), "corpora")
}

#[test]
fn reports_for_people() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("first", &["mintlify-flat"], &[]),
        ("unchanged", &["mintlify-flat", "mintlify-flat"], &[]),
        ("changed", &["mintlify-flat", "mintlify-flat-later"], &[]),
        ("dry_run", &["mintlify-flat", "mintlify-flat-later"], &["--dry-run"]),
        ("held", &["mintlify-flat", "mintlify-flat-later"], &["--max-delete", "0"]),
        ("never", &["mintlify-flat", "mintlify-flat-later"], &["--prune", "never"]),
        ("partial", &["hand-written"], &[]),
        ("quiet", &["hand-written"], &["-q"]),
        ("nothing", &["spa-shell"], &[]),
    ];
    insta::with_settings!({ filters => vec![(r"in \d+\.\d s", "in [TIME]")], omit_expression => true }, {
        for (name, sites, more) in cases {
            insta::assert_snapshot!(*name, report(sites, more));
        }
    });
}
