//! The device of this process, and the cards of the machine.

use std::process::Command;

use super::Finding;
use gauntlet_nets::nets::deep::{Precision, device_class, gpu_roofs, is_card};

const SUBJECT: &str = "device";

/// The facts and checks.
pub fn lines() -> Vec<Finding> {
    let class = device_class();
    let uses_cuda = is_card(&class);
    let mut lines = vec![Finding::fact(SUBJECT, "class", class)];
    let cards = cards();
    if cards.is_empty() {
        lines.push(Finding::skipped(
            SUBJECT,
            "cards",
            "there is no NVIDIA driver here, or it lists no card (`nvidia-smi`)",
        ));
    }
    for (index, card) in cards.iter().enumerate() {
        lines.push(Finding::fact(SUBJECT, format!("card {index}"), card));
    }
    match (uses_cuda, cfg!(feature = "cuda"), cards.is_empty()) {
        (true, ..) => lines.extend(roofs()),
        (false, true, false) => lines.push(Finding::skipped(SUBJECT, "CUDA", "add --device cuda to check a card")),
        (false, true, true) => {
            lines.push(Finding::skipped(SUBJECT, "CUDA", "this program has CUDA, the machine no card"))
        }
        (false, false, _) => lines.push(Finding::skipped(SUBJECT, "CUDA", "this program was built without it")),
    }
    lines
}

/// Driver, name and memory of each card, as the driver's own program prints them.
fn cards() -> Vec<String> {
    let query = ["--query-gpu=name,driver_version,memory.total,memory.used,compute_cap", "--format=csv,noheader"];
    let output = Command::new("nvidia-smi").args(query).output();
    let text = output.ok().filter(|output| output.status.success()).map(|output| output.stdout).unwrap_or_default();
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(", ").collect();
        match fields[..] {
            [name, driver, total, used, capability] => {
                format!("{name}, driver {driver}, {total} of memory, {used} in use, compute capability {capability}")
            }
            _ => line.to_owned(),
        }
    };
    String::from_utf8_lossy(&text).lines().map(line).collect()
}

fn roofs() -> Vec<Finding> {
    match gpu_roofs() {
        Ok(roofs) => {
            let line = |(precision, roof): (Precision, f64)| {
                let text = format!("{:.1} TFLOP/s in a square product of 8,192", roof / 1e12);
                Finding::fact(SUBJECT, format!("roof in {}", precision.word()), text)
            };
            roofs.into_iter().map(line).collect()
        }
        Err(error) => vec![Finding::failed(SUBJECT, "roofs", &error, "see `nvidia-smi` and the driver's log")],
    }
}
