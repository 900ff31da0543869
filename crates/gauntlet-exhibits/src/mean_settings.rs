//! The settings of tables of means.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;

use super::Stages;
use super::abscissa::Spacing;
use super::need::Need;
use super::run_values::{ErrorsOver, OutcomeScale, Shown};

/// Means with standard errors over runs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Means {
    /// The stage, or several stages whose results share one table.
    pub stage: Stages,
    /// Axes whose values make panels of the figure.
    #[serde(default)]
    pub panels: Vec<String>,
    /// Axes whose values make the rows.
    pub rows: Vec<String>,
    /// Axes whose values make the columns.
    #[serde(default)]
    pub columns: Vec<String>,
    /// A numeric axis among the rows for the abscissa of the figure.
    pub x: Option<String>,
    /// Scale of the abscissa. Default: linear.
    pub x_scale: Option<Spacing>,
    /// Label of the ordinate (`score against naive`).
    pub y_label: Option<String>,
    /// Scale of results. Default: outcome, 0 to 1.
    #[serde(default)]
    pub scale: OutcomeScale,
    /// The values of each cell. Default: the mean.
    #[serde(default = "Shown::mean_alone")]
    pub values: Vec<Shown>,
    /// The source of the errors of means. Default: runs, or games if another run only adds games.
    #[serde(default)]
    pub over: ErrorsOver,
    /// The order of the rows of a panel, by their first value. Default: that of the plan.
    pub sort: Option<Order>,
    /// The number of rows of a panel that the table and the picture show, from the first; the CSV has all. Default: all.
    pub top: Option<NonZeroUsize>,
}

/// An order of rows. Rows without a value are last, equal ones stay in the order of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The largest value first.
    Descending,
    /// The smallest value first.
    Ascending,
}

impl Means {
    /// The value that success criteria judge: the first one.
    pub(super) fn judged(&self) -> Shown {
        self.values.first().copied().unwrap_or(Shown::Mean)
    }

    /// Whether all shown values are efforts of trainings.
    pub(super) fn counts_effort(&self) -> bool {
        self.values.iter().all(|shown| matches!(shown.need(), Need::Effort | Need::Operations))
    }
}
