//! `wholesite`: keeps a local copy of a documentation site equal to the site.

fn main() -> std::process::ExitCode {
    wholesite_cli::wholesite_main()
}
