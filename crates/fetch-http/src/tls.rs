//! Whom to believe.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::builder::ConfigError;

/// The certificates of a PEM file.
pub(crate) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let found = found.map_err(|error| ConfigError::Certificate { why: error.to_string() })?;
    if found.is_empty() {
        return Err(ConfigError::Certificate { why: "no certificate in it".to_owned() });
    }
    Ok(found)
}

/// TLS 1.2 and 1.3 with the trust of this system, and `extra` roots on top. Where the system has none,
/// as in an image that holds one program only, Mozilla's list that is built in takes its place.
pub(crate) fn client_config(extra: Vec<CertificateDer<'static>>) -> Result<ClientConfig, ConfigError> {
    let provider = Arc::new(ring::default_provider());
    let failed = |error: rustls::Error| ConfigError::Tls { why: error.to_string() };
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let mut config = match platform_verifier(&extra, provider) {
        Some(verifier) => {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth()
        }
        None => builder.with_root_certificates(bundled_roots(extra).map_err(failed)?).with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn platform_verifier(extra: &[CertificateDer<'static>], provider: Arc<CryptoProvider>) -> Option<Verifier> {
    // Asked without `extra` first: with extra roots alone it would be content, and public sites lost.
    let system = Verifier::new(Arc::clone(&provider)).ok()?;
    if extra.is_empty() {
        return Some(system);
    }
    Verifier::new_with_extra_roots(extra.iter().cloned(), provider).ok()
}

fn bundled_roots(extra: Vec<CertificateDer<'static>>) -> Result<RootCertStore, rustls::Error> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in extra {
        roots.add(certificate)?;
    }
    Ok(roots)
}
