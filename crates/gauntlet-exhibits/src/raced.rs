//! A race as exhibits know it.

use gauntlet_ratings::race::{Course, RaceRule, RaceSize};

/// A race between the settings of a stage, with its course.
pub struct RacedStage {
    /// The stage.
    pub stage: String,
    /// Its rule.
    pub rule: RaceRule,
    /// The number by which settings are compared, in words; `None` for the score.
    pub objective: Option<&'static str>,
    /// Whether less of it is better: units then have the other sign.
    pub is_less_better: bool,
    /// Its size.
    pub size: RaceSize,
    /// The labels of its rungs; one if it has none.
    pub rungs: Vec<String>,
    /// The settings: axis and label of each, on the axes in which they differ.
    pub labels: Vec<Vec<(String, String)>>,
    /// The ids of the configurations of each setting.
    pub config_ids: Vec<Vec<String>>,
    /// Its course.
    pub course: Course,
}
