//! Lines, groups, liberties and connections through a site.

use super::super::program::{Connected, LineTest, NearId};
use super::bits::Bits;
use super::tables::{NOWHERE, Tables};
use super::values::{EvalContext, Registers};

/// Whether a line of pieces of one kind lies through a site.
fn line<const W: usize, const S: usize>(view: &EvalContext<W, S>, line: &LineTest, at: &Registers) -> bool {
    let (site, length) = (view.int(line.through, at), view.int(line.length, at));
    if site < 0 || site as usize >= view.tables.program.board_sites() {
        return false;
    }
    let (site, piece) = (site as usize, view.board.piece(site as usize));
    let within = line.within.map(|region| view.region(region, at));
    let fits = |site: usize| view.board.piece(site) == piece && within.is_none_or(|within| within.has(site));
    if piece == 0 || !fits(site) {
        return false;
    }
    let run = |point: usize| {
        let (mut count, mut at) = (0, view.tables.next(point, site));
        while at != NOWHERE && fits(usize::from(at)) {
            count += 1;
            at = view.tables.next(point, usize::from(at));
        }
        count
    };
    (0..8).filter(|axis| line.axes >> axis & 1 != 0).any(|axis| {
        let whole = 1 + run(axis) + run(axis + 8);
        if line.exact { whole == length } else { whole >= length }
    })
}

/// The connected component of a site within a set.
fn group<const W: usize>(tables: &Tables<W>, site: usize, within: &Bits<W>, near: NearId) -> Bits<W> {
    spread(tables, site, within, near, |_| false).unwrap_or(Bits::EMPTY)
}

/// The same, up to the first neighbours at which the search stops without a result.
fn spread<const W: usize>(
    tables: &Tables<W>,
    site: usize,
    within: &Bits<W>,
    near: NearId,
    stops: impl Fn(&Bits<W>) -> bool,
) -> Option<Bits<W>> {
    let mut found = Bits::EMPTY;
    found.insert(site);
    let mut front = found;
    while !front.is_empty() {
        let mut wider = Bits::EMPTY;
        for site in front {
            wider = wider.or(&tables.near(near, site as i32));
        }
        if stops(&wider) {
            return None;
        }
        front = wider.and(within).without(&found);
        found = found.or(&front);
    }
    Some(found)
}

/// The sites with pieces of the same owner as the piece on a site.
fn friends<const W: usize, const S: usize>(view: &EvalContext<W, S>, site: usize) -> Option<Bits<W>> {
    view.board.own.into_iter().find(|own| own.has(site))
}

/// The empty sites beside the group of a site.
fn liberties<const W: usize, const S: usize>(view: &EvalContext<W, S>, site: i32, near: NearId) -> Bits<W> {
    let Some(own) = usize::try_from(site).ok().and_then(|site| friends(view, site)) else { return Bits::EMPTY };
    let group = group(view.tables, site as usize, &own, near);
    let beside = group.into_iter().fold(Bits::EMPTY, |all, site| all.or(&view.tables.near(near, site as i32)));
    beside.and(&view.empty())
}

/// Whether the group of a site has a liberty.
fn is_free<const W: usize, const S: usize>(view: &EvalContext<W, S>, site: i32, near: NearId) -> bool {
    let Some(own) = usize::try_from(site).ok().and_then(|site| friends(view, site)) else { return false };
    escapes(view.tables, site as usize, &own, &view.empty(), near).is_none()
}

/// The group of a site within a set, if it has no neighbour in another set.
pub fn escapes<const W: usize>(
    tables: &Tables<W>,
    site: usize,
    own: &Bits<W>,
    empty: &Bits<W>,
    near: NearId,
) -> Option<Bits<W>> {
    spread(tables, site, own, near, |wider| wider.meets(empty))
}

/// Whether the group of the last site joins all regions of its owner.
fn connected<const W: usize, const S: usize>(view: &EvalContext<W, S>, link: &Connected, at: &Registers) -> bool {
    let colour = view.colour(link.who, at.mover);
    let (own, regions) = (view.own(link.who, at.mover), &link.regions[usize::from(colour)]);
    let site = i32::from(view.board.last[0][1]);
    let whole = |region: &super::super::program::MaskId| own.meets(view.tables.mask(*region));
    if !own.holds(site) || !regions.iter().all(whole) {
        return false;
    }
    let group = group(view.tables, site as usize, &own, link.near);
    regions.iter().all(|region| group.meets(view.tables.mask(*region)))
}

impl<const W: usize, const S: usize> EvalContext<'_, W, S> {
    /// See [`line`].
    pub fn has_line(&self, test: &LineTest, at: &Registers) -> bool {
        line(self, test, at)
    }

    /// See [`connected`].
    pub fn is_connected(&self, link: &Connected, at: &Registers) -> bool {
        connected(self, link, at)
    }

    /// See [`is_free`].
    pub fn is_free(&self, site: i32, near: NearId) -> bool {
        is_free(self, site, near)
    }

    /// Number of liberties of the group of a site.
    pub fn liberties(&self, site: i32, near: NearId) -> usize {
        liberties(self, site, near).len()
    }

    /// Number of connected components of a set.
    pub fn groups(&self, region: Bits<W>, near: NearId) -> i32 {
        let (mut left, mut count) = (region, 0);
        while !left.is_empty() {
            left = left.without(&group(self.tables, left.first() as usize, &left, near));
            count += 1;
        }
        count
    }
}
