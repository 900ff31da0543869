//! Models by their names in tournaments: `gomoku-agz/I-26` is the player I-26 in a tournament of the committed
//! manifests `gomoku-agz/...`, with the weights of its training in the store.

use crate::app::errors::Misuse;
use crate::app::library::ManifestLibrary;
use crate::app::options::Options;
use crate::app::plans::Planned;
use gauntlet_jobs::JobSpec;
use gauntlet_plan::manifest::Dependency;
use gauntlet_play::arena::PlaySpec;
use gauntlet_play::players::ModelMetadata;
use gauntlet_run::scheduler::{Batch, JobState, weights_file};
use gauntlet_store::JobId;

/// A player of a tournament that takes its weights from a training.
pub struct TrainedEntrant {
    /// Its name: the family of its manifest, and its name there.
    pub name: String,
    /// Its game, and its settings there.
    pub purpose: ModelMetadata,
    /// The manifest with the tournament.
    manifest: String,
    /// The profile of that manifest.
    profile: String,
    /// Its training, with its state in the store.
    training: (JobId, JobState),
    /// The iteration of its network; none for the last one.
    iteration: Option<u32>,
}

impl TrainedEntrant {
    /// The trained players of all tournaments of a family of manifests, at the profile of the command line; for
    /// trainings over several seeds, those of the first seed.
    ///
    /// # Errors
    /// If the store cannot be opened.
    pub fn of_family(family: &str, options: &Options) -> anyhow::Result<Vec<TrainedEntrant>> {
        let manifests = ManifestLibrary::open().family(family).into_iter();
        // A manifest without the profile has no players.
        let plans: Vec<Planned> = manifests.filter_map(|name| options.planned(&name).ok()).collect();
        if plans.is_empty() {
            return Ok(Vec::new());
        }
        let batch = options.batch(&plans, &options.store()?)?;
        let mut entrants: Vec<TrainedEntrant> = Vec::new();
        for (planned, places) in plans.iter().zip(&batch.places) {
            for (at, &place) in places.iter().enumerate() {
                for entrant in of_job(&batch, planned, at, place) {
                    if entrants.iter().all(|known| known.name != entrant.name) {
                        entrants.push(entrant);
                    }
                }
            }
        }
        Ok(entrants)
    }

    /// The bytes of its network.
    ///
    /// # Errors
    /// If it has not been trained, or the file is damaged.
    pub fn weights(&self, options: &Options) -> anyhow::Result<Vec<u8>> {
        let (id, state) = &self.training;
        let TrainedEntrant { name, manifest, profile, .. } = self;
        let again = format!("`gauntlet reproduce {manifest} --profile {profile}`");
        match state {
            state if state.is_done() => Ok(options.store()?.read(id, &weights_file(self.iteration))?),
            JobState::Stale => {
                let hint = format!("--accept-code accepts it, {again} trains it again");
                Err(Misuse::new(format!("{name} was trained by other code (profile {profile})"), hint))
            }
            _ => {
                let hint = format!("{again} trains it; or name another --profile");
                Err(Misuse::new(format!("{name} is not trained at the profile {profile}"), hint))
            }
        }
    }
}

/// The trained players of one job of a plan.
fn of_job(batch: &Batch, planned: &Planned, at: usize, place: usize) -> Vec<TrainedEntrant> {
    let plan = &planned.plan;
    let config = plan.config(&plan.jobs[at]);
    let JobSpec::Play(PlaySpec::Tournament(tournament)) = &*config.spec else { return Vec::new() };
    let entrant = |(dependency, before): (&Dependency, usize)| {
        let player = tournament.players.iter().find(|player| dependency.player.as_deref() == Some(&player.name))?;
        let training = &batch.jobs[before];
        Some(TrainedEntrant {
            name: format!("{}/{}", plan.written.name.family(), player.name),
            purpose: ModelMetadata::new(tournament.game.clone(), player.agent.clone()),
            manifest: planned.name.clone(),
            profile: plan.profile.clone(),
            training: (training.id.clone(), training.state),
            iteration: dependency.iteration,
        })
    };
    config.from.iter().zip(batch.after(place)).filter_map(entrant).collect()
}
