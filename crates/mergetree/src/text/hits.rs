//! Rows of a part that a text index has found, granule by granule.

use std::cmp::Ordering;

use entasis_column::Mask;

use super::postings::Rows;

/// Granules in ascending order, each with the rows that were found; no granule is without rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hits(pub(crate) Vec<(u32, Rows)>);

impl Hits {
    /// The rows that are in both.
    pub(crate) fn and(self, other: &Self) -> Self {
        let mut others = other.0.iter().peekable();
        let both = |(granule, mut rows): (u32, Rows)| {
            while others.next_if(|(other, _)| *other < granule).is_some() {}
            let (_, other) = others.next_if(|(other, _)| *other == granule)?;
            rows.truncate(other.len());
            rows.iter_mut().zip(other).for_each(|(a, b)| *a &= b);
            rows.iter().any(|word| *word != 0).then_some((granule, rows))
        };
        Self(self.0.into_iter().filter_map(both).collect())
    }

    /// The rows that are in one of the two.
    pub(crate) fn or(self, other: Self) -> Self {
        let mut out = Vec::with_capacity(self.0.len().max(other.0.len()));
        let (mut left, mut right) = (self.0.into_iter().peekable(), other.0.into_iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Self(out),
            };
            if order != Ordering::Equal {
                out.extend(if order == Ordering::Less { left.next() } else { right.next() });
                continue;
            }
            if let (Some((granule, mut a)), Some((_, mut b))) = (left.next(), right.next()) {
                if a.len() < b.len() {
                    std::mem::swap(&mut a, &mut b);
                }
                a.iter_mut().zip(&b).for_each(|(a, b)| *a |= b);
                out.push((granule, a));
            }
        }
    }

    /// The rows that were found in a granule.
    pub(crate) fn rows(&self, granule: u32) -> Option<&Rows> {
        let at = self.0.binary_search_by_key(&granule, |(granule, _)| *granule).ok()?;
        Some(&self.0[at].1)
    }
}

/// The rows of a part that can fulfil the conditions of a query, according to an index.
#[derive(Debug)]
pub struct RowSelection {
    pub(crate) hits: Hits,
    /// The numbers of the conjuncts that all these rows fulfil.
    pub(crate) decided: Vec<usize>,
}

impl RowSelection {
    /// What two indices say together.
    pub(crate) fn and(self, other: Self) -> Self {
        let mut decided = self.decided;
        decided.extend(other.decided);
        Self { hits: self.hits.and(&other.hits), decided }
    }

    /// The rows of a granule that has so many.
    pub(crate) fn mask(&self, granule: usize, rows: usize) -> Mask {
        let known = u32::try_from(granule).ok().and_then(|granule| self.hits.rows(granule));
        let mut words = known.cloned().unwrap_or_default();
        words.resize(rows.div_ceil(64), 0);
        Mask::from_words(words, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_combined() {
        let a = Hits(vec![(1, vec![0b111]), (3, vec![1, 1]), (9, vec![4])]);
        let b = Hits(vec![(1, vec![0b010]), (2, vec![1]), (3, vec![2]), (9, vec![4, 1])]);
        assert_eq!(a.clone().and(&b), Hits(vec![(1, vec![0b010]), (9, vec![4])]));
        let all = vec![(1, vec![7]), (2, vec![1]), (3, vec![3, 1]), (9, vec![4, 1])];
        assert_eq!(a.clone().or(b.clone()), Hits(all.clone()));
        assert_eq!(b.clone().or(a.clone()), Hits(all));
        assert_eq!(a.clone().or(Hits::default()), a);
        assert_eq!(Hits::default().and(&b), Hits::default());
        assert_eq!((a.rows(3), a.rows(2)), (Some(&vec![1, 1]), None));
    }
}
