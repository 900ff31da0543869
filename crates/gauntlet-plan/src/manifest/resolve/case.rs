//! Resolution of one cell of a stage into a job: its upstream configurations, its variant, its axes.

use std::sync::Arc;

use super::candidates::{dependency, fitting};
use super::config::Config;
use super::dependency::Dependency;
use super::inherit::{inherit, put_in};
use super::takers::{LEARNER, misfit, takes};
use super::template::{Template, TrainedPlayer, content, content_mut, has_entrants, label, player_names};
use crate::manifest::read::stage::Stage;
use crate::manifest::read::sweep::SweepCell;
use crate::manifest::read::upstream::Upstream;
use crate::manifest::read::variant::Variant;
use crate::manifest::read::written::WrittenManifest;
use crate::manifest::text::reader::read;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Entry, Node, Setting, Table, Value};
use gauntlet_jobs::JobSpec;
use gauntlet_play::jobs::TrainingOutput;
use gauntlet_play::players::{PlayerSpec, Weights};

/// One cell of one stage, for one variant and one configuration of the leading upstream.
pub(super) struct Case<'a> {
    pub(super) written: &'a WrittenManifest,
    pub(super) stage: &'a Stage,
    /// The configuration of the stage's leading upstream.
    pub(super) base: Option<usize>,
    pub(super) variant: Option<&'a Variant>,
    pub(super) cell: &'a SweepCell,
}

impl<'a> Case<'a> {
    /// The cell as far as it is understood, and its problems.
    ///
    /// # Errors
    /// If it is excluded: the indices of the matching exclusions.
    pub(super) fn resolve(&self, configs: &[Config]) -> Result<(Config, Vec<Problem>), Vec<usize>> {
        let mut problems = Vec::new();
        let settings = self.settings();
        let exclusions = self.exclusions(configs, &settings);
        if !exclusions.is_empty() {
            return Err(exclusions);
        }
        let from = self.dependencies(configs, &settings, &mut problems);
        problems.extend(self.own_rival(&from));
        let is_fed = from.len() == self.stage.from.len();
        let mut found = Vec::new();
        let template = self.fill(configs, &from, &settings, &mut found);
        problems.extend(self.unknown_players(&template.tree));
        // If a player lacks its training, other problems may follow from that.
        let spec = match is_fed && problems.is_empty() {
            true => {
                problems = found;
                self.read(&template.tree, &mut problems)
            }
            false => None,
        };
        let spec = self.check(spec, configs, &from, &settings, &mut problems);
        let Template { tree, mut labels, .. } = template;
        labels.shrink_to_fit();
        let own = self.variant.and_then(|variant| variant.seeds.as_ref()).unwrap_or(&self.stage.seeds);
        let seeds = from.first().map_or(own, |dependency| &configs[dependency.config].seeds);
        Ok((Config::new(self.stage, (labels, tree), spec, from, seeds.to_vec()), problems))
    }

    /// The exclusions that match the cell by labels that are not its own.
    fn exclusions(&self, configs: &[Config], settings: &[&Setting]) -> Vec<usize> {
        if self.stage.excluded.is_empty() {
            return Vec::new();
        }
        let cell = self.fill(configs, &[], settings, &mut Vec::new());
        let has = |unwanted: &Arc<Setting>| {
            let wanted = unwanted.node.text().map_or_else(|| unwanted.node.value.label(), str::to_owned);
            label(&cell.labels, &cell.tree, &unwanted.path) == Some(wanted)
        };
        let excluded = self.stage.excluded.iter().enumerate();
        excluded.filter(|(_, unwanted)| unwanted.iter().all(has)).map(|(at, _)| at).collect()
    }

    /// All settings for the template.
    fn settings(&self) -> Vec<&'a Setting> {
        let changes = self.variant.map_or(&[][..], |variant| &variant.set);
        changes.iter().chain(self.cell.iter().map(|setting| &**setting)).collect()
    }

    /// The dependencies of the cell: its base, and for every other player the configuration that fits the cell, in the order
    /// of the players. Fewer than the stage names if there are problems.
    fn dependencies(&self, configs: &[Config], settings: &[&Setting], problems: &mut Vec<Problem>) -> Vec<Dependency> {
        let Some(base) = self.base else { return Vec::new() };
        let leading = self.stage.leading();
        // The cell without the other players: they have to fit its labels.
        let cell = (self.stage.from.len() > 1).then(|| self.fill(configs, &[], settings, &mut Vec::new()));
        let feed_of = |(at, upstream): (usize, &Upstream)| match &cell {
            Some(cell) if at != leading => {
                dependency(upstream, fitting(upstream, self.written, configs, cell)?, configs).map_err(Some)
            }
            _ => dependency(upstream, base, configs).map_err(Some),
        };
        let mut dependencies: Vec<Dependency> = Vec::new();
        for found in self.stage.from.iter().enumerate().map(feed_of) {
            match found {
                Ok(dependency) => dependencies.push(dependency),
                Err(problem) => problems.extend(problem),
            }
        }
        if dependencies.len() == self.stage.from.len() {
            problems.extend(self.other_seeds(&dependencies, configs));
        }
        dependencies.sort_by(|one, other| one.player.cmp(&other.player));
        dependencies
    }

    fn fill(
        &self,
        configs: &[Config],
        dependencies: &[Dependency],
        settings: &[&Setting],
        problems: &mut Vec<Problem>,
    ) -> Template<'a> {
        let mut tree = self.stage.job.clone();
        let trained = self.trained(configs, dependencies);
        let role = self.role(&tree);
        let mut labels = put_in(&mut tree, &trained, role);
        if let (Some(before), Some(leading)) = (self.base.map(|base| &configs[base]), self.leading()) {
            labels.extend(inherit(&mut tree, leading, role, &before.tree, &before.labels));
        }
        let WrittenManifest { games, agents, .. } = self.written;
        let mut template = Template { tree, games, agents, trained, labels };
        if let Some(variant) = self.variant {
            template.keep_label("variant", "trained");
            template.label(&"variant".into(), variant.name.as_str().into());
        }
        // Measurements of several iterations are a curve over them.
        let iteration = self.leading().and_then(|leading| leading.iteration.as_ref());
        if let Some((iteration, _)) =
            iteration.filter(|_| template.tree.tagged().is_some_and(|(kind, _)| &*kind.key == "measure"))
        {
            template.label(&"iteration".into(), iteration.to_string().into());
        }
        template.apply(settings.iter().copied(), problems);
        template.label_axes(self.cell.iter().map(|setting| &**setting));
        template
    }

    /// Problems of upstreams whose seeds differ from the first one's; `dependencies` are in the order of the text.
    fn other_seeds(&self, dependencies: &[Dependency], configs: &[Config]) -> Vec<Problem> {
        let seeds = |dependency: &Dependency| configs[dependency.config].seeds.as_slice();
        let others = self
            .stage
            .from
            .iter()
            .zip(dependencies)
            .filter(|(_, dependency)| seeds(dependency) != seeds(&dependencies[0]));
        let problem = |(upstream, dependency): (&Upstream, &Dependency)| {
            let ((other, span), (first, _)) = (&upstream.stage, &self.stage.from[0].stage);
            let (theirs, own) = (seeds(dependency), seeds(&dependencies[0]));
            let message = format!("stage `{other}` has the seeds {theirs:?}, and stage `{first}` has {own:?}");
            let hint = "runs of several trainings meet by seed: give all of them the same `seeds`";
            Problem::at(span.clone(), message).hint(hint)
        };
        others.map(problem).collect()
    }

    /// The problem of an opponent with crossed runs that is the agent itself: a run would meet itself.
    fn own_rival(&self, dependencies: &[Dependency]) -> Option<Problem> {
        let crossed = dependencies
            .iter()
            .find(|dependency| dependency.runs > 1 && dependency.player.as_deref() == Some("opponent"))?;
        let is_own =
            |dependency: &&Dependency| dependency.player != crossed.player && dependency.config == crossed.config;
        dependencies.iter().find(is_own)?;
        let (_, span) = self.stage.from.iter().find_map(|upstream| upstream.runs.as_ref())?;
        let message = "the runs of one training cannot be crossed with themselves: each would meet itself";
        Some(Problem::at(span.clone(), message).hint("train the opponent in a stage of its own, or leave `runs` out"))
    }

    fn leading(&self) -> Option<&'a Upstream> {
        self.stage.from.get(self.stage.leading())
    }

    /// The role of the leading upstream's agent in this job; `None` in a tournament, whose players have names.
    fn role(&self, tree: &Table) -> Option<&'a str> {
        let leading = self.leading().filter(|_| !has_entrants(tree));
        leading.map(|leading| leading.player().unwrap_or("agent"))
    }

    /// The players that take their weights from trainings, each with the agent of its training.
    fn trained(&self, configs: &[Config], dependencies: &[Dependency]) -> Vec<TrainedPlayer<'a>> {
        let player = |upstream: &'a Upstream| {
            let dependency = dependencies
                .iter()
                .find(|dependency| dependency.player.is_some() && dependency.player.as_deref() == upstream.player())?;
            let Config { tree, labels, .. } = &configs[dependency.config];
            TrainedPlayer::new(upstream, tree, labels)
        };
        self.stage.from.iter().filter_map(player).collect()
    }

    /// Problems of named players that the job does not have.
    fn unknown_players(&self, tree: &Table) -> Vec<Problem> {
        let Some(known) = player_names(tree) else { return Vec::new() };
        let named = self.stage.from.iter().filter_map(|upstream| upstream.player.as_ref());
        let unknown_players = named.filter(|(player, _)| !known.contains(&&**player));
        let problem = |(player, span): &(Arc<str>, Span)| {
            let message = format!("`{player}` is not a player of stage `{}`", self.stage.name);
            Problem::at(span.clone(), message).nearest(player, known.iter().copied())
        };
        unknown_players.map(problem).collect()
    }

    /// Reads the filled job. If a name is unknown already, its type is not reported as a second problem.
    fn read(&self, tree: &Table, problems: &mut Vec<Problem>) -> Option<JobSpec> {
        let mut found = Vec::new();
        let spec = read(&Node { span: self.stage.span.clone(), value: Value::Table(tree.clone()) }, &mut found);
        found.retain(|new| !problems.iter().any(|known| known.span == new.span));
        found.iter_mut().for_each(|problem| self.tell_of_removal(problem));
        problems.append(&mut found);
        spec
    }

    /// Adds a hint to the problem of a value `false` in place of a table: nothing removes a key of the job.
    fn tell_of_removal(&self, problem: &mut Problem) {
        let is_off = |setting: &&Setting| {
            matches!(setting.node.value, Value::Bool(false)) && problem.span.as_ref() == Some(&setting.node.span)
        };
        if !problem.message.starts_with("expected a table") {
            return;
        }
        if let Some(Setting { path, .. }) = self.settings().into_iter().find(is_off) {
            let key = path.rsplit('.').next().unwrap_or(path);
            let way = format!("begin with a base without it, and add `\"{path}\" = {{ ... }}` in the other ones");
            problem.hint = Some(format!("a variant or an axis cannot remove `{key}`: {way}"));
        }
    }

    /// The job, if it is valid as a whole.
    fn check(
        &self,
        spec: Option<JobSpec>,
        configs: &[Config],
        from: &[Dependency],
        settings: &[&Setting],
        problems: &mut Vec<Problem>,
    ) -> Option<JobSpec> {
        if from.iter().any(|dependency| !configs[dependency.config].is_sound) {
            // Inherited mistakes are reported at their origin.
            problems.retain(|problem| problem.span.as_ref() != Some(&self.stage.span));
            return None;
        }
        let spec = spec?;
        let other = self.stage.from.iter().find_map(|upstream| misfit(&spec, upstream, from, configs));
        let wrong = || Some(Problem::at(self.fault_place(configs, from, settings), spec.check_written().err()?));
        let board = || self.other_board(&spec, configs, from);
        let untrained_player = || self.untrained_player(&spec, settings);
        match other.or_else(|| self.kept_too_late(&spec)).or_else(wrong).or_else(board).or_else(untrained_player) {
            None => Some(spec),
            Some(problem) => {
                problems.push(problem);
                None
            }
        }
    }

    /// The problem of a player whose network is made for one board, and whose weights come from a training on another
    /// board.
    fn other_board(&self, spec: &JobSpec, configs: &[Config], from: &[Dependency]) -> Option<Problem> {
        let job = spec.job();
        let (players, game) = (job.players(), job.game()?.build());
        from.iter().find_map(|dependency| {
            let before = configs[dependency.config].spec.job();
            let (training, learned) = (before.training()?, before.game()?.build());
            let is_fed = |(name, player): &(&str, &PlayerSpec)| match &dependency.player {
                Some(wanted) => **wanted == **name,
                None => {
                    let agent = player.agent();
                    agent.weights() == Some(&Weights::Trained) && takes(player, training.agent)
                }
            };
            let mut fed = players.iter().filter(|player| is_fed(player));
            let reason = fed.find_map(|(_, player)| player.agent().check_transfer(&learned, &game).err())?;
            let upstream = self.stage.from.iter().find(|upstream| upstream.player() == dependency.player.as_deref())?;
            let hint = "train on the board that is played on, or take a network for boards of every size";
            Some(Problem::at(upstream.stage.1.clone(), reason).hint(hint))
        })
    }

    /// The problem of a player whose weights are `"trained"` but that no training dependencies.
    fn untrained_player(&self, spec: &JobSpec, settings: &[&Setting]) -> Option<Problem> {
        spec.job().training()?;
        let is_unfed = |name: &str| name != LEARNER || self.stage.from.is_empty();
        let wants = |player: &PlayerSpec| player.agent().weights() == Some(&Weights::Trained);
        let (name, _) = spec.job().players().into_iter().find(|(name, player)| is_unfed(name) && wants(player))?;
        let place = settings.iter().rfind(|setting| setting.path.starts_with(name)).map(|setting| &setting.node.span);
        let written = || content(&self.stage.job)?.get(name).map(|node| &node.span);
        let message = format!("the weights of `{name}` are \"trained\", and it takes them from no training");
        let hint = match name {
            LEARNER => "name the training: `from = \"stage\"`, or leave `weights` out",
            _ => "give it other weights: only the learning `agent` takes those of a training",
        };
        Some(Problem::at(place.or_else(written).unwrap_or(&self.stage.span).clone(), message).hint(hint))
    }

    /// The problem of an iteration to keep that lies after the last one.
    fn kept_too_late(&self, spec: &JobSpec) -> Option<Problem> {
        let TrainingOutput { kept, end, .. } = spec.job().training()?;
        let late = kept.last().filter(|&&last| last > end)?;
        let written = content(&self.stage.job)?.get("settings").and_then(Node::table);
        let place = written.and_then(|written| written.entry("keep")).map_or(&self.stage.span, |keep| &keep.key_span);
        let is_state =
            |node: &Node| matches!(&node.value, Value::List(items) if items.iter().any(|it| it.text().is_some()));
        let state = written.and_then(|written| written.get("keep")).filter(|keep| is_state(keep));
        let kept = kept.iter().filter(|&&kept| kept <= end).map(u32::to_string);
        let kept: Vec<String> = kept.chain(state.map(|_| "\"state\"".to_owned())).collect();
        let (kind, job) = self.stage.job.tagged()?;
        let path = format!("stages.{}.{}.{}.settings.keep", self.stage.name, kind.key, job.tagged()?.0.key);
        let hint = format!("keep fewer, too: --set '{path}=[{}]'", kept.join(","));
        let message = format!("iteration {late} cannot be kept: the last one is {end}");
        Some(Problem::at(place.clone(), message).hint(hint))
    }

    /// The place of the setting or of the key without which the job would be valid; the job's name if there is none.
    fn fault_place(&self, configs: &[Config], from: &[Dependency], settings: &[&Setting]) -> Span {
        let is_sound = |tree: &Table| self.read(tree, &mut Vec::new()).is_some_and(|spec| spec.check_written().is_ok());
        let is_sound_without = |left_out: &usize| {
            let kept: Vec<&Setting> =
                settings.iter().enumerate().filter(|(at, _)| at != left_out).map(|(_, setting)| *setting).collect();
            is_sound(&self.fill(configs, from, &kept, &mut Vec::new()).tree)
        };
        let job = self.stage.job.tagged().and_then(|(_, job)| job.tagged());
        let place = job.map_or(&self.stage.span, |(entry, _)| &entry.key_span);
        let found = (0..settings.len()).rev().find(is_sound_without);
        if let Some(at) = found {
            return settings[at].node.span.clone();
        }
        let filled = self.fill(configs, from, settings, &mut Vec::new()).tree;
        let is_at_fault = |entry: &&Entry| {
            let mut tree = filled.clone();
            content_mut(&mut tree).remove(&entry.key);
            is_sound(&tree)
        };
        let written = content(&self.stage.job).map_or(&[][..], Table::entries);
        written.iter().find(is_at_fault).map_or(place, |entry| &entry.key_span).clone()
    }
}

#[cfg(test)]
mod tests {
    use crate::manifest::testing;

    /// The problems of a training on a board of 6 whose network plays on a board of another size.
    fn problems(network: &str, size: u32, play: &str) -> Vec<String> {
        let text = format!(
            "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\nsmall.othello = {{ size = 6 }}\n[agents]\n\
             greedy.greedy = {{}}\nlearner.guided = {{ network.{network} = {{}} }}\n\
             [stages.train.train.alpha-zero]\ngame = \"small\"\nagent = \"learner\"\n\
             [stages.test]\nfrom = {{ agent = \"train\" }}\nsweep = {{ \"game.size\" = [{size}] }}\n{play}"
        );
        testing::problems(&text)
    }

    #[test]
    fn a_network_for_one_board_plays_on_it_alone() {
        let play = "play.match = { opponent = \"greedy\", games = 2 }";
        for network in ["az-cnn", "agz-cnn"] {
            let found = problems(network, 8, play);
            let [message] = found.as_slice() else { panic!("{found:?}") };
            assert!(message.ends_with("is made for one board: what it learns in othello 6x6 cannot play othello 8x8"));
            assert_eq!(problems(network, 6, play), [""; 0]);
        }
        assert_eq!(problems("saz", 8, play), [""; 0]);
    }

    #[test]
    fn a_variant_removes_no_table() {
        use crate::manifest::{Overrides, Plan, load};

        let text = "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\ng.mnk = { columns = 3, rows = 3, row = 3 }\n\
            [agents]\nr.random = {}\nu.uct = { simulations = 4, rave = {} }\n\
            [variant.with.set]\n[variant.without.set]\n\"agent.rave\" = false\n[stages.m]\n\
            play.match = { game = \"g\", agent = \"u\", opponent = \"r\", games = 8 }\n";
        let source = std::collections::BTreeMap::from([("m.toml".to_owned(), text.to_owned())]);
        let loaded = load(&source, "m.toml", &Overrides::default()).unwrap();
        let found = Plan::new(loaded, "cpu").map(drop).unwrap_err();
        let [problem] = found.list() else { panic!("{found:?}") };
        assert_eq!(problem.message, "expected a table, found boolean `false`");
        let hint = "a variant or an axis cannot remove `rave`: begin with a base without it, and add \
            `\"agent.rave\" = { ... }` in the other ones";
        assert_eq!(problem.hint.as_deref(), Some(hint));
    }

    /// A typo in one key is one problem: the other keys of its stage count, and so do the labels of the manifest.
    #[test]
    fn an_unknown_key_hides_no_other_key() {
        let problems = |typo: &str, section: &str| {
            let text = format!(
                "schema = 1\nname = \"a/b\"\ntitle = \"t\"\nlabels.az = \"AlphaZero\"\n[games]\nsmall.othello = {{ size = 6 }}\n\
                 [agents]\nlearner.guided = {{ network.saz = {{}} }}\n{section}\
                 [stages.a]\nseeds = [1, 2, 3]\n{typo}\
                 train.alpha-zero = {{ game = \"small\", agent = \"learner\" }}\n\
                 [stages.b]\nseeds = [1, 2, 3]\ntrain.alpha-zero = {{ game = \"small\", agent = \"learner\" }}\n\
                 [stages.test]\nfrom = {{ az = \"a\", other = \"b\" }}\n\
                 play.tournament = {{ players = [\"az\", \"other\"], games = 2 }}\n\
                 [[exhibit]]\nshow.ratings = {{ stage = \"test\", anchor = \"AlphaZero\" }}\n"
            );
            testing::problems(&text)
        };
        assert_eq!(problems("", ""), [""; 0]);
        assert_eq!(problems("sweeep = {}\n", ""), ["unknown key `sweeep` in a stage"]);
        assert_eq!(problems("", "[gmaes]\n"), ["unknown section `gmaes`"]);
    }
}
