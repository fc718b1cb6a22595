//! Discovery of a recorded site: offline, and the same bytes every time.

use wholesite_discovery::{Accept, Answer, Ask, Discovery, Failure, Inventory, Options, Response};
use wholesite_recording::{FailureKind, Recorded, Recording};

/// Discovers a recorded site from its seed. Of a live site that was captured this gives what the live
/// discovery gave, byte for byte, with the same options.
pub fn discover_recording(recording: &Recording, mut options: Options) -> Inventory {
    // The path that can't exist is the one that was asked for.
    if let Some(probe) = recording.probe() {
        options.probe = probe.to_owned();
    }
    let mut discovery = Discovery::of_site(recording.seed().clone(), options);
    while let Some(request) = discovery.next_request() {
        let answer = match &request.ask {
            Ask::Get { url, accept, max_bytes } => {
                let accept = match accept {
                    Accept::Any => wholesite_fetch::Accept::Any,
                    Accept::Html => wholesite_fetch::Accept::Html,
                };
                answer(recording.answer(url, accept.header_value(), *max_bytes), *max_bytes)
            }
            Ask::ListFiles | Ask::ReadFile { .. } => {
                Answer::Failed(Failure::Unreachable { message: "a recording holds no files".to_owned() })
            }
        };
        discovery.answer(request.id, answer);
    }
    discovery.finish()
}

fn answer(recorded: Recorded, limit: u64) -> Answer {
    match recorded {
        Recorded::Response { status, headers, body, framed } => {
            Answer::Response(Response { status, headers, body, framed })
        }
        Recorded::Failed { kind, message } => Answer::Failed(match kind {
            FailureKind::TooLarge => Failure::TooLarge { limit },
            FailureKind::Blocked => Failure::Blocked { message },
            FailureKind::Unreachable => Failure::Unreachable { message },
        }),
    }
}
