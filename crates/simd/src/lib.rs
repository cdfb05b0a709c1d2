//! The only home of intrinsics, behind a safe API.
