//! Packages of the registries, fetched at test time by their own tools into a folder below the
//! target folder, each pinned by version and SHA-256.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};

use serde_json::Value;

/// A package that holds test data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Package {
    registry: Registry,
    name: &'static str,
    version: &'static str,
    /// SHA-256 of the archive, in hex.
    sha256: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum Registry {
    Npm,
    Pypi,
}

impl Package {
    /// A package of npm.
    pub(crate) const fn npm(name: &'static str, version: &'static str, sha256: &'static str) -> Self {
        Package { registry: Registry::Npm, name, version, sha256 }
    }

    /// A source package of PyPI.
    pub(crate) const fn pypi(name: &'static str, version: &'static str, sha256: &'static str) -> Self {
        Package { registry: Registry::Pypi, name, version, sha256 }
    }

    /// The folder that the package is unpacked in; `None`, said aloud, where it can't be had.
    ///
    /// # Panics
    /// Where what came is not what was pinned.
    pub(crate) fn folder(self) -> Option<PathBuf> {
        // One at a time: two tests may want the same package.
        static FETCHING: Mutex<()> = Mutex::new(());
        let _one = FETCHING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let home = cache().join(format!("{}-{}", self.name, self.version));
        let unpacked = home.join("unpacked");
        if !unpacked.is_dir()
            && let Err(why) = self.fetch(&home, &unpacked)
        {
            println!("SKIPPED: {} {} can't be fetched here: {why}", self.name, self.version);
            return None;
        }
        let only = std::fs::read_dir(&unpacked).ok()?.flatten().find(|entry| entry.path().is_dir())?;
        Some(only.path())
    }

    fn fetch(self, home: &Path, unpacked: &Path) -> Result<(), String> {
        let _ = std::fs::remove_dir_all(home);
        std::fs::create_dir_all(home).map_err(|error| error.to_string())?;
        self.download(home)?;
        let archive = archive_in(home).ok_or("no archive came")?;
        let bytes = std::fs::read(&archive).map_err(|error| error.to_string())?;
        assert_eq!(sha256(&bytes), self.sha256, "{} {} is not the pinned one", self.name, self.version);
        let part = home.join("part");
        std::fs::create_dir_all(&part).map_err(|error| error.to_string())?;
        run(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&part))?;
        std::fs::rename(part, unpacked).map_err(|error| error.to_string())
    }

    fn download(self, home: &Path) -> Result<(), String> {
        match self.registry {
            Registry::Npm => {
                let exact = format!("{}@{}", self.name, self.version);
                run(Command::new("npm").args(["pack", "--silent", &exact]).current_dir(home))
            }
            Registry::Pypi => {
                // Old build scripts need the setuptools of their time, only to name themselves.
                let constraints = home.join("constraints");
                std::fs::write(&constraints, "setuptools<81\n").map_err(|error| error.to_string())?;
                let exact = format!("{}=={}", self.name, self.version);
                let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", self.name, &exact];
                run(Command::new("python3").args(pip).env("PIP_CONSTRAINT", &constraints).current_dir(home))
            }
        }
    }
}

/// The source folder of a Rust package that this test is built with.
pub(crate) fn crate_source(name: &str) -> PathBuf {
    static METADATA: LazyLock<Value> = LazyLock::new(|| {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version", "1", "--locked"])
            .current_dir(wholesite_tests::workspace())
            .output()
            .expect("cargo runs");
        serde_json::from_slice(&output.stdout).expect("cargo metadata writes JSON")
    });
    let packages = METADATA["packages"].as_array().expect("packages");
    let package = packages.iter().find(|package| package["name"] == name).expect("a dependency of the tests");
    let manifest = package["manifest_path"].as_str().expect("a path");
    Path::new(manifest).parent().expect("a manifest lies in a folder").to_owned()
}

fn cache() -> PathBuf {
    // Cargo makes this folder below the target folder, for integration tests.
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside")
}

fn archive_in(folder: &Path) -> Option<PathBuf> {
    let is_archive = |path: &PathBuf| path.extension().is_some_and(|end| end == "tgz" || end == "gz");
    std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).find(is_archive)
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {}", said.lines().last().unwrap_or_default()))
}

fn sha256(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest.as_ref().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
