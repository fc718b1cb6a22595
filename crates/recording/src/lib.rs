//! Recorded sites: a folder of routes and bodies that replays offline, same bytes every time
