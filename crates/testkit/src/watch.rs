//! A store that is watched, and that fails when it is told to.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wholesite_store::{Change, Lease, MemoryStore, Store, StoreError};

/// How a write goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFault {
    /// Refused; nothing was written.
    Io,
    /// No room.
    Full,
    /// Nobody knows; it was written.
    UncertainDone,
    /// Nobody knows; it was not written.
    UncertainLost,
    /// The process dies before it is written.
    CrashBefore,
    /// The process dies after it was written.
    CrashAfter,
}

impl StoreFault {
    /// All of them.
    pub const ALL: [StoreFault; 6] = [
        StoreFault::Io,
        StoreFault::Full,
        StoreFault::UncertainDone,
        StoreFault::UncertainLost,
        StoreFault::CrashBefore,
        StoreFault::CrashAfter,
    ];

    /// Its name in accounts of what came to pass.
    pub fn name(self) -> &'static str {
        match self {
            StoreFault::Io => "store error",
            StoreFault::Full => "store full",
            StoreFault::UncertainDone => "store answer lost, written",
            StoreFault::UncertainLost => "store answer lost, not written",
            StoreFault::CrashBefore => "crash before a write",
            StoreFault::CrashAfter => "crash after a write",
        }
    }
}

/// Told of every batch that was written.
type Witness = dyn FnMut(&[Change]) + Send;

#[derive(Default)]
struct Watch {
    witness: Option<Box<Witness>>,
    countdown: Option<(u32, StoreFault)>,
    crashed: bool,
    applied: u32,
}

/// A [`MemoryStore`] that is watched. Clones share everything.
#[derive(Clone, Default)]
pub struct WatchedStore {
    inner: MemoryStore,
    watch: Arc<Mutex<Watch>>,
    death: Arc<tokio::sync::Notify>,
}

impl WatchedStore {
    /// An empty store.
    pub fn new() -> Self {
        WatchedStore::default()
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells `witness` of every batch from now on.
    pub fn witness(&self, witness: impl FnMut(&[Change]) + Send + 'static) {
        self.watch().witness = Some(Box::new(witness));
    }

    /// The write number `nth` from now, counted from 0, goes wrong.
    pub fn fail(&self, fault: Option<(u32, StoreFault)>) {
        let mut watch = self.watch();
        watch.countdown = fault;
        watch.crashed = false;
    }

    /// Whether a write is still to go wrong.
    pub fn is_armed(&self) -> bool {
        self.watch().countdown.is_some()
    }

    /// Whether the process died.
    pub fn crashed(&self) -> bool {
        self.watch().crashed
    }

    /// Waits until the process dies.
    pub async fn died(&self) {
        while !self.crashed() {
            self.death.notified().await;
        }
    }

    /// How many batches were written.
    pub fn applied(&self) -> u32 {
        self.watch().applied
    }

    fn due(&self) -> Option<StoreFault> {
        let mut watch = self.watch();
        match &mut watch.countdown {
            Some((0, fault)) => {
                let fault = *fault;
                watch.countdown = None;
                Some(fault)
            }
            Some((left, _)) => {
                *left -= 1;
                None
            }
            None => None,
        }
    }

    async fn write(&self, lease: &Lease, batch: Vec<Change>) -> Result<(), StoreError> {
        let told = batch.clone();
        self.inner.apply(lease, batch).await?;
        let mut watch = self.watch();
        watch.applied += 1;
        if let Some(witness) = &mut watch.witness {
            witness(&told);
        }
        Ok(())
    }

    async fn die(&self) -> Result<(), StoreError> {
        self.watch().crashed = true;
        self.death.notify_one();
        std::future::pending().await
    }
}

impl Store for WatchedStore {
    wholesite_store::store_reads!(WatchedStore { inner, .. } => inner);
    wholesite_store::store_leases!(WatchedStore { inner, .. } => inner);

    async fn apply(&self, lease: &Lease, batch: Vec<Change>) -> Result<(), StoreError> {
        let place = || std::path::PathBuf::from("memory");
        match self.due() {
            None => self.write(lease, batch).await,
            Some(StoreFault::Io) => Err(StoreError::Io("simulated".to_owned())),
            Some(StoreFault::Full) => {
                Err(StoreError::Full { place: place(), message: "simulated".to_owned() })
            }
            Some(StoreFault::UncertainLost) => Err(StoreError::Uncertain("simulated".to_owned())),
            Some(StoreFault::UncertainDone) => {
                self.write(lease, batch).await?;
                Err(StoreError::Uncertain("simulated".to_owned()))
            }
            Some(StoreFault::CrashBefore) => self.die().await,
            Some(StoreFault::CrashAfter) => {
                self.write(lease, batch).await?;
                self.die().await
            }
        }
    }
}
