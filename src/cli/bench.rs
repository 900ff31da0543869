//! `gauntlet bench`: the speed of this machine, measured in about ten seconds.

use clap::Args;

use super::output::{json, result, table};
use super::{Exit, Flags};
use crate::diagnosis::speed::{SpeedLine, speeds};
use gauntlet_nets::nets::instructions;
use gauntlet_report::number;

/// Measure the speed of this machine
#[derive(Debug, Args)]
pub struct Bench {}

impl Bench {
    /// Measures and prints.
    ///
    /// # Errors
    /// If the tensor library fails.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let speeds = speeds()?;
        if flags.json {
            json(&speeds);
        } else {
            let row = |it: &SpeedLine| {
                let share = it.share.map_or(String::new(), |share| format!("{:.0} %", 100.0 * share));
                vec![it.what.clone(), it.cores.to_string(), rounded(it.per_second), it.unit.to_owned(), share]
            };
            let [plain, few] = instructions();
            result(&table(&["what", "cores", "per second", "unit", "of the layer"], speeds.iter().map(row)));
            result(&format!("kernels of this processor: {plain} for f32, {few} for bf16 and int8\n"));
        }
        Ok(Exit::Done)
    }
}

/// A number with three significant digits and commas: `48,600`.
fn rounded(number: f64) -> String {
    let unit = 10_f64.powf(number.max(1.0).log10().floor() - 2.0).max(1.0);
    number::thousands(((number / unit).round() * unit) as u64)
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn three_digits_are_enough() {
        assert_eq!([0.4, 95.4, 999.6, 48_617.0, 1_234_567.0].map(rounded), ["0", "95", "1,000", "48,600", "1,230,000"]);
    }
}
