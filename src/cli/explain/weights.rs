//! `gauntlet explain weights`: the format of files of weights, and the tensors of each network.

use serde_json::{Value, json};

use super::super::output::table;
use super::network::Network;
use super::tensors::listed;
use super::text::wrapped;

/// The topic on files of weights; a network's name follows after a space or a dot.
pub const TOPIC: &str = "weights";

/// Its description.
pub const ABOUT: &str = "Files of weights (`weights.safetensors`): their format, and the tensors of each network.";

/// The format.
const FORMAT: [&str; 4] = [
    "A training writes `weights.safetensors`, a file in the safetensors format. Players read such files by \
     `weights = { file = \"my.safetensors\" }`, and `gauntlet play my.safetensors` plays with one.",
    "The network of a `guided` player has a tensor of F32 for each weight, bias and moment of its layers. The file \
     sorts them by name; the metadata have the network's order. The network of a `net` player is one tensor \
     `weights` of F64. All arrays are row-major.",
    "The metadata entry `gauntlet` is a JSON object with the keys below and no others. A program that writes a file \
     copies this entry from a file of the same network, and leaves `blake3` out.",
    "`gauntlet explain \"weights saz\"` lists the tensors of a network, `gauntlet explain \"weights saz = { hidden = \
     64 }\"` those with other settings, and `gauntlet explain my.safetensors` those of a file. A key of players is \
     also called `weights`: `gauntlet explain agents.guided.weights`.",
];

/// The metadata: an entry, or a key of the entry `gauntlet`; the players whose files have it; its meaning.
pub const METADATA: [(&str, &str, &str); 8] = [
    ("gauntlet.version", "both", "The version of the format, 1. Required."),
    (
        "gauntlet.net",
        "both",
        "The network with all of its settings. A player refuses the weights of any other one. Required.",
    ),
    ("gauntlet.origin", "both", "The origin of the weights, for display. Required."),
    ("gauntlet.board", "net", "The side of the board that the weights were made for. Required."),
    (
        "gauntlet.dims",
        "guided",
        "The input: channels, rows, columns and number of logits (`actions`) of images, or the numbers of a node and an \
         edge. Required.",
    ),
    ("gauntlet.order", "guided", "The names of all tensors, in the network's order. Required."),
    (
        "gauntlet.purpose",
        "guided",
        "The game and the player of the training. Without it, `gauntlet play FILE` needs `--game`. A manifest does not \
         need it.",
    ),
    (
        "blake3",
        "both",
        "A checksum of the whole file without this entry. `gauntlet export` adds it and `gauntlet play` checks it. \
         Optional.",
    ),
];

/// The text and the JSON of a topic, if it is on weights.
///
/// # Errors
/// If it names an unknown network, or wrong settings.
pub fn explained(topic: &str) -> anyhow::Result<Option<(String, Value)>> {
    if [TOPIC, "weights.safetensors"].contains(&topic) {
        return Ok(Some((overview(), all())));
    }
    let network = topic.strip_prefix(TOPIC).and_then(|rest| rest.strip_prefix([' ', '.']));
    network.map(|name| Network::named(name.trim()).and_then(page)).transpose()
}

/// The names of all topics on weights.
pub fn names() -> impl Iterator<Item = String> {
    Network::examples().into_iter().map(|network| format!("{TOPIC} {}", network.tag()))
}

/// The format, the metadata, and the networks.
pub fn overview() -> String {
    let format: Vec<String> = FORMAT.iter().map(|paragraph| wrapped(paragraph, 2)).collect();
    let mut text = format!("{TOPIC}\n{}\n{}\nMetadata\n", wrapped(ABOUT, 2), format.join("\n"));
    for (key, player, about) in METADATA {
        let player = if player == "both" { String::new() } else { format!(", of `{player}` players") };
        text += &format!("\n  {key}{player}\n{}", wrapped(about, 6));
    }
    let row = |network: Network| vec![network.tag(), network.player().to_owned(), json!(network).to_string()];
    let networks = table(&["network", "player", "example"], Network::examples().into_iter().map(row));
    format!("{text}\nNetworks\n\n{networks}")
}

fn all() -> Value {
    let entry = |(key, player, about): &(_, _, _)| json!({ "key": key, "player": player, "about": about });
    let network = |network: Network| json!({ "network": network.tag(), "player": network.player(), "net": network });
    json!([{
        "topic": TOPIC,
        "about": ABOUT,
        "metadata": METADATA.iter().map(entry).collect::<Vec<_>>(),
        "networks": Network::examples().into_iter().map(network).collect::<Vec<_>>(),
    }])
}

/// The tensors of a network on a small board, as text and as JSON.
fn page(network: Network) -> anyhow::Result<(String, Value)> {
    let game = network.board()?;
    let (tensors, tag, game) = (network.tensors(&*game)?, network.tag(), game.name());
    let about = format!(
        "{}, `{}`, on {game}: in the network's order. `gauntlet explain agents.{}.network.{tag}` lists its settings.",
        network.title(),
        json!(network),
        network.player()
    );
    let text = format!("{TOPIC} {tag}\n{}\n{}", wrapped(&about, 2), listed(&tensors));
    Ok((text, json!([{ "network": tag, "net": network, "game": game, "tensors": tensors }])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Misuse;

    #[test]
    fn a_network_is_found_with_and_without_settings() {
        for topic in ["weights saz", "weights.saz", "weights  saz = { hidden = 8 }"] {
            let (text, listed) = explained(topic).unwrap().unwrap();
            assert!(text.starts_with("weights saz\n  SAZ 3x8, `"), "{text}");
            let first = &listed[0]["tensors"][0];
            assert_eq!((first["tensor"].as_str(), &first["shape"]), (Some("gin0.in.weight"), &json!([8, 1])));
        }
        let (_, wider) = explained("weights saz = { hidden = 20, layers = 1 }").unwrap().unwrap();
        assert_eq!(wider[0]["tensors"][0]["shape"], json!([20, 1]));
        assert!(explained("weight").unwrap().is_none() && explained("agents.net.weights").unwrap().is_none());
    }

    #[test]
    fn every_network_has_a_page() {
        let names: Vec<String> = names().collect();
        assert!(["weights mlp", "weights saz"].iter().all(|name| names.iter().any(|own| own == name)), "{names:?}");
        for name in names {
            let (text, _) = explained(&name).unwrap().unwrap();
            assert!(text.lines().count() > 5, "{text}");
        }
    }

    #[test]
    fn an_unknown_network_is_refused_with_a_near_name() {
        let refused = |topic: &str| {
            let error = explained(topic).unwrap_err();
            let hint = error.downcast_ref::<Misuse>().map(|misuse| misuse.hint.clone()).unwrap_or_default();
            (error.to_string(), hint)
        };
        let (error, hint) = refused("weights agz-cn");
        assert_eq!(error, "there is no network `agz-cn`");
        assert_eq!(hint, "did you mean `gauntlet explain \"weights agz-cnn\"`?");
        assert!(refused("weights transformer").1.starts_with("the networks are mdrnn, mdlstm, conv, mlp, saz"));
        assert!(refused("weights saz = { hiden = 8 }").0.contains("unknown field `hiden`"));
    }
}
