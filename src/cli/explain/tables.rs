//! The tables of reports, of `gauntlet export` and of `gauntlet rate`, as schemas that name their columns and keys.
//! Their writers make columns from the axes and numbers of a manifest, so that no type lists them.

use serde_json::{Map, Value, json};

/// A column or key: its name, its type in JSON, and its meaning.
type Field = (&'static str, &'static str, &'static str);

const ARTEFACT: [Field; 23] = [
    ("artefact", "string", "The key of the artefact: `schaul2009/table1`."),
    ("row", "string", "The label of the row."),
    ("column", "string", "The label of the column; of a criterion: its place."),
    ("x", "number", "The abscissa of a plotted point."),
    ("metric", "string", "The quantity: `correlation`, `fitness`, `p`."),
    ("value", "number", "The measured number; empty without a measurement."),
    ("error", "number", "The size of its error."),
    (
        "error_kind",
        "string",
        "`standard-error` (over runs), `standard-error-over-games`, `standard-error-over-positions` or `standard-deviation`.",
    ),
    ("interval_low", "number", "The lower end of its interval."),
    ("interval_high", "number", "The upper end of its interval."),
    ("n_runs", "integer", "Runs behind the number."),
    ("n_requested", "integer", "Runs that the manifest asks for; more than `n_runs` if some were lost."),
    ("n_games", "integer", "Games behind the number."),
    ("published", "number", "The number that the paper printed in this cell."),
    ("published_error", "number", "The size of the paper's error."),
    ("published_error_kind", "string", "The kind of the paper's error."),
    ("verdict", "string", "`agrees`, `differs` or `not-comparable`; of a criterion: `met`, `not-met` and others."),
    ("profile", "string", "The profile: `paper`, `laptop`, `smoke` or `custom`."),
    ("config_ids", "string", "Short keys of the configurations behind the number."),
    ("text", "string", "A text that tables show instead of the number; only some exhibits have this column."),
    (
        "error_over_games",
        "number",
        "The standard error that the games alone leave, if the runs differ by less; only then is there this column.",
    ),
    (
        "comparison",
        "string",
        "`paired` or `unpaired`, of a criterion that compares two sets of runs; only then is there this column.",
    ),
    (
        "error_over_runs",
        "number",
        "The error over runs of a criterion that the larger error over games decides; only then is there this column.",
    ),
];

const RUNS: [Field; 14] = [
    ("manifest", "string", "The name of the manifest."),
    ("stage", "string", "The stage."),
    ("kind", "string", "The kind of the job: `train`, `play` or `measure`."),
    (
        "AXIS",
        "string",
        "A column for each axis of the manifest, with the label of the run: `game`, `agent`, `variant`.",
    ),
    ("seed", "integer", "The seed. A run is one seed of one configuration."),
    ("opponent.run", "integer", "The seed of the opponent's run, if each run meets several."),
    ("key", "string", "The key of the run, as in the name of its directory."),
    ("directory", "string", "The directory with the files of the job."),
    ("done", "string", "Whether there is a result: `true` or `false`."),
    ("score", "number", "The mean score of the games, 0 to 1: a win counts 1, a draw one half."),
    ("fitness", "number", "The same from -1 to 1, for jobs that measure a fitness."),
    ("games", "integer", "The number of games, with `wins`, `draws` and `losses` beside it."),
    ("last.NUMBER", "number", "The last value of a number on a training's learning curve: `last.score`."),
    ("NUMBER", "number", "Each other number of result.json; `result.NUMBER` if an axis has this name."),
];

const METRICS: [Field; 7] = [
    ("stage", "string", "The stage of the training."),
    ("AXIS", "string", "A column for each axis of the manifest, with the label of the training."),
    ("seed", "integer", "The seed."),
    ("key", "string", "The key of the training."),
    ("step", "integer", "The iteration or generation, from 1; 0 is before the first one."),
    ("score", "number", "The mean score of an evaluation, 0 to 1."),
    (
        "NUMBER",
        "number",
        "Each other number of metrics.jsonl: losses, games, rates; `metric.NUMBER` if a column above has its name.",
    ),
];

const GAMES: [Field; 18] = [
    ("stage", "string", "The stage of the match or tournament."),
    ("AXIS", "string", "A column for each axis of the manifest, with the label of the job."),
    ("seed", "integer", "The seed; with crossed opponents `opponent.run` is the seed of the opponent's training."),
    ("key", "string", "The key of the job."),
    ("number", "integer", "The number of the game within its job, from 0, as in games.jsonl."),
    ("first", "string", "The player that moves first. Players of one name with other settings are told apart."),
    ("first.settings", "string", "All settings of that player, as JSON."),
    ("second", "string", "The player that moves second."),
    ("second.settings", "string", "All settings of that player, as JSON."),
    ("start", "string", "The position that was set up, in the game's notation; empty for the start by the rules."),
    ("opening", "string", "The moves of the opening, which neither player chose, in the game's notation."),
    ("winner", "string", "`first`, `second` or `draw`."),
    ("score", "number", "The points of the player that moves first: 1, 0.5 or 0."),
    ("ending", "string", "The reason of the end: `rules`, `max-plies`, `resigned`, `agreed` or `time`."),
    ("plies", "integer", "The number of moves of both sides, with those of the opening."),
    ("SIDE.seconds", "number", "With a clock: the seconds that `first` or `second` used on the clock."),
    ("SIDE.processor-seconds", "number", "With a clock: the seconds of the processor."),
    ("moves", "string", "With `--moves`: the moves after the opening, in the game's notation."),
];

const RATINGS: [Field; 11] = [
    (
        "players",
        "array",
        "The players, the strongest first: `name`, the ratings `likelihood` and `least_squares` (each \
      with `elo` and its standard `error`, or null), `games`, `score` (0 to 1), `draw_rate`, `opponents`, `group`, and \
      `is_anchor` for players with a given rating.",
    ),
    ("groups", "integer", "Groups of players; ratings compare within a group only."),
    ("components", "integer", "Groups of players that games link."),
    ("advantage", "object", "The first player's advantage in Elo with its `error`, if it was estimated, or null."),
    ("level", "number", "The coverage of the intervals, 0.95 by default."),
    (
        "settings",
        "object",
        "The settings: `mean`, `prior`, `advantage` (a number, or `fit`), and the given ratings, `anchors`.",
    ),
    ("distinct_games", "integer", "Games that differ from each other; null unless moves were read."),
    ("look_alikes", "array", "Names that may belong to one player in several spellings."),
    ("remarks", "array", "The notes that are printed below the table."),
    ("resignations", "object", "Games that ended by resignation, and how often it was wrong."),
    (
        "files",
        "array",
        "The files: `file`, `format`, `games`, `pairs`, `notes`, `skipped`, `first_skipped`, `kinds`, `unplayed` and `left_out`.",
    ),
];

const RATINGS_TABLE: [Field; 10] = [
    ("player", "string", "The name."),
    ("bt_elo", "number", "The rating by maximum likelihood (Bradley and Terry)."),
    ("bt_error", "number", "Its standard error; `bt_low` and `bt_high` are the ends of its interval."),
    ("wls_elo", "number", "The rating by weighted least squares."),
    ("wls_error", "number", "Its standard error; `wls_low` and `wls_high` are the ends of its interval."),
    ("games", "integer", "Games played."),
    ("score", "number", "Points over games, 0 to 1."),
    ("draw_rate", "number", "The share of drawn games, 0 to 1."),
    ("opponents", "integer", "Opponents met."),
    ("group", "integer", "The group of players with comparable ratings."),
];

/// The tables by name.
pub fn tables() -> Map<String, Value> {
    Map::from_iter([
        table(
            "artefact.csv",
            "The numbers of a table or figure: a row for each cell or plotted point, then one for each \
            success criterion. The file has the name of the artefact.",
            &ARTEFACT,
        ),
        table("runs.csv", "All runs of a report: a row for each job, for analysis in pandas or R.", &RUNS),
        table(
            "metrics.csv",
            "The learning curves of all trainings of a manifest: a row for each step. `gauntlet export \
            MANIFEST metrics.csv` writes it.",
            &METRICS,
        ),
        table(
            "games.csv",
            "The games of all matches and tournaments of a manifest: a row for each game. `gauntlet export MANIFEST \
            games.csv` writes it.",
            &GAMES,
        ),
        table(
            "ratings.json",
            "The ratings of `gauntlet rate`, with --json or in the directory of --reports.",
            &RATINGS,
        ),
        table(
            "ratings.csv",
            "The ratings of `gauntlet rate` as a table, in the directory of --reports.",
            &RATINGS_TABLE,
        ),
    ])
}

fn table(name: &str, about: &str, entries: &[Field]) -> (String, Value) {
    let entry = |(name, kind, about): &Field| ((*name).to_owned(), json!({ "type": kind, "description": about }));
    let properties: Map<String, Value> = entries.iter().map(entry).collect();
    let names: Vec<&str> = entries.iter().map(|(name, ..)| *name).collect();
    (name.to_owned(), json!({ "type": "object", "description": about, "properties": properties, "required": names }))
}
