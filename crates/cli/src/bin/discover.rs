//! `discover`: which pages a documentation site has, and whether that is all of them.

fn main() -> std::process::ExitCode {
    wholesite_cli::discover_main()
}
