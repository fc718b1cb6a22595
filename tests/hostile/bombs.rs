//! Little that becomes much: gzip in gzip, entities of entities, and header fields without end.

use std::io::Write;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use wholesite_extract::sitemap::{self, Limits};
use wholesite_fetch::Headers;

use crate::peak;

const MEGABYTE: usize = 1 << 20;
const MOST: Duration = Duration::from_secs(60);

pub(crate) fn faults() -> Vec<String> {
    let zeros = gzip(&vec![0; 64 * MEGABYTE]);
    let laughs: String =
        (1..10).map(|at| format!("<!ENTITY l{at} \"{}\">", format!("&l{};", at - 1).repeat(10))).collect();
    let laughs =
        format!("<!DOCTYPE urlset [<!ENTITY l0 \"ha\">{laughs}]><urlset><url><loc>&l9;</loc></url></urlset>");
    let long = "x".repeat(MEGABYTE);
    let quadratic = format!(
        "<!DOCTYPE urlset [<!ENTITY a \"{long}\">]><urlset><url><loc>{}</loc></url></urlset>",
        "&a;".repeat(MEGABYTE / 4)
    );
    let external = "<!DOCTYPE urlset [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><urlset><url><loc>&x;</loc></url></urlset>";
    let sitemaps: [(&str, Vec<u8>); 5] = [
        ("64 MiB of zeros, packed", zeros.clone()),
        ("gzip in gzip", gzip(&zeros)),
        ("a billion laughs", laughs.into_bytes()),
        ("one long entity, used often", quadratic.into_bytes()),
        ("a file of the machine as an entity", external.into()),
    ];
    let mut faults: Vec<String> =
        sitemaps.iter().filter_map(|(name, bytes)| sitemap_fault(name, bytes).err()).collect();
    faults.extend(header_faults());
    faults
}

/// No bomb is read whole, none gives an address that nobody wrote, and none takes more memory than a
/// few buffers and the longest value.
fn sitemap_fault(name: &str, bytes: &[u8]) -> Result<(), String> {
    let started = Instant::now();
    let mut written = 0;
    let (summary, held) = peak(|| {
        sitemap::read(bytes, None, &Limits::default(), &mut |link| {
            if let wholesite_extract::Target::Literal(href) = &link.target {
                written = written.max(href.len());
            }
        })
    });
    let took = started.elapsed();
    if summary.verdict.name() == "ok" {
        return Err(format!("{name}: read as if nothing were wrong"));
    }
    if written > 2 * MEGABYTE || held > 8 * MEGABYTE || took > MOST {
        return Err(format!("{name}: an address of {written} bytes, {held} bytes held, {took:?}"));
    }
    Ok(())
}

/// Fields without end are refused while they are few enough to hold.
fn header_faults() -> Vec<String> {
    let mut faults = Vec::new();
    for (name, value) in [("many fields", "x".to_owned()), ("one endless field", "x".repeat(4 * MEGABYTE))] {
        let (taken, held) = peak(|| {
            let mut headers = Headers::new();
            (0..1_000_000).take_while(|_| headers.push("x-more", value.as_bytes()).is_ok()).count()
        });
        if taken == 1_000_000 || held > 2 * MEGABYTE {
            faults.push(format!("{name}: {taken} were taken, {held} bytes held"));
        }
    }
    faults
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}
