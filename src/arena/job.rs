//! Playing jobs as a manifest writes them: games whose records are kept.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ArenaError, Cohort, EvenGames, Format, OpeningsSpec, Pair, Resign, Standing, Tournament, TrainedWeights};
use crate::base::{Seed, Sink};
use crate::formats::records::{Header, write};
use crate::games::{Game, GameSpec};
use crate::players::{Player, PlayerError, PlayerSpec, Source};

/// The kinds of playing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaySpec {
    /// Pairs of games between two players.
    Match(MatchJob),
    /// Matches between many players.
    Tournament(TournamentJob),
}

/// One match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchJob {
    /// The game.
    pub game: GameSpec,
    /// The first player, who starts the first game of every pair.
    pub agent: PlayerSpec,
    /// The other player.
    pub opponent: PlayerSpec,
    /// Number of games.
    pub games: EvenGames,
    /// What pairs of games begin with. Default: the start.
    #[serde(default)]
    pub openings: OpeningsSpec,
    /// Plies after which an unfinished game is called a draw. Default: never.
    #[serde(default)]
    pub max_plies: Option<u32>,
    /// When players resign; those that expect nothing never do. Default: nobody resigns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<Resign>,
}

/// One tournament.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TournamentJob {
    /// The game.
    pub game: GameSpec,
    /// The players; in a manifest, names of agents.
    pub players: Vec<Entrant>,
    /// Who meets whom. Default: everybody everybody.
    #[serde(default)]
    pub format: Format,
    /// Whether everybody also plays a match against itself. Default: no. No rating counts those games.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mirrors: bool,
    /// Games of a match. The paper's matches have 60.
    pub games: EvenGames,
    /// What pairs of games begin with. Default: the start.
    #[serde(default)]
    pub openings: OpeningsSpec,
    /// Plies after which an unfinished game is called a draw. Default: never.
    #[serde(default)]
    pub max_plies: Option<u32>,
    /// When players resign; those that expect nothing never do. Default: nobody resigns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<Resign>,
}

/// A player of a tournament. Random weights are drawn by its name, so that two of the same kind differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entrant {
    /// What tables call it; no two are called alike.
    pub name: String,
    /// Who it is.
    pub agent: PlayerSpec,
}

/// What a playing job leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// All games, as [`crate::formats::records`] writes them.
    pub games: Vec<u8>,
    /// Their counts: a [`Standing`]; of a match also `mean` and `scores`, as of a fitness.
    pub result: Value,
}

/// Names longer than this fit no table.
const LONGEST_NAME: usize = 200;

impl PlaySpec {
    /// A few words for people.
    #[must_use]
    pub fn slug(&self) -> String {
        let game = self.game().build().name();
        match self {
            PlaySpec::Match(job) => format!("{game} {} {}", job.agent.name(), job.opponent.name()),
            PlaySpec::Tournament(job) => format!("{game} tournament of {}", job.players.len()),
        }
    }

    /// Whether everybody knows the game, and everything fits together.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn check(&self) -> Result<(), String> {
        let game = self.game().build();
        match self {
            PlaySpec::Match(job) => job.agent.check(&game).and_then(|()| job.opponent.check(&game))?,
            PlaySpec::Tournament(job) => job.check(&game)?,
        }
        self.openings().build(self.game()).map(|_| ()).map_err(|error| error.to_string())
    }

    /// Who plays.
    #[must_use]
    pub fn players(&self) -> Vec<&PlayerSpec> {
        match self {
            PlaySpec::Match(job) => vec![&job.agent, &job.opponent],
            PlaySpec::Tournament(job) => job.players.iter().map(|entrant| &entrant.agent).collect(),
        }
    }

    /// What is played.
    #[must_use]
    pub fn game(&self) -> &GameSpec {
        match self {
            PlaySpec::Match(job) => &job.game,
            PlaySpec::Tournament(job) => &job.game,
        }
    }

    fn openings(&self) -> &OpeningsSpec {
        match self {
            PlaySpec::Match(job) => &job.openings,
            PlaySpec::Tournament(job) => &job.openings,
        }
    }

    /// The player of a name, or of a role (`agent`, `opponent`), where there is one.
    #[must_use]
    pub fn player(&self, name: &str) -> Option<&PlayerSpec> {
        match self {
            PlaySpec::Match(job) if name == "agent" => Some(&job.agent),
            PlaySpec::Match(job) if name == "opponent" => Some(&job.opponent),
            PlaySpec::Match(_) => None,
            PlaySpec::Tournament(job) => Some(&job.players.iter().find(|entrant| entrant.name == name)?.agent),
        }
    }

    /// Plays; `trained` holds weights for who wants them, `checkpoint` what an interrupted call has told its
    /// sink last.
    ///
    /// # Errors
    /// When a player cannot play the game, and when the sink interrupts.
    pub fn run(
        &self,
        number: u64,
        trained: &TrainedWeights,
        checkpoint: Option<&[u8]>,
        sink: &mut dyn Sink,
    ) -> Result<Report, ArenaError> {
        let (spec, game, seed) = (self.game(), self.game().build(), Seed::new(number));
        let openings = self.openings().build(spec)?;
        let (names, mut players) = match self {
            PlaySpec::Match(job) => job.players(&game, &seed, trained)?,
            PlaySpec::Tournament(job) => job.players(&game, &seed, trained)?,
        };
        let (format, games, max_plies, resign) = match self {
            PlaySpec::Match(job) => (Format::RoundRobin, job.games, job.max_plies, job.resign),
            PlaySpec::Tournament(job) => (job.format, job.games, job.max_plies, job.resign),
        };
        let mirrors = matches!(self, PlaySpec::Tournament(job) if job.mirrors);
        let seed = seed.child("match", 0).child(&game.name(), 0);
        let (slots, openings) = (Cohort::SLOTS, &openings);
        let tournament = Tournament { game: &*game, format, mirrors, games, openings, max_plies, resign, slots, seed };
        let mut playing: Vec<&mut dyn Player> = Vec::new();
        players.iter_mut().for_each(|player| playing.push(&mut **player));
        let pairs = tournament.play(&mut playing, checkpoint, sink)?;
        let games = write(&Header::new(*spec, names.clone()), pairs.iter().flatten());
        let mut result = json!(Standing::new(names, &pairs, resign));
        if let PlaySpec::Match(_) = self {
            let (mean, scores) = fitness(&pairs);
            (result["mean"], result["scores"]) = (json!(mean), json!(scores));
        }
        Ok(Report { games, result })
    }
}

/// Names and players, in order.
type Players = (Vec<String>, Vec<Box<dyn Player>>);

impl MatchJob {
    fn players(&self, game: &Arc<dyn Game>, seed: &Seed, trained: &TrainedWeights) -> Result<Players, PlayerError> {
        let agent = self.agent.build(game, &Source { seed, checkpoint: trained.of("agent") })?;
        let own = Source { seed: &seed.child("opponent", 0), checkpoint: trained.of("opponent") };
        let opponent = self.opponent.build(game, &own)?;
        let [name, mut other] = [&self.agent, &self.opponent].map(PlayerSpec::name);
        if name == other {
            other += " (opponent)";
        }
        Ok((vec![name, other], vec![agent, opponent]))
    }
}

impl TournamentJob {
    /// How many matches are played, those against oneself too.
    #[must_use]
    pub fn matches(&self) -> usize {
        self.format.matches(self.players.len()) + if self.mirrors { self.players.len() } else { 0 }
    }

    fn check(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        self.format.check(self.players.len())?;
        for (at, Entrant { name, agent }) in self.players.iter().enumerate() {
            if name.is_empty() || name.len() > LONGEST_NAME {
                return Err(format!("a player's name has 1 to {LONGEST_NAME} bytes, not {}", name.len()));
            }
            if self.players[..at].iter().any(|other| other.name == *name) {
                return Err(format!("two players are called `{name}`"));
            }
            agent.check(game)?;
        }
        Ok(())
    }

    fn players(&self, game: &Arc<dyn Game>, seed: &Seed, trained: &TrainedWeights) -> Result<Players, PlayerError> {
        let names = self.players.iter().map(|entrant| entrant.name.clone()).collect();
        let player = |entrant: &Entrant| {
            let seed = seed.child("player", 0).child(&entrant.name, 0);
            entrant.agent.build(game, &Source { seed: &seed, checkpoint: trained.of(&entrant.name) })
        };
        self.players.iter().map(player).collect::<Result<Vec<_>, _>>().map(|players| (names, players))
    }
}

/// The agent's mean score, win 1, draw 0, loss -1, and its score in every game as a letter.
fn fitness(pairs: &[Pair]) -> (f64, String) {
    let scores: Vec<i8> = pairs.iter().flatten().map(|record| record.score(0) as i8).collect();
    let mean = scores.iter().map(|&score| f64::from(score)).sum::<f64>() / scores.len() as f64;
    (mean, scores.iter().map(|score| ['L', 'D', 'W'][(score + 1) as usize]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Ending, Silent};
    use crate::formats::records::Records;

    fn spec(text: &str) -> PlaySpec {
        serde_json::from_str(text).unwrap()
    }

    const MATCH: &str = r#"{"match":{"game":{"gomoku":{"size":5,"row":4}},"agent":{"naive":{}},
        "opponent":{"random":{}},"games":40,"openings":{"random":{"plies":2}},"max-plies":12}}"#;

    #[test]
    fn a_match_reads_as_a_fitness_and_as_a_standing() {
        let spec = spec(MATCH);
        spec.check().unwrap();
        let report = spec.run(1, &TrainedWeights::default(), None, &mut Silent).unwrap();
        let standing: Standing = serde_json::from_value(report.result.clone()).unwrap();
        let scores = report.result["scores"].as_str().unwrap();
        assert_eq!((scores.len(), standing.games), (40, 40));
        let points = standing.meetings[0].pentanomial.iter().zip([-2.0, -1.0, 0.0, 1.0, 2.0]);
        let mean = points.map(|(&count, points)| count as f64 * points).sum::<f64>() / 40.0;
        assert_eq!(report.result["mean"].as_f64(), Some(mean));
        assert!(mean > 0.2 && standing.adjudicated > 0 && standing.distinct > 30, "{standing:?}");
        let read: Vec<_> = Records::open(&report.games[..]).unwrap().collect::<Result<_, _>>().unwrap();
        assert!(read.len() == 40 && read.iter().all(|record| record.opening == 2 && record.actions.len() <= 12));
        assert_eq!(spec.run(1, &TrainedWeights::default(), None, &mut Silent).unwrap(), report);
        assert_ne!(spec.run(2, &TrainedWeights::default(), None, &mut Silent).unwrap(), report);
    }

    #[test]
    fn resignations_are_counted_and_their_mistakes_measured() {
        let resign = r#""resign":{"below":-0.3,"plies":2,"played-out":0.5},"games":40"#;
        let text = MATCH.replace("{\"naive\":{}}", "{\"uct\":{\"simulations\":8}}");
        let text = text.replace("\"games\":40", resign).replace(",\"max-plies\":12", "");
        let spec = spec(&text);
        assert_eq!(serde_json::from_str::<PlaySpec>(&serde_json::to_string(&spec).unwrap()).unwrap(), spec);
        let report = spec.run(1, &TrainedWeights::default(), None, &mut Silent).unwrap();
        let standing: Standing = serde_json::from_value(report.result.clone()).unwrap();
        let resigned = standing.resignations.unwrap();
        let read: Vec<_> = Records::open(&report.games[..]).unwrap().collect::<Result<_, _>>().unwrap();
        let mut counts = crate::base::Resignations::default();
        read.iter().for_each(|record| counts.add(record));
        assert_eq!(resigned.counts, counts);
        assert!(counts.resigned > 0 && counts.played_out > 0 && counts.would_be >= counts.wrong, "{counts:?}");
        assert_eq!(resigned.wrong_interval.is_some(), counts.would_be > 0);
        // The random player expects nothing and never resigns.
        let loser = |record: &crate::base::Record| usize::from(record.score(1) > 0.0);
        assert!(read.iter().filter(|game| game.ending == Ending::Resigned).all(|game| loser(game) == 1));
        let plain = MATCH.replace(",\"max-plies\":12", "");
        let plain = self::spec(&plain).run(1, &TrainedWeights::default(), None, &mut Silent).unwrap();
        assert!(plain.result["resignations"].is_null());
    }

    #[test]
    fn random_weights_differ_by_the_name() {
        let net = r#"{"net":{"network":{"mdlstm":{"cells":2}}}}"#;
        let text = format!(
            r#"{{"tournament":{{"game":{{"gomoku":{{"size":5}}}},"games":2,"players":[
            {{"name":"a","agent":{net}}},{{"name":"b","agent":{net}}}]}}}}"#
        );
        let report = spec(&text).run(1, &TrainedWeights::default(), None, &mut Silent).unwrap();
        let [one, two] = [0, 1].map(|at| Records::open(&report.games[..]).unwrap().nth(at).unwrap().unwrap());
        assert_ne!(one.actions, two.actions, "equal players would play one game twice");
    }

    #[test]
    fn mistakes_are_named() {
        let tournament = |players: &str, more: &str| {
            let text = format!(
                r#"{{"tournament":{{"game":{{"gomoku":{{"size":5}}}},"games":2,"players":[{players}]{more}}}}}"#
            );
            spec(&text).check().unwrap_err()
        };
        let (a, b) = (r#"{"name":"a","agent":{"naive":{}}}"#, r#"{"name":"b","agent":{"tactician":{}}}"#);
        assert_eq!(tournament(a, ""), "1 players make no tournament");
        assert_eq!(tournament(&format!("{a},{a}"), ""), "two players are called `a`");
        assert!(tournament(&format!("{a},{b}"), "").contains("tactician cannot play gomoku"));
        let c = a.replace("\"a\"", "\"c\"");
        let both = format!("{a},{c}");
        assert!(tournament(&both, r#","format":{"matchmaking":{}}"#).contains("no pool of 10"));
        assert!(tournament(&both, r#","openings":{"list":["Z9"]}"#).contains("`Z9` is no legal action"));
        let odd = MATCH.replace("40", "41");
        assert!(serde_json::from_str::<PlaySpec>(&odd).unwrap_err().to_string().contains("41 games cannot be split"));
    }
}
