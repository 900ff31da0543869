//! The programs of a plan: their working directories and the hashes of their files become part of the jobs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::{Plan, PlanJob, jobs};
use crate::manifest::resolve::config::{Config, config_key};
use gauntlet_jobs::JobSpec;
use gauntlet_play::players::{EngineAgent, PlayerSpec, each_program, located};

impl Plan {
    /// The plan with engines that start in directories relative to `base`, that of the manifest.
    #[must_use]
    pub fn with_engines(mut self, base: &Path) -> Plan {
        if let Some(suite) = &mut Arc::make_mut(&mut self.written).suite {
            let players =
                suite.matches.iter_mut().flat_map(|wanted| [&mut wanted.spec.agent, &mut wanted.spec.opponent]);
            players.for_each(|player| player.locate_program(base));
        }
        // The files of one program are read once, however many configurations it has.
        let mut known = HashMap::new();
        let mut located = |program: &mut Value| {
            let found = known.entry(program.to_string());
            *program = found.or_insert_with(|| located(program, base)).clone();
        };
        let is_found =
            self.configs.iter_mut().map(|config| locate_config(config, &mut located)).fold(false, |any, is| any | is);
        if is_found {
            self.jobs = jobs(&self.configs, &self.inputs, &self.device);
        }
        self
    }

    /// All different engines of its jobs and of its suite.
    #[must_use]
    pub fn engines(&self) -> Vec<EngineAgent> {
        let of_jobs = self.jobs.iter().flat_map(|job| self.spec(job).started_programs());
        let matches = self.written.suite.iter().flat_map(|suite| &suite.matches);
        let of_suite = matches.flat_map(|wanted| [&wanted.spec.agent, &wanted.spec.opponent]);
        different(of_jobs.chain(of_suite.filter_map(PlayerSpec::started_program)))
    }

    /// The different engines of a job.
    #[must_use]
    pub fn engines_of(&self, job: &PlanJob) -> Vec<EngineAgent> {
        different(self.spec(job).started_programs().into_iter())
    }
}

/// Some programs, each once.
fn different<'a>(programs: impl Iterator<Item = Cow<'a, EngineAgent>>) -> Vec<EngineAgent> {
    let mut different: Vec<EngineAgent> = Vec::new();
    for program in programs {
        if !different.contains(&program) {
            different.push(program.into_owned());
        }
    }
    different
}

/// Locates the engines of a configuration; returns whether it has any.
fn locate_config(config: &mut Config, located: &mut dyn FnMut(&mut Value)) -> bool {
    if !config.spec.has_programs() {
        return false;
    }
    let written = serde_json::to_value(&*config.spec);
    let located = written.ok().and_then(|mut spec| {
        each_program(&mut spec, located);
        serde_json::from_value::<JobSpec>(spec).ok()
    });
    if let Some(spec) = located {
        config.key = config_key(&spec);
        config.slug = spec.slug();
        config.spec = Arc::new(spec);
    }
    true
}
