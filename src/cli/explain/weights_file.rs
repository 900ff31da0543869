//! `gauntlet explain my.safetensors`: the tensors and metadata of a file, and whether a player can read it.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::super::output::{Misuse, table, visible};
use super::tensors::{Tensor, deep, flat, listed, stored};
use super::text::wrapped;
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};
use gauntlet_nets::nets::deep::DeepCheckpoint;
use gauntlet_nets::nets::{Bundle, Checkpoint, Checksum, ListedFile, checksum};
use gauntlet_play::players::tuned_text;

/// The ending of files of weights.
const ENDING: &str = ".safetensors";

/// The text and the JSON of a topic, if it names a file of weights.
///
/// # Errors
/// If the file cannot be read, or is not in the format.
pub fn explained(topic: &str) -> anyhow::Result<Option<(String, Value)>> {
    // `weights.safetensors` is also a topic.
    if !topic.ends_with(ENDING) || (topic == "weights.safetensors" && !Path::new(topic).exists()) {
        return Ok(None);
    }
    let hint = "trainings leave weights.safetensors in their directory under results/jobs";
    let refused = |what: String| Misuse::new(format!("{}: {}", visible(topic), visible(&what)), hint);
    let bytes = read_regular(Path::new(topic), LARGEST_DATA).map_err(|error| refused(error.to_string()))?;
    let file = ListedFile::list(&bytes).map_err(|error| refused(error.to_string()))?;
    Ok(Some(page(topic, file, &bytes)))
}

/// The page of a file.
fn page(name: &str, file: ListedFile, bytes: &[u8]) -> (String, Value) {
    let metadata = metadata(&file, bytes);
    let (is_bundle, program) = (Bundle::from_bytes(bytes).is_ok(), of_program(bytes));
    let (tensors, reason) = match known(bytes) {
        Ok(tensors) => (tensors, None),
        Err(_) if is_bundle || program.is_some() => (file.tensors.into_iter().map(stored).collect(), None),
        Err(error) => (file.tensors.into_iter().map(stored).collect(), Some(format!("{error:#}"))),
    };
    let verdict = match &reason {
        None if let Some(numbers) = tuned_text(bytes) => format!("Tuned numbers, as JSON: {}", visible(&numbers)),
        None if is_bundle => "The files of a trainer, each a tensor of bytes: an engine plays with them.".to_owned(),
        None if let Some(program) = program => visible(&program),
        None => "Players can read it.".to_owned(),
        Some(reason) => format!("No player can read it: {}.", visible(reason)),
    };
    let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let rows = metadata.iter().map(|(key, known)| vec![visible(key), visible(&value(known))]);
    let entries = table(&["metadata", "value"], rows);
    let text = format!("{}\n{}\n{entries}\n{}", visible(name), wrapped(&verdict, 2), listed(&tensors));
    (text, json!([{ "file": name, "unreadable": reason, "metadata": metadata, "tensors": tensors }]))
}

/// The metadata: the keys of the entry `gauntlet` one by one, a note on the checksum, and all other entries.
fn metadata(file: &ListedFile, bytes: &[u8]) -> Map<String, Value> {
    let mut listed = Map::new();
    for (name, text) in &file.metadata {
        match (name.as_str(), serde_json::from_str(text)) {
            ("gauntlet", Ok(Value::Object(facts))) => {
                listed.extend(facts.into_iter().map(|(key, value)| (format!("gauntlet.{key}"), value)));
            }
            ("blake3", _) => {
                let is_right = matches!(checksum(bytes), Ok(Checksum::Right));
                listed.insert(name.clone(), json!(if is_right { "right" } else { "wrong" }));
            }
            _ => drop(listed.insert(name.clone(), json!(text))),
        }
    }
    listed
}

/// The state of a network of another program, in words; `None` for other files.
fn of_program(bytes: &[u8]) -> Option<String> {
    let checkpoint = DeepCheckpoint::from_bytes(bytes).ok().filter(|checkpoint| checkpoint.state.is_some())?;
    let (name, dims) = (checkpoint.net.name(), checkpoint.dims);
    Some(format!(
        "The state of {name}, a network of another program, for {dims}: players with this program can read it."
    ))
}

/// The tensors of a checkpoint, with their meaning.
///
/// # Errors
/// The reason why the bytes are no checkpoint.
fn known(bytes: &[u8]) -> anyhow::Result<Vec<Tensor>> {
    if let Ok(checkpoint) = Checkpoint::from_bytes(bytes) {
        return Ok(vec![flat(&checkpoint.net, checkpoint.board * checkpoint.board)]);
    }
    let checkpoint = DeepCheckpoint::from_bytes(bytes)?;
    deep(&checkpoint.net, checkpoint.dims)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_nets::encoders::Dims;
    use gauntlet_nets::nets::deep::{Saved, write_tensors};
    use gauntlet_nets::nets::{NetSpec, with_checksum};
    use gauntlet_play::players::tuned_bytes;

    fn shown(bytes: &[u8]) -> (String, Value) {
        page("my.safetensors", ListedFile::list(bytes).unwrap(), bytes)
    }

    fn flat_file() -> Vec<u8> {
        let net: NetSpec = serde_json::from_str(r#"{"mdrnn":{"units":1}}"#).unwrap();
        Checkpoint { net, weights: vec![0.5; 5], board: 5, origin: "a\u{1b}test".to_owned() }.to_bytes().unwrap()
    }

    #[test]
    fn a_checkpoint_is_shown_with_its_checksum() {
        let sealed = with_checksum(&flat_file()).unwrap();
        let (text, value) = shown(&sealed);
        assert!(text.starts_with("my.safetensors\n  Players can read it.\n"), "{text}");
        assert!(text.contains("\nblake3            right\n") && !text.contains('\u{1b}'), "{text}");
        assert!(text.contains("gauntlet.net") && text.contains("\n  w_out"), "{text}");
        let value = &value[0];
        assert_eq!((&value["unreadable"], &value["tensors"][0]["shape"]), (&Value::Null, &json!([5])));
        assert_eq!(value["metadata"]["gauntlet.net"], json!({ "mdrnn": { "units": 1 } }));
        let mut damaged = sealed;
        *damaged.last_mut().unwrap() ^= 1;
        assert_eq!(shown(&damaged).1[0]["metadata"]["blake3"], "wrong");
    }

    #[test]
    fn the_files_of_a_trainer_are_listed() {
        let files = [("a.pt".to_owned(), b"abc".to_vec())].into();
        let (text, value) = shown(&Bundle { files, origin: "mine".to_owned() }.to_bytes().unwrap());
        assert!(text.contains("The files of a trainer") && text.contains("a.pt"), "{text}");
        assert_eq!((&value[0]["unreadable"], &value[0]["tensors"][0]["shape"]), (&Value::Null, &json!([3])));
    }

    #[test]
    fn tuned_numbers_are_shown() {
        let numbers = [("c".to_owned(), 1.5)].into();
        let (text, _) = shown(&tuned_bytes(&numbers, None, "a tuning".to_owned()).unwrap());
        assert!(text.contains("Tuned numbers, as JSON: {\"c\":1.5}"), "{text}");
    }

    #[test]
    fn the_state_of_another_program_is_named() {
        let network = serde_json::from_str(r#"{"command":["python3","net.py"],"name":"net.py"}"#).unwrap();
        let dims = Dims::Planes { channels: 2, rows: 5, columns: 5, actions: 25 };
        let checkpoint = DeepCheckpoint::of_program(&network, dims, vec![1, 2, 3], "a test");
        let (text, value) = shown(&checkpoint.to_bytes().unwrap());
        let words = "The state of net.py, a network of another program, for images of 2 x 5 x 5 numbers, with 25";
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{text}");
        assert_eq!((&value[0]["unreadable"], &value[0]["tensors"][0]["shape"]), (&Value::Null, &json!([3])));
    }

    #[test]
    fn other_files_are_listed_with_the_reason() {
        let tensor = |name: &str, shape: &[usize]| Saved {
            name: name.to_owned(),
            shape: shape.to_vec(),
            values: vec![0.0; shape.iter().product()],
        };
        let bytes = write_tensors(&[tensor("b", &[2, 3]), tensor("a", &[4])], "no header".to_owned()).unwrap();
        let (text, value) = shown(&bytes);
        assert!(text.contains("No player can read it: not a checkpoint of a network:"), "{text}");
        let tensors: Vec<[&Value; 2]> =
            value[0]["tensors"].as_array().unwrap().iter().map(|one| [&one["tensor"], &one["shape"]]).collect();
        assert_eq!(tensors, [[&json!("a"), &json!([4])], [&json!("b"), &json!([2, 3])]]);
        assert_eq!(value[0]["metadata"]["gauntlet"], "no header");
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.safetensors");
        let topic = path.to_str().unwrap();
        assert!(explained(topic).unwrap_err().to_string().contains("No such file"));
        std::fs::write(&path, "no weights").unwrap();
        assert!(explained(topic).unwrap_err().to_string().ends_with("not a complete safetensors file"));
        std::fs::write(&path, flat_file()).unwrap();
        assert!(explained(topic).unwrap().unwrap().0.contains("Players can read it."));
        assert!(explained("saz").unwrap().is_none());
    }
}
