//! Groups of joined stones that grow and never shrink; testing for a group's last liberty takes a few instructions.
//!
//! A group counts its liberties once for each stone that touches them, and keeps the sum and the sum of squares of
//! their sites. All liberties are the same site exactly if count x squares = sum x sum (Cauchy and Schwarz). Groups
//! are the trees of a union-find forest, joined by size.

/// One stone; the root of a tree describes the whole group.
#[derive(Debug, Clone, Copy, Default)]
struct GroupStone {
    parent: u16,
    stones: u16,
    touches: u16,
    sum: u32,
    squares: u32,
}

/// The groups of a board, named by the site of their root.
#[derive(Debug, Clone)]
pub(crate) struct Groups(Box<[GroupStone]>);

impl Groups {
    /// No stones on `sites` sites (at most 625, so that no sum overflows).
    pub fn new(sites: usize) -> Groups {
        Groups(vec![GroupStone::default(); sites].into_boxed_slice())
    }

    /// Creates a group: one stone, no liberties yet.
    pub fn found(&mut self, site: usize) {
        self.0[site] = GroupStone { parent: site as u16, stones: 1, ..GroupStone::default() };
    }

    /// The group of the stone on this site.
    #[inline]
    pub fn of(&self, site: usize) -> usize {
        let mut root = site;
        while usize::from(self.0[root].parent) != root {
            root = usize::from(self.0[root].parent);
        }
        root
    }

    /// Adds a liberty: a stone of the group touches this empty site.
    #[inline]
    pub fn touch(&mut self, group: usize, site: usize) {
        let (root, site) = (&mut self.0[group], site as u32);
        root.touches += 1;
        root.sum += site;
        root.squares += site * site;
    }

    /// Removes a liberty: this site, which a stone of the group touches, is no longer empty.
    #[inline]
    pub fn untouch(&mut self, group: usize, site: usize) {
        let (root, site) = (&mut self.0[group], site as u32);
        root.touches -= 1;
        root.sum -= site;
        root.squares -= site * site;
    }

    /// Merges two groups and returns the result.
    #[inline]
    pub fn join(&mut self, one: usize, other: usize) -> usize {
        if one == other {
            return one;
        }
        let (root, child) = if self.0[one].stones < self.0[other].stones { (other, one) } else { (one, other) };
        let joined = self.0[child];
        self.0[child].parent = root as u16;
        let into = &mut self.0[root];
        into.stones += joined.stones;
        into.touches += joined.touches;
        into.sum += joined.sum;
        into.squares += joined.squares;
        root
    }

    /// Whether the group has no liberty at all.
    pub fn is_dead(&self, group: usize) -> bool {
        self.0[group].touches == 0
    }

    /// The group's only liberty, if it has exactly one.
    #[inline]
    pub fn last_liberty(&self, group: usize) -> Option<usize> {
        let root = &self.0[group];
        let (touches, sum, squares) = (u64::from(root.touches), u64::from(root.sum), u64::from(root.squares));
        (touches > 0 && touches * squares == sum * sum).then(|| (root.sum / u32::from(root.touches)) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_liberty_is_found_however_often_it_is_touched() {
        let mut groups = Groups::new(25);
        groups.found(6);
        groups.found(12);
        for (group, site) in [(6, 7), (6, 5), (12, 7), (12, 13)] {
            groups.touch(group, site);
        }
        let joined = groups.join(6, 12);
        assert_eq!(groups.of(12), groups.of(6));
        assert_eq!(groups.last_liberty(joined), None);
        groups.untouch(joined, 5);
        groups.untouch(joined, 13);
        assert_eq!(groups.last_liberty(joined), Some(7));
        groups.untouch(joined, 7);
        groups.untouch(joined, 7);
        assert_eq!(groups.last_liberty(joined), None);
    }
}
