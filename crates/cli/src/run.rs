//! `discover SOURCE`, and the discovery behind `discover explain`.

use std::io::{BufWriter, Write};
use std::time::Duration;

use wholesite::address::SiteUrl;
use wholesite::discovery::{Inventory, Options};
use wholesite::fetch::{HostLimits, RetryPolicy};
use wholesite_fetch_http::HttpFetcher;
use wholesite_wire::Report;

use crate::Exit;
use crate::args::{Discover, Format, Network, Site};
use crate::error::Failure;
use crate::print::human;
use crate::progress::ProgressLine;
use crate::source::{self, Source};

pub(crate) fn discover(args: &Discover) -> Result<Exit, Failure> {
    let source = args.source.as_deref().unwrap_or_default();
    let inventory = inventory(source, &args.site, args.quiet == 0)?;
    let format = if args.json { Format::Json } else { args.format };
    // Colours are for people only; taking them out of JSON would take as long as making it.
    let out: Box<dyn Write> = match format {
        Format::Text => Box::new(anstream::stdout()),
        Format::Json | Format::Ndjson => Box::new(std::io::stdout()),
    };
    let mut out = BufWriter::new(out);
    match format {
        Format::Text if args.quiet > 1 => {}
        Format::Text => human::report(&mut out, &inventory, human::Detail::of(args))?,
        Format::Json => {
            serde_json::to_writer_pretty(&mut out, &Report::of(&inventory, args.links))
                .map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        Format::Ndjson => {
            for line in Report::lines(&inventory, args.links) {
                serde_json::to_writer(&mut out, &line).map_err(std::io::Error::from)?;
                writeln!(out)?;
            }
        }
    }
    out.flush()?;
    Ok(exit(&inventory))
}

/// Partial with pages in hand is 3; without any page nothing was discovered.
pub(crate) fn exit(inventory: &Inventory) -> Exit {
    match (inventory.is_complete(), inventory.pages().is_empty()) {
        (true, _) => Exit::Complete,
        (false, false) => Exit::Partial,
        (false, true) => Exit::Failed,
    }
}

/// Makes the discovery that the flags describe.
pub(crate) fn inventory(text: &str, site: &Site, progress: bool) -> Result<Inventory, Failure> {
    let options = source::options(site)?;
    match Source::parse(text, site.seed.as_deref())? {
        Source::Recording(recording) => Ok(wholesite::discover_recording(&recording, options)),
        Source::Folder(path) => Ok(wholesite::discover_folder(&path, source::served_at(site)?, options)?),
        Source::Live(seed) => live(seed, live_options(site)?, &site.network, progress),
    }
}

/// The options of a live discovery.
pub(crate) fn live_options(site: &Site) -> Result<Options, Failure> {
    let mut options = source::options(site)?;
    options.probe = random_segment();
    if let Some(agent) = &site.network.user_agent {
        options.user_agent = agent.split(['/', ' ']).next().unwrap_or("wholesite").to_owned();
    }
    Ok(options)
}

fn live(seed: SiteUrl, options: Options, network: &Network, progress: bool) -> Result<Inventory, Failure> {
    let fetcher = fetcher(&seed, network)?;
    let line = ProgressLine::new(progress);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let inventory = runtime.block_on(wholesite::discover_live(
        seed,
        options,
        &fetcher,
        network.max_concurrency,
        |progress| line.show(&progress),
    ));
    line.finish();
    Ok(inventory)
}

pub(crate) fn fetcher(seed: &SiteUrl, network: &Network) -> Result<HttpFetcher, Failure> {
    let client = |error: wholesite_fetch_http::ConfigError| Failure::Client(error.to_string());
    let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(10));
    let retry = RetryPolicy {
        attempts: network.max_attempts,
        attempt: seconds(network.timeout),
        ..RetryPolicy::default()
    };
    let hosts = HostLimits { in_flight: network.host_concurrency, ..HostLimits::default() };
    let mut builder =
        HttpFetcher::builder().allow_private(network.allow_private).retry(retry).host_limits(hosts);
    if let Some(agent) = &network.user_agent {
        builder = builder.user_agent(agent);
    }
    if !network.header.is_empty() {
        let headers = network.header.iter().map(|text| header(text)).collect::<Result<Vec<_>, _>>()?;
        builder = builder.credentials(seed.origin(), headers).map_err(client)?;
    }
    if let Some(path) = &network.cacert {
        let pem = std::fs::read(path).map_err(|cause| Failure::File { path: path.clone(), cause })?;
        builder = builder.extra_roots_pem(&pem).map_err(client)?;
    }
    builder.build().map_err(client)
}

/// The value may be a secret, so an error never repeats it.
fn header(text: &str) -> Result<(&str, &str), Failure> {
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim(), value.trim())),
        _ => Err(Failure::Header { text: "…".to_owned(), why: "it has no `Name: value` form".to_owned() }),
    }
}

/// A path segment that nobody can have made.
pub(crate) fn random_segment() -> String {
    format!("wholesite-probe-{:032x}", fastrand::u128(..))
}
