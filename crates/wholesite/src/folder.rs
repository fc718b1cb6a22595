//! Discovery of a docs source folder on disk. Nothing outside the folder is read.

use std::io;
use std::path::{Path, PathBuf};

use wholesite_address::SiteUrl;
use wholesite_discovery::{Answer, Ask, Discovery, Failure, Inventory, Listing, Options};

/// Folders that never hold documentation, and may hold more files than it by far.
const NEVER_DOCS: &[&str] = &[".git", "node_modules", ".hg", ".svn"];

/// Why a folder could not be discovered at all.
#[derive(Debug, thiserror::Error)]
#[error("{} can't be read: {cause}", path.display())]
pub struct FolderError {
    path: PathBuf,
    #[source]
    cause: io::Error,
}

/// Discovers the pages that the docs source folder `root` makes. `site` is the address that they
/// will be served at.
///
/// # Errors
/// The folder itself can't be opened. A file that can't be read is a blocker, not an error.
pub fn discover_folder(root: &Path, site: SiteUrl, options: Options) -> Result<Inventory, FolderError> {
    let cause = |cause| FolderError { path: root.to_owned(), cause };
    let root = root.canonicalize().map_err(cause)?;
    std::fs::read_dir(&root).map_err(cause)?;
    let name = root
        .file_name()
        .map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned());
    let mut discovery = Discovery::of_folder(name, site, options);
    while let Some(request) = discovery.next_request() {
        let answer = match &request.ask {
            Ask::ListFiles => match list(&root) {
                Ok(listing) => Answer::Files(listing),
                Err(error) => unreadable(&error),
            },
            Ask::ReadFile { path } => match std::fs::read(root.join(path)) {
                Ok(bytes) => Answer::File(bytes),
                Err(error) => unreadable(&error),
            },
            Ask::Get { .. } => {
                Answer::Failed(Failure::Unreachable { message: "a folder has no network".to_owned() })
            }
        };
        discovery.answer(request.id, answer);
    }
    Ok(discovery.finish())
}

fn unreadable(error: &io::Error) -> Answer {
    Answer::Failed(Failure::Unreachable { message: error.to_string() })
}

/// All files, as sorted paths with `/` between segments. A symbolic link to a file of the folder
/// counts as that file; other links are not followed, since they may lead out of the folder or in
/// circles, and are named. A name that is not Unicode can't be an address and is listed with
/// replacement characters.
fn list(root: &Path) -> io::Result<Listing> {
    let mut listing = Listing::default();
    let mut open = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = open.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type()?;
            if kind.is_dir() && !NEVER_DOCS.contains(&name.as_str()) {
                open.push((entry.path(), format!("{prefix}{name}/")));
            } else if kind.is_file() || (kind.is_symlink() && is_file_below(root, &entry.path())) {
                listing.files.push(format!("{prefix}{name}"));
            } else if kind.is_symlink() && !NEVER_DOCS.contains(&name.as_str()) {
                let why =
                    "a symbolic link that leads to a folder, out of this one, or nowhere is not followed";
                listing.unlisted.push((format!("{prefix}{name}"), why.to_owned()));
            }
        }
    }
    listing.files.sort();
    listing.unlisted.sort();
    Ok(listing)
}

fn is_file_below(root: &Path, link: &Path) -> bool {
    link.canonicalize().is_ok_and(|target| target.starts_with(root) && target.is_file())
}
