//! `gauntlet explain mine.onnx`: inputs, outputs and operators of a file, and the kernels that compute it.

use std::path::Path;

use serde_json::{Value, json};

use super::super::output::{Misuse, table, visible};
use super::text::wrapped;
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};
use gauntlet_nets::nets::deep::{OnnxModel, Port};

/// The text and the JSON of a topic, if it names an ONNX file.
///
/// # Errors
/// If the file cannot be read, or is no ONNX file of a supported version.
pub fn explained(topic: &str) -> anyhow::Result<Option<(String, Value)>> {
    let is_key = !topic.contains(['/', '\\']) && topic.ends_with("network.onnx");
    if !topic.ends_with(".onnx") || is_key && !Path::new(topic).exists() {
        return Ok(None);
    }
    let hint = "a manifest names such a file by `network = { onnx = { file = \"mine.onnx\" } }`";
    let refused = |what: String| Misuse::new(format!("{}: {}", visible(topic), visible(&what)), hint);
    let bytes = read_regular(Path::new(topic), LARGEST_DATA).map_err(|error| refused(error.to_string()))?;
    let model = OnnxModel::read(&bytes).map_err(|error| refused(error.to_string()))?;
    Ok(Some(page(topic, &model)))
}

fn page(name: &str, model: &OnnxModel) -> (String, Value) {
    let kernels = model.kernels();
    let about = match &kernels {
        Ok(_) => "All of its operators are supported. `gauntlet check` compares its inputs and outputs with a game."
            .to_owned(),
        Err(reason) => format!("Not converted here: {}.", visible(&reason.to_string())),
    };
    let ports = |ports: Vec<Port>| ports.iter().map(Port::to_string).collect::<Vec<_>>();
    let (inputs, outputs, operators) = (ports(model.inputs()), ports(model.outputs()), model.operators());
    let facts = [
        ("version of the operators", model.opset.to_string()),
        ("written by", model.producer.clone()),
        ("inputs", inputs.join(", ")),
        ("outputs", outputs.join(", ")),
    ];
    let facts = table(&["fact", "value"], facts.iter().map(|(fact, value)| vec![(*fact).to_owned(), visible(value)]));
    let nodes =
        table(&["operator", "nodes"], operators.iter().map(|(name, count)| vec![visible(name), count.to_string()]));
    let counts = kernels.clone().unwrap_or_default();
    let layers =
        table(&["kernel", "layers"], counts.iter().map(|(name, count)| vec![(*name).to_owned(), count.to_string()]));
    let layers = if counts.is_empty() { String::new() } else { format!("\n{layers}") };
    let text = format!("{}\n{}\n{facts}\n{nodes}{layers}", visible(name), wrapped(&about, 2));
    let reason = kernels.err().map(|reason| reason.to_string());
    let entry = json!({
        "file": name, "opset": model.opset, "producer": model.producer, "inputs": inputs, "outputs": outputs,
        "operators": operators, "kernels": counts, "unreadable": reason,
    });
    (text, json!([entry]))
}
