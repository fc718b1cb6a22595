//! The shapes that others read: JSON and NDJSON, versioned
