//! Ratings of a tournament's players: maximum likelihood with calibrated errors, and the AlphaGateau paper's weighted
//! least squares beside it, on the same games and with the same zero.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Deserialize;

use super::abscissa::Spacing;
use super::draft::Draft;
use super::estimate::{LEVEL, at_level};
use super::league::{League, RatingPool, leagues};
use super::rated_run::{LIKELIHOOD, MEAN, RATING, both_ratings};
use super::ratings_by_run;
use super::sheet::{Axis, Mark, Panel, Point, Series, Spread, Vertex};
use super::uncertainty::ANYWHERE;
use super::{About, Basis, Content, Context, ErrorBars, Kind, Need, Unit, axes};
use gauntlet_games::base::bounded;
use gauntlet_ratings::Ladder;
use gauntlet_ratings::compare::EloEstimate;
use gauntlet_ratings::wls::{Errors, anchored_wls};

const COLUMNS: [&str; 8] = [
    "Elo",
    "Elo by WLS",
    "Above the next",
    "Stronger than the next in %",
    "Games",
    "Score in %",
    "Draws in %",
    "Distinct games",
];

/// The row of the first-player advantage.
const ADVANTAGE: &str = "first-player advantage";

const CAPTION: &str = "Elo by maximum likelihood (Bradley and Terry, a draw as half a win), with errors from a \
    sandwich covariance over pairs of games. Weighted least squares are those of the AlphaGateau paper, with one \
    virtual draw a match. Their errors follow from the binomial variances of their weights. They are too wide where \
    games are drawn, and do not contain the compression of wide ladders. The lead over the next player is by maximum \
    likelihood, with the error of that difference. So is the probability that this player is the stronger of the \
    two.";

/// Ratings of the players of a stage's tournaments (or matches), in one league.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RatingTable {
    /// The stage.
    pub stage: String,
    /// Axes whose values make tournaments that are rated separately.
    #[serde(default)]
    pub panels: Vec<String>,
    /// Axes whose values tell the players of matches apart: `["agent", "agent.simulations"]`. Those of `opponent` name the
    /// opponent, all others the agent. Default: the names of the players.
    #[serde(default)]
    pub players: Vec<String>,
    /// An axis with numbers for the abscissa of the figure: ratings against it, a line for each combination of the other
    /// axes of `players`. It is one of these axes. In a tournament, the word of a `sweep` of its players: `simulations`; in a
    /// training with a panel, `iteration`. Players without a number are left out of the figure; acts without `by-run` alone.
    pub x: Option<String>,
    /// Scale of the abscissa. Default: linear.
    pub x_scale: Option<Spacing>,
    /// The player whose rating is 0: the others are shown by their difference from it, with the errors of this
    /// difference. Default: no player, and ratings average to 1000.
    pub anchor: Option<String>,
    /// The rating of that player on another scale, such as its calibrated Elo; acts without `by-run` alone. Default: 0.
    #[serde(default, with = "AnyElo")]
    pub anchor_elo: f64,
    /// Whether the tournament of each seed is rated separately; the exhibit then shows means over these runs, with
    /// errors over trainings. Default: games of several seeds are added up, by the players' names, and errors are over
    /// games only.
    #[serde(default)]
    pub by_run: bool,
}

bounded! {
    /// A rating on any scale.
    AnyElo: f64 from -100000 to 100000
}

impl RatingTable {
    /// The axis of matches on the abscissa; `None` if `x` is a word in the names of players.
    fn axis(&self) -> Option<&str> {
        self.x.as_deref().filter(|x| x.contains('.') || ["agent", "opponent"].contains(x))
    }

    /// The tournaments.
    #[must_use]
    pub fn league(&self) -> League {
        let mut players = self.players.clone();
        players.extend(self.axis().filter(|x| !self.players.iter().any(|axis| axis == x)).map(str::to_owned));
        League { players, ..League::of(&self.stage, &self.panels) }
    }
}

impl Kind for RatingTable {
    fn about(&self) -> About<'_> {
        // Names by axes are known with the results alone.
        let anchor = self.anchor.as_deref().filter(|_| self.players.is_empty() && self.x.is_none());
        let cells = axes(&[&self.panels, &self.players]).into_iter().chain(self.axis()).collect();
        let about = About::of_stage("ratings", Basis::Results, &self.stage, Need::Meetings);
        About { cells, panels: axes(&[&self.panels]), anchor, unit: Unit::Players, ..about }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        if self.by_run {
            return ratings_by_run::render(context, &self.league(), self.anchor.as_deref());
        }
        let anchor = self.anchor.as_ref().map(|anchor| context.show(anchor));
        let mut draft = Draft::default();
        let leagues = leagues(context, &self.league());
        for league in &leagues {
            let rated = RatedTournament::new(league, anchor.as_deref(), self.anchor_elo);
            for row in rated.rows() {
                // The points stand in the order of the columns.
                let label = row[0].row.clone();
                draft.row(label, row.into_iter().map(|point| context.with_published(point)));
            }
            let panel = match &self.x {
                Some(x) => {
                    let places = self.places(context, x);
                    let is_empty = places.is_empty() && !league.names.is_empty();
                    let note = || format!("No name of a player has `{x}` and a number: the figure is empty.");
                    draft.notes.extend(is_empty.then(note));
                    let scale = self.x_scale.unwrap_or_default().scale();
                    rated.against(Axis { scale, ..Axis::linear(context.axis(x)) }, &places, context.errors)
                }
                None => rated.panel(context.errors),
            };
            draft.panels.push(panel);
            draft.notes.extend(league.notes());
            draft.notes.extend(league.repeats_note());
            draft.notes.extend(rated.notes());
            draft.notes.extend(rated.unknown_anchor(anchor.as_deref()));
        }
        let errors = draft.errors(context, "games", "normal");
        let is_rated = |anchor: &String| leagues.iter().any(|it| it.names.is_empty() || it.names.contains(anchor));
        let anchor = anchor.filter(is_rated);
        let caption = format!("{CAPTION} {} {errors}", zero(anchor.as_deref(), self.anchor_elo));
        draft.content("Player", COLUMNS, 0, caption)
    }
}

impl RatingTable {
    /// The line and the abscissa of the players with a number on an axis, by their names.
    fn places(&self, context: &Context<'_>, x: &str) -> HashMap<String, (String, f64)> {
        let league = self.league();
        let mut places = HashMap::new();
        for fact in context.facts.stage(&self.stage) {
            if fact.matched().is_none() {
                places.extend(league.names(context, &fact).into_iter().filter_map(|name| numbered(name, x)));
                continue;
            }
            for role in ["agent", "opponent"] {
                let own: Vec<&String> = league.axes_of(role).collect();
                let number = fact.label(x).parse().ok().filter(|_| own.iter().any(|axis| **axis == *x));
                let Some(number) = number else { continue };
                let named = |axes: &[&String]| {
                    context.named(axes, &axes.iter().map(|axis| fact.label(axis)).collect::<Vec<_>>())
                };
                let others: Vec<&String> = own.iter().copied().filter(|axis| **axis != *x).collect();
                places.insert(named(&own), (named(&others), number));
            }
        }
        places
    }
}

/// A name with its line and its number, if a part of it is that word and a number: `uct, simulations 10, c 1`,
/// `iteration 10`.
fn numbered(name: String, x: &str) -> Option<(String, (String, f64))> {
    let number = |part: &str| part.strip_prefix(x)?.strip_prefix(' ')?.parse::<f64>().ok();
    let found = name.split(", ").find_map(number)?;
    let others: Vec<&str> = name.split(", ").filter(|part| number(part).is_none()).collect();
    let line = others.join(", ");
    Some((name, (line, found)))
}

/// The caption's reference of ratings and their errors.
fn zero(anchor: Option<&str>, elo: f64) -> String {
    let noise = "Errors are match noise: training again would add its own.";
    match anchor {
        Some(anchor) if elo != 0.0 => format!(
            "{anchor} has the rating {elo} by definition. Errors are those of differences from it: they do not contain the \
             error of its own rating. {noise}"
        ),
        Some(anchor) => format!("Ratings and their errors are differences from {anchor}, which has no error. {noise}"),
        None => format!(
            "By both, the players with a rating by maximum likelihood have a mean of 1000, and errors are those against \
             it. {noise}"
        ),
    }
}

/// The players of a stage with their ratings by maximum likelihood, the strongest first, and the notes on players without one.
pub(super) fn elo(context: &Context<'_>, league: &League, anchor: Option<&str>) -> (Vec<(String, Point)>, Vec<String>) {
    let anchor = anchor.map(|anchor| context.show(anchor));
    let (mut players, mut notes) = (Vec::new(), Vec::new());
    for league in &leagues(context, league) {
        let rated = RatedTournament::new(league, anchor.as_deref(), 0.0);
        players.extend((0..rated.order.len()).map(|at| rated.row(at)).map(|[elo, ..]| (elo.row.clone(), elo)));
        notes.extend(rated.notes());
    }
    (players, notes)
}

/// A league with its two ladders.
struct RatedTournament<'a> {
    league: &'a RatingPool,
    /// The player that the ratings are measured from.
    anchor: Option<usize>,
    likelihood: Option<Ladder>,
    squares: Ladder,
    order: Vec<usize>,
}

impl RatedTournament<'_> {
    fn new<'a>(league: &'a RatingPool, anchor: Option<&str>, elo: f64) -> RatedTournament<'a> {
        let anchor = league.names.iter().position(|name| Some(name.as_str()) == anchor);
        let mean = if anchor.is_some() { elo } else { MEAN };
        let anchors: Vec<(usize, f64)> = anchor.map(|player| (player, elo)).into_iter().collect();
        let likelihood = league.ladder_from(mean, &anchors);
        let order = league.order(likelihood.as_ref());
        let is_rated = |player| likelihood.as_ref().is_some_and(|ladder| ladder.rating(player).is_some());
        let squares = anchored_wls(&league.table, Errors::FixedScale, mean, &anchors).centred_on(mean, is_rated);
        RatedTournament { league, anchor, likelihood, squares, order }
    }

    /// The rating of a player; `None` if nothing links it to the anchor.
    fn estimate(&self, ladder: &Ladder, player: usize) -> Option<EloEstimate> {
        let is_linked = |anchor: usize| player == anchor || ladder.difference(player, anchor).is_some();
        ladder.estimate(player).filter(|_| self.anchor.is_none_or(is_linked))
    }

    /// The note on an anchor that is not a player.
    fn unknown_anchor(&self, anchor: Option<&str>) -> Option<String> {
        let anchor = anchor.filter(|anchor| self.league.names.iter().all(|name| name != anchor))?;
        let text = format!("There is no player {anchor}: ratings average to {MEAN}.");
        (!self.league.names.is_empty()).then(|| self.league.titled(&text))
    }

    /// The points of every player, in descending order of strength, and of the advantage.
    fn rows(&self) -> Vec<Vec<Point>> {
        let players = (0..self.order.len()).map(|at| self.row(at).into_iter().collect());
        let advantage = self.league.advantage().map(|advantage| {
            let games = self.league.table.meetings().map(|meeting| meeting.total().games()).sum();
            let row = self.league.titled(ADVANTAGE);
            vec![rating_point(self.league, [COLUMNS[0], &row], Some(advantage), games)]
        });
        players.chain(advantage).collect()
    }

    /// The points of the player at an index of the order.
    fn row(&self, at: usize) -> [Point; 8] {
        let player = self.order[at];
        let (league, name) = (self.league, self.league.label(player));
        let total = league.total(player);
        let games = total.games();
        let rating = |column: &str, ladder: Option<&Ladder>| {
            rating_point(league, [column, &name], ladder.and_then(|ladder| self.estimate(ladder, player)), games)
        };
        let lead = self.lead(at);
        let number = |column: &str, value: Option<f64>| Point { value, ..league.point(column, &name, column, games) };
        let percent = |part: f64| (games > 0).then(|| 100.0 * part / games as f64);
        [
            rating(COLUMNS[0], self.likelihood.as_ref()),
            rating(COLUMNS[1], Some(&self.squares)),
            Point { metric: "lead in Elo".to_owned(), ..rating_point(league, [COLUMNS[2], &name], lead, games) },
            number(COLUMNS[3], lead.and_then(|lead| lead.superiority()).map(|likely| 100.0 * likely)),
            number(COLUMNS[4], Some(league.played[player] as f64)),
            number(COLUMNS[5], percent(total.points())),
            number(COLUMNS[6], percent(total.draws as f64)),
            number(COLUMNS[7], Some(league.distinct[player] as f64)),
        ]
    }

    /// The rating difference to the next player of the order; `None` if they cannot be compared.
    fn lead(&self, at: usize) -> Option<EloEstimate> {
        self.likelihood.as_ref()?.difference(self.order[at], *self.order.get(at + 1)?)
    }

    fn panel(&self, errors: ErrorBars) -> Panel {
        let names = self.order.iter().map(|&player| self.league.names[player].clone()).collect();
        both_ratings(&self.league.title, names, errors, |estimator, at| {
            let ladder = if estimator == LIKELIHOOD { self.likelihood.as_ref() } else { Some(&self.squares) };
            let rating = ladder.and_then(|ladder| self.estimate(ladder, self.order[at]));
            rating_point(self.league, [""; 2], rating, 0)
        })
    }

    /// The ratings by maximum likelihood against a number of the players.
    fn against(&self, x: Axis, places: &HashMap<String, (String, f64)>, errors: ErrorBars) -> Panel {
        let mut lines: BTreeMap<&str, Vec<Vertex>> = BTreeMap::new();
        for (player, name) in self.league.names.iter().enumerate() {
            let rating = self.likelihood.as_ref().and_then(|ladder| self.estimate(ladder, player));
            let Some((line, x)) = places.get(name) else { continue };
            let vertex = rating_point(self.league, [""; 2], rating, 0).vertex(*x, errors, ANYWHERE);
            lines.entry(line).or_default().extend(vertex);
        }
        let series = lines.into_iter().enumerate().map(|(colour, (name, mut points))| {
            points.sort_by(|one, other| one.x.total_cmp(&other.x));
            Series::new(name, Mark::Line, colour, points)
        });
        Panel::new(&self.league.title, x, Axis::linear(RATING), series)
    }

    /// The notes on players that cannot be compared and players without a rating.
    fn notes(&self) -> Vec<String> {
        let Some(ladder) = &self.likelihood else {
            return vec![self.league.titled("The likelihood has no maximum, so that it rates no player.")];
        };
        let name = |&player: &usize| self.league.names[player].clone();
        let mut notes = Vec::new();
        if ladder.groups().len() > 1 {
            let group = |players: &[usize]| players.iter().map(name).collect::<Vec<_>>().join(", ");
            let groups: Vec<String> = ladder.groups().iter().map(|one| group(&one.players)).collect();
            let consequence = match self.anchor {
                Some(_) => "by maximum likelihood only that of the anchor has ratings",
                None => "each has a mean of 1000 of its own, and their ratings cannot be compared",
            };
            notes.push(self.league.titled(&format!(
                "No chain of wins and draws in both directions links these groups; {consequence}: {}.",
                groups.join("; ")
            )));
        }
        let unrated: Vec<String> = self.order.iter().filter(|&&p| ladder.rating(p).is_none()).map(name).collect();
        if !unrated.is_empty() {
            notes.push(self.league.titled(&format!(
                "No finite rating by maximum likelihood, as no wins and draws link them with others in both directions: {}.",
                unrated.join(", ")
            )));
        }
        notes
    }
}

/// A point of the metric `Elo` in a column and a row.
pub(super) fn rating_point(league: &RatingPool, place: [&str; 2], found: Option<EloEstimate>, games: u64) -> Point {
    let [column, row] = place;
    Point {
        value: found.map(|found| found.elo),
        error: found.and_then(|found| found.error).map(Spread::over_games),
        interval: found.and_then(|found| found.interval(LEVEL)).map(at_level),
        ..league.point("Elo", row, column, games)
    }
}

#[cfg(test)]
mod tests {
    use super::super::league::sample;
    use super::super::sheet::ErrorKind;
    use super::*;

    /// Wins and losses of whole pairs, and drawn ones.
    fn pairs(won: u64, split: u64, lost: u64) -> [[u64; 3]; 3] {
        [[lost, 0, 0], [0, 0, 0], [split, 0, won]]
    }

    #[test]
    fn the_strongest_stands_first_with_both_estimates() {
        let league = sample(
            &["weak", "strong", "middle"],
            &[([0, 1], pairs(2, 5, 13)), ([0, 2], pairs(4, 6, 10)), ([1, 2], pairs(10, 6, 4))],
        );
        let rated = RatedTournament::new(&league, None, 0.0);
        let rows = rated.rows();
        let names: Vec<&str> = rows.iter().map(|row| row[0].row.as_str()).collect();
        assert_eq!(names, ["strong", "middle", "weak", ADVANTAGE]);
        let [elo, squares, lead, superiority, games, score, draws, _] = &rows[0][..] else { panic!("eight columns") };
        assert!(elo.value.unwrap() > squares.value.unwrap() && squares.value.unwrap() > 1050.0, "{elo:?} {squares:?}");
        let interval = elo.interval.unwrap();
        assert!((interval.high - interval.low - 2.0 * 1.959_96 * elo.error.unwrap().size).abs() < 1e-3);
        let difference = rated.likelihood.as_ref().unwrap().difference(1, 2).unwrap();
        assert_eq!((lead.value, lead.error.map(|error| error.size)), (Some(difference.elo), difference.error));
        assert!((superiority.value.unwrap() - 100.0 * difference.superiority().unwrap()).abs() < 1e-9);
        assert_eq!((rows[2][2].value, rows[2][3].value), (None, None), "nobody is below the last");
        assert_eq!((games.value, score.value, draws.value), (Some(80.0), Some(100.0 * 57.0 / 80.0), Some(0.0)));
        assert!(rows[3][0].value.unwrap() > 0.0, "split pairs were won by who moved first");
        assert!(rated.notes().is_empty());
        assert_eq!(
            rated.panel(ErrorBars::Interval).series.iter().map(|series| series.points.len()).collect::<Vec<_>>(),
            [3, 3]
        );
    }

    #[test]
    fn who_won_all_games_stands_first_and_who_lost_all_last() {
        let (all, none) = (pairs(10, 0, 0), pairs(0, 0, 10));
        let league = sample(
            &["lost", "weak", "won", "middle"],
            &[([0, 1], none), ([0, 2], none), ([0, 3], none), ([1, 2], none), ([1, 3], pairs(4, 6, 10)), ([2, 3], all)],
        );
        let rows = RatedTournament::new(&league, None, 0.0).rows();
        let names: Vec<&str> = rows.iter().map(|row| row[0].row.as_str()).collect();
        assert_eq!(names[..4], ["won", "middle", "weak", "lost"]);
        assert_eq!([0, 3].map(|row: usize| rows[row][0].value), [None; 2], "neither has a finite rating");
    }

    #[test]
    fn ratings_of_trained_players_say_their_runs_and_what_their_errors_are() {
        let mut league = sample(&["a", "b"], &[([0, 1], pairs(5, 6, 4))]);
        let runs = |league: &RatingPool| {
            let rows = RatedTournament::new(league, None, 0.0).rows();
            rows.iter().flatten().map(|point| (point.n_runs, point.n_requested)).collect::<Vec<_>>()
        };
        assert!(runs(&league).iter().all(|runs| *runs == (0, 0)));
        (league.is_trained, league.seeds) = (true, [2, 3]);
        assert!(runs(&league).iter().all(|runs| *runs == (2, 3)));
        let errors: Vec<_> =
            RatedTournament::new(&league, None, 0.0).rows().iter().flatten().filter_map(|point| point.error).collect();
        assert!(errors.len() == 6 && errors.iter().all(|error| error.kind == ErrorKind::Games), "{errors:?}");
    }

    #[test]
    fn who_cannot_be_compared_is_named() {
        let league = sample(
            &["a", "b", "c", "d", "e"],
            &[([0, 1], pairs(5, 5, 5)), ([2, 3], pairs(5, 5, 5)), ([0, 2], pairs(5, 0, 0)), ([0, 4], pairs(5, 0, 0))],
        );
        let rated = RatedTournament::new(&league, None, 0.0);
        let notes = rated.notes();
        assert!(notes[0].ends_with("cannot be compared: a, b; c, d."), "{}", notes[0]);
        assert!(notes[1].ends_with("in both directions: e."), "{}", notes[1]);
        let lost = rated.row(rated.order.iter().position(|&player| player == 4).unwrap());
        assert_eq!((lost[0].value, lost[0].error), (None, None));
        assert!(lost[1].value.is_some(), "the virtual draw rates everybody");
    }

    #[test]
    fn both_columns_have_one_mean_over_the_players_that_both_rate() {
        let league = sample(
            &["a", "b", "c", "d"],
            &[([0, 1], pairs(9, 6, 3)), ([1, 2], pairs(7, 6, 5)), ([0, 2], pairs(12, 5, 1)), ([2, 3], pairs(9, 0, 0))],
        );
        let rated = RatedTournament::new(&league, None, 0.0);
        assert_eq!(rated.likelihood.as_ref().unwrap().rating(3), None);
        assert!(rated.squares.rating(3).is_some());
        let mean = |ladder: &Ladder| (0..3).map(|player| ladder.rating(player).unwrap()).sum::<f64>() / 3.0;
        let means = [mean(rated.likelihood.as_ref().unwrap()), mean(&rated.squares)];
        assert!(means.iter().all(|mean| (mean - 1000.0).abs() < 1e-6), "{means:?}");
    }

    #[test]
    fn who_is_not_linked_to_the_anchor_has_no_rating_on_its_scale() {
        // `c` and `d` lost every game against the others.
        let games =
            [([0, 1], pairs(9, 6, 3)), ([2, 3], pairs(5, 2, 4)), ([0, 2], pairs(8, 0, 0)), ([1, 3], pairs(8, 0, 0))];
        let league = sample(&["a", "b", "c", "d"], &games);
        let rated = RatedTournament::new(&league, Some("b"), 1350.0);
        let likelihood = rated.likelihood.as_ref().unwrap();
        let known = |player| rated.estimate(likelihood, player).is_some();
        assert_eq!([0, 1, 2, 3].map(known), [true, true, false, false]);
        // One virtual draw in each match links all of them.
        assert!((0..4).all(|player| rated.estimate(&rated.squares, player).is_some()));
        assert!(rated.notes()[0].contains("only that of the anchor has ratings"), "{:?}", rated.notes());
        let free = RatedTournament::new(&league, None, 0.0);
        assert!((0..4).all(|player| free.estimate(free.likelihood.as_ref().unwrap(), player).is_some()));
        assert!(free.notes()[0].contains("each has a mean of 1000"));
    }

    #[test]
    fn ratings_are_differences_from_the_anchor() {
        let league = sample(&["a", "b", "c"], &[([0, 1], pairs(9, 6, 3)), ([1, 2], pairs(7, 6, 5))]);
        let (free, anchored) =
            (RatedTournament::new(&league, None, 0.0), RatedTournament::new(&league, Some("b"), 0.0));
        for (free, anchored) in [
            (free.likelihood.as_ref().unwrap(), anchored.likelihood.as_ref().unwrap()),
            (&free.squares, &anchored.squares),
        ] {
            let (difference, found) = (free.difference(0, 1).unwrap(), anchored.estimate(0).unwrap());
            assert!((difference.elo - found.elo).abs() < 1e-6);
            assert!((difference.error.unwrap() / found.error.unwrap() - 1.0).abs() < 0.02, "{difference:?} {found:?}");
            assert_eq!(anchored.estimate(1), Some(EloEstimate { elo: 0.0, error: None }));
        }
        let rated = RatedTournament::new(&league, Some("b"), 1350.0);
        for (zero, rated) in [
            (anchored.likelihood.as_ref().unwrap(), rated.likelihood.as_ref().unwrap()),
            (&anchored.squares, &rated.squares),
        ] {
            for player in 0..3 {
                let (zero, rated) = (zero.estimate(player).unwrap(), rated.estimate(player).unwrap());
                assert!((rated.elo - zero.elo - 1350.0).abs() < 1e-6, "{zero:?} {rated:?}");
                assert_eq!(zero.error.is_some(), rated.error.is_some());
            }
        }
        assert!(super::zero(Some("b"), 1350.0).starts_with("b has the rating 1350 by definition"));
        assert_eq!((anchored.unknown_anchor(Some("b")), free.unknown_anchor(None)), (None, None));
        assert!(free.unknown_anchor(Some("z")).is_some_and(|note| note.starts_with("There is no player z")));
    }
}
