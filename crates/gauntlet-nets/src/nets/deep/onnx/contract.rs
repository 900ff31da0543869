//! The inputs and outputs of a file, checked against those of a game, and its layers.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::OnnxError;
use super::file::{OnnxModel, Port};
use super::layer::{OnnxLayer, PlacedLayer};
use super::layout::Layout;
use super::lowering::Lowering;
use super::node::Node;
use super::tensor::count;
use super::value::{Live, OnnxValue};
use crate::nets::deep::input::Images;

/// Maximum number of positions that a file computes at once.
const MOST_TOGETHER: usize = 1024;

/// An output of a file, by its name or its position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected the name of an output, or its number from 0")]
pub enum OnnxOutput {
    /// Its position, from 0.
    Position(u16),
    /// Its name.
    Name(String),
}

/// The outputs that are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnnxOutputs {
    /// The logits, one for each slot.
    pub logits: OnnxOutput,
    /// The value.
    pub value: OnnxOutput,
}

impl Default for OnnxOutputs {
    /// The first output has the logits, and the second one the value.
    fn default() -> OnnxOutputs {
        OnnxOutputs { logits: OnnxOutput::Position(0), value: OnnxOutput::Position(1) }
    }
}

/// The layers of a file for positions of one size.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// The layers, in the order of computation.
    pub layers: Vec<PlacedLayer>,
    /// The logits, `[position][slot]`.
    pub logits: Live,
    /// The values `[position]`, or the logits of win, draw and loss, `[position][3]`.
    pub value: Live,
    /// Positions that the file computes at once: 1 if it leaves their number open.
    pub together: usize,
    /// The shape of a position of the input.
    pub position: Vec<usize>,
    /// The images.
    pub images: Images,
}

impl OnnxModel {
    /// The layers for these images.
    ///
    /// # Errors
    /// If an operator is not supported, or the inputs and outputs do not fit.
    pub(super) fn lower(&self, images: Images, outputs: &OnnxOutputs) -> Result<Lowered, OnnxError> {
        self.lower_batch(images, outputs, 1)
    }

    /// The layers that compute two positions at once; `None` if the file names another number of them.
    pub(super) fn lower_two(&self, images: Images, outputs: &OnnxOutputs) -> Option<Lowered> {
        self.lower_batch(images, outputs, 2).ok().filter(|lowered| lowered.together == 2)
    }

    /// The layers for this number of positions at once, if the file leaves it open.
    fn lower_batch(&self, images: Images, outputs: &OnnxOutputs, positions: usize) -> Result<Lowered, OnnxError> {
        let (lowered, [logits, value]) = self.converted(images, outputs, positions)?;
        let (together, slots) = (lowered.together, [images.actions]);
        require_length(
            &logits,
            &lowered.logits,
            together,
            &slots,
            "logits",
            "the game has a logit for each of its slots",
        )?;
        let rule = "a value is one number from -1 to 1, or three logits of win, draw and loss";
        require_length(&value, &lowered.value, together, &[1, 3], "value", rule)?;
        Ok(lowered)
    }

    /// The kernels that compute the file, each with the number of its layers, for images of the size that it names.
    ///
    /// # Errors
    /// If it leaves a size open, or an operator is not supported.
    pub fn kernels(&self) -> Result<BTreeMap<&'static str, usize>, OnnxError> {
        let input = self.input()?;
        let open = || OnnxError::contract(format!("its input {input} has open sizes, which a game decides"));
        let shape = input.shape.as_deref().unwrap_or_default();
        let sizes: Vec<usize> = shape.iter().skip(1).copied().collect::<Option<_>>().ok_or_else(open)?;
        let images = match sizes[..] {
            [channels, rows, columns] => Images { channels, rows, columns, actions: 0 },
            [channels] => Images { channels, rows: 1, columns: 1, actions: 0 },
            _ => return Err(open()),
        };
        let (lowered, mut counts) = (self.converted(images, &OnnxOutputs::default(), 1)?.0, BTreeMap::new());
        lowered.layers.iter().for_each(|layer| *counts.entry(layer.kernel()).or_default() += 1);
        Ok(counts)
    }

    /// The layers for these images, and the names of the logits and the value. An open number of positions is `open`.
    fn converted(
        &self,
        images: Images,
        outputs: &OnnxOutputs,
        open: usize,
    ) -> Result<(Lowered, [String; 2]), OnnxError> {
        let input = self.input()?;
        let (together, shape) = input_shape(&input, images, open)?;
        let names = [self.output(&outputs.logits, "logits")?, self.output(&outputs.value, "value")?];
        let read = self.nodes().flat_map(|node| node.inputs()).map(String::as_str);
        let mut lowering = Lowering::new(read.chain(names.iter().map(String::as_str)));
        let Images { channels, rows, columns, .. } = images;
        let layout = Layout::of(&[together, channels, rows * columns], &[1]);
        let (rows, width) = (layout.rows, layout.width);
        lowering.layers.push(PlacedLayer { layer: OnnxLayer::Input, from: vec![], rows, width });
        let position = shape[1..].to_vec();
        let live = Live { layer: 0, shape, index: layout.index, is_own: true };
        lowering.set(&input.name, OnnxValue::Live(live));
        for constant in self.constants() {
            let (name, tensor) = constant?;
            lowering.set(name, OnnxValue::Constant(tensor.into()));
        }
        for node in self.needed(&names) {
            lowering.convert(&node)?;
        }
        let (logits, value) = (result(&lowering, &names[0])?, result(&lowering, &names[1])?);
        Ok((Lowered { layers: lowering.layers, logits, value, together, position, images }, names))
    }

    /// The nodes that these values follow from, in their order: a file may have heads that are not read.
    fn needed(&self, names: &[String; 2]) -> Vec<Node<'_>> {
        let (mut needed, mut wanted) = (Vec::new(), names.iter().map(String::as_str).collect::<HashSet<_>>());
        for node in self.nodes().collect::<Vec<_>>().into_iter().rev() {
            if node.outputs().iter().any(|name| wanted.contains(&**name)) {
                // An argument that is left out has no name.
                wanted.extend(node.inputs().iter().map(String::as_str).filter(|name| !name.is_empty()));
                needed.push(node);
            }
        }
        needed.reverse();
        needed
    }

    /// The only input.
    fn input(&self) -> Result<Port, OnnxError> {
        let inputs = self.inputs();
        let listed = || inputs.iter().map(Port::to_string).collect::<Vec<_>>().join(", ");
        let [input] = &inputs[..] else {
            return Err(OnnxError::contract(format!(
                "it has {} inputs ({}), and a network over images reads one",
                inputs.len(),
                listed()
            )));
        };
        if !self.is_single(&input.name) {
            return Err(OnnxError::contract(format!(
                "the numbers of its input {input} are not single precision: export `model.float()`"
            )));
        }
        Ok(input.clone())
    }

    /// The name of an output.
    fn output(&self, wanted: &OnnxOutput, what: &str) -> Result<String, OnnxError> {
        let outputs = self.outputs();
        let found = match wanted {
            OnnxOutput::Position(at) => outputs.get(usize::from(*at)),
            OnnxOutput::Name(name) => outputs.iter().find(|output| output.name == *name),
        };
        let listed = || outputs.iter().map(Port::to_string).collect::<Vec<_>>().join(", ");
        let named = || match wanted {
            OnnxOutput::Position(at) => format!("at position {at}"),
            OnnxOutput::Name(name) => format!("called `{name}`"),
        };
        let missing = || {
            OnnxError::contract(format!("it has no output {} for the {what}; its outputs are {}", named(), listed()))
        };
        found.map(|output| output.name.clone()).ok_or_else(missing)
    }
}

/// The number of positions that the input has at once, and its shape with all sizes.
fn input_shape(input: &Port, images: Images, positions: usize) -> Result<(usize, Vec<usize>), OnnxError> {
    let Images { channels, rows, columns, .. } = images;
    let open = || vec![None; 4];
    let given = input.shape.clone().unwrap_or_else(open);
    let together = given.first().copied().flatten().unwrap_or(positions);
    if together > MOST_TOGETHER {
        return Err(OnnxError::Limit {
            what: format!("the number of positions of its input {input}"),
            most: MOST_TOGETHER as u64,
        });
    }
    // Before any product of these sizes: a file may claim an image of any size.
    count(&[together, channels, rows, columns], &format!("the number of elements of its input `{}`", input.name))?;
    let wanted = match given.len() {
        2 => vec![channels * rows * columns],
        _ => vec![channels, rows, columns],
    };
    let fits = given.len() == wanted.len() + 1
        && given[1..].iter().zip(&wanted).all(|(given, wanted)| given.is_none_or(|given| given == *wanted));
    if !fits {
        return Err(OnnxError::contract(format!(
            "its input is {input}, and the positions of the game are [positions, {channels}, {rows}, {columns}]: planes, rows, columns"
        )));
    }
    Ok((together, [&[together], &wanted[..]].concat()))
}

/// A computed output.
fn result(lowering: &Lowering, name: &str) -> Result<Live, OnnxError> {
    match lowering.get(name) {
        Some(OnnxValue::Live(live)) => Ok(live),
        Some(OnnxValue::Constant(_)) => {
            Err(OnnxError::contract(format!("its output `{name}` does not depend on the position")))
        }
        None => Err(OnnxError::contract(format!("nothing computes its output `{name}`"))),
    }
}

fn require_length(
    name: &str,
    live: &Live,
    together: usize,
    lengths: &[usize],
    what: &str,
    rule: &str,
) -> Result<(), OnnxError> {
    let given = live.index.len();
    if lengths.iter().any(|length| together * length == given) {
        return Ok(());
    }
    let wanted = lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ");
    Err(OnnxError::contract(format!(
        "its output `{name}` for the {what} has {given} numbers for {together} position(s), not {wanted} each: {rule}; name other outputs with `logits` and `value`"
    )))
}
