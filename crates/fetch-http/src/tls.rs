//! Whom to believe.

use std::sync::{Arc, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
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
    let verifier = Trust { extra, provider: Arc::clone(&provider), verifier: OnceLock::new() };
    if !verifier.extra.is_empty() {
        // What somebody gave is looked at now, not when the first site is asked.
        verifier.get().map_err(failed)?;
    }
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// The verifier of this system, made when the first certificate is to be checked: reading the roots
/// takes longer than a whole sync of a site without news, and sites without TLS need none.
#[derive(Debug)]
struct Trust {
    extra: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
    verifier: OnceLock<Result<Arc<dyn ServerCertVerifier>, rustls::Error>>,
}

impl Trust {
    fn get(&self) -> Result<&Arc<dyn ServerCertVerifier>, rustls::Error> {
        self.verifier.get_or_init(|| self.make()).as_ref().map_err(Clone::clone)
    }

    fn make(&self) -> Result<Arc<dyn ServerCertVerifier>, rustls::Error> {
        if let Some(verifier) = platform_verifier(&self.extra, Arc::clone(&self.provider)) {
            return Ok(Arc::new(verifier));
        }
        let roots = Arc::new(bundled_roots(&self.extra)?);
        WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&self.provider))
            .build()
            .map(|verifier| verifier as Arc<dyn ServerCertVerifier>)
            .map_err(|error| rustls::Error::General(error.to_string()))
    }
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        self.get()?.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.get()?.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.get()?.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

fn platform_verifier(extra: &[CertificateDer<'static>], provider: Arc<CryptoProvider>) -> Option<Verifier> {
    // Asked without `extra` first: with extra roots alone it would be content, and public sites lost.
    let system = Verifier::new(Arc::clone(&provider)).ok()?;
    if extra.is_empty() {
        return Some(system);
    }
    Verifier::new_with_extra_roots(extra.iter().cloned(), provider).ok()
}

fn bundled_roots(extra: &[CertificateDer<'static>]) -> Result<RootCertStore, rustls::Error> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in extra {
        roots.add(certificate.clone())?;
    }
    Ok(roots)
}
