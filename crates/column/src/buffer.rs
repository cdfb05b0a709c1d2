//! A typed, immutable slice of shared memory, on which every column is based.
//!
//! The owner is any object that keeps the memory alive (a `Vec`, an Arrow buffer), so columns can
//! be exchanged with other libraries without a copy. Cloning and slicing are O(1).

use std::any::Any;
use std::fmt;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::sync::Arc;

/// `len` values of `T` in memory that `owner` keeps alive and that nobody changes.
pub struct Buffer<T> {
    start: NonNull<T>,
    len: usize,
    owner: Option<Arc<dyn Any + Send + Sync>>,
}

// SAFETY: the memory is immutable while the buffer lives, and T is itself Send + Sync.
unsafe impl<T: Send + Sync> Send for Buffer<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Buffer<T> {}

impl<T: Copy + Send + Sync + 'static> Buffer<T> {
    /// Takes a vector over without copying.
    pub fn from_vec(values: Vec<T>) -> Self {
        Self::from_owner(Arc::new(values))
    }

    /// Shares memory of `owner`. `owner.as_ref()` must return the same slice every time, which
    /// vectors, boxed slices and Arrow's buffers do.
    pub fn from_owner<O: AsRef<[T]> + Send + Sync + 'static>(owner: Arc<O>) -> Self {
        let slice: &[T] = (*owner).as_ref();
        let (start, len) = (NonNull::from(slice).cast::<T>(), slice.len());
        Self { start, len, owner: Some(owner) }
    }

    /// The values `range`, sharing memory. Panics if out of bounds.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let part = &self[range];
        let (start, len) = (NonNull::from(part).cast::<T>(), part.len());
        Self { start, len, owner: self.owner.clone() }
    }

    /// The values as a vector. They are moved if this is the only owner of a complete `Vec`, and
    /// copied otherwise.
    pub fn into_vec(mut self) -> Vec<T> {
        let is_whole =
            self.owner.as_ref().and_then(|o| o.downcast_ref::<Vec<T>>()).is_some_and(|v| {
                v.len() == self.len && std::ptr::eq(v.as_ptr(), self.start.as_ptr())
            });
        if !is_whole {
            return self.to_vec();
        }
        match self.owner.take().map(Arc::downcast::<Vec<T>>) {
            Some(Ok(owner)) => Arc::try_unwrap(owner).unwrap_or_else(|shared| (*shared).clone()),
            _ => Vec::new(),
        }
    }

    /// Bytes that the values take.
    pub fn byte_size(&self) -> usize {
        self.len * size_of::<T>()
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `start .. start + len` lies in memory that `owner` keeps alive and unchanged.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Self { start: self.start, len: self.len, owner: self.owner.clone() }
    }
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self { start: NonNull::dangling(), len: 0, owner: None }
    }
}

impl<T: fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Copy + Send + Sync + 'static> From<Vec<T>> for Buffer<T> {
    fn from(values: Vec<T>) -> Self {
        Self::from_vec(values)
    }
}

impl<T: Copy + Send + Sync + 'static> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        Self::from_vec(iter.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_outlive_the_whole() {
        let whole = Buffer::from_vec((0..100u32).collect());
        let part = whole.slice(10..20);
        drop(whole);
        assert_eq!(&part[..3], &[10, 11, 12]);
        assert_eq!(part.into_vec(), (10..20).collect::<Vec<_>>());
    }

    #[test]
    fn into_vec_of_shared_and_foreign_memory_copies() {
        let whole = Buffer::from_vec(vec![1u8, 2, 3]);
        let other = whole.clone();
        assert_eq!(whole.into_vec(), other.to_vec());
        let foreign: Buffer<u8> = Buffer::from_owner(Arc::new(Box::<[u8]>::from([7, 8])));
        assert_eq!(foreign.slice(1..2).into_vec(), [8]);
        assert!(Buffer::<u64>::default().into_vec().is_empty());
    }
}
