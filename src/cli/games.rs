//! `gauntlet games`: the list of all games, programmed and described.

use clap::Args;
use schemars::schema_for;
use serde_json::{Value, json};

use super::output::{Misuse, json as print_json, result, table, visible};
use super::{Exit, Flags};
use gauntlet_games::base::{Outcome, Seed, Side};
use gauntlet_games::games::ludemes::library::{self, Described, LIBRARY};
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_nets::encoders::TensorsSpec;
use gauntlet_plan::manifest::source::nearest;

/// List every game: sites, actions, tensor shapes from its rules, and statistics of 50 random games; or show one
#[derive(Debug, Args)]
pub struct Games {
    /// Show this game: its numbers, its settings, and the ludemes of a described game
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
}

/// Settings of the list, the first of which suffice for a game: most games have a default board, or boards of a size.
const BOARDS: [&str; 4] = ["", "size = 9", "size = 8", "rows = 3, columns = 3, row = 3"];

/// The columns of the list.
const HEADER: [&str; 8] = ["game", "sites", "actions", "state tensor", "action tensor", "plies", "first wins", "drawn"];

/// A line of the list.
struct ListedGame {
    /// Its name in manifests.
    written: String,
    /// The settings of its numbers; empty for the defaults.
    settings: &'static str,
    /// The game with these settings, if they suffice.
    game: Option<GameSpec>,
    about: String,
}

impl Games {
    /// Prints the list, or one game.
    ///
    /// # Errors
    /// If the game does not exist.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let lines: Vec<ListedGame> = programmed().into_iter().chain(described()).collect();
        if let Some(name) = &self.show {
            return show(&lines, name, flags);
        }
        if flags.json {
            print_json(&lines.iter().map(ListedGame::as_json).collect::<Vec<_>>());
        } else {
            result(&table(&HEADER, lines.iter().map(ListedGame::row)));
            result("\nPlies, wins and draws are those of 50 random games. `--show NAME` shows one game.");
        }
        Ok(Exit::Done)
    }
}

/// Prints the games of a name: some are programmed and described.
fn show(lines: &[ListedGame], name: &str, flags: &Flags) -> anyhow::Result<Exit> {
    let own = |line: &&ListedGame| line.written == name || line.description().is_some_and(|game| game.name == name);
    let found: Vec<&ListedGame> = lines.iter().filter(own).collect();
    if found.is_empty() {
        let names: Vec<&str> =
            lines.iter().map(|line| line.description().map_or(&*line.written, |game| game.name)).collect();
        let hint = match nearest(name, &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`gauntlet games` lists all games".to_owned(),
        };
        return Err(Misuse::new(format!("there is no game `{}`", visible(name)), hint));
    }
    let value = |line: &&ListedGame| {
        let mut value = line.as_json();
        value["description"] = json!(line.description().map(|game| game.text));
        value
    };
    match flags.json {
        true => print_json(&found.iter().map(value).collect::<Vec<_>>()),
        false => found.iter().for_each(|line| result(&line.page())),
    }
    Ok(Exit::Done)
}

/// The programmed games, from the schema of manifests.
fn programmed() -> Vec<ListedGame> {
    let schema = schema_for!(GameSpec).to_value();
    let variants = schema["oneOf"].as_array().cloned().unwrap_or_default();
    let line = |variant: &Value| {
        let name = variant["properties"].as_object()?.keys().next()?.clone();
        let about = variant["description"].as_str().unwrap_or_default().lines().next().unwrap_or_default().to_owned();
        let sized = |settings: &&'static str| {
            toml::from_str(&format!("{name} = {{ {settings} }}")).ok().map(|game| (*settings, Some(game)))
        };
        let (settings, game) = BOARDS.iter().find_map(sized).unwrap_or_default();
        (name != "ludeme").then_some(ListedGame { written: name, settings, game, about })
    };
    variants.iter().filter_map(line).collect()
}

/// The games with descriptions.
fn described() -> Vec<ListedGame> {
    let line = |name: &str| {
        let game = toml::from_str(&format!("ludeme = {{ name = \"{name}\" }}")).ok();
        ListedGame { written: format!("ludeme {name}"), settings: "", game, about: "Described by ludemes.".into() }
    };
    LIBRARY.iter().map(|game| line(game.name)).collect()
}

impl ListedGame {
    fn facts(&self) -> Option<([usize; 2], [String; 2], RandomPlay)> {
        let game = self.game.as_ref()?.build();
        Some(([game.topology().sites(), game.action_count()], tensors(&*game), RandomPlay::of(&*game)))
    }

    /// The description of a described game.
    fn description(&self) -> Option<&'static Described> {
        self.written.strip_prefix("ludeme ").and_then(library::described)
    }

    /// The game with its numbers, and with its description or the topic of its settings.
    fn page(&self) -> String {
        let mut text = format!("{}\n  {}\n", self.title(), self.about);
        if let Some(([sites, actions], [state, moves], RandomPlay { plies, first, drawn })) = self.facts() {
            let [first, drawn] = [first, drawn].map(|share| 100.0 * share);
            text += &format!("  {sites} sites, {actions} actions; tensors {state} and {moves}\n");
            text += &format!(
                "  random games: {plies:.0} plies, {first:.0} % won by the first side, {drawn:.0} % drawn ({} games)\n",
                RandomPlay::GAMES
            );
        }
        match self.description() {
            Some(game) => {
                text + &format!("  in a manifest: NAME.ludeme = {{ name = \"{}\" }}\n\n{}", game.name, game.text)
            }
            None => text + &format!("  its settings: gauntlet explain games.{}\n", self.written),
        }
    }

    /// The name, with the settings of the numbers.
    fn title(&self) -> String {
        if self.settings.is_empty() { self.written.clone() } else { format!("{} ({})", self.written, self.settings) }
    }

    /// The cells of the list.
    fn row(&self) -> Vec<String> {
        let Some(([sites, actions], [state, moves], RandomPlay { plies, first, drawn })) = self.facts() else {
            return std::iter::once(self.title()).chain(HEADER[1..].iter().map(|_| "-".to_owned())).collect();
        };
        let [first, drawn] = [first, drawn].map(|share| format!("{:.0} %", 100.0 * share));
        vec![self.title(), sites.to_string(), actions.to_string(), state, moves, format!("{plies:.0}"), first, drawn]
    }

    fn as_json(&self) -> Value {
        let facts = self.facts();
        let ([sites, actions], [state, moves], random) = facts
            .map_or_else(Default::default, |(counts, tensors, random)| {
                (counts.map(Some), tensors.map(Some), Some(random))
            });
        json!({
            "game": self.written, "settings": self.settings, "sites": sites, "actions": actions,
            "state-tensor": state, "action-tensor": moves,
            "random-plies": random.map(|random| random.plies), "random-first": random.map(|random| random.first),
            "random-drawn": random.map(|random| random.drawn), "about": self.about,
        })
    }
}

/// Statistics of random games: uniformly random legal actions from the start.
#[derive(Debug, Clone, Copy)]
struct RandomPlay {
    /// Mean number of plies.
    plies: f64,
    /// Share of games that the first side wins, 0 to 1.
    first: f64,
    /// Share of drawn games, 0 to 1.
    drawn: f64,
}

impl RandomPlay {
    /// Number of games.
    const GAMES: u32 = 50;

    fn of(game: &dyn Game) -> RandomPlay {
        let (mut rng, mut plies, mut ends) = (Seed::new(1).rng(), 0_u32, [0_u32; 3]);
        for _ in 0..RandomPlay::GAMES {
            let mut position = game.start();
            let outcome = loop {
                if let Some(outcome) = position.outcome() {
                    break outcome;
                }
                position.play(position.random_action(&mut rng));
                plies += 1;
            };
            ends[match outcome {
                Outcome::Win(Side::First) => 0,
                Outcome::Win(Side::Second) => 1,
                Outcome::Draw => 2,
            }] += 1;
        }
        let share = |count: u32| f64::from(count) / f64::from(RandomPlay::GAMES);
        RandomPlay { plies: share(plies), first: share(ends[0]), drawn: share(ends[2]) }
    }
}

/// The shapes of the tensors of a state and of the actions, from a game's rules: `10x9x17`.
pub(super) fn tensors(game: &dyn Game) -> [String; 2] {
    TensorsSpec::default().build(game).shapes().map(|shape| shape.map(|length| length.to_string()).join("x"))
}
