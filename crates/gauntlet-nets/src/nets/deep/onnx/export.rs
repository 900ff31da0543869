//! Our own networks as files: the weights of a checkpoint with its layers, as the contract of files has them.
//!
//! The layers are translated by `translation`. Two networks need more: that of every window of a board, and that of
//! the graph of a board, whose numbers of nodes are the plane of stones.

use super::OnnxError;
use super::file::MOST_BYTES;
use super::tensor::count;
use super::translation::{Translation, first};
use super::writer::{OnnxWriter, int, ints};
use crate::encoders::{Dims, Graph};
use crate::nets::deep::image::{BoardWindows, WindowCnn};
use crate::nets::deep::input::{Images, InputKind};
use crate::nets::deep::layers::{Network, Op};
use crate::nets::deep::{DeepCheckpoint, DeepError, DeepSpec};

/// The name of the input.
const INPUT: &str = "planes";

impl DeepCheckpoint {
    /// The bytes of an ONNX file with this network, for images of these dimensions and any number of positions. `board`
    /// is the graph of the board, for a network over graphs; its images have one plane: own stones 1, the opponent's -1.
    ///
    /// # Errors
    /// If the network does not read such images, or reads graphs of moves.
    pub fn to_onnx(&self, dims: Dims, board: Option<&Graph>) -> Result<Vec<u8>, DeepError> {
        let title = self.net.architecture().title();
        let refused = || DeepError::Batch { net: title, wanted: self.net.reads().wanted(), given: dims };
        if let InputKind::Moves { .. } = self.net.reads() {
            return Err(over_moves(title).into());
        }
        let images = Images::of(dims).ok_or_else(refused)?;
        let mut file = File { checkpoint: self, images, writer: OnnxWriter::default() };
        let Images { channels, rows, columns, actions } = images;
        file.writer.input(INPUT, &[channels, rows, columns]);
        let [logits, value] = match (&self.net, self.net.reads()) {
            (_, InputKind::Graphs) => file.over_graph(board)?,
            _ if self.net.reads().check(dims).is_err() => return Err(refused()),
            _ if !self.carries_over(dims) => return Err(of_another_board(title, self.dims).into()),
            (DeepSpec::WindowCnn(net), _) if net.images(images) != images => file.over_windows(net)?,
            _ => file.over_images()?,
        };
        file.writer.output("logits", &logits, &[actions]);
        file.writer.output("value", &value, &[1]);
        let bytes = file.writer.bytes(title, &about(self));
        require_size(bytes.len(), [rows, columns])?;
        Ok(bytes)
    }

    fn carries_over(&self, dims: Dims) -> bool {
        self.net.architecture().carries_over(self.dims, dims)
    }
}

fn over_moves(title: &str) -> OnnxError {
    OnnxError::contract(format!(
        "{title} reads graphs whose edges are the moves of a position, which no image of fixed size holds"
    ))
}

fn of_another_board(title: &str, own: Dims) -> OnnxError {
    let sizes = Images::of(own).map(|Images { channels, rows, columns, actions }| {
        format!(": {channels} x {rows} x {columns} numbers and {actions} logits")
    });
    OnnxError::contract(format!("the weights of {title} are those of another board{}", sizes.unwrap_or_default()))
}

/// Requires that the program reads a file of this size.
fn require_size(bytes: usize, [rows, columns]: [usize; 2]) -> Result<(), OnnxError> {
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(OnnxError::contract(format!(
        "for a board of {rows} x {columns}, the file has at least {bytes} bytes, and at most {MOST_BYTES} are read: choose a \
         smaller board with --size, or a smaller network"
    )))
}

/// The text for readers.
fn about(checkpoint: &DeepCheckpoint) -> String {
    format!(
        "{} of Gauntlet, from {}. Planes for the side to move, to the logits of its slots and its expected outcome.",
        checkpoint.net.name(),
        checkpoint.origin
    )
}

/// A file in the making.
struct File<'a> {
    checkpoint: &'a DeepCheckpoint,
    images: Images,
    writer: OnnxWriter,
}

impl File<'_> {
    /// The layers of the network for some dimensions.
    fn network(&self, dims: Dims) -> Result<Network, DeepError> {
        let (architecture, reads) = (self.checkpoint.net.architecture(), self.checkpoint.net.reads());
        let refused = || DeepError::Batch { net: architecture.title(), wanted: reads.wanted(), given: dims };
        architecture.network(dims).ok_or_else(refused)
    }

    /// Requires, before any of it exists, that a file with this many constants of a shape is one that the program reads.
    fn require_room(&self, shape: [usize; 2], constants: usize) -> Result<(), OnnxError> {
        let weights: usize = self.checkpoint.tensors.iter().map(|tensor| tensor.values.len()).sum();
        let numbers = shape[0].saturating_mul(shape[1]).saturating_mul(constants).saturating_add(weights);
        let Images { rows, columns, .. } = self.images;
        require_size(numbers.saturating_mul(4), [rows, columns])?;
        count(&shape, &format!("for a board of {rows} x {columns}, a constant"))?;
        Ok(())
    }

    fn translate(&mut self, network: &Network, graph: Option<&Graph>, x: &str) -> Result<[String; 2], DeepError> {
        Translation::new(network, &self.checkpoint.tensors, graph, &mut self.writer).run(x)
    }

    fn over_images(&mut self) -> Result<[String; 2], DeepError> {
        let network = self.network(self.images.dims())?;
        self.translate(&network, None, INPUT)
    }

    /// The nodes have the numbers of the plane, and the dummy node has 0; its logit is the pass, if there is one.
    fn over_graph(&mut self, board: Option<&Graph>) -> Result<[String; 2], DeepError> {
        let Images { channels, rows, columns, actions } = self.images;
        let sites = rows * columns;
        let board = board.filter(|board| board.sites() == sites && channels == 1 && actions <= board.nodes());
        let board = board.ok_or_else(|| OnnxError::contract("its file needs the graph of a board in one plane"))?;
        let network = self.network(self.checkpoint.dims)?;
        let sums = network.layers.iter().filter(|layer| matches!(layer.op, Op::Aggregate { .. })).count();
        self.require_room([board.nodes(), board.nodes()], sums)?;
        let shape = self.writer.whole("sites", &[0, 1, sites as i64]);
        let mut nodes = self.writer.node("Reshape", "nodes", &[INPUT, &shape], vec![]);
        if board.dummy() {
            let behind = self.writer.whole("behind", &[0, 0, 0, 0, 0, 1]);
            nodes = self.writer.node("Pad", "dummy", &[&nodes, &behind], vec![]);
        }
        let [logits, value] = self.translate(&network, Some(board), &nodes)?;
        let is_whole = actions == board.nodes();
        let slots = if is_whole { logits } else { first(&mut self.writer, "slots", &logits, 1, actions) };
        Ok([slots, value])
    }

    /// The logarithms of the mean probabilities of all windows, and the mean of their values.
    fn over_windows(&mut self, net: &WindowCnn) -> Result<[String; 2], DeepError> {
        let windows = net.windows(self.images);
        self.require_room([windows.count() * windows.actions, self.images.actions], 1)?;
        let network = self.network(self.images.dims())?;
        let cut = self.cut(&windows);
        let [logits, values] = self.translate(&network, None, &cut)?;
        let shares = self.writer.node("Softmax", "shares", &[&logits], vec![int("axis", 1)]);
        let [shares, values] = [("shares", shares, windows.actions), ("values", values, 1)].map(|(name, x, width)| {
            let shape = self.writer.whole(&format!("{name}.shape"), &[-1, (windows.count() * width) as i64]);
            self.writer.node("Reshape", &format!("{name}.boards"), &[&x, &shape], vec![])
        });
        let mean =
            self.writer.floats("mean", &[windows.count() * windows.actions, self.images.actions], &windows.mean());
        let means = self.writer.node("MatMul", "means", &[&shares, &mean], vec![]);
        let value = self.writer.node("ReduceMean", "mean-value", &[&values], vec![ints("axes", &[1])]);
        Ok([self.writer.node("Log", "logarithms", &[&means], vec![]), value])
    }

    /// The windows of all boards, as images.
    fn cut(&mut self, windows: &BoardWindows) -> String {
        let Images { channels, rows, columns, .. } = self.images;
        let (channels, count, side) = (channels as i64, windows.count() as i64, windows.side as i64);
        let sites: Vec<i64> = windows.sites.iter().map(|&site| site as i64).collect();
        let shapes = [
            ("flat", vec![0, channels, (rows * columns) as i64]),
            ("apart", vec![0, channels, count, side * side]),
            ("images", vec![-1, channels, side, side]),
        ];
        let [flat, apart, images] = shapes.map(|(name, shape)| self.writer.whole(&format!("{name}.shape"), &shape));
        let sites = self.writer.whole("windows.sites", &sites);
        let writer = &mut self.writer;
        let x = writer.node("Reshape", "flat", &[INPUT, &flat], vec![]);
        let x = writer.node("Gather", "windows", &[&x, &sites], vec![int("axis", 2)]);
        let x = writer.node("Reshape", "apart", &[&x, &apart], vec![]);
        let x = writer.node("Transpose", "turned", &[&x], vec![ints("perm", &[0, 2, 1, 3])]);
        writer.node("Reshape", "images", &[&x, &images], vec![])
    }
}
