//! HTTP/1 by hand: a script of bytes, pauses and rudeness for each request.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What the server does next.
#[derive(Clone)]
pub(crate) enum Step {
    Send(Vec<u8>),
    /// The same bytes again and again, until the other side goes.
    Repeat(Vec<u8>, Duration),
    /// Nothing, until the other side goes.
    Hang,
    Pause(Duration),
    /// Ends the connection in good order.
    Close,
    /// Ends the connection with a reset.
    Reset,
}

/// A request as it came.
#[derive(Clone)]
pub(crate) struct Seen {
    /// How many came before it.
    pub(crate) nth: usize,
    /// Which connection it came by.
    pub(crate) connection: usize,
    pub(crate) at: Instant,
    pub(crate) head: String,
}

#[derive(Default)]
struct Log {
    connections: usize,
    open: usize,
    seen: Vec<Seen>,
}

pub(crate) struct Server {
    pub(crate) addr: SocketAddr,
    log: Arc<Mutex<Log>>,
    accepting: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(script: impl Fn(&Seen) -> Vec<Step> + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(Log::default()));
        let script = Arc::new(script);
        let accepting = tokio::spawn({
            let log = Arc::clone(&log);
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(serve(stream, Arc::clone(&log), Arc::clone(&script)));
                }
            }
        });
        Server { addr, log, accepting }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.log.lock().unwrap().seen.clone()
    }

    /// Connections ever made.
    pub(crate) fn connections(&self) -> usize {
        self.log.lock().unwrap().connections
    }

    /// Connections that are open now.
    pub(crate) fn open(&self) -> usize {
        self.log.lock().unwrap().open
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn serve(mut stream: TcpStream, log: Arc<Mutex<Log>>, script: Arc<impl Fn(&Seen) -> Vec<Step>>) {
    let connection = {
        let mut log = log.lock().unwrap();
        log.open += 1;
        log.connections += 1;
        log.connections
    };
    while let Some(head) = read_head(&mut stream).await {
        let seen = {
            let mut log = log.lock().unwrap();
            let seen = Seen { nth: log.seen.len(), connection, at: Instant::now(), head };
            log.seen.push(seen.clone());
            seen
        };
        if !play(&mut stream, script(&seen)).await {
            break;
        }
    }
    log.lock().unwrap().open -= 1;
}

/// Plays the steps; says whether the connection goes on.
async fn play(stream: &mut TcpStream, steps: Vec<Step>) -> bool {
    for step in steps {
        let alive = match step {
            Step::Send(bytes) => stream.write_all(&bytes).await.is_ok(),
            Step::Repeat(bytes, pause) => {
                while stream.write_all(&bytes).await.is_ok() {
                    tokio::time::sleep(pause).await;
                }
                false
            }
            Step::Hang => {
                while matches!(stream.read(&mut [0; 64]).await, Ok(1..)) {}
                false
            }
            Step::Pause(time) => {
                tokio::time::sleep(time).await;
                true
            }
            Step::Close => false,
            Step::Reset => {
                stream.set_zero_linger().unwrap();
                false
            }
        };
        if !alive {
            return false;
        }
    }
    true
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).await.ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}
