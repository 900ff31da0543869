//! The AlphaZero training as a job: checks of its settings, and its output files.

use super::super::metrics::TrainingResult;
use super::super::selfplay::WeightedBoard;
use super::spec::{AlphaZeroJob, EvaluationSpec};
use super::train_alphazero;
use crate::jobs::{
    Continuation, Files, Given, Job, JobError, METRICS, STATE, TrainingOutput, WEIGHTS, are_repeatable, file, result,
    weights_file, without,
};
use crate::learning::{AdamSpec, RateSchedule};
use crate::players::{Agent as _, PlayerSpec};
use gauntlet_games::base::Sink;
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::NumberFormat;
use gauntlet_nets::nets::deep::DeepSpec;

impl AlphaZeroJob {
    /// Refuses settings that the program of a network does not get.
    fn check_program(&self) -> Result<(), String> {
        let adam = &self.settings.adam;
        if !self.settings.numbers.is_f32() {
            return Err("the steps are those of the network's program: leave `numbers` out".to_owned());
        }
        if self.settings.processor_seconds.is_some() {
            return Err("`processor-seconds` does not count those of the network's program: leave it out".to_owned());
        }
        if *adam != (AdamSpec { rate: adam.rate, ..AdamSpec::default() }) {
            return Err(
                "the network's program has an optimiser of its own, and gets the rate alone: leave `beta1`, `beta2`, \
                        `epsilon` and `clip` out of `adam`"
                    .to_owned(),
            );
        }
        Ok(())
    }
}

impl Job for AlphaZeroJob {
    fn slug(&self) -> String {
        let numbers = if self.settings.numbers.is_f32() { "" } else { ", bf16 steps" };
        format!("{} {}{numbers}", self.game.build().name(), self.agent.name())
    }

    fn check(&self) -> Result<(), String> {
        let Some(agent) = self.agent() else {
            return Err(format!("{} has no network to train", self.agent.name()));
        };
        if !agent.network.architecture().learns() {
            return Err(format!(
                "{} has the weights of its file, and plays alone: it does not learn",
                agent.network.name()
            ));
        }
        if matches!(agent.network, DeepSpec::External(_)) {
            self.check_program()?;
        }
        let boards = self.boards()?;
        if boards.len() > 1 && !agent.network.scales() || boards.len() > 1 && agent.reads_images() {
            return Err(format!("{} learns on one board size", agent.network.name()));
        }
        if boards.len() > 1 && agent.search.simulations.operations().is_some() {
            return Err(
                "an evaluation has other `operations` on each board size: give the search simulations".to_owned()
            );
        }
        boards.iter().try_for_each(|board| agent.check(&board.game))?;
        self.settings.check_kept()?;
        self.settings.check_steps()?;
        self.settings.check_numbers()?;
        boards.iter().try_for_each(|board| self.settings.check_symmetries(&*board.game, agent))?;
        self.settings.check_batch(agent)?;
        if let Some(gate) = &self.settings.gate {
            self.games()?.iter().try_for_each(|(game, _)| gate.check(game))?;
        }
        let Some(evaluation) = &self.settings.evaluation else { return Ok(()) };
        let arena = self.arena(evaluation)?;
        evaluation.openings.build(&arena).map_err(|error| error.to_string())?;
        let game = arena.build();
        evaluation.check_opponents(&self.settings.keep)?;
        evaluation.opponents().try_for_each(|(_, opponent)| opponent.check(&game))?;
        agent.check(&game)?;
        let fits = |board: &WeightedBoard| agent.check_transfer(&board.game, &game);
        let hint = "give the evaluation the `size` of self-play, or take a network for boards of every size";
        boards.iter().try_for_each(fits).map_err(|reason| format!("the evaluations cannot be played: {reason}; {hint}"))
    }

    fn caution(&self) -> Option<String> {
        self.settings.idle()
    }

    /// Result: `curve`, an entry for each iteration; `games`, their number; and `untrained`, the score of the network
    /// before its training, if requested.
    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        let trained = train_alphazero(self, given, sink)?;
        let games = trained.curve.last().map_or(0, |last| last.games);
        let (weights, metrics) = (trained.network.to_bytes()?, trained.metrics()?);
        let numbers = result(&TrainingResult {
            curve: trained.curve,
            games,
            untrained: trained.untrained,
            panel: trained.panel,
            program: trained.program,
            effort: None,
        })?;
        let kept = trained
            .kept
            .into_iter()
            .map(|kept| file(&weights_file(Some(kept.iteration)), kept.weights.bytes().to_vec()));
        let state = trained.state.map(|state| file(STATE, state));
        Ok([file(WEIGHTS, weights), numbers, file(METRICS, metrics)].into_iter().chain(kept).chain(state).collect())
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.first_board())
    }

    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        let opponents = self.settings.evaluation.iter().flat_map(EvaluationSpec::opponents);
        std::iter::once(("agent", &self.agent)).chain(opponents).collect()
    }

    fn continuation(&self) -> Option<Continuation> {
        let settings = &self.settings;
        if settings.processor_seconds.is_some() {
            return None;
        }
        let job = serde_json::to_value(self).expect("a job is plain data");
        let depends = settings.rates.as_ref().is_some_and(RateSchedule::depends_on_length);
        Some(Continuation {
            beginning: without(job, &["iterations", "compute", "keep"]),
            end: settings.iterations.get(),
            compute: settings.compute.unwrap_or(f64::INFINITY),
            kept: settings.keep.iterations.clone(),
            obstacle: depends.then_some("its learning rates depend on its length"),
        })
    }

    fn is_repeatable(&self) -> bool {
        self.settings.processor_seconds.is_none() && are_repeatable(&self.players())
    }

    fn numbers(&self) -> Vec<NumberFormat> {
        let players = self.players().into_iter().map(|(_, player)| player.agent().numbers());
        players.chain([self.settings.numbers]).collect()
    }

    fn is_portable(&self) -> bool {
        !self.settings.numbers.is_f32()
    }

    fn training(&self) -> Option<TrainingOutput<'_>> {
        let settings = &self.settings;
        Some(TrainingOutput {
            agent: Some(&self.agent),
            kept: &settings.keep.iterations,
            end: settings.iterations.get(),
        })
    }
}
