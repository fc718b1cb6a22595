//! Makes clean Markdown of what a site serves, and tells what is no page.
