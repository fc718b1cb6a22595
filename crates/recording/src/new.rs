//! A recording in the making.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use wholesite_address::SiteUrl;
use wholesite_warc::{Compression, Exchange, Failed, Info, WarcWriter};

use crate::error::RecordingError;
use crate::folder::FolderWriter;
use crate::recording::{FailureKind, Recorded, is_warc_name};
use crate::warc::{PROBE, SEED};

/// What a recording says of itself.
#[derive(Debug, Clone, Copy)]
pub struct Begin<'a> {
    /// Where the discovery starts.
    pub seed: &'a SiteUrl,
    /// The path segment that is asked for since no site has it.
    pub probe: &'a str,
    /// A name for the run: the same run with the same answers makes the same bytes.
    pub run: &'a str,
    /// When it begins.
    pub date: Timestamp,
    /// Who is asking, as `User-Agent` says it.
    pub software: &'a str,
}

/// An address, and what came of asking for it.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The address.
    pub url: &'a SiteUrl,
    /// The `Accept` that was sent.
    pub accept: &'a str,
    /// When the answer was there.
    pub date: Timestamp,
    /// The answer, without what is secret: it is kept as it is.
    pub recorded: &'a Recorded,
}

/// A recording that grows under another name beside its own, and gets its own when it is whole. Dropped
/// before that, it leaves nothing behind.
#[derive(Debug)]
pub struct NewRecording {
    path: PathBuf,
    partial: PathBuf,
    software: String,
    form: Option<Form>,
}

#[derive(Debug)]
enum Form {
    Warc(Box<WarcWriter<BufWriter<File>>>),
    Folder(Box<FolderWriter>),
}

impl NewRecording {
    /// Begins one: a WARC file where the name ends in `.warc` or `.warc.gz` (then each record is
    /// compressed), else a recorded-site folder.
    ///
    /// # Errors
    /// There is something of that name already, or nothing can be written there.
    pub fn create(path: &Path, begin: &Begin<'_>) -> Result<Self, RecordingError> {
        let exists = || io::Error::new(io::ErrorKind::AlreadyExists, "there is something here already");
        let fault = |path: &Path, cause| RecordingError::Io { path: path.to_owned(), cause };
        if path.symlink_metadata().is_ok() {
            return Err(fault(path, exists()));
        }
        let Some(name) = path.file_name() else {
            return Err(fault(path, io::Error::new(io::ErrorKind::InvalidInput, "this names no file")));
        };
        let mut name = name.to_owned();
        name.push(format!(".partial-{}", std::process::id()));
        let partial = path.with_file_name(name);
        let form = Form::create(path, &partial, begin).map_err(|cause| fault(&partial, cause))?;
        let software = begin.software.to_owned();
        Ok(NewRecording { path: path.to_owned(), partial, software, form: Some(form) })
    }

    /// Adds an answer.
    ///
    /// # Errors
    /// It can't be written.
    pub fn add(&mut self, given: &Given<'_>) -> Result<(), RecordingError> {
        let added = match &mut self.form {
            Some(Form::Folder(folder)) => folder.add(given),
            Some(Form::Warc(warc)) => add(warc, given, &self.software),
            None => Ok(()),
        };
        added.map_err(|cause| RecordingError::Io { path: self.partial.clone(), cause })
    }

    /// Ends it, and gives it its name.
    ///
    /// # Errors
    /// It can't be written, or something has that name by now.
    pub fn finish(mut self) -> Result<(), RecordingError> {
        let ended = match self.form.take() {
            Some(Form::Folder(folder)) => folder.finish(),
            Some(Form::Warc(warc)) => warc
                .finish()
                .and_then(|out| out.into_inner().map_err(io::IntoInnerError::into_error))
                .and_then(|file| file.sync_all()),
            None => Ok(()),
        };
        let fault = |path: &Path, cause| RecordingError::Io { path: path.to_owned(), cause };
        ended.map_err(|cause| fault(&self.partial, cause))?;
        if self.path.symlink_metadata().is_ok() {
            return Err(fault(&self.path, io::ErrorKind::AlreadyExists.into()));
        }
        std::fs::rename(&self.partial, &self.path).map_err(|cause| fault(&self.path, cause))
    }
}

impl Drop for NewRecording {
    fn drop(&mut self) {
        self.form = None;
        // Nothing is there after a rename.
        let _ = if self.partial.is_dir() {
            std::fs::remove_dir_all(&self.partial)
        } else {
            std::fs::remove_file(&self.partial)
        };
    }
}

impl Form {
    fn create(path: &Path, partial: &Path, begin: &Begin<'_>) -> io::Result<Self> {
        if !is_warc_name(path) {
            return FolderWriter::create(partial, begin).map(|writer| Form::Folder(Box::new(writer)));
        }
        let is_gzip = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        let compression = if is_gzip { Compression::Gzip } else { Compression::None };
        let out = BufWriter::new(File::create_new(partial)?);
        let fields = [("software", begin.software), (SEED, begin.seed.as_str()), (PROBE, begin.probe)];
        let info = Info { run: begin.run, date: begin.date, fields: &fields };
        WarcWriter::new(out, compression, &info).map(|writer| Form::Warc(Box::new(writer)))
    }
}

fn add(warc: &mut WarcWriter<BufWriter<File>>, given: &Given<'_>, software: &str) -> io::Result<()> {
    let Given { url, accept, date, recorded } = *given;
    let uri = url.as_str();
    match recorded {
        Recorded::Failed { kind, message } => {
            let kind = match kind {
                FailureKind::Unreachable => wholesite_warc::FailureKind::Unreachable,
                FailureKind::Blocked => wholesite_warc::FailureKind::Blocked,
                FailureKind::TooLarge => wholesite_warc::FailureKind::TooLarge,
            };
            warc.failed(&Failed { uri, date, accept, kind, message })
        }
        Recorded::Response { status, headers, body, framed } => {
            let headers: Vec<(&str, &str)> =
                headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let request = [("user-agent", software), ("accept", accept)];
            let (status, framed) = (*status, *framed);
            warc.exchange(&Exchange { uri, date, request: &request, status, headers: &headers, body, framed })
        }
    }
}
