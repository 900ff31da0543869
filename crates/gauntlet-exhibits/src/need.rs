//! The results that an exhibit needs from the jobs of a stage.

/// A result of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A mean result over games.
    Score,
    /// The optimality of moves.
    Optimality,
    /// Matches of two players.
    Match,
    /// Results by first player.
    Colours,
    /// Results of pairs of players.
    Meetings,
    /// Single games.
    Games,
    /// Games, evaluations and seconds of a training.
    Effort,
    /// Operations of an AlphaZero training.
    Operations,
    /// The fitness of generations.
    Fitness,
    /// The numbers that a tuning found.
    Tuned,
    /// The scores of a training's evaluations.
    Skill,
    /// The scores of a training's evaluations against a panel.
    Panel,
    /// The networks of a training.
    Checkpoints,
    /// Embeddings.
    Embeddings,
    /// Ratings of published results.
    Ladder,
    /// Published running times.
    Hours,
}

impl Need {
    /// Its name, with the jobs that have it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Need::Score => "mean results (`play.match`, `measure.fitness`)",
            Need::Optimality => "optimal moves (`measure.optimal`)",
            Need::Match => "matches of two players (`play.match`)",
            Need::Colours => "results by who moved first (`play.match`)",
            Need::Meetings => {
                "results of players against each other (`play.match`, `play.tournament`, a panel of `train.alpha-zero`)"
            }
            Need::Games => "games (`play.match`, `play.tournament`)",
            Need::Effort => "what trainings took (`train.alpha-zero`, `train.external`)",
            Need::Operations => "operations of trainings (`train.alpha-zero`)",
            Need::Fitness => "the fitness of generations (`train.cma-es`)",
            Need::Tuned => "tuned numbers (`train.spsa`)",
            Need::Skill => "the evaluations of trainings (`train.alpha-zero` with `settings.evaluation`)",
            Need::Panel => "evaluations by a panel (`train.alpha-zero` with `settings.evaluation.panel`)",
            Need::Checkpoints => "the networks of trainings (`train.alpha-zero`)",
            Need::Embeddings => "embeddings (`measure.embeddings`)",
            Need::Ladder => "ratings of published results (`measure.ladder`)",
            Need::Hours => "running times (`measure.hours`)",
        }
    }
}
