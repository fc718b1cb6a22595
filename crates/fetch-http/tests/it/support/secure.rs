//! HTTPS with certificates made on the spot.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// What is peculiar about a server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secured {
    /// HTTP/2 and a good certificate.
    Well,
    /// The same without HTTP/2.
    Http1Only,
    /// The certificate ran out long ago.
    Expired,
}

/// A server for `docs.example.test` and the root that vouches for it.
pub(crate) struct Secure {
    pub(crate) addr: SocketAddr,
    pub(crate) root_pem: String,
    accepting: JoinHandle<()>,
}

impl Secure {
    pub(crate) async fn start(secured: Secured) -> Secure {
        let (root_pem, config) = identity(secured);
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let is_h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                    let io = TokioIo::new(stream);
                    if is_h2 {
                        let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                        let _ = server.serve_connection(io, service_fn(greet)).await;
                    } else {
                        let server = hyper::server::conn::http1::Builder::new();
                        let _ = server.serve_connection(io, service_fn(greet)).await;
                    }
                });
            }
        });
        Secure { addr, root_pem, accepting }
    }
}

impl Drop for Secure {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn greet<B>(request: Request<B>) -> Result<Response<String>, Infallible> {
    let by = if request.version() == Version::HTTP_2 { "h2" } else { "h1" };
    let secret = request.headers().get("x-api-key").map_or("no key", |_| "a key");
    Ok(Response::new(format!("{by}, {secret}")))
}

fn identity(secured: Secured) -> (String, ServerConfig) {
    let root_key = KeyPair::generate().unwrap();
    let mut root = CertificateParams::new([]).unwrap();
    root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root_pem = root.self_signed(&root_key).unwrap().pem();

    let key = KeyPair::generate().unwrap();
    let mut leaf = CertificateParams::new(["docs.example.test".to_owned()]).unwrap();
    if secured == Secured::Expired {
        leaf.not_after = rcgen::date_time_ymd(2001, 1, 1);
    }
    let leaf = leaf.signed_by(&key, &Issuer::from_params(&root, &root_key)).unwrap();
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], private)
        .unwrap();
    if secured != Secured::Http1Only {
        config.alpn_protocols.push(b"h2".to_vec());
    }
    config.alpn_protocols.push(b"http/1.1".to_vec());
    (root_pem, config)
}
