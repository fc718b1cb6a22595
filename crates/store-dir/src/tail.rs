//! A copy of a site's manifest that follows the files: the snapshot, then each line of the journal.
//!
//! The journal has a line a batch. A batch happened when its line is whole. Each line names the
//! checksum of the one before, so that a copy notices when it does not follow on, and starts afresh.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use wholesite_store::StoreError;

use crate::manifest::Manifest;
use crate::place::{Place, is_missing, read_if_there, sync_folder};
use crate::snapshot::{self, Bad, FORMAT};
use crate::step::Step;
use crate::{error, seal};

/// What a line says.
#[derive(Serialize, Deserialize)]
struct Batch {
    number: u64,
    /// The checksum of the batch before; empty for the first.
    previous: String,
    /// The last batch that was on the disk for sure when this one was written.
    safe: u64,
    /// The token of the lease.
    token: u64,
    steps: Vec<Step>,
}

/// What tells that a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
    file: u64,
}

/// The manifest, and how far it was read.
#[derive(Debug)]
pub(crate) struct Tail {
    place: Place,
    manifest: Manifest,
    /// The checksum of the last batch.
    last: String,
    /// Bytes of the journal that were read, and where the last whole line among them begins.
    read: u64,
    last_line: u64,
    stamps: Option<(Option<Stamp>, Option<Stamp>)>,
}

/// Why a journal could not be followed.
enum Fault {
    /// It does not go on from what was read: it was cut meanwhile, or it is damaged.
    Gap(String),
    Store(StoreError),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Fault::Store(error)
    }
}

/// How often a copy starts afresh where files change under its hands.
const ATTEMPTS: usize = 20;

impl Tail {
    pub(crate) fn new(place: Place) -> Self {
        Tail {
            place,
            manifest: Manifest::default(),
            last: String::new(),
            read: 0,
            last_line: 0,
            stamps: None,
        }
    }

    pub(crate) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// For planning a batch, which is then appended or thrown away with this copy.
    pub(crate) fn manifest_mut(&mut self) -> &mut Manifest {
        &mut self.manifest
    }

    /// Makes the next [`Tail::refresh`] read everything.
    pub(crate) fn forget(&mut self) {
        self.stamps = None;
    }

    /// Reads what was written since.
    pub(crate) fn refresh(&mut self) -> Result<(), StoreError> {
        let now = self.look()?;
        if self.stamps == Some(now) {
            return Ok(());
        }
        // Nothing is known to be right before all is through.
        let known = self.stamps.take();
        if known.is_some_and(|(snapshot, _)| snapshot == now.0)
            && self.go_on().is_ok()
            && self.is_settled(now)?
        {
            return Ok(());
        }
        let mut attempt = 1;
        loop {
            let now = self.look()?;
            match self.load() {
                Ok(()) if self.is_settled(now)? => return Ok(()),
                Err(Fault::Store(error)) => return Err(error),
                // A writer may have made a snapshot between our two reads.
                Ok(()) | Err(Fault::Gap(_)) if attempt < ATTEMPTS => attempt += 1,
                Ok(()) => return Ok(()),
                Err(Fault::Gap(what)) => return Err(error::damaged(&self.place.journal(), what)),
            }
        }
    }

    fn look(&self) -> Result<(Option<Stamp>, Option<Stamp>), StoreError> {
        Ok((stamp(&self.place.snapshot())?, stamp(&self.place.journal())?))
    }

    /// Whether what was read since a look belongs together: a new snapshot comes before the journal
    /// is cut, so that an old one with a journal that was cut shows here.
    fn is_settled(&mut self, before: (Option<Stamp>, Option<Stamp>)) -> Result<bool, StoreError> {
        let is_settled = stamp(&self.place.snapshot())? == before.0;
        self.stamps = is_settled.then_some(before);
        Ok(is_settled)
    }

    fn load(&mut self) -> Result<(), Fault> {
        let path = self.place.snapshot();
        (self.manifest, self.last) = match read_if_there(&path)? {
            None => Default::default(),
            Some(text) => {
                let read = match std::str::from_utf8(&text) {
                    Ok(text) => snapshot::read(text),
                    Err(cause) => Err(Bad::Damaged(cause.to_string())),
                };
                read.map_err(|bad| match bad {
                    Bad::Damaged(what) => error::damaged(&path, what),
                    Bad::TooNew(found) => StoreError::TooNew { place: path, found, known: FORMAT },
                })?
            }
        };
        (self.read, self.last_line) = (0, 0);
        let journal = read_if_there(&self.place.journal())?.unwrap_or_default();
        self.feed(&journal)
    }

    /// Reads on from the last line that was read, if that is still where it was.
    fn go_on(&mut self) -> Result<(), Fault> {
        let path = self.place.journal();
        let failed = |cause| Fault::Store(error::of(&path, &cause));
        let mut new = Vec::new();
        match File::open(&path) {
            Ok(mut file) => {
                file.seek(SeekFrom::Start(self.last_line)).map_err(failed)?;
                file.read_to_end(&mut new).map_err(failed)?;
            }
            Err(cause) if is_missing(&cause) => {}
            Err(cause) => return Err(failed(cause)),
        }
        let known = usize::try_from(self.read - self.last_line).unwrap_or(usize::MAX);
        if known > 0 {
            let line = new.get(..known).and_then(line_of).and_then(|line| seal::open("batch", line));
            if line.is_none_or(|(_, check)| check != self.last) {
                return Err(Fault::Gap("it was rewritten".to_owned()));
            }
        }
        self.feed(&new[known..])
    }

    /// Reads lines that follow what was read.
    fn feed(&mut self, mut new: &[u8]) -> Result<(), Fault> {
        while let Some(end) = new.iter().position(|&byte| byte == b'\n') {
            let (line, rest) = new.split_at(end + 1);
            let Some((json, check)) = line_of(line).and_then(|line| seal::open("batch", line)) else {
                break;
            };
            let batch: Batch =
                serde_json::from_str(json).map_err(|cause| error::damaged(&self.place.journal(), cause))?;
            // What a snapshot holds already is still there when a process died before it could cut it.
            if batch.number > self.manifest.number {
                if batch.number != self.manifest.number + 1 || batch.previous != self.last {
                    return Err(Fault::Gap(format!(
                        "after batch {} comes batch {}, which does not follow it",
                        self.manifest.number, batch.number
                    )));
                }
                self.do_batch(batch, check)?;
            }
            self.last_line = self.read;
            self.read += line.len() as u64;
            new = rest;
        }
        self.judge_rest(new)
    }

    fn do_batch(&mut self, batch: Batch, check: &str) -> Result<(), StoreError> {
        let Batch { number, token, steps, .. } = batch;
        self.manifest.number = number;
        self.manifest.token = self.manifest.token.max(token);
        for step in steps {
            self.manifest.apply(step).map_err(|what| error::damaged(&self.place.journal(), what))?;
        }
        self.last = check.to_owned();
        Ok(())
    }

    /// What follows the last whole line is one that is being written, or was when its process or
    /// system died: nobody was told that it is done. Unless a later line says otherwise.
    fn judge_rest(&self, rest: &[u8]) -> Result<(), Fault> {
        let later =
            rest.split(|&byte| byte == b'\n').skip(1).filter_map(|line| std::str::from_utf8(line).ok());
        for (json, _) in later.filter_map(|line| seal::open("batch", line)) {
            let safe = serde_json::from_str::<Batch>(json).map(|batch| batch.safe).unwrap_or(u64::MAX);
            if safe > self.manifest.number {
                return Err(Fault::Gap(format!(
                    "the line of batch {} is not as it was written",
                    self.manifest.number + 1
                )));
            }
        }
        Ok(())
    }

    /// Writes the lines of batches that the manifest holds already, as one piece.
    ///
    /// # Errors
    /// [`StoreError::Uncertain`] where they may be there after a crash, or not. This copy is then
    /// ahead of the files, and must be forgotten.
    pub(crate) fn append(&mut self, token: u64, batches: Vec<Vec<Step>>) -> Result<(), StoreError> {
        let safe = self.manifest.number;
        let (mut lines, mut last, mut number) = (String::new(), self.last.clone(), safe);
        let mut last_line = 0;
        for steps in batches {
            number += 1;
            let batch = Batch { number, previous: last, safe, token, steps };
            let json = serde_json::to_string(&batch).map_err(|cause| StoreError::Io(cause.to_string()))?;
            last_line = lines.len() as u64;
            let (line, check) = seal::seal("batch", &json);
            lines.push_str(&line);
            lines.push('\n');
            last = check;
        }
        let path = self.place.journal();
        let failed = |cause| error::of(&path, &cause);
        let is_new = stamp(&path)?.is_none();
        let mut file = self.open_journal()?;
        // A torn line of a process that died, if there is one.
        cut(&file, self.read).map_err(failed)?;
        if let Err(cause) = file.write_all(lines.as_bytes()) {
            return match cut(&file, self.read) {
                Ok(()) => Err(failed(cause)),
                Err(_) => Err(StoreError::Uncertain(failed(cause).to_string())),
            };
        }
        let synced = file
            .sync_data()
            .and_then(|()| if is_new { sync_folder(&self.place.own_folder()) } else { Ok(()) });
        synced.map_err(|cause| StoreError::Uncertain(failed(cause).to_string()))?;
        self.last_line = self.read + last_line;
        self.read += lines.len() as u64;
        self.manifest.number = number;
        self.manifest.token = self.manifest.token.max(token);
        self.last = last;
        self.stamps = Some(self.look()?);
        Ok(())
    }

    /// The journal, to write at its end. It is the one file that is written in place, so it must have
    /// no second name: as a hard link, it would be somebody's backup, or something else altogether.
    fn open_journal(&self) -> Result<File, StoreError> {
        let path = self.place.journal();
        let open = || OpenOptions::new().create(true).append(true).open(&path);
        let failed = |cause| error::of(&path, &cause);
        let file = open().map_err(failed)?;
        #[cfg(unix)]
        if std::os::unix::fs::MetadataExt::nlink(&file.metadata().map_err(failed)?) > 1 {
            self.place.replace(&path, &fs::read(&path).map_err(failed)?)?;
            return open().map_err(failed);
        }
        Ok(file)
    }

    /// Bytes of the journal, and of the snapshot that it goes on from.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        let snapshot = self.stamps.and_then(|(snapshot, _)| snapshot).map_or(0, |stamp| stamp.bytes);
        (self.read, snapshot)
    }

    /// Writes the manifest as a whole, and begins the journal anew. Only for a site whose visible
    /// files are as the manifest says: what they were before is forgotten.
    pub(crate) fn snapshot(&mut self) -> Result<(), StoreError> {
        let text =
            snapshot::write(&self.manifest, &self.last).map_err(|cause| StoreError::Io(cause.to_string()))?;
        self.place.replace(&self.place.snapshot(), text.as_bytes())?;
        self.place.replace(&self.place.journal(), b"")?;
        (self.read, self.last_line) = (0, 0);
        self.manifest.wrote.clear();
        self.stamps = Some(self.look()?);
        Ok(())
    }
}

fn line_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()?.strip_suffix('\n')
}

fn cut(file: &File, bytes: u64) -> std::io::Result<()> {
    if file.metadata()?.len() > bytes { file.set_len(bytes) } else { Ok(()) }
}

fn stamp(path: &Path) -> Result<Option<Stamp>, StoreError> {
    match fs::metadata(path) {
        Ok(found) => {
            #[cfg(unix)]
            let file = std::os::unix::fs::MetadataExt::ino(&found);
            #[cfg(not(unix))]
            let file = 0;
            Ok(Some(Stamp { bytes: found.len(), modified: found.modified().ok(), file }))
        }
        Err(cause) if is_missing(&cause) => Ok(None),
        Err(cause) => Err(error::of(path, &cause)),
    }
}
