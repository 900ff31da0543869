//! Handicap stones of Go.

use gauntlet_games::base::Side;
use gauntlet_games::games::{Game, Piece};

/// The sites of a fixed handicap on a square board, as the standard places them; `None` if there is none.
pub(super) fn fixed(game: &dyn Game, stones: usize) -> Option<Vec<usize>> {
    let size = game.topology().columns();
    let most = match size {
        0..7 => 0,
        7 => 4,
        _ if size.is_multiple_of(2) => 4,
        _ => 9,
    };
    if !(2..=most).contains(&stones) {
        return None;
    }
    let line = if size < 13 { 2 } else { 3 };
    let (near, middle, far) = (line, size / 2, size - 1 - line);
    // Column and row from the bottom left.
    let corners = [[near, near], [far, far], [near, far], [far, near]];
    let sides = [[near, middle], [far, middle], [middle, near], [middle, far]];
    let mut points: Vec<[usize; 2]> = corners.into_iter().take(stones).collect();
    points.extend(sides.into_iter().take((stones & !1).saturating_sub(4)));
    if stones > 4 && stones % 2 == 1 {
        points.push([middle, middle]);
    }
    Some(points.into_iter().map(|[column, row]| (size - 1 - row) * size + column).collect())
}

/// The sites of these points; `None` if one is not a point or occurs twice.
pub(super) fn free(game: &dyn Game, points: &[&str]) -> Option<Vec<usize>> {
    let mut sites = Vec::new();
    for point in points {
        let site = game.parse_action(point)?.index();
        if site >= game.topology().sites() || sites.contains(&site) {
            return None;
        }
        sites.push(site);
    }
    (sites.len() > 1).then_some(sites)
}

/// The board with stones of the first side on these sites.
pub(super) fn stones(game: &dyn Game, sites: &[usize]) -> Vec<Piece> {
    let stone = |site| if sites.contains(&site) { Piece::stone(Side::First) } else { Piece::EMPTY };
    (0..game.topology().sites()).map(stone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::games::GameSpec;

    #[test]
    fn fixed_handicaps_are_those_of_the_standard() {
        let names = |size: u32, stones: usize| {
            let game = toml::from_str::<GameSpec>(&format!("go = {{ size = {size} }}")).unwrap().build();
            fixed(&*game, stones)
                .map(|sites| sites.into_iter().map(|site| game.site_name(site)).collect::<Vec<_>>().join(" "))
        };
        let of = |size, stones| names(size, stones).unwrap_or_default();
        assert_eq!(of(19, 2), "D4 Q16");
        assert_eq!(of(19, 5), "D4 Q16 D16 Q4 K10");
        assert_eq!(of(19, 8), "D4 Q16 D16 Q4 D10 Q10 K4 K16");
        assert_eq!(of(9, 9), "C3 G7 C7 G3 C5 G5 E3 E7 E5");
        assert_eq!((of(8, 4), of(7, 3)), ("C3 F6 C6 F3".into(), "C3 E5 C5".into()));
        assert!([(8, 5), (7, 5), (19, 1), (19, 10), (5, 2)].into_iter().all(|(size, n)| names(size, n).is_none()));
    }
}
