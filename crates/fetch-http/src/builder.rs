//! Setting a fetcher up.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, redirect, retry};
use rustls::pki_types::CertificateDer;
use thiserror::Error;
use wholesite_address::SiteUrl;
use wholesite_fetch::{Headers, HostLimits, RetryPolicy};

use crate::fetcher::HttpFetcher;
use crate::gates::Gates;
use crate::resolver::{GuardedResolver, Overrides};
use crate::tls;

/// A setting that can't be used. No value of a header is ever part of the text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// Not the address of an origin.
    #[error("{origin:?} is no origin such as https://docs.example.com: {why}")]
    Origin {
        /// As it was given.
        origin: String,
        /// What is wrong with it.
        why: String,
    },
    /// A header field that can't be sent, or that is not the user's to set.
    #[error("header {name:?}: {why}")]
    Header {
        /// The name as it was given.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A file of certificates that can't be read.
    #[error("extra root certificates: {why}")]
    Certificate {
        /// What is wrong with it.
        why: String,
    },
    /// TLS can't be set up.
    #[error("TLS can't be set up: {why}")]
    Tls {
        /// What is wrong.
        why: String,
    },
    /// The HTTP client can't be set up.
    #[error("the HTTP client can't be set up: {why}")]
    Client {
        /// What is wrong.
        why: String,
    },
}

/// Header fields that carry the message itself; set by hand they break it.
const RESERVED: [&str; 9] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The settings of an [`HttpFetcher`], from [`HttpFetcher::builder`].
#[derive(Clone)]
pub struct Builder {
    user_agent: String,
    contact: Option<String>,
    credentials: HashMap<String, HeaderMap>,
    overrides: Overrides,
    allow_private: bool,
    extra_roots: Vec<CertificateDer<'static>>,
    retry: RetryPolicy,
    limits: HostLimits,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Builder {
            user_agent: concat!("wholesite/", env!("CARGO_PKG_VERSION")).to_owned(),
            contact: None,
            credentials: HashMap::new(),
            overrides: Overrides::new(),
            allow_private: false,
            extra_roots: Vec::new(),
            retry: RetryPolicy::default(),
            limits: HostLimits::default(),
        }
    }

    /// Replaces `wholesite/<version>` in `User-Agent`.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// Whom the operator of a site can turn to, a URL or mail address: appended to the user agent as
    /// `(+contact)`.
    pub fn contact(mut self, contact: impl Into<String>) -> Self {
        self.contact = Some(contact.into());
        self
    }

    /// Adds header fields that are sent to `origin` (such as `https://docs.example.com:8443`) and to no
    /// other: scheme, host and port must be the same. May be called again, for this or other origins.
    ///
    /// # Errors
    /// [`ConfigError::Origin`] and [`ConfigError::Header`].
    pub fn credentials<N: AsRef<str>, V: AsRef<str>>(
        mut self,
        origin: &str,
        fields: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, ConfigError> {
        let url = SiteUrl::parse(origin)
            .map_err(|error| ConfigError::Origin { origin: origin.to_owned(), why: error.to_string() })?;
        let headers = self.credentials.entry(url.origin().to_owned()).or_default();
        for (name, value) in fields {
            let (name, value) = header_field(name.as_ref(), value.as_ref())?;
            headers.append(name, value);
        }
        Ok(self)
    }

    /// Lets private addresses be asked: loopback, the local network, everything that
    /// [`special_purpose`](crate::special_purpose) names.
    pub fn allow_private(mut self, allow: bool) -> Self {
        self.allow_private = allow;
        self
    }

    /// Uses `address` for `host` instead of asking the DNS; more than one call gives more than one
    /// address. The port of the address counts where the URL names none. The address is checked as any
    /// other is.
    pub fn resolve(mut self, host: &str, address: SocketAddr) -> Self {
        self.overrides.entry(host.to_ascii_lowercase()).or_default().push(address);
        self
    }

    /// Trusts the certificates of a PEM file too.
    ///
    /// # Errors
    /// [`ConfigError::Certificate`] where it holds none, or none that can be read.
    pub fn extra_roots_pem(mut self, pem: &[u8]) -> Result<Self, ConfigError> {
        self.extra_roots.extend(tls::certificates(pem)?);
        Ok(self)
    }

    /// How long to go on for one document.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// How hard one host is worked.
    pub fn host_limits(mut self, limits: HostLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the fetcher up. Reads the certificates that the system trusts; connects to nothing.
    ///
    /// # Errors
    /// A [`ConfigError`].
    pub fn build(self) -> Result<HttpFetcher, ConfigError> {
        let tls = tls::client_config(self.extra_roots.clone())?;
        let resolver = GuardedResolver::new(self.overrides.clone(), self.allow_private);
        let client = |idle| {
            self.client(idle, tls.clone(), resolver.clone())?
                .build()
                .map_err(|error| ConfigError::Client { why: error.to_string() })
        };
        let (pooled, fresh) = (client(self.limits.in_flight.max(1) as usize)?, client(0)?);
        Ok(HttpFetcher::new(
            pooled,
            fresh,
            self.allow_private,
            Arc::new(self.credentials),
            self.retry,
            Arc::new(Gates::new(self.limits)),
        ))
    }

    fn client(
        &self,
        idle: usize,
        tls: rustls::ClientConfig,
        resolver: GuardedResolver,
    ) -> Result<reqwest::ClientBuilder, ConfigError> {
        Ok(Client::builder()
            .user_agent(self.agent()?)
            .tls_backend_preconfigured(tls)
            .dns_resolver(resolver)
            .redirect(redirect::Policy::none())
            // Attempts are counted and paced by one policy only.
            .retry(retry::never())
            .no_proxy()
            .referer(false)
            .connect_timeout(self.retry.connect)
            .pool_max_idle_per_host(idle)
            .http1_max_headers(Headers::MAX_FIELDS)
            .http2_max_header_list_size(Headers::MAX_BYTES as u32))
    }

    fn agent(&self) -> Result<HeaderValue, ConfigError> {
        let agent = match &self.contact {
            Some(contact) => format!("{} (+{contact})", self.user_agent),
            None => self.user_agent.clone(),
        };
        header_field("user-agent", &agent).map(|(_, value)| value)
    }
}

/// Tells the names of credentials only.
impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("user_agent", &self.user_agent)
            .field("contact", &self.contact)
            .field("credentials", &self.credentials)
            .field("overrides", &self.overrides)
            .field("allow_private", &self.allow_private)
            .field("extra_roots", &self.extra_roots.len())
            .field("retry", &self.retry)
            .field("limits", &self.limits)
            .finish()
    }
}

fn header_field(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), ConfigError> {
    let refuse = |why| ConfigError::Header { name: name.to_owned(), why };
    let field = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refuse("not a name for a header"))?;
    if RESERVED.contains(&field.as_str()) {
        return Err(refuse("can't be set by hand"));
    }
    let mut value = HeaderValue::from_bytes(value.as_bytes())
        .map_err(|_| refuse("its value holds a line break or another control character"))?;
    // Sensitive values are left out of `Debug` and of the header compression of HTTP/2.
    value.set_sensitive(field != "user-agent");
    Ok((field, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused() {
        let header =
            |name: &str, value: &str| HttpFetcher::builder().credentials("https://a.test", [(name, value)]);
        assert!(header("x-api-key", "k").is_ok());
        for (name, value) in [
            ("x-key", "a\r\nhost: b"),
            ("x-key", "a\nb"),
            ("x-key", "a\0"),
            ("x key", "a"),
            ("", "a"),
            ("x\r\ny", "a"),
            ("Host", "b.test"),
            ("content-length", "0"),
        ] {
            assert!(header(name, value).is_err(), "{name:?} {value:?}");
        }
        for origin in ["docs.example.com", "ftp://a.test", "https://user:pw@a.test", "https://"] {
            assert!(HttpFetcher::builder().credentials(origin, [("x-key", "a")]).is_err(), "{origin}");
        }
        assert!(HttpFetcher::builder().user_agent("a\r\nb: c").build().is_err());
        assert!(HttpFetcher::builder().extra_roots_pem(b"nothing").is_err());
    }

    #[test]
    fn secrets_are_not_told() {
        let builder = HttpFetcher::builder()
            .credentials("https://a.test", [("authorization", "Bearer canary")])
            .unwrap();
        let fetcher = builder.clone().build().unwrap();
        let told = format!("{builder:?} {fetcher:?}");
        assert!(told.contains("authorization") && !told.contains("canary"), "{told}");
    }
}
