//! The device class that jobs are planned for: that of this process, or another one, where workers elsewhere compute.

use std::sync::OnceLock;

use gauntlet_nets::nets::deep::device_class;

/// The class that was chosen, where others compute.
static CHOSEN: OnceLock<String> = OnceLock::new();

/// A run cannot plan for two device classes.
#[derive(Debug, thiserror::Error)]
#[error("this run plans for the device class {first}, and cannot plan for {second}, too")]
pub struct TwoClasses {
    first: String,
    second: String,
}

/// Plans for workers of this device class from now on. Whoever computes compares the class with its own.
///
/// # Errors
/// When another class was planned for before.
pub fn plan_for(class: &str) -> Result<(), TwoClasses> {
    let first = CHOSEN.get_or_init(|| class.to_owned());
    if first == class { Ok(()) } else { Err(TwoClasses { first: first.clone(), second: class.to_owned() }) }
}

/// The device class that jobs are planned for.
#[must_use]
pub fn planned_class() -> String {
    CHOSEN.get().cloned().unwrap_or_else(device_class)
}
