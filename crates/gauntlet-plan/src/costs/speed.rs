//! Speed of this machine: its pieces of work are timed for a moment at small scale.
//!
//! Only the estimate of a run depends on it. Probing a whole plan takes a second or two.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::jobs::parts;
use super::probe::{Probe, in_small};
use super::work::WorkKind;
use gauntlet_jobs::JobSpec;

/// Number of samples of a piece of work. The fastest counts: other work on the machine only adds time.
const SAMPLES: usize = 3;

/// The minimum duration of a sample.
const MOMENT: Duration = Duration::from_millis(4);

/// Time after the first probe at which no further one starts, including waits for the processor.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Seconds here for each estimated second, by kind of work; each is measured once.
#[derive(Debug, Default)]
pub struct Speed {
    known: HashMap<String, Option<f64>>,
    begin: Option<Instant>,
}

impl Speed {
    /// Seconds here for each estimated second of this job; 1 if nothing can be measured.
    pub fn slowness(&mut self, spec: &JobSpec) -> f64 {
        let parts = parts(spec).into_iter().map(|part| (part.seconds(), part.piece));
        let mut parts: Vec<_> = parts.filter(|(seconds, _)| *seconds > 0.0).collect();
        // Longest work first: the measuring time may run out.
        parts.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let here: f64 = parts.iter().map(|(seconds, piece)| seconds * self.of_piece(piece)).sum();
        let slowness = here / parts.iter().map(|(seconds, _)| seconds).sum::<f64>();
        if slowness.is_finite() { slowness } else { 1.0 }
    }

    fn of_piece(&mut self, piece: &WorkKind<'_>) -> f64 {
        let name = match piece {
            WorkKind::Decision(player, game) => format!("{:?}, {}", in_small(player), game.played.name()),
            WorkKind::Example(agent, settings, game) => {
                let (network, game) = (&agent.network, game.played.name());
                format!("{network:?}, {game}, {} examples, {:?}", settings.batch, settings.loss)
            }
            WorkKind::Ply | WorkKind::Operation => return 1.0,
        };
        self.of(name, || {
            let mut probe = Probe::new(piece)?;
            measure(|| probe.work())
        })
    }

    /// The measured or newly measured slowness of this work; the mean of the others if it cannot be measured.
    fn of(&mut self, name: String, measure: impl FnOnce() -> Option<f64>) -> f64 {
        if !self.known.contains_key(&name) {
            let is_late = self.begin.get_or_insert_with(Instant::now).elapsed() > PATIENCE;
            let slowness = if is_late { None } else { measure() };
            tracing::debug!("{name}: {slowness:?} times the estimate");
            self.known.insert(name.clone(), slowness);
        }
        self.known[&name].unwrap_or_else(|| self.typical())
    }

    /// The geometric mean of the measurements; 1 without any.
    fn typical(&self) -> f64 {
        let logarithms: Vec<f64> = self.known.values().flatten().map(|slowness| slowness.ln()).collect();
        (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp()
    }
}

/// Measured seconds for each estimated second that `work` returns.
fn measure(mut work: impl FnMut() -> Option<f64>) -> Option<f64> {
    // One run to fill buffers and wake up the processor.
    work()?;
    let mut slowness = f64::INFINITY;
    for _ in 0..SAMPLES {
        let (clock, mut estimate) = (Watch::start(), work()?);
        while clock.begin.elapsed() < MOMENT {
            estimate += work()?;
        }
        slowness = slowness.min(clock.elapsed().as_secs_f64() / estimate);
    }
    (slowness > 0.0 && slowness.is_finite()).then_some(slowness)
}

/// Measures the processor time of this thread, so that waiting does not count; on systems without that measure, the
/// elapsed time.
struct Watch {
    begin: Instant,
    busy: Option<Duration>,
}

impl Watch {
    fn start() -> Watch {
        Watch { busy: busy(), begin: Instant::now() }
    }

    fn elapsed(&self) -> Duration {
        let busy = self.busy.zip(busy()).map(|(before, now)| now.saturating_sub(before));
        busy.unwrap_or_else(|| self.begin.elapsed())
    }
}

/// Processor time of this thread so far (Linux).
fn busy() -> Option<Duration> {
    // Some kernels count only up to the last tick, milliseconds ago, unless the thread has just left its processor.
    std::thread::sleep(Duration::from_nanos(1));
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split(' ').next()?.parse().ok()?;
    // Kernels without this count report 0.
    (nanoseconds > 0).then(|| Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_does_not_count() {
        if busy().is_none() {
            eprintln!("skipped: this system does not tell how long threads were on a processor");
            return;
        }
        let clock = Watch::start();
        std::thread::sleep(Duration::from_millis(60));
        assert!(clock.elapsed() < Duration::from_millis(30) && clock.begin.elapsed() >= Duration::from_millis(60));
    }

    #[test]
    fn the_fastest_sample_counts_and_the_first_call_does_not() {
        let mut calls = 0;
        let slowness = measure(|| {
            calls += 1;
            // The warm-up and one sample are slow.
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_millis(if calls < 3 { 60 } else { 5 }) {}
            Some(0.005)
        });
        // Another thread may take the processor meanwhile. That time is not counted, but ends the loops above early.
        assert!(calls == 4 && slowness.unwrap() < 6.0, "{calls} {slowness:?}");
        assert_eq!(measure(|| Some(f64::INFINITY)), None);
    }

    #[test]
    fn what_was_not_measured_is_like_the_rest() {
        let mut speed = Speed::default();
        assert_eq!(speed.of("broken".to_owned(), || None), 1.0);
        assert_eq!(speed.of("a".to_owned(), || Some(2.0)), 2.0);
        assert_eq!(speed.of("b".to_owned(), || Some(8.0)), 8.0);
        assert!((speed.of("broken".to_owned(), || Some(1.0)) - 4.0).abs() < 1e-12);
        speed.begin = Instant::now().checked_sub(2 * PATIENCE);
        assert!(speed.begin.is_none() || (speed.of("late".to_owned(), || Some(100.0)) - 4.0).abs() < 1e-12);
    }

    /// A training has both rates, weighted by its main work.
    #[test]
    fn a_training_is_measured_at_play_and_in_steps() {
        let text = r#"{"train":{"alpha-zero":{"game":{"othello":{"size":4}},
            "agent":{"guided":{"network":{"saz":{"hidden":4}},"search":{"simulations":4}}}}}}"#;
        let (spec, mut speed) = (serde_json::from_str(text).unwrap(), Speed::default());
        let slowness = speed.slowness(&spec);
        let rates: Vec<f64> = speed.known.values().copied().flatten().collect();
        assert_eq!(rates.len(), 2, "{:?}", speed.known);
        assert!(rates[0].min(rates[1]) <= slowness && slowness <= rates[0].max(rates[1]), "{slowness} {rates:?}");
    }
}
