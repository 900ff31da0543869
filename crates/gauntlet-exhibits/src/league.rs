//! Results of tournaments for exhibits: names, counted pairs, and the resulting ratings.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::context::titled;
pub use super::league_players::League;
use super::league_players::NamedStanding;
use super::repeats::{PlayedPair, Repeats};
use super::sheet::Point;
use super::{Context, Fact, FactGroup, blank, config_ids, group};
use gauntlet_play::arena::Encounter;
#[cfg(test)]
use gauntlet_play::arena::Standing;
use gauntlet_ratings::bradley_terry::{Advantage, BradleyTerry};
use gauntlet_ratings::compare::EloEstimate;
use gauntlet_ratings::{GameResult, Ladder, MatchTable, Tally};

/// Players that are rated together.
pub(super) struct RatingPool {
    /// The panel's heading; empty if there is one panel.
    pub title: String,
    /// The players.
    pub names: Vec<String>,
    /// Their games that count, except those of a player against itself.
    pub table: MatchTable,
    /// All games of each player against others.
    pub played: Vec<u64>,
    /// Each player's games against itself, from the first player's point of view.
    pub mirrors: Vec<Tally>,
    /// Different games of each player.
    pub distinct: Vec<u64>,
    /// All games, with those of players against themselves.
    games: u64,
    /// Games that were adjudicated as draws.
    pub adjudicated: u64,
    /// The number of unreadable or missing results.
    pub lost: usize,
    /// The meetings without games, each with its seed.
    pub missing: Vec<(String, u64)>,
    /// The number of results that were added up.
    pub results: usize,
    /// The number of their configurations.
    pub configurations: usize,
    /// The number of seeds with results, and of requested seeds.
    pub seeds: [u64; 2],
    /// Whether there are trained players, each tournament with its own training.
    pub is_trained: bool,
    /// The two players whose games repeat most, with the repetitions between them.
    pub least_distinct: Option<([usize; 2], Repeats)>,
    /// Short ids of the configurations.
    pub config_ids: Vec<String>,
}

/// The leagues of a stage, one a panel.
pub(super) fn leagues(context: &Context<'_>, show: &League) -> Vec<RatingPool> {
    let facts = context.facts.stage(&show.stage);
    let pool = |panel: &FactGroup<'_>| RatingPool::new(context, show, &panel.labels, &panel.facts);
    group(&facts, &show.panels).iter().map(pool).collect()
}

/// The leagues of a stage, one a panel, each split by seed. Runs without a result are left out.
pub(super) fn leagues_by_run(context: &Context<'_>, show: &League) -> Vec<Vec<(u64, RatingPool)>> {
    let facts = context.facts.stage(&show.stage);
    let run = |panel: &FactGroup<'_>, seed: u64| {
        let own: Vec<Fact<'_>> = panel.facts.iter().filter(|fact| fact.seed == seed).copied().collect();
        (seed, RatingPool::new(context, show, &panel.labels, &own))
    };
    let runs = |panel: &FactGroup<'_>| {
        let seeds: BTreeSet<u64> = panel.facts.iter().map(|fact| fact.seed).collect();
        let mut runs: Vec<(u64, RatingPool)> = seeds.into_iter().map(|seed| run(panel, seed)).collect();
        if runs.iter().any(|(_, pool)| pool.results > 0) {
            runs.retain(|(_, pool)| pool.results > 0);
        }
        runs
    };
    group(&facts, &show.panels).iter().map(runs).collect()
}

impl RatingPool {
    fn new<'a>(context: &Context<'_>, show: &League, labels: &[String], facts: &[Fact<'a>]) -> RatingPool {
        let is_alone = config_ids(facts).len() == 1;
        let named = |fact: &Fact<'a>| Some((*fact, NamedStanding::of(context, show, fact, is_alone)?));
        let (found, standings): (Vec<Fact<'_>>, Vec<NamedStanding<'_>>) = facts.iter().filter_map(named).unzip();
        let mut league = RatingPool::of(&standings);
        league.title = context.phrase(labels);
        league.lost = facts.len() - standings.len();
        league.missing = missing(&found);
        league.configurations = config_ids(&found).len();
        league.seeds = [seeds(&found), seeds(facts)];
        league.config_ids = config_ids(facts);
        league.is_trained = facts.iter().any(|fact| fact.config.is_fed || !fact.config.panel.is_empty());
        league
    }

    fn of(standings: &[NamedStanding<'_>]) -> RatingPool {
        let (mut names, mut place) = (Vec::new(), HashMap::new());
        for name in standings.iter().flat_map(|standing| &standing.players) {
            place.entry(name.as_str()).or_insert_with(|| {
                names.push(name.clone());
                names.len() - 1
            });
        }
        let (mut table, mut distinct) = (MatchTable::new(names.len()), vec![0; names.len()]);
        let (mut mirrors, mut played) = (vec![Tally::default(); names.len()], vec![0; names.len()]);
        let mut met: BTreeMap<[usize; 2], Met> = BTreeMap::new();
        for standing in standings {
            let place = |player: usize| place[standing.players[player].as_str()];
            for meeting in &standing.standing.meetings {
                let players = meeting.players.map(place);
                met.entry(order(players)).or_default().add(meeting, players, standing.lines);
            }
        }
        for (&[a, b], met) in &met {
            let pairs = met.counted();
            if a == b {
                mirrors[a] = mirrored(mirrors[a], &pairs);
                continue;
            }
            add(&mut table, [a, b], &pairs);
            for player in [a, b] {
                distinct[player] += met.distinct();
                played[player] += met.games;
            }
        }
        let games = met.values().map(|met| met.games).sum();
        let repeats = met.iter().flat_map(|(&players, met)| met.repeats().into_iter().map(move |one| (players, one)));
        let least_distinct = repeats.min_by(|a, b| a.1.share().total_cmp(&b.1.share()));
        let adjudicated = standings.iter().map(|own| own.standing.adjudicated).sum();
        RatingPool {
            title: String::new(),
            names,
            table,
            played,
            games,
            mirrors,
            distinct,
            adjudicated,
            lost: 0,
            missing: Vec::new(),
            results: standings.len(),
            configurations: 1,
            seeds: [0, 0],
            is_trained: false,
            least_distinct,
            config_ids: Vec::new(),
        }
    }

    /// The calibrated ratings; `None` if the likelihood has no maximum.
    pub fn ladder(&self) -> Option<Ladder> {
        self.ladder_from(BradleyTerry::default().mean, &[])
    }

    /// The calibrated ratings with some ratings fixed; groups without a fixed one average to `mean`.
    pub fn ladder_from(&self, mean: f64, anchors: &[(usize, f64)]) -> Option<Ladder> {
        let settings = BradleyTerry { mean, anchors: anchors.to_vec(), ..BradleyTerry::default() };
        settings.fit(&self.table).ok().map(|fit| fit.ladder)
    }

    /// The first-player advantage.
    pub fn advantage(&self) -> Option<EloEstimate> {
        let settings = BradleyTerry { advantage: Advantage::Fitted, ..BradleyTerry::default() };
        settings.fit(&self.table).ok().and_then(|fit| fit.advantage)
    }

    /// All games of a player, from its point of view.
    pub fn total(&self, player: usize) -> Tally {
        self.table.totals()[player].0
    }

    /// Training runs behind the numbers, and the requested ones; 0 if there is no training.
    pub fn training_runs(&self) -> [u64; 2] {
        if self.is_trained { self.seeds } else { [0, 0] }
    }

    /// A point without its number. Without training, its number of training runs is 0.
    pub fn point(&self, metric: &str, row: &str, column: &str, n_games: u64) -> Point {
        let (config_ids, [n_runs, n_requested]) = (self.config_ids.clone(), self.training_runs());
        Point { n_runs, n_requested, n_games, config_ids, ..blank(metric, row, column) }
    }

    /// The note on the lowest share of distinct games between two players.
    pub fn repeats_note(&self) -> Option<String> {
        let (players, least) = self.least_distinct?;
        let text = match least.share() {
            1.0 => "All games of any two players are different.".to_owned(),
            share => {
                let [a, b] = players.map(|player| self.names[player].as_str());
                let Repeats { distinct, games, .. } = least;
                let opponent = if a == b { "itself" } else { b };
                format!(
                    "The games of {a} against {opponent} repeat each other most: {distinct} of {games} are different \
                     ({:.0} %).{}",
                    100.0 * share,
                    least.effect()
                )
            }
        };
        Some(self.titled(&text))
    }

    /// The players in descending order of strength; players without a rating last, but first if they won all their games.
    pub fn order(&self, ladder: Option<&Ladder>) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        let unrated = |player: usize| match self.total(player) {
            total if ladder.is_some() && total.wins > 0 && total.wins == total.games() => f64::INFINITY,
            _ => f64::NEG_INFINITY,
        };
        let rating = |player: usize| ladder.and_then(|ladder| ladder.rating(player)).unwrap_or_else(|| unrated(player));
        order.sort_by(|&a, &b| rating(b).total_cmp(&rating(a)));
        order
    }

    /// A name with the panel's heading as its prefix.
    pub fn label(&self, player: usize) -> String {
        self.titled(&self.names[player])
    }

    /// A text with the panel's heading as its prefix.
    pub fn titled(&self, text: &str) -> String {
        titled(&self.title, text)
    }

    /// The notes on the results: lost, added up and adjudicated ones.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.lost > 0 {
            notes.push(self.titled(&format!("{} of {} jobs have no result.", self.lost, self.lost + self.results)));
        }
        let run = |seed: u64| if self.results > 1 { format!(" (seed {seed})") } else { String::new() };
        let missing = self.missing.iter().map(|(name, seed)| format!("{name}{}", run(*seed)));
        notes.extend(missing_meetings(&missing.collect::<Vec<_>>()).map(|note| self.titled(&note)));
        if self.results > 1 {
            let whose = match self.configurations {
                0 | 1 => format!("{} runs", self.results),
                several => format!("{} jobs, of {several} configurations,", self.results),
            };
            notes.push(self.titled(&format!(
                "The games of {whose} are added up: players of one name count as one, and the errors are those of the \
                 games alone."
            )));
        }
        notes.extend(called_draws([self]).map(|note| self.titled(&note)));
        notes
    }
}

/// The meetings of two players in all results, with the lower player's results first.
#[derive(Default)]
struct Met {
    pairs: [[u64; 3]; 3],
    games: u64,
    /// The repetitions within each result.
    results: Vec<Repeats>,
    /// The games of the results that have them.
    lines: Vec<PlayedPair>,
}

impl Met {
    /// Adds a meeting of a result between these players.
    fn add(&mut self, meeting: &Encounter, players: [usize; 2], lines: &[PlayedPair]) {
        let games = 2 * meeting.pairs.iter().flatten().sum::<u64>();
        for (x, row) in meeting.pairs.iter().enumerate() {
            for (y, &count) in row.iter().enumerate() {
                let [x, y] = if players[0] <= players[1] { [x, y] } else { [2 - y, 2 - x] };
                self.pairs[x][y] += count;
            }
        }
        self.games += games;
        let distinct = meeting.distinct.min(games);
        self.results.extend((games > 0).then_some(Repeats { games, distinct, once: None }));
        let own = lines.iter().filter(|pair| order(pair.players) == order(meeting.players));
        self.lines.extend(own.map(|pair| {
            pair.between(if pair.players == meeting.players { players } else { [players[1], players[0]] })
        }));
    }

    /// The repetitions over all results if their games are known, else those within each.
    fn repeats(&self) -> Vec<Repeats> {
        let is_whole = !self.lines.is_empty() && 2 * self.lines.len() as u64 == self.games;
        if is_whole { vec![Repeats::of(&self.lines)] } else { self.results.clone() }
    }

    /// The pairs that count.
    fn counted(&self) -> [[u64; 3]; 3] {
        self.repeats().first().and_then(|repeats| repeats.once).unwrap_or(self.pairs)
    }

    fn distinct(&self) -> u64 {
        self.repeats().iter().map(|repeats| repeats.distinct).sum()
    }
}

/// Two players, the lower number first.
fn order([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

fn add(table: &mut MatchTable, [a, b]: [usize; 2], pairs: &[[u64; 3]; 3]) {
    for (x, row) in pairs.iter().enumerate() {
        for (y, &count) in row.iter().enumerate() {
            let results = [GameResult::ALL[x], GameResult::ALL[y]];
            for _ in 0..count {
                table.add_pair(a, b, results).expect("the standing names two different players");
            }
        }
    }
}

/// Most missing meetings that a note names.
const MOST_MISSING: usize = 6;

/// The note on meetings without games, if there are any.
fn missing_meetings(missing: &[String]) -> Option<String> {
    let more = missing.len().saturating_sub(MOST_MISSING);
    let named = missing[..missing.len() - more].join(", ");
    let more = if more > 0 { format!(", and {more} more meetings") } else { String::new() };
    (!missing.is_empty()).then(|| format!("The result is partial: it lacks the games of {named}{more}."))
}

/// The notes on separately rated runs: the meetings that some lack, and adjudicated draws.
pub(super) fn notes_by_run<'a>(leagues: impl Iterator<Item = &'a RatingPool> + Clone) -> Vec<String> {
    let meetings = leagues.clone().flat_map(|league| &league.missing);
    let missing: Vec<String> = meetings.map(|(name, seed)| format!("{name} (seed {seed})")).collect();
    missing_meetings(&missing).into_iter().chain(called_draws(leagues)).collect()
}

/// The meetings that results lack.
fn missing(facts: &[Fact<'_>]) -> Vec<(String, u64)> {
    facts.iter().flat_map(|fact| fact.missing.iter().map(move |name| (name.clone(), fact.seed))).collect()
}

/// The number of seeds of some facts.
pub(super) fn seeds(facts: &[Fact<'_>]) -> u64 {
    facts.iter().map(|fact| fact.seed).collect::<HashSet<_>>().len() as u64
}

/// `sum` and the pairs of games that a player played against itself, all from the first player's point of view.
fn mirrored(sum: Tally, pairs: &[[u64; 3]; 3]) -> Tally {
    let ending = |result: usize| {
        let first: u64 = pairs[result].iter().sum();
        // In the second game of a pair, the other side is counted.
        first + pairs.iter().map(|row| row[2 - result]).sum::<u64>()
    };
    Tally::new(sum.wins + ending(2), sum.draws + ending(1), sum.losses + ending(0))
}

/// The note on adjudicated draws in these leagues, if there are any.
pub(super) fn called_draws<'a>(leagues: impl IntoIterator<Item = &'a RatingPool>) -> Option<String> {
    let counts = leagues.into_iter().map(|league| (league.adjudicated, league.games));
    let (called, games) = counts.fold((0, 0), |(a, b), (called, games)| (a + called, b + games));
    (called > 0).then(|| format!("{called} of {games} games were called a draw at the limit of plies."))
}

/// A league of these meetings, for tests.
#[cfg(test)]
pub(super) fn sample(players: &[&str], meetings: &[([usize; 2], [[u64; 3]; 3])]) -> RatingPool {
    let meeting = |&(players, pairs): &([usize; 2], [[u64; 3]; 3])| Encounter {
        players,
        pairs,
        pentanomial: [0; 5],
        games: 0,
        distinct: 1,
    };
    let players = players.iter().map(|&name| name.to_owned()).collect();
    let standing = Standing { meetings: meetings.iter().map(meeting).collect(), ..Standing::new(players, &[], None) };
    RatingPool::of(&[NamedStanding { players: standing.players.clone(), standing: &standing, lines: &[] }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_pairs_come_back_as_they_were() {
        let pairs = [[1, 2, 3], [0, 4, 0], [5, 0, 6]];
        let league = sample(&["a", "b"], &[([0, 1], pairs)]);
        assert_eq!(league.table.meetings().next().unwrap().pairs, pairs);
        let league = sample(&["a", "b"], &[([1, 0], pairs)]);
        let total = league.total(1);
        assert_eq!((total.games(), total.wins), (42, 6 * 2 + 5 + 3));
        assert_eq!(league.total(0), total.reversed());
    }

    #[test]
    fn games_of_a_player_against_itself_are_kept_apart() {
        let league = sample(&["a", "b"], &[([1, 1], [[1, 2, 3], [0, 4, 0], [5, 0, 6]])]);
        assert_eq!((league.table.meetings().count(), league.mirrors[0]), (0, Tally::default()));
        // Moving first it won 11 and lost 6 of the first games, and won 6 and lost 9 of the second ones.
        assert_eq!(league.mirrors[1], Tally::new(11 + 6, 4 + 6, 6 + 9));
    }

    #[test]
    fn who_repeats_games_most_is_named() {
        let four = [[1, 0, 0], [0, 0, 0], [0, 0, 1]];
        let league = sample(&["a", "b"], &[([0, 1], four), ([1, 1], [[0, 0, 0], [0, 0, 5], [0, 0, 0]])]);
        let note = "The games of b against itself repeat each other most: 1 of 10 are different (10 %). Errors count \
                    every game as a new one, and are too small there.";
        assert_eq!(league.repeats_note().as_deref(), Some(note));
        assert_eq!((league.training_runs(), sample(&["a"], &[]).repeats_note()), ([0, 0], None));
    }
}
