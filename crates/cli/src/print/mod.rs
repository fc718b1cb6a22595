//! What people see.

pub(crate) mod escape;
pub(crate) mod human;
pub(crate) mod style;
