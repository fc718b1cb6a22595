//! Discovery of a recorded site: offline, and the same bytes every time.

use wholesite_discovery::{Answer, Ask, Discovery, Failure, Inventory, Options, Response};
use wholesite_recording::{Recorded, Recording};

/// Discovers a recorded site from its seed.
pub fn discover_recording(recording: &Recording, options: Options) -> Inventory {
    let mut discovery = Discovery::of_site(recording.seed().clone(), options);
    while let Some(request) = discovery.next_request() {
        let answer = match &request.ask {
            Ask::Get { url, max_bytes, .. } => match recording.answer(url) {
                Recorded::Response { body, .. } if body.len() as u64 > *max_bytes => {
                    Answer::Failed(Failure::TooLarge { limit: *max_bytes })
                }
                Recorded::Response { status, headers, body } => {
                    Answer::Response(Response { status, headers, body, framed: true })
                }
                Recorded::Failed { message } => Answer::Failed(Failure::Unreachable { message }),
            },
            Ask::ListFiles | Ask::ReadFile { .. } => {
                Answer::Failed(Failure::Unreachable { message: "a recording holds no files".to_owned() })
            }
        };
        discovery.answer(request.id, answer);
    }
    discovery.finish()
}
