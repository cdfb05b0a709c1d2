//! Tables of the database `system` that show what the engine itself knows.

pub(crate) mod processes;
