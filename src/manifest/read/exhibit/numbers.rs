//! Exhibits of numbers that are counted, or counted things per second.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::Stages;

/// Numbers of the results of stages that have no errors, as they are.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Numbers {
    /// The stage, or several.
    pub stage: Stages,
    /// Axes whose values make the columns.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Axes whose values make the rows, where there are many: the numbers are columns then, those of `columns` each.
    /// Default: a row a number.
    #[serde(default)]
    pub rows: Vec<String>,
    /// The numbers, top to bottom, or from left to right.
    pub numbers: Vec<NamedNumber>,
    /// Label of the ordinate.
    pub y_label: String,
}

/// One number of a result.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NamedNumber {
    /// Its name in the result: `actions`.
    pub number: String,
    /// How it is called here.
    pub label: String,
    /// What it is divided by. Default: nothing.
    pub per: Option<Per>,
    /// The same number of others, neither measured here nor published in the paper. Default: none.
    pub beside: Option<GivenNumbers>,
}

/// Numbers that a manifest gives.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GivenNumbers {
    /// Whose they are: `Ludii 1.2.0, another machine`.
    pub label: String,
    /// The numbers, by the label of the place.
    pub of: BTreeMap<String, f64>,
}

/// What a number of a result may be divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// A second of the clock of the machine that ran the job: the numbers of all runs by the seconds of all.
    Second,
}
