//! The files that this program writes, as JSON schemas: those of jobs from the types that write them.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use gauntlet_games::base::Record;
use gauntlet_games::formats::records::RecordsHeader;
use gauntlet_play::arena::{MatchResult, Standing};
use gauntlet_play::jobs::{GAMES, METRICS, RESULT};
use gauntlet_play::learning::{
    Generation, GenerationMetrics, Iteration, MetricsLine, Numbers, SpsaResult, TrainingResult,
};
use gauntlet_play::measure::{
    Complexity, Embedded, Hours, Measured, NetworkSize, Optimality, RandomPlay, RatedLadder, Solutions,
};

/// The files by name, each with a choice by the kind of job or line, like a schema of tags with their content.
#[must_use]
pub fn files() -> Value {
    let mut generator = SchemaGenerator::new(SchemaSettings::draft07());
    let about = |what: &str, kinds: Map<String, Value>| {
        let tag = |(kind, content): (String, Value)| json!({ "properties": { kind: content } });
        json!({ "description": what, "oneOf": kinds.into_iter().map(tag).collect::<Vec<_>>() })
    };
    let mut properties = json!({
        RESULT: about("The numbers of a job, by its kind: one JSON object.", results(&mut generator)),
        METRICS: about("What a training measured, by its kind: a JSON object a line.", metrics(&mut generator)),
        GAMES: about("The games of a `play`: a header, then a game a line, as JSON objects.", games(&mut generator)),
    });
    if let Some(properties) = properties.as_object_mut() {
        properties.extend(super::tables::tables());
    }
    json!({ "properties": properties, "definitions": generator.take_definitions(true) })
}

fn of<T: JsonSchema>(kind: &str, generator: &mut SchemaGenerator) -> (String, Value) {
    (kind.to_owned(), generator.subschema_for::<T>().to_value())
}

fn results(generator: &mut SchemaGenerator) -> Map<String, Value> {
    Map::from_iter([
        of::<TrainingResult<Iteration>>("train.alpha-zero", generator),
        of::<TrainingResult<Generation>>("train.cma-es", generator),
        of::<TrainingResult<Numbers>>("train.external", generator),
        of::<SpsaResult>("train.spsa", generator),
        of::<MatchResult>("play.match", generator),
        of::<Standing>("play.tournament", generator),
        of::<Measured>("measure.fitness", generator),
        of::<Optimality>("measure.optimal", generator),
        of::<Solutions>("measure.solutions", generator),
        of::<RatedLadder>("measure.ladder", generator),
        of::<Hours>("measure.hours", generator),
        of::<Complexity>("measure.complexity", generator),
        of::<NetworkSize>("measure.network", generator),
        of::<RandomPlay>("measure.random-play", generator),
        of::<Embedded>("measure.embeddings", generator),
    ])
}

fn metrics(generator: &mut SchemaGenerator) -> Map<String, Value> {
    Map::from_iter([
        iteration_lines(generator),
        of::<MetricsLine<GenerationMetrics>>("train.cma-es", generator),
        of::<MetricsLine<Numbers>>("train.external", generator),
        of::<MetricsLine<Numbers>>("train.spsa", generator),
    ])
}

/// The lines of an AlphaZero training: the scores of a panel and the numbers of a program have names of their own there.
fn iteration_lines(generator: &mut SchemaGenerator) -> (String, Value) {
    let mut line = MetricsLine::<Iteration>::json_schema(generator).to_value();
    if let Some(properties) = line["properties"].as_object_mut() {
        properties.retain(|name, _| name != "panel" && name != "metrics");
        let own = "Mean over the steps of a number that the program of a network tells, by its name. `score OPPONENT` is the \
                   mean score against that opponent of a panel, -1 to 1; a past self is called `iteration 10`.";
        properties.insert("NAME".to_owned(), json!({ "type": ["number", "null"], "description": own }));
    }
    ("train.alpha-zero".to_owned(), line)
}

fn games(generator: &mut SchemaGenerator) -> Map<String, Value> {
    Map::from_iter([of::<RecordsHeader>("header", generator), of::<Record>("game", generator)])
}
