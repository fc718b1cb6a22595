//! `objects.inv`, version 2: four lines of text, then lines of objects, compressed with zlib.
//!
//! Source: `sphinx.util.inventory`.

use std::io::Read;

use flate2::read::ZlibDecoder;

/// More text than this is not read.
const MAX_BYTES: u64 = 64 << 20;

/// The documents: their paths with a leading slash, and their titles.
pub(super) fn documents(bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
    let mut rest = bytes;
    let mut header = Vec::new();
    for _ in 0..4 {
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or("ends within its header")?;
        header.push(String::from_utf8_lossy(&rest[..end]).into_owned());
        rest = &rest[end + 1..];
    }
    if !header[0].starts_with("# Sphinx inventory version 2") {
        return Err(format!(
            "is no inventory of version 2: {:?}",
            header[0].chars().take(40).collect::<String>()
        ));
    }
    let mut text = String::new();
    let read = ZlibDecoder::new(rest).take(MAX_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| format!("can't be inflated: {error}"))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(format!("is larger than {MAX_BYTES} bytes"));
    }
    Ok(text.lines().filter_map(document).collect())
}

/// `name std:doc priority uri title`: a `$` at the end of the address stands for the name, a title `-` too.
fn document(line: &str) -> Option<(String, String)> {
    let (name, rest) = line.split_once(" std:doc ")?;
    let mut words = rest.splitn(3, ' ');
    let (_, uri, title) = (words.next()?, words.next()?, words.next().unwrap_or("-"));
    let uri = match uri.strip_suffix('$') {
        Some(start) => format!("{start}{name}"),
        None => uri.to_owned(),
    };
    let title = if title == "-" { name } else { title };
    Some((format!("/{}", uri.trim_start_matches('/')), title.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn documents_are_found() {
        let mut bytes = b"# Sphinx inventory version 2\n# Project: Loom\n# Version: 1\n# zlib\n".to_vec();
        let mut encoder = flate2::write::ZlibEncoder::new(&mut bytes, flate2::Compression::fast());
        encoder.write_all(b"warp std:doc -1 warp.html The warp\nloom.Loom py:class 1 api.html#$ -\nx/y std:doc -1 x/y.html -\n").expect("written");
        encoder.finish().expect("finished");
        let found = documents(&bytes).expect("an inventory");
        assert_eq!(found, [("/warp.html".into(), "The warp".into()), ("/x/y.html".into(), "x/y".into())]);
        for broken in [&bytes[..20], b"# Sphinx inventory version 1\n\n\n\n", &bytes[..bytes.len() - 20]] {
            assert!(documents(broken).is_err());
        }
    }
}
