//! The key that decides which item to branch on. It has the length of the item's list, and a bit that is set
//! if the item is covered.
//!
//! Textbooks find the shortest list by walking a linked list of the uncovered items at every node. Here the
//! lengths are in an array, in the order of the items, and a covered item has the top bit set. One pass over
//! the array finds the smallest key. For 324 bytes this takes some twenty vector minimums, which is far
//! cheaper than following hundreds of links.
//!
//! The choice is the same as in textbooks: the item with the shortest list, or the leftmost of several such
//! items. While an item is covered, its length does not change, because its options are not in any other
//! list. So no carry ever reaches the top bit.

/// The length of an item's list, with a bit that states whether the item is covered.
pub(super) trait Key: Copy + Default + Send + PartialEq + std::fmt::Debug {
    /// Maximum length of a list.
    const MAX_LENGTH: usize;

    /// Returns true if the item is covered.
    fn is_covered(self) -> bool;

    /// Marks an uncovered item as covered, or a covered item as uncovered.
    fn flip_covered(&mut self);

    /// Decreases the length of the list by one.
    fn shrink(&mut self);

    /// Increases the length of the list by one.
    fn grow(&mut self);

    /// Increases the length of the list by `by`.
    fn raise(&mut self, by: u32);

    /// Returns the length of an item's list. The item must not be covered.
    fn length(self) -> u32;

    /// Returns the uncovered item with the shortest list, and the length of this list.
    ///
    /// If there are several such items, returns the leftmost. Returns `None` if all items are covered.
    fn choose(keys: &[Self]) -> Option<(usize, u32)>;
}

macro_rules! key {
    ($type:ty, $find:expr) => {
        impl Key for $type {
            const MAX_LENGTH: usize = (<$type>::MAX >> 1) as usize;

            #[inline(always)]
            fn is_covered(self) -> bool {
                self > <$type>::MAX >> 1
            }

            #[inline(always)]
            fn flip_covered(&mut self) {
                *self ^= 1 << (<$type>::BITS - 1);
            }

            #[inline(always)]
            fn shrink(&mut self) {
                *self = self.wrapping_sub(1);
            }

            #[inline(always)]
            fn grow(&mut self) {
                *self = self.wrapping_add(1);
            }

            #[inline(always)]
            fn raise(&mut self, by: u32) {
                *self += by as $type;
            }

            #[inline(always)]
            fn length(self) -> u32 {
                u32::from(self)
            }

            #[inline(always)]
            fn choose(keys: &[Self]) -> Option<(usize, u32)> {
                let mut least = <$type>::MAX;
                for &key in keys {
                    least = least.min(key);
                }
                if least.is_covered() {
                    return None;
                }
                let find: fn($type, &[$type]) -> Option<usize> = $find;
                find(least, keys).map(|item| (item, u32::from(least)))
            }
        }
    };
}

key!(u8, |least, keys| memchr::memchr(least, keys));
key!(u32, |least, keys| keys.iter().position(|&key| key == least));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leftmost_shortest_uncovered_item_is_chosen() {
        fn check<K: Key>() {
            let key = |length: u32, covered: bool| {
                let mut key = K::default();
                (0..length).for_each(|_| key.grow());
                if covered {
                    key.flip_covered();
                }
                key
            };
            let mut keys = vec![key(3, false), key(1, true), key(2, false), key(0, true), key(2, false)];
            assert_eq!(K::choose(&keys), Some((2, 2)));
            keys[4].shrink();
            assert_eq!(K::choose(&keys), Some((4, 1)));
            keys.iter_mut().filter(|key| !key.is_covered()).for_each(Key::flip_covered);
            assert_eq!(K::choose(&keys), None);
            assert_eq!(K::choose(&[]), None);
        }
        check::<u8>();
        check::<u32>();
    }
}
