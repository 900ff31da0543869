//! Fusion: a ReLU and a dropout become part of the preceding layer if nothing else reads its result.

use super::network::{Layer, Network, Op};

/// The same network with fewer layers.
pub(super) fn fused(network: Network) -> Network {
    let mut uses = vec![0; network.layers.len()];
    network.layers.iter().flat_map(|layer| &layer.from).for_each(|&from| uses[from] += 1);
    uses[network.logits] += 1;
    uses[network.score] += 1;
    let (mut layers, mut places): (Vec<Layer>, Vec<usize>) = (Vec::new(), Vec::new());
    for mut layer in network.layers {
        let own = layer.from.first().is_some_and(|&from| uses[from] == 1);
        layer.from.iter_mut().for_each(|from| *from = places[*from]);
        let joined = layer.from.first().filter(|_| own).and_then(|&from| join(layers[from].op, layer.op));
        match joined {
            Some(op) => {
                let from = layer.from[0];
                layers[from].op = op;
                places.push(from);
            }
            None => {
                layers.push(layer);
                places.push(layers.len() - 1);
            }
        }
    }
    let (logits, score) = (places[network.logits], places[network.score]);
    Network { layers, logits, score, ..network }
}

/// Both operations as one, if there is one.
fn join(first: Op, second: Op) -> Option<Op> {
    match (first, second) {
        (Op::Linear { weights, relu: false }, Op::Relu) => Some(Op::Linear { weights, relu: true }),
        (Op::Convolution { weights, padding, relu: false }, Op::Relu) => {
            Some(Op::Convolution { weights, padding, relu: true })
        }
        (Op::BatchNorm { weights, relu: false, dropout }, Op::Relu) => {
            Some(Op::BatchNorm { weights, relu: true, dropout })
        }
        (Op::BatchNorm { weights, relu: true, .. }, Op::Dropout(dropout)) => {
            Some(Op::BatchNorm { weights, relu: true, dropout })
        }
        _ => None,
    }
}
