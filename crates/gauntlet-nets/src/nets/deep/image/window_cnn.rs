//! Window-CNN: a network for a small board, applied to every such window of a larger one; model5.
//!
//! Ben-Assayag and El-Yaniv 2021, section 4.2: "the action probabilities are taken as the scatter mean of the network
//! output on all the sub-boards of size m". The network is [`AzCnn`] on m x m boards and is trained there; on its own
//! board size the two are the same. On a larger board, a site's logit is the logarithm of its mean probability over
//! the windows that contain it, each window's probabilities being a softmax over all of its actions; a pass is in all
//! of them; the value, which the paper does not specify, is the mean of the windows'.

use candle_core::Tensor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::az_cnn::AzCnn;
use crate::encoders::{Batch, Dims, Extent, Planes};
use crate::nets::Count;
use crate::nets::NumberFormat;
use crate::nets::deep::architecture::Architecture;
use crate::nets::deep::bind::ImageInference;
use crate::nets::deep::input::{Images, InputKind, Logits};
use crate::nets::deep::layers::{LayeredNet, Network, PositionSize, Positions};
use crate::nets::deep::ops::{self, Window};
use crate::nets::deep::params::Maker;
use crate::nets::deep::{Answers, DeepError, Heads, Inference, Mode, Net, Param};

/// Settings of Window-CNN.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowCnn {
    /// Rows and columns m of a window, 3 to 32.
    pub window: Count<32>,
    /// The network for one window.
    #[serde(default)]
    pub cnn: AzCnn,
}

impl WindowCnn {
    /// The images of a window; they have a pass as one more action than sites if the whole board has.
    #[must_use]
    pub fn images(&self, board: Images) -> Images {
        let (side, pass) = (self.window.get(), board.actions - board.rows * board.columns);
        Images { channels: board.channels, rows: side, columns: side, actions: side * side + pass }
    }

    /// The windows of a board, for a file with all of them.
    pub fn windows(&self, board: Images) -> BoardWindows {
        let scatter = Scatter { board, window: self.images(board) };
        let Images { rows, actions, .. } = scatter.window;
        BoardWindows { sites: scatter.windows(), scatter, side: rows, actions }
    }
}

impl Architecture for WindowCnn {
    fn title(&self) -> &'static str {
        "window CNN"
    }

    fn name(&self) -> String {
        format!("window {} {}", self.window.get(), self.cnn.name())
    }

    fn reads(&self) -> InputKind {
        InputKind::Images { least: self.window.get().max(3), logits: Logits::Sites }
    }

    fn scales(&self) -> bool {
        true
    }

    fn least_batch(&self) -> u32 {
        2
    }

    /// The network of a window.
    fn network(&self, dims: Dims) -> Option<Network> {
        self.cnn.network(self.images(Images::of(dims)?).dims())
    }

    fn board_macs(&self, extent: Extent) -> f64 {
        let (Some(board), side) = (Images::of(extent.dims), self.window.get()) else { return 0.0 };
        let window = self.network(extent.dims).map_or(0, |network| network.macs(PositionSize::default()));
        let windows = |sites: usize| (sites + 1).saturating_sub(side) as f64;
        windows(board.rows) * windows(board.columns) * window as f64
    }

    fn build(&self, dims: Dims, maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        let board = self.reads().images(dims, self.title())?;
        let window = self.images(board).dims();
        let network = self.cnn.network(window).expect("windows are images");
        Ok(Box::new(WindowCnnNet { net: LayeredNet::new(self.title(), window, network, None, maker)?, board }))
    }
}

/// The windows of a board of one size.
pub struct BoardWindows {
    scatter: Scatter,
    /// The sites of each window, `[window][site]`.
    pub sites: Vec<usize>,
    /// Rows and columns of a window.
    pub side: usize,
    /// Logits of a window.
    pub actions: usize,
}

impl BoardWindows {
    /// Number of windows.
    pub fn count(&self) -> usize {
        self.sites.len() / (self.side * self.side)
    }

    /// The share of each probability of a window in the mean of each slot, `[window][action][slot]`.
    pub fn mean(&self) -> Vec<f32> {
        let (matrix, slots) = (self.scatter.mean(&self.sites), self.scatter.board.actions);
        let width = matrix.len() / slots;
        (0..matrix.len()).map(|at| matrix[at % slots * width + at / slots]).collect()
    }
}

/// Window-CNN with its weights, for boards of one size.
pub struct WindowCnnNet {
    net: LayeredNet,
    board: Images,
}

/// The windows of a board, and the mapping of their outputs.
#[derive(Debug, Clone, Copy)]
struct Scatter {
    board: Images,
    window: Images,
}

impl Scatter {
    /// The sites of each window, `[window][site]`.
    fn windows(self) -> Vec<usize> {
        let Images { rows, columns, .. } = self.board;
        let sites = Window { rows, columns, side: self.window.rows, padding: 0 };
        sites.sites().map(|site| site.expect("there is no padding")).collect()
    }

    /// The windows of every board, as images.
    fn cut(self, planes: &Planes, windows: &[usize], into: &mut Vec<f32>) {
        let sites = self.board.rows * self.board.columns;
        let size = self.window.rows * self.window.columns;
        into.clear();
        for board in planes.values().chunks_exact(self.board.channels * sites) {
            for window in windows.chunks_exact(size) {
                for channel in board.chunks_exact(sites) {
                    into.extend(window.iter().map(|&site| channel[site]));
                }
            }
        }
    }

    /// Number of windows that contain each site.
    fn times(self, windows: &[usize]) -> Vec<f32> {
        let mut times = vec![0.0; self.board.rows * self.board.columns];
        windows.iter().for_each(|&site| times[site] += 1.0);
        times
    }

    /// A matrix `[actions, windows * window actions]` for means; the mean of a site is over its windows.
    fn mean(self, windows: &[usize]) -> Vec<f32> {
        let size = self.window.rows * self.window.columns;
        let (count, sites) = (windows.len() / size, self.board.rows * self.board.columns);
        let width = count * self.window.actions;
        let mut matrix = vec![0.0; self.board.actions * width];
        for (window, of) in windows.chunks_exact(size).enumerate() {
            let column = window * self.window.actions;
            of.iter().enumerate().for_each(|(spot, &site)| matrix[site * width + column + spot] = 1.0);
            (sites..self.board.actions).for_each(|pass| matrix[pass * width + column + size + pass - sites] = 1.0);
        }
        for row in matrix.chunks_exact_mut(width) {
            let times = row.iter().sum::<f32>();
            row.iter_mut().for_each(|share| *share /= times);
        }
        matrix
    }
}

impl WindowCnnNet {
    fn scatter(&self) -> Scatter {
        Scatter { board: self.board, window: Images::of(self.net.dims).expect("windows are images") }
    }
}

impl Net for WindowCnnNet {
    fn dims(&self) -> Dims {
        self.board.dims()
    }

    fn params(&self) -> &[Param] {
        self.net.params()
    }

    fn forward(&self, batch: &Batch, mut mode: Mode<'_>) -> Result<Heads, DeepError> {
        let planes = self.board.planes(batch, "window CNN")?;
        if self.board.dims() == self.net.dims {
            return self.net.forward(batch, mode);
        }
        let (scatter, mut images) = (self.scatter(), Vec::new());
        let windows = scatter.windows();
        scatter.cut(planes, &windows, &mut images);
        let sites = scatter.window.rows * scatter.window.columns;
        let kind = self.net.tensor_type();
        let x = ops::rows_of(&images, self.board.channels, sites, kind)?;
        let count = x.dim(0)? / sites;
        let windows_of = Positions { count, adjacency: None, moves: None };
        let ([logits, scores], recording) = self.net.raw_heads(&x, &windows_of, &mut mode)?;
        let values = scores.squeeze(1)?.tanh()?;
        let probabilities = candle_nn::ops::softmax(&logits, 1)?.reshape((planes.positions(), ()))?;
        let shape = (self.board.actions, probabilities.dim(1)?);
        let mean = Tensor::from_vec(scatter.mean(&windows), shape, kind.1)?.to_dtype(kind.0)?;
        let means = match ops::is_at_play() {
            true => ops::product(&probabilities, &mean, NumberFormat::F32)?,
            false => probabilities.matmul(&mean.t()?)?,
        };
        let policy_logits = means.log()?.flatten_all()?;
        Ok(Heads::behind(recording, policy_logits, values.reshape((planes.positions(), ()))?.mean(1)?))
    }

    fn inference(&self, numbers: NumberFormat) -> Result<Box<dyn Inference>, DeepError> {
        let (scatter, cnn) = (self.scatter(), ImageInference::new(&self.net, numbers)?);
        let windows = scatter.windows();
        let times = scatter.times(&windows);
        Ok(Box::new(WindowInference { scatter, windows, times, cnn, images: Vec::new(), answers: Answers::default() }))
    }

    fn flops(&self, _batch: &Batch, _index: usize) -> u64 {
        let side = self.scatter().window.rows;
        let windows = (self.board.rows + 1 - side) * (self.board.columns + 1 - side);
        2 * self.net.network.macs(PositionSize::default()) * windows as u64
    }
}

/// Window-CNN with its weights bound for inference.
#[derive(Clone)]
struct WindowInference {
    scatter: Scatter,
    /// `[window][site]`.
    windows: Vec<usize>,
    /// Number of windows that contain each site.
    times: Vec<f32>,
    cnn: ImageInference,
    images: Vec<f32>,
    answers: Answers,
}

impl Inference for WindowInference {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        let planes = self.scatter.board.planes(batch, "window CNN")?;
        if self.scatter.board == self.scatter.window {
            return self.cnn.infer(batch, answers);
        }
        self.scatter.cut(planes, &self.windows, &mut self.images);
        self.cnn.answer(&self.images, &mut self.answers);
        answers.policy_logits.clear();
        answers.policy_logits.resize(batch.logits(), 0.0);
        answers.values.clear();
        let count = self.windows.len() / (self.scatter.window.rows * self.scatter.window.columns);
        let boards = self.answers.policy_logits.chunks_exact_mut(count * self.scatter.window.actions);
        for (logits, into) in boards.zip(answers.policy_logits.chunks_exact_mut(self.scatter.board.actions)) {
            self.scatter.gather(&self.windows, &self.times, logits, into);
        }
        answers.values.extend(self.answers.values.chunks_exact(count).map(|of| of.iter().sum::<f32>() / count as f32));
        Ok(())
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        let windows = self.windows.len() / (self.scatter.window.rows * self.scatter.window.columns);
        self.cnn.flops(batch, index) * windows as u64
    }

    fn fork(&self) -> Option<Box<dyn Inference>> {
        Some(Box::new(self.clone()))
    }
}

impl Scatter {
    /// The logarithms of mean probabilities, from the windows' logits `[window][action]`, which are overwritten.
    fn gather(self, windows: &[usize], times: &[f32], logits: &mut [f32], into: &mut [f32]) {
        let size = self.window.rows * self.window.columns;
        let count = (windows.len() / size) as f32;
        for (logits, sites) in logits.chunks_exact_mut(self.window.actions).zip(windows.chunks_exact(size)) {
            crate::nets::softmax(logits);
            let passes = times.len()..into.len();
            for (&probability, to) in logits.iter().zip(sites.iter().copied().chain(passes)) {
                into[to] += probability / times.get(to).copied().unwrap_or(count);
            }
        }
        into.iter_mut().for_each(|mean| *mean = mean.ln());
    }
}
