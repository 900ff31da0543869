//! Continuation of trainings: when a longer training can start from the last state of a shorter one.

use serde_json::Value;

/// The common settings of trainings of different lengths, and the end of this one.
#[derive(Debug, Clone, PartialEq)]
pub struct Continuation {
    /// Its settings without those of its end and its kept files.
    pub beginning: Value,
    /// The iterations, or generations, after which it ends.
    pub end: u32,
    /// The operations after which it ends, in 10^12; infinite without a limit.
    pub compute: f64,
    /// The iterations whose networks it keeps, ascending.
    pub kept: Vec<u32>,
    /// The reason if its course depends on its length.
    pub obstacle: Option<&'static str>,
}

impl Continuation {
    /// Whether this training starts with all of a shorter one and nothing prevents a continuation.
    #[must_use]
    pub fn extends(&self, shorter: &Continuation) -> bool {
        let (end, compute) = (shorter.end, shorter.compute);
        let is_longer = end <= self.end && compute <= self.compute && (end < self.end || compute < self.compute);
        let kept = self.kept.iter().take_while(|&&iteration| iteration <= end);
        is_longer && self.beginning == shorter.beginning && kept.eq(&shorter.kept)
    }

    /// The share of this training that a shorter one covers, 0 to 1; with limited operations at most their share.
    #[must_use]
    pub fn share(&self, shorter: &Continuation) -> f64 {
        let iterations = f64::from(shorter.end) / f64::from(self.end.max(1));
        if self.compute.is_finite() { iterations.min(shorter.compute / self.compute) } else { iterations }
    }
}

/// Settings without some keys: the value of `settings` loses these keys.
#[must_use]
pub fn without(mut job: Value, keys: &[&str]) -> Value {
    if let Some(settings) = job.get_mut("settings").and_then(Value::as_object_mut) {
        settings.retain(|key, _| !keys.contains(&key.as_str()));
    }
    job
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_longer_training_with_the_same_beginning_extends_a_shorter_one() {
        let of = |end: u32, compute: f64, kept: &[u32]| Continuation {
            beginning: without(json!({ "game": 1, "settings": { "iterations": end, "batch": 2 } }), &["iterations"]),
            end,
            compute,
            kept: kept.to_vec(),
            obstacle: None,
        };
        let short = of(10, f64::INFINITY, &[5]);
        assert_eq!(short.beginning, json!({ "game": 1, "settings": { "batch": 2 } }));
        assert!(of(20, f64::INFINITY, &[5, 15]).extends(&short) && of(20, f64::INFINITY, &[5]).extends(&short));
        assert!(!of(20, f64::INFINITY, &[4, 5]).extends(&short), "the network of iteration 4 is lost");
        assert!(!short.extends(&short) && !of(9, f64::INFINITY, &[5]).extends(&short));
        assert!(!of(20, 3.0, &[5]).extends(&short), "it may end before");
        assert!(of(10, 3.0, &[]).extends(&of(10, 2.0, &[])));
        assert_eq!(of(20, f64::INFINITY, &[]).share(&short), 0.5);
        assert_eq!(of(10, 4.0, &[]).share(&of(10, 1.0, &[])), 0.25);
    }
}
