//! Labelled digests: `sha1:` and base32, as the tools of the field write them.

use data_encoding::{BASE32, HEXLOWER_PERMISSIVE};
use sha1::{Digest, Sha1};

/// The digest of some bytes as `WARC-Block-Digest` and `WARC-Payload-Digest` hold it
/// (ISO 28500:2017, clause 5.8): `sha1:` and 32 characters of base32 (RFC 4648 §6).
pub fn sha1_label(bytes: &[u8]) -> String {
    label(&Sha1::digest(bytes).into())
}

fn label(digest: &[u8; 20]) -> String {
    format!("sha1:{}", BASE32.encode(digest))
}

/// Whether bytes have a labelled digest. `None`: an algorithm that is not known here.
pub(crate) fn matches(labelled: &str, bytes: &[u8]) -> Option<bool> {
    let (algorithm, value) = labelled.split_once(':')?;
    if !matches!(algorithm.to_ascii_lowercase().as_str(), "sha1" | "sha-1") {
        return None;
    }
    let found: [u8; 20] = Sha1::digest(bytes).into();
    let wanted = match value.len() {
        40 => HEXLOWER_PERMISSIVE.decode(value.as_bytes()).ok()?,
        _ => BASE32.decode(value.to_ascii_uppercase().as_bytes()).ok()?,
    };
    Some(wanted == found)
}

/// A name made of what it names: a UUID of version 5 (RFC 9562 §5.5) in the namespace of URLs.
pub(crate) fn uuid(parts: &[&[u8]]) -> String {
    const NAMESPACE_URL: [u8; 16] =
        [0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8];
    let mut hash = Sha1::new();
    hash.update(NAMESPACE_URL);
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let digest: [u8; 20] = hash.finalize().into();
    let mut id = [0; 16];
    id.copy_from_slice(&digest[..16]);
    id[6] = (id[6] & 0x0f) | 0x50;
    id[8] = (id[8] & 0x3f) | 0x80;
    let hex = HEXLOWER_PERMISSIVE.encode(&id);
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
