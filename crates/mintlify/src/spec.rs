//! API descriptions: OpenAPI 3 and AsyncAPI files, as far as they make pages.
//!
//! Only what decides addresses and titles is kept. Sources: OpenAPI 3.0 and 3.1 (paths, webhooks), AsyncAPI 2 and 3
//! (channels), the OpenAPI Overlay 1.0 format; Mintlify's documentation of `x-hidden`, `x-excluded` and `x-mint`.

mod loose;

use serde_json::Value;

use loose::{Maybe, Ordered, Text};

/// YAML of more nodes than this is not read. (The largest known descriptions have under a million.)
const MAX_NODES: usize = 5_000_000;

/// A data file of the folder.
#[derive(Debug)]
pub(crate) enum Spec {
    OpenApi(OpenApi),
    AsyncApi(AsyncApi),
    /// Changes to descriptions, which are not applied here. The description it extends, if it says so.
    Overlay(Option<String>),
    /// Something else: what, for people.
    Other(String),
}

/// Paths and webhooks in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct OpenApi {
    pub(crate) operations: Vec<Operation>,
    /// `$ref`s of path items that lead nowhere in this file.
    pub(crate) unresolved: Vec<String>,
    /// Labels of groups: tags with `x-group`.
    pub(crate) group_names: Vec<(String, String)>,
}

/// One operation.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    /// Lower-case HTTP method.
    pub(crate) method: &'static str,
    /// The path, or the name of the webhook.
    pub(crate) path: String,
    pub(crate) is_webhook: bool,
    pub(crate) tag: Option<String>,
    pub(crate) summary: Option<String>,
    pub(crate) hidden: bool,
    pub(crate) excluded: bool,
    pub(crate) deprecated: bool,
    /// `x-mint.href`.
    pub(crate) href: Option<String>,
    /// `x-mint.metadata`.
    pub(crate) metadata: Option<Value>,
}

/// Channels in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct AsyncApi {
    pub(crate) channels: Vec<Channel>,
    pub(crate) unresolved: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Channel {
    pub(crate) id: String,
    pub(crate) title: Option<String>,
    pub(crate) tag: Option<String>,
}

/// The methods in the order in which Mintlify makes pages.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
struct Document {
    openapi: Text,
    asyncapi: Text,
    swagger: Text,
    overlay: Text,
    extends: Text,
    paths: Maybe<Ordered<Maybe<PathItem>>>,
    webhooks: Maybe<Ordered<Maybe<PathItem>>>,
    channels: Maybe<Ordered<Maybe<ChannelItem>>>,
    components: Maybe<Components>,
    tags: Value,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
struct Components {
    #[serde(rename = "pathItems")]
    path_items: Maybe<Ordered<Maybe<PathItem>>>,
    channels: Maybe<Ordered<Maybe<ChannelItem>>>,
    tags: Maybe<Ordered<Maybe<Tag>>>,
}

#[derive(Debug, Default, Clone, serde::Deserialize)]
#[serde(default)]
struct PathItem {
    #[serde(rename = "$ref")]
    reference: Text,
    get: Maybe<Item>,
    put: Maybe<Item>,
    post: Maybe<Item>,
    delete: Maybe<Item>,
    options: Maybe<Item>,
    head: Maybe<Item>,
    patch: Maybe<Item>,
    trace: Maybe<Item>,
}

#[derive(Debug, Default, Clone, serde::Deserialize)]
#[serde(default)]
struct Item {
    tags: Value,
    summary: Text,
    deprecated: Value,
    #[serde(rename = "x-hidden")]
    hidden: Value,
    #[serde(rename = "x-excluded")]
    excluded: Value,
    #[serde(rename = "x-mint")]
    mint: Maybe<Mint>,
}

#[derive(Debug, Default, Clone, serde::Deserialize)]
#[serde(default)]
struct Mint {
    href: Text,
    metadata: Value,
}

#[derive(Debug, Default, Clone, serde::Deserialize)]
#[serde(default)]
struct ChannelItem {
    #[serde(rename = "$ref")]
    reference: Text,
    title: Text,
    tags: Value,
}

#[derive(Debug, Default, Clone, serde::Deserialize)]
#[serde(default)]
struct Tag {
    name: Text,
}

/// Reads a data file. An error is a text that is neither JSON nor YAML.
pub(crate) fn read(text: &str) -> Result<Spec, String> {
    if !["openapi", "asyncapi", "overlay", "swagger"].iter().any(|key| text.contains(key)) {
        return Ok(Spec::Other("holds neither `openapi` nor `asyncapi`".to_owned()));
    }
    let document = parse(text)?;
    Ok(if document.overlay.is_some() {
        Spec::Overlay(document.extends.into_text())
    } else if let Some(version) = document.openapi.as_text() {
        match version.starts_with("3.") {
            true => Spec::OpenApi(open_api(document)),
            false => Spec::Other(format!("is OpenAPI {version}, and Mintlify reads version 3 only")),
        }
    } else if document.asyncapi.is_some() {
        Spec::AsyncApi(async_api(document))
    } else if document.swagger.is_some() {
        Spec::Other("is Swagger 2.0, and Mintlify reads OpenAPI 3 only".to_owned())
    } else {
        Spec::Other("holds neither `openapi` nor `asyncapi`".to_owned())
    })
}

fn parse(text: &str) -> Result<Document, String> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{')
        && let Ok(document) = serde_json::from_str(text)
    {
        return Ok(document);
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: MAX_NODES, max_events: 4 * MAX_NODES },
    };
    serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
}

fn open_api(mut document: Document) -> OpenApi {
    let mut api = OpenApi { group_names: group_names(&document.tags), ..OpenApi::default() };
    let shared = document.components.take().path_items.take().0;
    for (is_webhook, items) in [(false, document.paths), (true, document.webhooks)] {
        for (path, item) in items.into_inner().0 {
            let Some(item) = item.0 else { continue };
            let item = match item.reference.as_text() {
                None => item,
                Some(reference) => match named(reference, "#/components/pathItems/", &shared) {
                    Some(target) => target.clone(),
                    None => {
                        api.unresolved.push(reference.to_owned());
                        continue;
                    }
                },
            };
            api.operations.extend(operations(&path, is_webhook, item));
        }
    }
    api
}

fn operations(path: &str, is_webhook: bool, item: PathItem) -> impl Iterator<Item = Operation> {
    let PathItem { get, put, post, delete, options, head, patch, trace, .. } = item;
    let items = [get, put, post, delete, options, head, patch, trace];
    METHODS.into_iter().zip(items).filter_map(move |(method, item)| {
        let item = item.0?;
        let mint = item.mint.into_inner();
        Some(Operation {
            method,
            path: path.to_owned(),
            is_webhook,
            tag: item.tags.get(0).and_then(Value::as_str).map(str::to_owned),
            summary: item.summary.into_text(),
            hidden: is_set(&item.hidden),
            excluded: is_set(&item.excluded),
            deprecated: is_set(&item.deprecated),
            href: mint.href.into_text(),
            metadata: Some(mint.metadata).filter(Value::is_object),
        })
    })
}

/// Whether JavaScript would take a value for true.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

fn group_names(tags: &Value) -> Vec<(String, String)> {
    let tags = tags.as_array().map(Vec::as_slice).unwrap_or_default();
    let of =
        |tag: &Value| Some((tag.get("name")?.as_str()?.to_owned(), tag.get("x-group")?.as_str()?.to_owned()));
    tags.iter().filter_map(of).collect()
}

fn async_api(mut document: Document) -> AsyncApi {
    let mut api = AsyncApi::default();
    let mut components = document.components.take();
    let (shared, tags) = (components.channels.take().0, components.tags.take().0);
    for (id, item) in document.channels.into_inner().0 {
        let item = item.0.unwrap_or_default();
        let item = match item.reference.as_text() {
            None => item,
            Some(reference) => match named(reference, "#/components/channels/", &shared) {
                Some(target) => target.clone(),
                None => {
                    api.unresolved.push(reference.to_owned());
                    continue;
                }
            },
        };
        let tag = match item.tags.get(0) {
            None => None,
            Some(tag) => match tag.get("$ref").and_then(Value::as_str) {
                Some(reference) => match named(reference, "#/components/tags/", &tags) {
                    Some(tag) => tag.name.as_text().map(str::to_owned),
                    None => {
                        api.unresolved.push(reference.to_owned());
                        continue;
                    }
                },
                None => tag.get("name").and_then(Value::as_str).map(str::to_owned),
            },
        };
        api.channels.push(Channel { id, title: item.title.into_text(), tag });
    }
    api
}

/// The target of a `$ref` within the file (JSON Pointer, RFC 6901, as a URI fragment).
fn named<'a, T>(reference: &str, prefix: &str, items: &'a [(String, Maybe<T>)]) -> Option<&'a T> {
    let name = crate::slug::decode(reference.strip_prefix(prefix)?).replace("~1", "/").replace("~0", "~");
    items.iter().find(|(known, _)| *known == name)?.1.0.as_ref()
}
