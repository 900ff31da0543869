//! Training times: readings of the clock, for the terminal and the page only, since no two runs agree on them.
//! Exhibits may show the work in operations instead.

use std::collections::HashMap;

use crate::app::plans::Planned;
use gauntlet_store::{JobId, Reading};

/// The times of the trainings of one variant in one stage.
#[derive(Default)]
struct Times {
    /// Jobs of the plan with a result.
    jobs: usize,
    /// Seconds of each job that ran without interruption.
    seconds: Vec<f64>,
}

/// Name and time, as text.
pub type TrainingTimes = Vec<(String, String)>;

/// The time of every training stage and of each of its variants, as far as the clock was read; `readings` by the
/// directory of the job.
pub fn training_times<'a>(
    planned: &Planned,
    id_of: impl Fn(usize) -> &'a JobId,
    is_done: impl Fn(usize) -> bool,
    readings: &HashMap<String, Reading>,
) -> TrainingTimes {
    let plan = &planned.plan;
    let mut times: Vec<(String, Times)> = Vec::new();
    for (at, job) in plan.jobs.iter().enumerate() {
        let config = plan.config(job);
        if config.spec.job().training().is_none() || !is_done(at) {
            continue;
        }
        let variant = config.label("variant").map(|name| plan.written.labels.get(&name).cloned().unwrap_or(name));
        let name = [Some(config.stage.clone()), variant].into_iter().flatten().collect::<Vec<_>>().join(", ");
        let found = times.iter().position(|(known, _)| *known == name);
        let place = found.unwrap_or(times.len());
        if found.is_none() {
            times.push((name, Times::default()));
        }
        let own = &mut times[place].1;
        own.jobs += 1;
        let reading = readings.get(&id_of(at).directory()).filter(|reading| reading.is_whole);
        own.seconds.extend(reading.map(|reading| reading.seconds));
    }
    times.into_iter().filter_map(|(name, own)| Some((name, own.text()?))).collect()
}

impl Times {
    /// `7.2 min a training, 36.0 min in all (5 timed)`.
    fn text(&self) -> Option<String> {
        let timed = self.seconds.len();
        let all = self.seconds.iter().sum::<f64>();
        let untimed = match self.jobs - timed {
            0 => String::new(),
            others => format!("; {others} more were interrupted, continued shorter ones, or ran elsewhere"),
        };
        let [mean, all] = [all / timed as f64, all].map(time);
        (timed > 0).then(|| format!("{mean} a training, {all} in all ({timed} timed{untimed})"))
    }
}

/// A time with one or two decimals, so that two trainings differ: `0.4 s`, `7.2 min`, `2.15 h`.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.1} s"),
        s if s < 5400.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.2} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_say_how_many_trainings_they_are_of() {
        let text = |jobs, seconds: &[f64]| Times { jobs, seconds: seconds.to_vec() }.text();
        assert_eq!(text(2, &[1800.0, 5400.0]).unwrap(), "60.0 min a training, 2.00 h in all (2 timed)");
        let some = text(3, &[36.0]).unwrap();
        assert_eq!(
            some,
            "36.0 s a training, 36.0 s in all (1 timed; 2 more were interrupted, continued shorter ones, or ran elsewhere)"
        );
        assert_eq!(text(3, &[]), None);
    }
}
