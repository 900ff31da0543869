//! Whether networks compute right: each in two ways, alone and in a batch, on one thread and on sixteen.

use super::Finding;
use super::examples::{batch, build, targets};
use super::finding::UNTRUSTED;
use gauntlet_games::base::{Cores, Seed};
use gauntlet_nets::encoders::Batch;
use gauntlet_nets::nets::deep::{
    DeepError, DeepSpec, Init, InputKind, Logits, Net, NetworkCheck, SumsCheck, check_network, check_sums,
    device_class, is_card, on_device,
};
use gauntlet_play::learning::{Adam, AdamSpec, LossSpec, StepRules, train_step};

const SUBJECT: &str = "arithmetic";

/// Positions of a batch.
const POSITIONS: usize = 64;

/// Rate of the steps. With 3e-3, roundings grow within 20 steps to a fiftieth of the loss, in two right ways on the CPU,
/// too; with this rate, to a ten-thousandth.
const RATE: f64 = 3e-4;

/// Steps of the training.
const STEPS: usize = 20;

/// The checks.
pub fn lines(tell: &mut dyn FnMut(Finding)) {
    for spec in DeepSpec::examples() {
        tell(network(&spec));
    }
    tell(sums());
    tell(steps());
}

/// The other way to compute.
fn reference() -> &'static str {
    if on_gpu() { "the CPU" } else { "plain tensor operations" }
}

fn on_gpu() -> bool {
    is_card(&device_class())
}

/// Positions that the network can read.
fn positions(spec: &DeepSpec) -> Batch {
    let game = match spec.reads() {
        InputKind::Moves { .. } => "chess = { size = 5 }",
        InputKind::Images { logits: Logits::Slots | Logits::Planes, .. } => "breakthrough = { size = 6 }",
        InputKind::Graphs | InputKind::Images { .. } => "othello = { size = 6 }",
    };
    batch(spec, &build(game), POSITIONS)
}

fn network(spec: &DeepSpec) -> Finding {
    let name = spec.name();
    match check_network(spec, &positions(spec)) {
        Ok(check) => {
            let NetworkCheck { forward, gradient, is_alone_alike, is_shared_alike } = check;
            let alike = |alike: bool| if alike { "the same bits" } else { "OTHER BITS" };
            let text = format!(
                "differs from {} by {forward:.0e}, in gradients by {gradient:.0e}; a position alone: {}; on 16 threads: {}",
                reference(),
                alike(is_alone_alike),
                alike(is_shared_alike)
            );
            Finding::check(SUBJECT, name, check.is_good(), text, UNTRUSTED)
        }
        Err(error) => Finding::failed(SUBJECT, name, &error, UNTRUSTED),
    }
}

fn sums() -> Finding {
    let name = "sums over edges";
    match check_sums() {
        Ok(SumsCheck { edges, width, plain, on_gpu }) => {
            let text = format!("{edges} x {width}: plain loops on a core {:.1} ms", 1e3 * plain);
            match on_gpu {
                Some((seconds, alike)) => {
                    let bits = if alike { "the same bits" } else { "OTHER BITS" };
                    Finding::check(
                        SUBJECT,
                        name,
                        alike,
                        format!("{text}, on the card {:.2} ms, {bits}", 1e3 * seconds),
                        UNTRUSTED,
                    )
                }
                None => Finding::skipped(SUBJECT, name, format!("{text}; there is no card to compare with")),
            }
        }
        Err(error) => Finding::failed(SUBJECT, name, &error, UNTRUSTED),
    }
}

/// A few steps of optimisation, in two ways.
fn steps() -> Finding {
    let name = "steps of optimisation";
    let spec: DeepSpec = serde_json::from_str(r#"{"saz":{"hidden":32,"dropout":0.0}}"#).expect("it is well-formed");
    let batch = positions(&spec);
    let build = || spec.build(batch.dims(), Init::default(), &Seed::new(3));
    let cpu = || {
        let dtype = candle_core::DType::F32;
        spec.build_on(batch.dims(), Init::default(), &Seed::new(3), dtype, &candle_core::Device::Cpu)
    };
    let both = || -> Result<[Vec<f64>; 2], DeepError> {
        let here = Cores::alone(1).lend(|| losses(&*build()?, &batch))?;
        // On the CPU, idle cores help, and change no bit.
        let there =
            if on_gpu() { losses(&*cpu()?, &batch)? } else { Cores::alone(4).lend(|| losses(&*build()?, &batch))? };
        Ok([here, there])
    };
    match both() {
        Ok([here, there]) => {
            let (first, last) = (here[0], here[STEPS - 1]);
            let apart = here.iter().zip(&there).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let (good, other) = match on_gpu() {
                true => (apart < 0.02 * first, format!("differs from the CPU by {apart:.0e}")),
                false => (here == there, format!("differs between one core and four by {apart:.0e}")),
            };
            let text = format!("the loss falls from {first:.3} to {last:.3} in {STEPS} steps, and {other}");
            Finding::check(SUBJECT, name, good && last < first, text, UNTRUSTED)
        }
        Err(error) => Finding::failed(SUBJECT, name, &error, UNTRUSTED),
    }
}

/// The losses of some steps on one batch.
fn losses(net: &dyn Net, batch: &Batch) -> Result<Vec<f64>, DeepError> {
    let targets = targets(batch);
    let mut adam = Adam::new(AdamSpec { rate: RATE, ..AdamSpec::default() }, net)?;
    let (rules, mut rng) = (StepRules::in_f32(LossSpec::default()), Seed::new(4).rng());
    let mut step = || Ok(train_step(net, &mut adam, batch, &targets, rules, &mut rng)?.total());
    (0..STEPS).map(|_| on_device(&mut step)).collect()
}
