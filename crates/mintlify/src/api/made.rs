//! Pages from one description: all of its operations, or one that an entry picks.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::slugs;
use crate::slug::title_of;
use crate::spec::{AsyncApi, Channel, OpenApi, Operation};

/// A page that a description makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) slug: String,
    pub(crate) title: String,
    /// What makes it: `GET /lamps`, `webhook lamp.lit`, or a channel.
    pub(crate) text: String,
    pub(crate) of: Origin,
    /// Reachable, and not in the navigation.
    pub(crate) hidden: bool,
    pub(crate) noindex: bool,
    pub(crate) deprecated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Operation { method: &'static str, path: String },
    Webhook(String),
    Channel(String),
}

/// Slugs in use, by the group of the sidebar they stand in. (A page that is not in the sidebar takes no slug away.)
#[derive(Debug, Default)]
struct Used {
    slugs: HashMap<String, HashSet<String>>,
    /// The last number tried for a slug, so that many equal ones cost no search each.
    last: HashMap<(String, String), usize>,
}

impl Used {
    fn unique(&mut self, group: &str, base: &str, is_listed: bool) -> String {
        let used = self.slugs.entry(group.to_owned()).or_default();
        let mut slug = base.to_owned();
        // The comparison minds case, though what was kept is lower-cased: so does Mintlify's.
        if used.contains(&slug) {
            let last = self.last.entry((group.to_owned(), base.to_owned())).or_insert(0);
            let mut number = (*last).max(1);
            slug = format!("{base}-{number}");
            while used.contains(&slug) {
                number += 1;
                slug = format!("{base}-{number}");
            }
            *last = number;
        }
        let slug = slug.to_lowercase();
        if is_listed {
            used.insert(slug.clone());
        }
        slug
    }
}

/// The pages of all operations, in the order in which Mintlify makes them.
pub(crate) fn all_operations(api: &OpenApi, directory: Option<&str>) -> Vec<Made> {
    let mut used = Used::default();
    (api.operations.iter().filter(|operation| !operation.excluded))
        .map(|operation| {
            let tag = operation.tag.as_deref().unwrap_or("API Reference");
            let group = api.group_names.iter().find(|(name, _)| name == tag).map_or(tag, |(_, group)| group);
            let slug = used.unique(group, &base(operation, directory), !operation.hidden);
            of_operation(operation, slug)
        })
        .collect()
}

/// The page of the operation that an entry picks.
pub(crate) fn operation(
    api: &OpenApi,
    directory: Option<&str>,
    method: &str,
    path: &str,
) -> Result<Made, String> {
    let is_webhook = method == "webhook";
    let kind = if is_webhook { "webhook" } else { "path" };
    let of_kind = || api.operations.iter().filter(|operation| operation.is_webhook == is_webhook);
    let trimmed = |path: &str| {
        if path.len() > 1 { path.strip_suffix('/').unwrap_or(path).to_owned() } else { path.to_owned() }
    };
    let wanted = trimmed(path);
    let key = of_kind()
        .find(|operation| operation.path == path)
        .or_else(|| of_kind().find(|operation| trimmed(&operation.path) == wanted))
        .map(|operation| operation.path.clone())
        .ok_or_else(|| format!("has no {kind} {path}"))?;
    let mut methods = of_kind().filter(|operation| operation.path == key);
    let found = methods
        .find(|operation| is_webhook && !operation.excluded || operation.method == method)
        .ok_or_else(|| format!("has no {} for {key}", method.to_uppercase()))?;
    if found.excluded {
        return Err(format!("excludes {} {key} (x-excluded)", method.to_uppercase()));
    }
    let slug = base(found, directory).to_lowercase();
    Ok(of_operation(found, slug))
}

fn base(operation: &Operation, directory: Option<&str>) -> String {
    if let Some(href) = &operation.href {
        return slugs::of_href(href);
    }
    let path = slugs::fold(Some(&operation.path)).unwrap_or_default();
    let name = slugs::fold(operation.summary.as_deref()).unwrap_or_else(|| match operation.is_webhook {
        true => path,
        false => format!("{}-{path}", operation.method),
    });
    let folder = slugs::fold(operation.tag.as_deref()).unwrap_or_default();
    slugs::join(directory, &folder, &name)
}

fn of_operation(operation: &Operation, slug: String) -> Made {
    let metadata = operation.metadata.as_ref();
    let flag = |key: &str| metadata.and_then(|m| m.get(key)).and_then(Value::as_bool);
    let named = metadata.and_then(|m| m.get("title")).and_then(Value::as_str).map(str::to_owned);
    let summary = operation.summary.clone().filter(|_| !operation.is_webhook);
    let (text, of) = if operation.is_webhook {
        (format!("webhook {}", operation.path), Origin::Webhook(operation.path.clone()))
    } else {
        let (method, path) = (operation.method, operation.path.clone());
        (format!("{} {path}", method.to_uppercase()), Origin::Operation { method, path })
    };
    Made {
        title: named.or(summary).unwrap_or_else(|| title_of(&slug)),
        slug,
        text,
        of,
        hidden: operation.hidden || flag("hidden") == Some(true),
        noindex: flag("noindex") == Some(true),
        deprecated: flag("deprecated").unwrap_or(operation.deprecated),
    }
}

/// The pages of all channels.
pub(crate) fn all_channels(api: &AsyncApi, directory: Option<&str>) -> Vec<Made> {
    let mut used = Used::default();
    let of = |channel: &Channel| {
        let group = channel.tag.as_deref().unwrap_or("Websockets");
        let title = channel.title.as_deref().unwrap_or(&channel.id);
        let folder = slugs::fold(Some(group)).unwrap_or_default();
        let name = slugs::fold(Some(title)).unwrap_or_default();
        let slug = used.unique(group, &slugs::join(directory, &folder, &name), true);
        Made {
            slug,
            title: channel.title.clone().unwrap_or_else(|| sentence(&channel.id)),
            text: channel.id.clone(),
            of: Origin::Channel(channel.id.clone()),
            hidden: false,
            noindex: false,
            deprecated: false,
        }
    };
    api.channels.iter().map(of).collect()
}

/// `lampLit` as a title: `Lamp lit`.
fn sentence(id: &str) -> String {
    let mut words = String::with_capacity(id.len() + 4);
    for (at, letter) in id.chars().enumerate() {
        if letter.is_ascii_uppercase() && at > 0 {
            words.push(' ');
        }
        if at == 0 {
            words.extend(letter.to_uppercase());
        } else {
            words.extend(letter.to_lowercase());
        }
    }
    words
}
