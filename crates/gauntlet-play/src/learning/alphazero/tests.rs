//! Tests of small trainings: they learn, resume exactly, and keep within their budget.

use super::*;
use crate::jobs::{Inputs, Job as _};
use crate::learning::Window;
use crate::players::Weights;
use gauntlet_games::base::{Interrupted, ResumePoint, Silent, Stop};
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::deep::Net;

fn job(settings: &str) -> AlphaZeroJob {
    let text = format!(
        "game = {{ mnk = {{ rows = 3, columns = 3, row = 3 }} }}\n\
         agent = {{ guided = {{ network = {{ saz = {{ hidden = 16, dropout = 0.0 }} }}, \
         search = {{ simulations = 20, temperature = {{ plies = 4 }} }} }} }}\n[settings]\n{settings}"
    );
    let job: AlphaZeroJob = toml::from_str(&text).expect("a job");
    job.check().expect("it fits together");
    job
}

/// The guided player of a job, mutable.
fn guided(job: &mut AlphaZeroJob) -> &mut GuidedAgent {
    match &mut job.agent {
        crate::players::PlayerSpec::Guided(agent) => agent,
        _ => panic!("a guided agent"),
    }
}

fn train(
    job: &AlphaZeroJob,
    resume: Option<&ResumePoint>,
    sink: &mut dyn Sink,
) -> Result<AlphaZeroTrained, LearningError> {
    let given = Given { seed: 1, upstream: &UpstreamFiles::default(), inputs: &Inputs::new(), checkpoint: resume };
    train_alphazero(job, &given, sink)
}

#[test]
fn metrics_are_told_with_every_checkpoint_and_end_as_the_curve() {
    struct Listener(Vec<Vec<u8>>);
    impl Sink for Listener {
        fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
            if let Event::Metrics(lines) = event {
                self.0.push(lines.to_vec());
            }
            Ok(())
        }
    }
    let (mut listener, job) = (Listener(Vec::new()), job("iterations = 3\ngames = 2\nsteps = 1\nbatch = 4"));
    let metrics = train(&job, None, &mut listener).expect("nothing fails").metrics().expect("plain numbers");
    assert!(listener.0.len() == 3 && listener.0[2] == metrics && metrics.starts_with(&listener.0[0]));
    let text = String::from_utf8(metrics).expect("JSON is text");
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((lines.len(), &lines[2]["step"], &lines[2]["games"]), (3, &3.into(), &6.into()));
    assert!(lines.iter().all(|line| line.as_object().expect("numbers").values().all(serde_json::Value::is_number)));
}

/// Breakthrough by planes of pieces, with a logit for every move: the network beats an untrained one with the same
/// number of simulations.
#[test]
fn moves_of_pieces_are_learned() {
    let player = |temperature: &str| {
        let network = "network = { agz-cnn = { channels = [8, 16, 16], hidden = 16 } }, planes = { pieces = true }";
        format!("{{ guided = {{ {network}, search = {{ simulations = 24{temperature} }} }} }}")
    };
    let noisy = player(", root-noise = { alpha = 0.5 }, temperature = { plies = 8 }");
    let text = format!(
        "game = {{ breakthrough = {{ size = 5 }} }}\nagent = {noisy}\n[settings]\niterations = 8\ngames = 60\nsteps = 200\n\
         batch = 32\nevaluation = {{ every = 8, games = 40, opponent = {}, openings = {{ random = {{ plies = 2 }} }} }}",
        player("")
    );
    let job: AlphaZeroJob = toml::from_str(&text).expect("a job");
    job.check().expect("it fits together");
    let score = train(&job, None, &mut Silent).expect("nothing fails").curve[7].score.expect("it is due");
    assert!(score > 0.4, "{score}");
}

/// Keeps the last checkpoint and interrupts after a number of checkpointed iterations or of games.
struct Stopper {
    iterations: usize,
    games: u64,
    checkpoints: usize,
    last: Option<ResumePoint>,
}

impl Sink for Stopper {
    fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
        match event {
            Event::Checkpoint(point) => {
                (self.checkpoints, self.last) = (self.checkpoints + 1, Some(point.clone()));
                if self.checkpoints == self.iterations { Err(Interrupted) } else { Ok(()) }
            }
            Event::Progress { done, .. } if done >= self.games => Err(Interrupted),
            _ => Ok(()),
        }
    }
}

#[test]
fn a_small_training_learns() {
    let job = job("iterations = 6\ngames = 40\nsteps = 60\nbatch = 32\nadam = { rate = 0.005 }\n\
        evaluation = { every = 6, games = 40, opponent = { random = {} } }");
    let trained = train(&job, None, &mut Silent).expect("nothing fails");
    let (first, last) = (&trained.curve[0], &trained.curve[5]);
    assert!(last.policy_loss < first.policy_loss - 0.1, "{first:?} {last:?}");
    // Guessing among the ten nodes costs ln 10.
    assert!(last.policy_loss < 10.0_f64.ln() - 0.2, "{last:?}");
    assert!(last.value_loss < first.value_loss, "{first:?} {last:?}");
    assert!(last.score.expect("an evaluation") > 0.5, "{last:?}");
    assert!(first.score.is_none() && last.games == 240);
    assert!(last.compute > first.compute && last.evaluations > 6 * 40 * 5 * 10);
}

/// Hence a trained network can be compared with itself before the training, on any board.
#[test]
fn a_training_starts_from_the_untrained_agent_of_its_seed() {
    let (job, seed) = (job("iterations = 1"), Seed::new(7));
    let (boards, agent) = (job.boards().expect("they are there"), job.agent().expect("it is guided"));
    let state = Trainer::new(&job, agent, &boards, seed.child("train", 0), &UpstreamFiles::default())
        .begin(&Source { seed: &seed, checkpoint: None }, &Stop::default())
        .expect("nothing fails");
    let larger: GameSpec = toml::from_str("othello = { size = 8 }").expect("a game");
    let untrained = |seed| agent.net(&[larger.build()], &Source { seed, checkpoint: None }).expect("it is random");
    let bytes = |net: &dyn Net| {
        let checkpoint = DeepCheckpoint::of(agent.network.clone(), net, "").expect("it is sound");
        checkpoint.to_bytes().expect("it can be written")
    };
    let begun = state.learner.network("").and_then(|network| Ok(network.to_bytes()?)).expect("it can be written");
    assert_eq!(begun, bytes(&*untrained(&seed)));
    assert_ne!(begun, bytes(&*untrained(&Seed::new(8))));
}

/// On another board, with the bytes of the initial network; and resumed at any moment as without interruption.
#[test]
fn a_training_goes_on_with_the_weights_of_another() {
    let settings = "iterations = 2\ngames = 4\nsteps = 2\nbatch = 8";
    let first = train(&job(settings), None, &mut Silent).expect("nothing fails").network;
    let evaluation = "evaluation = { every = 2, games = 4, opponent = { random = {} }, untrained = true }";
    let mut job = job(&format!("{settings}\n{evaluation}"));
    job.game = toml::from_str("mnk = { rows = 4, columns = 4, row = 3 }").expect("a game");
    guided(&mut job).weights = Weights::Trained;
    job.check().expect("it fits together");
    let (seed, bytes) = (Seed::new(2), first.to_bytes().expect("it can be written"));
    let source = Source { seed: &seed, checkpoint: Some(&bytes) };
    let (upstream, none, inputs) =
        (UpstreamFiles::from_iter([(None, bytes.clone())]), UpstreamFiles::default(), Inputs::new());
    let given = |checkpoint| Given { seed: 2, upstream: &upstream, inputs: &inputs, checkpoint };
    let drawn = Given { upstream: &none, ..given(None) };
    let (boards, agent) = (job.boards().expect("they are there"), job.agent().expect("it is guided"));
    let training = Trainer::new(&job, agent, &boards, seed.child("train", 0), &upstream);
    let state = training.begin(&source, &Stop::default()).expect("nothing fails");
    assert_eq!(state.learner.network("").expect("it is sound").tensors, first.tensors);
    let whole = train_alphazero(&job, &given(None), &mut Silent).expect("nothing fails");
    let untrained = training.evaluate_untrained(&state, &Silent).expect("nothing fails");
    assert_eq!(whole.untrained, untrained.and_then(|evaluated| evaluated.score));
    assert_eq!((whole.curve.len(), whole.curve[1].games), (2, 8), "its iterations count from 1");
    let mut stopper = Stopper { iterations: 1, games: u64::MAX, checkpoints: 0, last: None };
    assert!(train_alphazero(&job, &given(None), &mut stopper).is_err());
    let resumed = train_alphazero(&job, &given(stopper.last.as_ref()), &mut Silent).expect("nothing fails");
    assert_eq!(resumed, whole);
    assert!(matches!(train_alphazero(&job, &drawn, &mut Silent), Err(LearningError::Player(_))));
}

/// The settings of a training with this panel.
fn with_panel(panel: &str) -> AlphaZeroJob {
    job(&format!(
        "iterations = 4\ngames = 4\nsteps = 2\nbatch = 8\nkeep = [1, 2]\n[settings.evaluation]\nevery = 2\ngames = 6\n\
         openings = {{ random = {{ plies = 1 }} }}\nuntrained = true\n{panel}"
    ))
}

const PANEL: &str = "panel = [{ name = \"chance\", agent = { random = {} } }, \
    { name = \"careful\", agent = { naive = {} } }]\npast = [1, 2]";

#[test]
fn a_panel_has_a_score_for_each_opponent_and_a_joint_standing() {
    let job = with_panel(PANEL);
    let whole = train(&job, None, &mut Silent).expect("nothing fails");
    let names = |entry: usize| -> Vec<&str> {
        whole.curve[entry].panel.iter().map(|against| against.opponent.as_str()).collect()
    };
    assert_eq!(names(0), [""; 0]);
    assert_eq!(names(1), ["chance", "careful", "iteration 1"], "iteration 2 does not play against itself");
    assert_eq!(names(3), ["chance", "careful", "iteration 1", "iteration 2"]);
    let last = &whole.curve[3];
    let mean = last.panel[..2].iter().map(|against| against.score).sum::<f64>() / 2.0;
    assert!((last.score.expect("an evaluation") - mean).abs() < 1e-12 && whole.untrained.is_some());
    for against in &last.panel {
        let (mut games, mut points) = (0, 0.0);
        for (x, row) in against.pairs.iter().enumerate() {
            for (y, &pairs) in row.iter().enumerate() {
                games += 2 * pairs;
                points += pairs as f64 * ((x + y) as f64 / 2.0 - 1.0);
            }
        }
        assert!(games == 6 && (points / 3.0 - against.score).abs() < 1e-12, "{against:?}");
        assert!((1..=6).contains(&against.distinct) && against.plies >= 6 * 5, "{against:?}");
    }
    let standing = whole.panel.clone().expect("a panel");
    let wanted = ["iteration 0", "chance", "careful", "iteration 2", "iteration 1", "iteration 4"];
    assert_eq!(
        (standing.players.clone(), standing.games, standing.meetings.len()),
        (wanted.map(str::to_owned).to_vec(), 54, 9)
    );
    assert_eq!(standing.meetings.iter().map(|meeting| meeting.pentanomial.iter().sum::<u64>()).sum::<u64>(), 27);
    let lines = String::from_utf8(whole.metrics().expect("numbers")).expect("text");
    assert!(lines.contains("\"score careful\":") && !lines.contains("\"panel\""), "{lines}");
    let mut stopper = Stopper { iterations: 3, games: u64::MAX, checkpoints: 0, last: None };
    assert!(train(&job, None, &mut stopper).is_err());
    assert_eq!(train(&job, stopper.last.as_ref(), &mut Silent).expect("nothing fails"), whole);
}

#[test]
fn an_opponent_of_a_panel_changes_no_other_result() {
    let few = "opponent = { random = {} }\npanel = [{ name = \"careful\", agent = { naive = {} } }]";
    let [whole, few, none] = [PANEL, few, "opponent = { random = {} }"]
        .map(|panel| train(&with_panel(panel), None, &mut Silent).expect("nothing fails"));
    assert_eq!(few.curve[3].panel, whole.curve[3].panel[1..2]);
    assert_eq!((few.curve[3].score, few.untrained), (none.curve[3].score, none.untrained));
    assert_eq!((&few.network.tensors, &none.panel), (&whole.network.tensors, &None));
}

#[test]
fn impossible_panels_report_their_reason() {
    let refused = |panel: &str| {
        let text = format!(
            "game = {{ mnk = {{ rows = 3, columns = 3, row = 3 }} }}\nagent = {{ guided = {{ network = {{ saz = {{}} }} }} }}\n\
             [settings]\nkeep = [1]\n[settings.evaluation]\nevery = 1\ngames = 2\n{panel}"
        );
        toml::from_str::<AlphaZeroJob>(&text).expect("a job").check().expect_err(panel)
    };
    let named = |name: &str| format!("{{ name = \"{name}\", agent = {{ random = {{}} }} }}");
    assert_eq!(refused(""), "an evaluation has no opponent: name an `opponent` or a `panel`");
    assert_eq!(refused(&format!("panel = [{0}, {0}]", named("a"))), "two opponents of the panel are called `a`");
    for name in ["", "agent", "opponent", "iteration 3"] {
        assert!(refused(&format!("panel = [{}]", named(name))).contains("take another name"), "{name}");
    }
    assert_eq!(refused("past = [1, 2]"), "`past` plays the network of iteration 2: name it in `keep`, too");
    let unfit = "panel = [{ name = \"t\", agent = { tactician = {} } }]";
    assert!(refused(unfit).contains("tactician cannot play mnk"), "{}", refused(unfit));
}

#[test]
fn a_resumed_training_ends_with_the_same_bytes() {
    let settings =
        "iterations = 4\ngames = 6\nsteps = 3\nbatch = 8\nhistory = 2\nsymmetries = \"random\"\nkeep = [1, 3]";
    let gated = format!("{settings}\ngate = {{ games = 4, share = 0.6 }}");
    let cut =
        format!("{settings}\nplies = {{ environments = 3, each = 12 }}\nwindow = {{ frames = 50 }}\nloss.value = 0.5");
    for settings in [settings.to_owned(), format!("{settings}\nfresh-adam = true"), gated, cut] {
        let mut job = job(&settings);
        guided(&mut job).network = toml::from_str("saz = { hidden = 6, dropout = 0.3 }").expect("a network");
        let whole = train(&job, None, &mut Silent).expect("nothing fails");
        assert_eq!(whole.kept.iter().map(|kept| kept.iteration).collect::<Vec<_>>(), [1, 3]);
        for (iterations, games) in [(1, u64::MAX), (3, u64::MAX), (usize::MAX, 15)] {
            let mut stopper = Stopper { iterations, games, checkpoints: 0, last: None };
            let stopped = train(&job, None, &mut stopper);
            assert!(matches!(stopped, Err(LearningError::Interrupted(_))));
            let resumed = train(&job, stopper.last.as_ref(), &mut Silent).expect("nothing fails");
            assert_eq!(resumed.network.to_bytes().unwrap(), whole.network.to_bytes().unwrap());
            assert_eq!(resumed.curve, whole.curve);
            assert_eq!(resumed.metrics().unwrap(), whole.metrics().unwrap());
            assert_eq!(resumed.kept, whole.kept);
        }
    }
}

/// As Polygames trains: a described game, tensors, batch norm, noise, and examples drawn in a ratio from the latest
/// ones.
#[test]
fn a_resumed_training_of_a_described_game_ends_with_the_same_bytes() {
    let search = "{ simulations = 4, root-noise = { alpha = 0.5 }, forced-visits = 0.0, prune-forced = true }";
    let settings = "{ iterations = 3, games = 3, reuse = 2.0, samples = 50, batch = 8, adam = { clip = 0.25 } }";
    let job: AlphaZeroJob = toml::from_str(&format!(
        "game.ludeme = {{ name = \"squava\" }}\nsettings = {settings}\n\
         agent.guided = {{ network.poly-cnn = {{ width = 1, nets = 1, convolutions = 1 }}, search = {search} }}"
    ))
    .expect("a job");
    job.check().expect("it fits together");
    let whole = train(&job, None, &mut Silent).expect("nothing fails");
    for (iterations, games) in [(1, u64::MAX), (2, u64::MAX), (usize::MAX, 7)] {
        let mut stopper = Stopper { iterations, games, checkpoints: 0, last: None };
        assert!(matches!(train(&job, None, &mut stopper), Err(LearningError::Interrupted(_))));
        let resumed = train(&job, stopper.last.as_ref(), &mut Silent).expect("nothing fails");
        assert_eq!(resumed.network.to_bytes().unwrap(), whole.network.to_bytes().unwrap());
        assert_eq!((&resumed.curve, resumed.metrics().unwrap()), (&whole.curve, whole.metrics().unwrap()));
    }
}

/// Requests a stop after a number of events: `aloud` by an interruption, otherwise only by the flag, which the code
/// must poll.
struct Whisperer {
    events: usize,
    aloud: bool,
    /// The current phase of the training, according to its events.
    place: &'static str,
    stop: Stop,
    last: Option<ResumePoint>,
}

impl Sink for Whisperer {
    fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
        match event {
            Event::Checkpoint(point) => (self.last, self.place) = (Some(point.clone()), "self-play"),
            Event::Metric { name: "remembered", .. } => self.place = "steps",
            Event::Metric { .. } => self.place = "metrics",
            _ => {}
        }
        match self.events.checked_sub(1) {
            Some(left) => self.events = left,
            None if self.aloud => return Err(Interrupted),
            None => drop(self.stop.request()),
        }
        Ok(())
    }

    fn stop(&self) -> Stop {
        self.stop.clone()
    }
}

/// Within self-play, steps, gate and evaluation alike. The matches of gate and evaluation emit no events and poll the
/// flag; hence each is stopped in a training without the other.
#[test]
fn a_training_stops_wherever_it_is_and_resumes_exactly() {
    let settings = "iterations = 2\ngames = 3\nsteps = 3\nbatch = 8";
    let gate = "gate = { games = 4 }";
    let evaluation = "evaluation = { every = 1, games = 2, opponent = { random = {} } }";
    let gated = stopped(&job(&format!("{settings}\n{gate}")), false, "gate");
    assert_eq!(gated, ["gate", "self-play"]);
    let evaluated = stopped(&job(&format!("{settings}\n{evaluation}")), false, "evaluation");
    assert_eq!(evaluated, ["evaluation", "self-play"]);
    let interrupted = stopped(&job(&format!("{settings}\n{gate}\n{evaluation}")), true, "a match");
    assert_eq!(interrupted, ["metrics", "self-play", "steps"]);
}

/// Stops a training after every number of events, resumes it each time, and returns the phases that noticed; `arena`
/// names its matches.
fn stopped(job: &AlphaZeroJob, aloud: bool, arena: &'static str) -> Vec<&'static str> {
    use crate::arena::ArenaError;
    let whole = train(job, None, &mut Silent).expect("nothing fails");
    let mut places = std::collections::BTreeSet::new();
    for events in 0.. {
        let mut whisperer = Whisperer { events, aloud, place: "self-play", stop: Stop::default(), last: None };
        let Err(error) = train(job, None, &mut whisperer) else { break };
        places.insert(match error {
            LearningError::Arena(ArenaError::Player(_)) if whisperer.place == "self-play" => "self-play",
            LearningError::Arena(ArenaError::Player(_)) => arena,
            LearningError::Interrupted(_) => whisperer.place,
            other => panic!("{other}"),
        });
        let resumed = train(job, whisperer.last.as_ref(), &mut Silent).expect("nothing fails");
        assert_eq!(resumed.network.to_bytes().unwrap(), whole.network.to_bytes().unwrap());
        assert_eq!(resumed.curve, whole.curve);
    }
    places.into_iter().collect()
}

#[test]
fn a_divergence_is_told_where_there_are_subgraphs_and_depends_on_no_cache() {
    let mut job = job("iterations = 2\ngames = 6\nsteps = 2\nbatch = 8");
    let plain = train(&job, None, &mut Silent).expect("nothing fails");
    assert!(plain.curve.iter().all(|entry| entry.divergence.is_none()));
    guided(&mut job).subgraphs = Some(toml::from_str("margin = 1").expect("subgraphs"));
    let curves = [0, 8, 1 << 14].map(|cache| {
        guided(&mut job).cache = cache;
        train(&job, None, &mut Silent).expect("nothing fails").curve
    });
    assert!(curves[0] == curves[1] && curves[0] == curves[2]);
    assert!(curves[0].iter().all(|entry| entry.divergence.is_some_and(|nats| nats > 0.0 && nats < 2.0_f64.ln())));
}

/// Evaluations yield no training examples, whatever their openings.
#[test]
fn evaluations_from_openings_score_and_change_nothing_else() {
    let scores = |openings: &str| {
        let evaluation = format!("evaluation = {{ every = 1, games = 20, opponent = {{ random = {{}} }}{openings} }}");
        let job = job(&format!("iterations = 2\ngames = 4\nsteps = 2\nbatch = 8\n{evaluation}"));
        let trained = train(&job, None, &mut Silent).expect("nothing fails");
        let scores: Vec<f64> = trained.curve.iter().filter_map(|entry| entry.score).collect();
        (trained.network.tensors, scores, trained.untrained)
    };
    let before = scores(", untrained = true");
    assert!(before.2.is_some_and(|score| (-1.0..1.0).contains(&score)) && before.1.len() == 2);
    let (plain, opened) = (scores(""), scores(", openings = { random = { plies = 2 } }"));
    let listed = scores(", openings = { list = [\"B2 A1\", \"A1 B2\"] }");
    assert!(plain.0 == opened.0 && plain.0 == listed.0 && (&plain.0, &plain.1) == (&before.0, &before.1));
    assert!(plain.1 != opened.1 && opened.1 != listed.1);
    assert!([opened.1, listed.1].concat().iter().all(|score| (0.0..=1.0).contains(score)), "a search beats chance");
}

#[test]
fn a_gate_keeps_the_champion_until_a_candidate_beats_it() {
    let settings = "iterations = 2\ngames = 4\nsteps = 3\nbatch = 8";
    let gated = |share: f64| {
        let job = job(&format!("{settings}\ngate = {{ games = 20, share = {share} }}"));
        train(&job, None, &mut Silent).expect("nothing fails")
    };
    let (free, open, shut) = (train(&job(settings), None, &mut Silent).expect("it ends"), gated(0.0), gated(1.0));
    let told = |trained: &AlphaZeroTrained| trained.curve.iter().map(|entry| entry.promoted).collect::<Vec<_>>();
    assert_eq!([told(&free), told(&open), told(&shut)], [vec![None; 2], vec![Some(true); 2], vec![Some(false); 2]]);
    assert!(shut.curve.iter().all(|entry| entry.gate.is_some_and(|share| (0.0..1.0).contains(&share))));
    // An open gate changes only the operation count; with a shut gate nothing is learned.
    assert_eq!(open.network.tensors, free.network.tensors);
    assert!(open.curve[1].compute > free.curve[1].compute && open.curve[1].evaluations > free.curve[1].evaluations);
    let agent = job(settings).agent().expect("it is guided").clone();
    let boards = [job(settings).game.build()];
    let untrained = agent.net(&boards, &Source { seed: &Seed::new(1), checkpoint: None }).expect("it is random");
    let untrained = DeepCheckpoint::of(agent.network.clone(), &*untrained, "").expect("it is sound");
    assert_eq!(shut.network.tensors, untrained.tensors);
}

/// On several boards a shut gate stays shut and an open one open, and an interrupted training has the same result.
#[test]
fn a_gate_plays_on_every_board_of_the_training() {
    let gated = |share: f64| {
        let mut job =
            job(&format!("iterations = 2\ngames = 4\nsteps = 3\nbatch = 8\ngate = {{ games = 20, share = {share} }}"));
        job.sizes = [(3, 0.7), (4, 0.3)].map(|(size, share)| SizeShare { size, share }).into();
        job.check().expect("it fits together");
        job
    };
    let whole = train(&gated(0.5), None, &mut Silent).expect("nothing fails");
    assert!(whole.curve.iter().all(|entry| entry.gate.is_some_and(|share| (0.0..=1.0).contains(&share))));
    let mut stopper = Stopper { iterations: 1, games: u64::MAX, checkpoints: 0, last: None };
    train(&gated(0.5), None, &mut stopper).expect_err("it is interrupted");
    let resumed = train(&gated(0.5), stopper.last.as_ref(), &mut Silent).expect("nothing fails");
    assert_eq!((resumed.network.tensors, &resumed.curve), (whole.network.tensors, &whole.curve));
}

#[test]
fn a_kept_network_is_that_of_a_training_that_ended_there() {
    let settings = "games = 4\nsteps = 2\nbatch = 8";
    let long = train(&job(&format!("iterations = 3\nkeep = [2, 3]\n{settings}")), None, &mut Silent).expect("it ends");
    let short = train(&job(&format!("iterations = 2\n{settings}")), None, &mut Silent).expect("it ends");
    let kept: Vec<_> =
        long.kept.iter().map(|kept| DeepCheckpoint::from_bytes(kept.weights.bytes()).expect("whole")).collect();
    assert_eq!((&kept[0].tensors, &kept[1].tensors), (&short.network.tensors, &long.network.tensors));
    assert_ne!(kept[0].tensors, kept[1].tensors);
    assert!(short.kept.is_empty() && kept[0].origin == "AlphaZero on mnk 3x3 row 3, iteration 2", "{}", kept[0].origin);
}

#[test]
fn what_is_no_checkpoint_is_refused() {
    let job = job("iterations = 2\ngames = 2\nsteps = 1\nbatch = 4");
    let mut stopper = Stopper { iterations: 1, games: u64::MAX, checkpoints: 0, last: None };
    train(&job, None, &mut stopper).expect_err("it is interrupted");
    let whole = stopper.last.expect("an interrupt leaves a checkpoint");
    let with_head = |head: &[u8]| ResumePoint { head: head.to_vec(), ..whole.clone() };
    let bytes = &whole.head;
    for length in [0, 7, 20, bytes.len() / 2, bytes.len() - 1] {
        assert!(train(&job, Some(&with_head(&bytes[..length])), &mut Silent).is_err(), "{length} bytes");
    }
    let half = whole.segments[0].bytes().split_at(whole.segments[0].bytes().len() / 2).0.to_vec();
    let torn = ResumePoint { segments: vec![Segment::new(half)], ..whole.clone() };
    assert!(matches!(train(&job, Some(&torn), &mut Silent), Err(LearningError::Torn)));
    let mut other = job.clone();
    guided(&mut other).network = toml::from_str("saz = { hidden = 7 }").expect("a network");
    assert!(matches!(train(&other, Some(&whole), &mut Silent), Err(LearningError::Torn)));
    let header = 8..8 + u64::from_le_bytes(*bytes.first_chunk().expect("it begins with a length")) as usize;
    let text = String::from_utf8(bytes[header.clone()].to_vec()).expect("a header is text");
    let newer = text.replacen(r#""version":2,"#, r#""version":3,"#, 1);
    let newer = [&bytes[..8], newer.as_bytes(), &bytes[header.end..]].concat();
    let refused = train(&job, Some(&with_head(&newer)), &mut Silent);
    assert!(matches!(refused, Err(LearningError::Checkpoint(gauntlet_nets::nets::CheckpointError::Version(3)))));
}

#[test]
fn a_budget_of_compute_ends_a_training() {
    let long = job("iterations = 50\ngames = 4\nsteps = 2\nbatch = 8\ncompute = 0.0001");
    let trained = train(&long, None, &mut Silent).expect("nothing fails");
    let spent: Vec<f64> = trained.curve.iter().map(|entry| entry.compute as f64 / 1e12).collect();
    let last = spent.len() - 1;
    assert!((1..49).contains(&last) && spent[last] >= 0.0001 && spent[last - 1] < 0.0001, "{spent:?}");
}

/// Processor time of earlier processes counts.
#[test]
fn a_budget_of_processor_time_ends_a_training() {
    let settings = "iterations = 5000\ngames = 4\nsteps = 2\nbatch = 8\nprocessor-seconds = 0.2";
    let long = job(settings);
    assert!(!long.is_repeatable() && long.continuation().is_none());
    let mut last = Last(None);
    let trained = train(&long, None, &mut last).expect("nothing fails");
    let spent: Vec<f64> = trained.curve.iter().map(|entry| entry.processor_seconds.expect("it is measured")).collect();
    let [.., before, end] = spent[..] else { panic!("one iteration takes the whole budget: {spent:?}") };
    assert!(spent.is_sorted() && spent[0] > 0.0 && before < 0.2 && end >= 0.2, "{spent:?}");
    let point = last.0.expect("it has checkpoints");
    let longer = job(&settings.replace("0.2", "0.4"));
    let resumed = train(&longer, Some(&point), &mut Silent).expect("nothing fails").curve;
    let next = resumed[spent.len()].processor_seconds.expect("it is measured");
    assert!(resumed[..spent.len()] == trained.curve[..] && next > end, "{next}");
    let free = job("iterations = 2\ngames = 4\nsteps = 2\nbatch = 8");
    assert!(free.is_repeatable());
    assert_eq!(train(&free, None, &mut Silent).expect("nothing fails").curve[1].processor_seconds, None);
}

#[test]
fn an_exploding_loss_is_an_error() {
    let wild = job("iterations = 3\ngames = 2\nsteps = 30\nbatch = 4\nadam = { rate = 1000.0 }");
    let error = train(&wild, None, &mut Silent).expect_err("such steps lead nowhere");
    assert!(matches!(error, LearningError::Diverged { .. }), "{error}");
}

/// The last checkpoint that was reported.
struct Last(Option<ResumePoint>);

impl Sink for Last {
    fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
        if let Event::Checkpoint(point) = event {
            self.0 = Some(point.clone());
        }
        Ok(())
    }
}

/// Only the check of the whole iteration measures the loss after the last step.
#[test]
fn a_network_that_the_last_step_spoilt_is_neither_result_nor_checkpoint() {
    for (rate, keep) in [("1000.0", ""), ("1e30", "keep = [1]"), ("1e39", "keep = [1]")] {
        let wild = job(&format!("iterations = 1\ngames = 2\nsteps = 1\nbatch = 4\n{keep}\nadam.rate = {rate}"));
        let mut last = Last(None);
        let error = train(&wild, None, &mut last).expect_err("such a step leads nowhere");
        let text = error.to_string();
        assert!(text.contains("exploded") && text.contains("iteration 1") && last.0.is_none(), "{rate}: {text}");
    }
}

#[test]
fn the_checkpoint_before_an_explosion_is_the_last_good_one() {
    let job = |iterations: u32, rate: f64| {
        job(&format!(
            "iterations = {iterations}\ngames = 2\nsteps = 1\nbatch = 4\nadam.rate = {rate:e}\nfresh-adam = true"
        ))
    };
    let mut last = Last(None);
    let good = train(&job(2, 1e-3), None, &mut last).expect("nothing fails");
    let checkpoint = last.0.expect("an iteration leaves one");
    let mut last = Last(Some(checkpoint.clone()));
    // Only the third iteration diverges: it starts with a new optimiser.
    let error = train(&job(4, 1e39), Some(&checkpoint), &mut last).expect_err("such a step leads nowhere");
    assert!(matches!(error, LearningError::NotFinite { iteration: 3, .. }), "{error}");
    assert_eq!(last.0.as_ref(), Some(&checkpoint));
    let resumed = train(&job(2, 1e-3), last.0.as_ref(), &mut Silent).expect("it is whole");
    assert_eq!((resumed.network.tensors, resumed.curve), (good.network.tensors, good.curve));
}

/// Every iteration has its plies. `games` counts finished games, and cut-off ones are trained on as well.
#[test]
fn iterations_of_plies_have_as_many_examples() {
    let job = job("iterations = 3\nsteps = 2\nbatch = 8\nplies = { environments = 4, each = 11 }\nwindow.frames = 60");
    let mut last = Last(None);
    let curve = train(&job, None, &mut last).expect("nothing fails").curve;
    assert!(curve.iter().all(|entry| entry.examples == 44 && entry.length >= 5.0 && entry.length <= 9.0), "{curve:?}");
    assert!((4..27).contains(&curve[2].games) && curve[0].games < curve[2].games, "{curve:?}");
    let boards = job.boards().expect("sizes");
    let upstream = UpstreamFiles::default();
    let training = Trainer::new(&job, job.agent().expect("guided"), &boards, Seed::new(1), &upstream);
    let state = training.begin(&Source { seed: &Seed::new(1), checkpoint: None }, &Stop::default()).expect("a state");
    let window = Window::Frames(60);
    let state = state.resume(&last.0.expect("a checkpoint"), window, &training.starts()).expect("its own checkpoint");
    assert_eq!(state.replay.len(), 60);
    let targets = state.replay.iterations().last().expect("the newest").stored().unpacked().targets().clone();
    assert!((4..=32).contains(&targets.unknown.len()), "{}", targets.unknown.len());
}

#[test]
fn boards_of_an_iteration_are_drawn_as_the_setting_says() {
    let mut mixed = job("iterations = 3\ngames = 6\nsteps = 1\nbatch = 4\ndraw = \"iteration\"");
    mixed.sizes = toml::from_str::<std::collections::BTreeMap<String, Vec<SizeShare>>>(
        "sizes = [{ size = 3, share = 0.5 }, { size = 4, share = 0.5 }]",
    )
    .expect("sizes")
    .remove("sizes")
    .expect("there they are");
    let mut stopper = Stopper { iterations: 3, games: u64::MAX, checkpoints: 0, last: None };
    drop(train(&mixed, None, &mut stopper));
    let boards = mixed.boards().expect("sizes");
    let agent = mixed.agent().expect("guided");
    let upstream = UpstreamFiles::default();
    let training = Trainer::new(&mixed, agent, &boards, Seed::new(1), &upstream);
    let state = training.begin(&Source { seed: &Seed::new(1), checkpoint: None }, &Stop::default()).expect("a state");
    let bytes = stopper.last.expect("a checkpoint");
    let state = state.resume(&bytes, Window::Iterations(20), &training.starts()).expect("its own checkpoint");
    for examples in state.replay.iterations() {
        let examples = examples.stored();
        assert!((0..examples.len()).all(|index| examples.sites(index) == examples.sites(0)));
    }
}

/// The share in the last progress event after `iterations` iterations.
fn share_after(job: &AlphaZeroJob, iterations: usize) -> f64 {
    struct Needle(f64, usize);
    impl Sink for Needle {
        fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
            match event {
                Event::Progress { done, total } => self.0 = done as f64 / total as f64,
                Event::Checkpoint(_) if self.1 == 1 => return Err(Interrupted),
                Event::Checkpoint(_) => self.1 -= 1,
                _ => {}
            }
            Ok(())
        }
    }
    let mut needle = Needle(0.0, iterations);
    drop(train(job, None, &mut needle));
    needle.0
}

#[test]
fn progress_is_the_larger_of_the_shares_of_games_and_compute() {
    let settings = "games = 4\nsteps = 2\nbatch = 8";
    let free = job(&format!("iterations = 4\n{settings}"));
    assert_eq!(share_after(&free, 2), 0.5);
    let spent = train(&free, None, &mut Silent).expect("it ends").curve;
    let budget = spent[3].compute as f64 / 1e12;
    let limited = job(&format!("iterations = 1000\ncompute = {budget}\n{settings}"));
    let share = share_after(&limited, 2);
    assert!((0.35..0.65).contains(&share), "{share}");
    let wide = job(&format!("iterations = 4\ncompute = 1000.0\n{settings}"));
    assert_eq!(share_after(&wide, 3), 0.75);
}
