//! Pictures of the cells of sites and moves in tensors, with numbers.

use super::TensorsEncoder;
use super::actions::ActionPlanes;
use super::places::ImageCells;
use gauntlet_games::base::{BoardPicture, CellPicture};

/// Margin.
const MARGIN: f64 = 0.3;
/// Shades of cells: of the board, of hands (and of unused planes), of nothing.
const BOARD: u8 = 0;
const BESIDE: u8 = 1;
const NOTHING: u8 = 2;

impl TensorsEncoder {
    /// The cells of a state's tensor with the numbers of their sites; cells without a site are dark.
    #[must_use]
    pub fn picture(&self) -> BoardPicture {
        of_places(self.places())
    }

    /// The planes of the tensor of actions by the moves' offsets, to the right and up; below them those of proposals,
    /// votes, pass and swap.
    #[must_use]
    pub fn picture_of_moves(&self) -> BoardPicture {
        of_planes(self.action_planes())
    }
}

fn of_places(places: &ImageCells) -> BoardPicture {
    let board = places.containers()[0].clone();
    let sites = |cell: usize| (0..places.cells().len()).filter(move |&site| places.cells()[site] as usize == cell);
    let (mut cells, mut labels) = (Vec::new(), Vec::new());
    for cell in 0..places.area() {
        let (x, y) = (cell / places.height(), places.height() - 1 - cell % places.height());
        let shade = match sites(cell).next() {
            Some(site) if board.contains(&site) => BOARD,
            Some(_) => BESIDE,
            None => NOTHING,
        };
        cells.push(square(x, y, shade));
        let more = if sites(cell).count() > 1 { "+" } else { "" };
        labels.extend(sites(cell).next().map(|site| (format!("{site}{more}"), middle(x, y))));
    }
    framed(cells, labels, [places.width(), places.height()])
}

fn of_planes(planes: ActionPlanes) -> BoardPicture {
    let across = planes.across();
    let (mut cells, mut labels) = (Vec::new(), Vec::new());
    for way in 0..across * across {
        let (x, y) = (way / across, across - 1 - way % across);
        cells.push(square(x, y, if way == across * across / 2 { BESIDE } else { BOARD }));
        labels.push((planes.of_way(way).to_string(), middle(x, y)));
    }
    let offsite = planes.of_way(across * across)..planes.count();
    for (nth, plane) in offsite.clone().enumerate() {
        let (x, y) = (nth % across, across + 1 + nth / across);
        cells.push(square(x, y, BESIDE));
        labels.push((plane.to_string(), middle(x, y)));
    }
    framed(cells, labels, [across.max(offsite.len().min(across)), across + 1 + offsite.len().div_ceil(across)])
}

fn square(x: usize, y: usize, shade: u8) -> CellPicture {
    let [x, y] = middle(x, y).map(|place| place - 0.5);
    CellPicture { outline: vec![[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]], shade }
}

fn middle(x: usize, y: usize) -> [f64; 2] {
    [x, y].map(|at| at as f64 + 0.5 + MARGIN)
}

fn framed(cells: Vec<CellPicture>, labels: Vec<(String, [f64; 2])>, size: [usize; 2]) -> BoardPicture {
    let size = size.map(|cells| cells as f64 + 2.0 * MARGIN);
    BoardPicture { size, cells, labels, ..BoardPicture::default() }
}
