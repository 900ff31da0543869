//! Sample sheets for the tests of the renderers, here and in `gauntlet-report`: realistic shapes, invented numbers.

use gauntlet_exhibits::sheet::*;
use gauntlet_games::base::{BoardPicture, CellPicture, Chessman, Figure, PiecePicture, Tone};

pub(crate) fn blank_point() -> Point {
    Point {
        metric: "correlation".into(),
        n_runs: 100,
        n_requested: 100,
        n_games: 50_000,
        config_ids: vec!["c0ffee01".into(), "c0ffee02".into()],
        ..Point::default()
    }
}

fn error(size: f64) -> Option<Spread> {
    Some(Spread { size, kind: ErrorKind::StandardError })
}

fn compared(row: &str, column: &str, value: f64, size: f64, paper: f64) -> Point {
    let spread = (1.0 - paper * paper) / 10.0;
    let far = (value - paper).abs() > 2.0 * size.hypot(spread);
    Point {
        row: row.into(),
        column: column.into(),
        value: Some(value),
        error: error(size),
        interval: Some(ConfidenceInterval { low: value - 2.0 * size, high: value + 2.0 * size, level: 0.95 }),
        published: Some(Published { value: paper, error: error(spread), is_doubted: false }),
        verdict: Some(if far { Agreement::Differs } else { Agreement::Agrees }),
        ..blank_point()
    }
}

/// Two rows, two grouped columns and one without published numbers.
pub(crate) fn small_table() -> Sheet {
    let mut points = vec![
        compared("7x7 vs. 9x9", "CONV / Correlation", 0.84, 0.031, 0.86),
        compared("7x7 vs. 9x9", "CONV / p", 0.12, 0.104, 0.2),
        compared("7x7 vs. 11x11", "CONV / Correlation", -0.05, 0.1, 0.72),
    ];
    points.push(Point {
        row: "7x7 vs. 9x9".into(),
        column: "ties".into(),
        value: Some(0.071),
        error: error(0.02),
        ..blank_point()
    });
    points[1].verdict = Some(Agreement::NotComparable);
    let table = Table {
        corner: "Sizes".into(),
        columns: vec!["CONV / Correlation".into(), "CONV / p".into(), "ties".into()],
        rows: vec![
            ("7x7 vs. 9x9".into(), vec![Some(0), Some(1), Some(3)]),
            ("7x7 vs. 11x11".into(), vec![Some(2), None, None]),
        ],
        digits: 2,
    };
    Sheet {
        artefact: "schaul2009/table2".into(),
        title: "Table 2. Scalability of trained networks".into(),
        caption: "Correlation of the fitness on 7x7 with that on larger boards, 100 networks per scenario.".into(),
        profile: "paper".into(),
        points,
        table: Some(table),
        chart: comparison(
            &["7x7 vs. 9x9", "7x7 vs. 11x11"],
            &["CONV"],
            &[vec![(0.84, 0.03, 0.86)], vec![(-0.05, 0.1, 0.72)]],
        ),
        notes: vec!["One network was lost & replaced.".into()],
        ..Sheet::default()
    }
}

fn comparison(rows: &[&str], panels: &[&str], cells: &[Vec<(f64, f64, f64)>]) -> Chart {
    let categories: Vec<String> = rows.iter().map(|row| row.to_string()).collect();
    let panel = |(p, title): (usize, &&str)| {
        let ours = cells.iter().enumerate().map(|(r, row)| Vertex::around(r as f64, row[p].0, Some(row[p].1)));
        let paper = cells
            .iter()
            .enumerate()
            .map(|(r, row)| Vertex::around(r as f64, row[p].2, Some((1.0 - row[p].2.powi(2)) / 10.0)));
        let series = [
            Series::rule([(-0.5, 0.0), (rows.len() as f64 - 0.5, 0.0)]),
            Series::new("this run, ± 1 s.e.", Mark::Dot, 0, ours),
            Series::new("Schaul & Schmidhuber 2009, ± 1 s.e.", Mark::Diamond, 1, paper),
        ];
        let x = Axis::categories("board sizes", categories.clone());
        Panel::new(*title, x, Axis::linear("correlation of fitness"), series)
    };
    Chart::of(panels.iter().enumerate().map(panel).collect())
}

/// Table 1 of the 2009 paper with invented measurements.
pub(crate) fn correlations() -> Sheet {
    let rows = [
        ("5x5 vs. 7x7", [0.86, 0.20, 0.47]),
        ("5x5 vs. 9x9", [0.72, 0.09, 0.31]),
        ("5x5 vs. 11x11", [0.67, 0.37, 0.49]),
        ("5x5 vs. 19x19", [0.37, 0.38, 0.46]),
        ("7x7 vs. 9x9", [0.88, 0.83, 0.83]),
        ("7x7 vs. 11x11", [0.82, 0.85, 0.87]),
        ("7x7 vs. 19x19", [0.62, 0.59, 0.64]),
        ("9x9 vs. 11x11", [0.92, 0.92, 0.90]),
        ("9x9 vs. 19x19", [0.71, 0.76, 0.64]),
    ];
    let games = ["Atari-Go", "Go-Moku", "Pente"];
    let mut points = Vec::new();
    let mut cells = Vec::new();
    let mut table_rows = Vec::new();
    for (r, (row, paper)) in rows.iter().enumerate() {
        let ours: Vec<_> =
            (0..3).map(|c| (paper[c] + 0.09 * wave(r * 3 + c), 0.02 + 0.06 * (1.0 - paper[c]), paper[c])).collect();
        table_rows.push((row.to_string(), (0..3).map(|c| Some(points.len() + c)).collect()));
        points.extend(ours.iter().zip(games).map(|(cell, game)| compared(row, game, cell.0, cell.1, cell.2)));
        cells.push(ours);
    }
    let names: Vec<_> = rows.iter().map(|(row, _)| *row).collect();
    Sheet {
        artefact: "schaul2009/table1".into(),
        title: "Table 1. Correlations between the fitnesses of random MDLSTMs on different board sizes".into(),
        caption: "Pearson correlation between the fitness of the same 100 random networks on two board sizes, 100 games each \
                  against the naive player. Errors of ours are bootstrap standard errors over networks, errors of the paper's \
                  are implied by Fisher's z."
            .into(),
        profile: "paper".into(),
        chart: comparison(&names, &games, &cells),
        table: Some(Table { corner: "Sizes".into(), columns: games.map(String::from).to_vec(), rows: table_rows, digits: 2 }),
        points,
        notes: vec!["Split-half reliability of a single fitness: 0.94.".into()],
        ..Sheet::default()
    }
}

/// Table 2 of the 2009 paper: grouped columns, four of them compared.
pub(crate) fn proportions() -> Sheet {
    let columns = ["CONV / Correlation", "CONV / p", "MDLSTM / Correlation", "MDLSTM / p"];
    let mut points = Vec::new();
    let mut rows = Vec::new();
    for (r, size) in ["9x9", "11x11", "19x19"].iter().enumerate() {
        for (g, game) in ["Atari-Go", "Go-Moku", "Pente"].iter().enumerate() {
            let row = format!("{game}, 7x7 vs. {size}");
            rows.push((row.clone(), (0..4).map(|c| Some(points.len() + c)).collect()));
            points.extend(columns.iter().enumerate().map(|(c, column)| {
                let paper = ((0.4 + 0.4 * wave(r * 12 + g * 4 + c)) * 100.0).round() / 100.0;
                compared(&row, column, paper + 0.15 * wave(r + g * 31 + c), 0.06, paper)
            }));
        }
    }
    let table = Table { corner: "Game and sizes".into(), columns: columns.map(String::from).to_vec(), rows, digits: 2 };
    Sheet { points, table: Some(table), ..small_table() }
}

/// A smooth pseudo-random number between -1 and 1.
pub(crate) fn wave(i: usize) -> f64 {
    let i = i as f64;
    ((i * 12.9898).sin() * 43_758.545).fract()
}

fn figure(artefact: &str, title: &str, panels: Vec<Panel>) -> Sheet {
    Sheet {
        artefact: artefact.into(),
        title: title.into(),
        caption: "What is shown, at which scale, and what the bands are.".into(),
        profile: "laptop".into(),
        chart: Chart::of(panels),
        ..Sheet::default()
    }
}

/// Learning curves: five architectures, mean with band and best, 100 generations.
pub(crate) fn curves() -> Sheet {
    let names = ["MDLSTM (k = 3)", "MDRNN (k = 3)", "CONV (ρ = 3)", "CONV (ρ = 5)", "MLP (k = 10)"];
    let curve = |a: usize, g: usize| {
        let speed = [0.06, 0.025, 0.045, 0.04, 0.002][a];
        -0.75 + 1.7 * (1.0 - (-speed * g as f64).exp()) + 0.03 * wave(a * 1000 + g)
    };
    let mut lines = Vec::new();
    for (a, name) in names.iter().enumerate() {
        let best = (0..=100).map(|g| Vertex::at(g as f64, (curve(a, g) + 0.12 + 0.04 * wave(a * 77 + g)).min(1.0)));
        lines.push(Series::new(format!("{name}, best"), Mark::Dashed, a, best));
        let mean = (0..=100).map(|g| Vertex::around(g as f64, curve(a, g), Some(0.05 + 0.02 * wave(g))));
        lines.push(Series::new(format!("{name}, mean"), Mark::Line, a, mean));
    }
    let panel = Panel::new("", Axis::linear("generation"), Axis::linear("fitness on 7x7"), lines);
    figure("schaul2009/fig3a", "Figure 3a. Learning curves against the naive player", vec![panel])
}

/// Percentiles of nine scenarios.
pub(crate) fn percentiles() -> Sheet {
    let lines = (0..9).map(|s| {
        let steep = 3.0 + s as f64;
        let points =
            (0..=100).map(|p| Vertex::at(p as f64, ((p as f64 - 8.0 * s as f64 - 20.0) / 100.0 * steep).tanh()));
        let game = ["Atari-Go", "Go-Moku", "Pente"][s % 3];
        let opponent = ["random", "naive", "heuristic"][s / 3];
        Series::new(format!("{game}, {opponent}"), Mark::Line, s, points)
    });
    let y = Axis::within("fitness on 7x7", (-1.0, 1.0));
    let panel = Panel::new("", Axis::within("percentile", (0.0, 100.0)), y, lines);
    figure("schaul2009/fig2a", "Figure 2a. Fitness of random MDRNNs", vec![panel])
}

/// One hundred dots and one hundred crosses around a diagonal.
pub(crate) fn scatter() -> Sheet {
    let cloud = |offset: usize, slope: f64| {
        (0..100).map(move |i| {
            let x = wave(i + offset);
            Vertex::at(x, (slope * x + 0.5 * wave(i + offset + 500)).clamp(-1.0, 1.0))
        })
    };
    let series = [
        Series::rule([(-1.0, -1.0), (1.0, 1.0)]),
        Series::new("CONV", Mark::Cross, 1, cloud(300, 0.2)),
        Series::new("MDLSTM", Mark::Dot, 0, cloud(0, 0.9)),
    ];
    let axis = |label| Axis::within(label, (-1.0, 1.0));
    let panel = Panel::new("", axis("fitness on 7x7"), axis("fitness on 11x11"), series);
    figure("schaul2009/fig4b", "Figure 4b. Fitness on two board sizes", vec![panel])
}

/// Every other mark and scale: bars with long names, horizontal categories, a logarithmic axis, and no data at all.
pub(crate) fn assorted() -> Sheet {
    let names = ["plain", "without subgraph sampling", "without the value head", "half the simulations"];
    let names: Vec<String> = names.map(String::from).to_vec();
    let bars = |offset: usize| (0..4).map(move |i| Vertex::around(i as f64, 0.4 + 0.5 * wave(i + offset), Some(0.08)));
    let sideways = |offset: usize| {
        (0..4).map(move |i| {
            let x = 120.0 * wave(i + offset);
            Vertex { low: Some(x - 15.0), high: Some(x + 15.0), ..Vertex::at(x, i as f64) }
        })
    };
    let power = (0..12).map(|i| Vertex::at(10f64.powf(0.5 + i as f64 * 0.3), 3.0 * 10f64.powf(i as f64 * 0.1)));
    let banded = (0..12).map(|i| Vertex::around(10f64.powf(0.5 + i as f64 * 0.3), 50.0 + i as f64, Some(9.0)));
    let log = |label| Axis { scale: AxisScale::Log, ..Axis::linear(label) };
    let panels = vec![
        Panel::new(
            "Bars",
            Axis::categories("variant", names.clone()),
            Axis::linear("score"),
            [Series::new("against A", Mark::Bar, 0, bars(3)), Series::new("against B", Mark::Bar, 1, bars(9))],
        ),
        Panel::new(
            "Sideways",
            Axis::linear("Elo difference"),
            Axis::categories("", names),
            [
                Series::rule([(0.0, -0.5), (0.0, 3.5)]),
                Series::new("ours", Mark::Dot, 0, sideways(2)),
                Series::new("paper", Mark::Diamond, 1, sideways(7)),
            ],
        ),
        Panel::new(
            "Logarithmic",
            log("evaluations"),
            log("games per second"),
            [Series::new("speed", Mark::Line, 2, power), Series::new("doubt", Mark::Hatched, 3, banded)],
        ),
        Panel::new("Empty", Axis::linear("x"), Axis::linear("y"), []),
    ];
    figure("test/assorted", "Figure 9. Every mark", panels)
}

/// Two tables of coloured cells, one of them without errors, under titles that need two lines.
pub(crate) fn cells() -> Sheet {
    let names = ["benchmark", "(I) 13 iter.", "(I) 26 iter.", "(II) 5 iter.", "(II) 10 iter."].map(String::from);
    let tile = |at: usize, error: Option<f64>| {
        let value = 2.0 * wave(at);
        let mark = Mark::Tile { value, error, depth: value.abs() / 2.0 };
        Series::new("", mark, 0, [Vertex::at((at % 5) as f64, (at / 5) as f64)])
    };
    let axis = |label| Axis::categories(label, names.to_vec());
    let panel = |title: &str, error| Panel::new(title, axis("A"), axis("B"), (0..25).map(|at| tile(at, error)));
    let title = "Scores between the benchmark player and the two models";
    figure("gomoku/fig4", title, vec![panel(&format!("{title}, measured"), Some(0.12)), panel("published", None)])
}

/// Two boards: a full one, and a large one with numbers of three digits.
pub(crate) fn boards() -> Sheet {
    let board = |size: usize, stones: usize| {
        let names = |name: fn(usize) -> String| (0..size).map(name).collect::<Vec<_>>();
        let letters = names(|column| char::from(b"ABCDEFGHJKLMNOPQRST"[column]).to_string());
        let stone = |number: usize| {
            // Steps of eight reach every point of a board with an odd number of them.
            let site = number * 8 % (size * size);
            let mark = Mark::Stone { black: number.is_multiple_of(2), number: Some(number as u32 + 1) };
            Series::new("", mark, 0, [Vertex::at((site % size) as f64, (site / size) as f64)])
        };
        let x = Axis::categories("Model A wins, 81 plies", letters);
        let y = Axis::categories("", names(|row| (row + 1).to_string()));
        Panel::new("1. Model A (black) – Model B", x, y, (0..stones).map(stone))
    };
    figure("paper/fig5", "Figure 5. Two games", vec![board(9, 81), board(19, 150)])
}

/// Diagrams: all figures in every tone on cells, some of them overlapping, and lines with a coloured edge.
pub(crate) fn diagrams() -> Sheet {
    let men = [Chessman::Pawn, Chessman::Knight, Chessman::Bishop, Chessman::Rook, Chessman::Queen, Chessman::King];
    let words = [Figure::Lettered("J".into()), Figure::Wedge("+P".into()), Figure::Ringed, Figure::Stone];
    let figures: Vec<Figure> = men.into_iter().map(Figure::Chess).chain(words).collect();
    let piece = |(number, figure): (usize, &Figure)| {
        let tone = [Tone::Dark, Tone::Light, Tone::Neutral][number % 3];
        let at = [1.0 + (number % 5) as f64, 1.0 + (number / 5) as f64];
        PiecePicture {
            at,
            radius: 0.37,
            tone,
            is_turned: number % 2 == 1,
            figure: figure.clone(),
            count: number as u16,
        }
    };
    let square = |number: usize| {
        let (x, y) = (0.5 + (number % 5) as f64, 0.5 + (number / 5) as f64);
        CellPicture { outline: vec![[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]], shade: (number % 3) as u8 }
    };
    let cells = BoardPicture {
        size: [6.0, 3.2],
        cells: (0..10).map(square).collect(),
        labels: vec![("A".into(), [1.0, 2.8])],
        pieces: figures.iter().enumerate().map(piece).collect(),
        marks: vec![[2.0, 1.0]],
        ..BoardPicture::default()
    };
    let lines = BoardPicture {
        lines: vec![vec![[1.0, 1.0], [5.0, 1.0]], vec![[1.0, 1.0], [1.0, 2.0]]],
        rims: vec![(Tone::Dark, vec![[1.0, 2.0], [5.0, 2.0]])],
        cells: Vec::new(),
        ..cells.clone()
    };
    let diagram = |title: &str, board: &BoardPicture| Diagram {
        title: title.into(),
        note: "after 12 plies".into(),
        board: board.clone(),
    };
    let sheet = figure("paper/positions", "Positions", Vec::new());
    let diagrams = vec![diagram("Cells", &cells), diagram("Lines", &lines), diagram("Cells again", &cells)];
    Sheet { chart: Chart { diagrams, ..sheet.chart }, ..sheet }
}
