//! Groups of players that can be compared.
//!
//! Ratings of players without a connecting chain of games have no common zero. Maximum likelihood requires more: it
//! is finite only inside a group in which every player can be reached from every other by a chain of wins and draws
//! (the win graph is strongly connected; Zermelo, Math. Z. 29 (1929), Ford, Am. Math. Mon. 64 (1957)).

use super::match_table::MatchTable;

/// The group number of every player; groups are linked by games. Numbered in order of their first player.
#[must_use]
pub fn linked(table: &MatchTable) -> Vec<usize> {
    let edges = table.meetings().flat_map(|m| [(m.a, m.b), (m.b, m.a)]);
    strong_components(table.n_players(), edges.collect())
}

/// The group number of every player; groups are linked by chains of wins and draws in both directions.
///
/// `fixed` players have given ratings, which link them with one another.
#[must_use]
pub fn win_linked(table: &MatchTable, fixed: &[usize]) -> Vec<usize> {
    let mut edges = anchor_edges(fixed);
    for meeting in table.meetings() {
        let total = meeting.total();
        if total.wins + total.draws > 0 {
            edges.push((meeting.a, meeting.b));
        }
        if total.losses + total.draws > 0 {
            edges.push((meeting.b, meeting.a));
        }
    }
    strong_components(table.n_players(), edges)
}

/// Like [`linked`], with `fixed` players linked with one another.
pub(super) fn linked_by_anchors(table: &MatchTable, fixed: &[usize]) -> Vec<usize> {
    let mut edges = anchor_edges(fixed);
    edges.extend(table.meetings().flat_map(|m| [(m.a, m.b), (m.b, m.a)]));
    strong_components(table.n_players(), edges)
}

/// The members of every group, ascending.
#[must_use]
pub fn members(group_of: &[usize]) -> Vec<Vec<usize>> {
    let n_groups = group_of.iter().max().map_or(0, |last| last + 1);
    let mut groups = vec![Vec::new(); n_groups];
    group_of.iter().enumerate().for_each(|(player, &group)| groups[group].push(player));
    groups
}

fn anchor_edges(fixed: &[usize]) -> Vec<(usize, usize)> {
    fixed.windows(2).flat_map(|two| [(two[0], two[1]), (two[1], two[0])]).collect()
}

/// Kosaraju's algorithm: nodes in order of completion, then backwards along reversed edges.
fn strong_components(n_nodes: usize, edges: Vec<(usize, usize)>) -> Vec<usize> {
    let (mut forward, mut backward) = (vec![Vec::new(); n_nodes], vec![Vec::new(); n_nodes]);
    for (from, to) in edges {
        forward[from].push(to);
        backward[to].push(from);
    }
    let mut seen = vec![false; n_nodes];
    let completed: Vec<usize> = (0..n_nodes).flat_map(|start| visit(start, &forward, &mut seen)).collect();
    let mut seen = vec![false; n_nodes];
    let mut group_of = vec![0; n_nodes];
    for &start in completed.iter().rev() {
        let found = visit(start, &backward, &mut seen);
        let first = found.iter().copied().min().unwrap_or(start);
        found.iter().for_each(|&node| group_of[node] = first);
    }
    let mut firsts = group_of.clone();
    firsts.sort_unstable();
    firsts.dedup();
    group_of.iter().map(|first| firsts.partition_point(|other| other < first)).collect()
}

/// The unseen nodes that are reachable from `start`, in order of completion.
fn visit(start: usize, edges: &[Vec<usize>], seen: &mut [bool]) -> Vec<usize> {
    let mut completed = Vec::new();
    let mut path = Vec::new();
    if !std::mem::replace(&mut seen[start], true) {
        path.push((start, 0));
    }
    while let Some((node, next)) = path.last_mut() {
        let Some(&neighbour) = edges[*node].get(*next) else {
            completed.push(*node);
            path.pop();
            continue;
        };
        *next += 1;
        if !std::mem::replace(&mut seen[neighbour], true) {
            path.push((neighbour, 0));
        }
    }
    completed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::match_table::Tally;

    fn table(n_players: usize, rows: &[(usize, usize, [u64; 3])]) -> MatchTable {
        let mut table = MatchTable::new(n_players);
        for &(a, b, [wins, draws, losses]) in rows {
            table.add(a, b, Tally::new(wins, draws, losses)).expect("the rows are fine");
        }
        table
    }

    #[test]
    fn games_link_and_zero_games_do_not() {
        let table = table(6, &[(4, 0, [1, 0, 0]), (1, 3, [0, 1, 0]), (3, 5, [0, 0, 2]), (0, 1, [0, 0, 0])]);
        assert_eq!(linked(&table), [0, 1, 2, 1, 0, 1]);
        assert_eq!(members(&linked(&table)), [vec![0, 4], vec![1, 3, 5], vec![2]]);
    }

    #[test]
    fn a_cycle_of_wins_holds_together_and_a_perfect_score_does_not() {
        let cycle = [(0, 1, [5, 0, 0]), (1, 2, [5, 0, 0]), (2, 0, [5, 0, 0])];
        assert_eq!(win_linked(&table(3, &cycle), &[]), [0, 0, 0]);
        let perfect = [(0, 1, [5, 0, 0]), (0, 2, [5, 0, 0]), (1, 2, [0, 1, 0])];
        assert_eq!(win_linked(&table(3, &perfect), &[]), [0, 1, 1]);
        assert_eq!(win_linked(&table(3, &perfect), &[0, 2]), [0, 0, 0]);
    }

    #[test]
    fn long_chains_need_no_deep_stack() {
        let rows: Vec<_> = (0..100_000).map(|i| (i, i + 1, [1, 0, 1])).collect();
        assert!(win_linked(&table(100_001, &rows), &[]).iter().all(|&group| group == 0));
    }
}
