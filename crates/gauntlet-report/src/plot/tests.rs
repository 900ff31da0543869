//! Requirements of every picture: all text present, apart and inside, the specified sizes, the same bytes each time.

use super::compose;
use super::font;
use super::marks::Lanes;
use super::scene::{Anchor, Scene, Shape, Spot, Text, Viewport};
use super::{png, svg};
use crate::samples;
use crate::sheet::{AxisScale, Chart, Diagram, Mark, Panel, Sheet, Vertex};
use gauntlet_games::base::{BoardPicture, Figure, PiecePicture, Tone};

fn sheets() -> Vec<Sheet> {
    vec![
        samples::small_table(),
        samples::correlations(),
        samples::curves(),
        samples::percentiles(),
        samples::scatter(),
        samples::assorted(),
        samples::boards(),
        samples::diagrams(),
        samples::cells(),
    ]
}

/// The pictures of all sheets in all widths, and in those of a column and a page of a paper with letters of 9 points.
fn scenes() -> Vec<(Sheet, Scene)> {
    let all = |sheet: Sheet| {
        [Viewport::Wide, Viewport::Narrow, Viewport::Page(430), Viewport::Page(613), Viewport::Page(880)]
            .map(|viewport| (sheet.clone(), compose::scene(&sheet, viewport)))
    };
    sheets().into_iter().flat_map(all).collect()
}

fn texts<'a>(scene: &'a Scene) -> Vec<&'a Text> {
    let text = |shape: &'a Shape| match shape {
        Shape::Text(text) => Some(text),
        _ => None,
    };
    scene.shapes.iter().filter_map(text).collect()
}

/// The corners of the rectangle that a text covers.
fn bounds(text: &Text) -> (Spot, Spot) {
    let width = font::width(&text.text, text.size, text.bold);
    let start = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -width / 2.0,
        Anchor::End => -width,
    };
    let ((x, y), half) = (text.at, 0.4 * text.size);
    if text.turned {
        ((x - half, y - start - width), (x + half, y - start))
    } else {
        ((x + start, y - half), (x + start + width, y + half))
    }
}

fn corners(shape: &Shape) -> Vec<Spot> {
    match shape {
        Shape::Path { points, .. } | Shape::Area { points, .. } => points.clone(),
        Shape::Disc { centre: (x, y), radius: r, .. } => vec![(x - r, y - r), (x + r, y + r)],
        Shape::Text(text) => Vec::from(<[Spot; 2]>::from(bounds(text))),
    }
}

#[test]
fn every_shape_stays_inside() {
    for (sheet, scene) in scenes() {
        for shape in &scene.shapes {
            let inside = |(x, y): Spot| (0.0..=scene.width).contains(&x) && (0.0..=scene.height).contains(&y);
            assert!(corners(shape).into_iter().all(inside), "{}: {shape:?} leaves the picture", sheet.artefact);
        }
    }
}

#[test]
fn no_text_covers_another() {
    for (sheet, scene) in scenes() {
        let texts = texts(&scene);
        for (i, a) in texts.iter().enumerate() {
            for b in &texts[..i] {
                let ((a0, a1), (b0, b1)) = (bounds(a), bounds(b));
                let apart = a1.0 <= b0.0 || b1.0 <= a0.0 || a1.1 <= b0.1 || b1.1 <= a0.1;
                assert!(apart, "{}: {:?} covers {:?}", sheet.artefact, a.text, b.text);
            }
        }
    }
}

#[test]
fn the_svg_holds_every_label_as_text() {
    let sheet = samples::correlations();
    let svg = svg(&sheet).expect("it paints");
    for label in
        ["Atari-Go", "Pente", "9x9 vs. 19x19", "correlation of fitness", "Schaul &amp; Schmidhuber 2009, ± 1 s.e."]
    {
        assert!(svg.contains(label), "{label} is missing");
    }
    assert!(svg.contains("<title>Table 1. Correlations") && svg.contains("sans-serif"));
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
}

#[test]
fn every_category_has_its_label() {
    let names: Vec<String> = (1..=14).map(|number| format!("player{number}")).collect();
    let mut sheet = samples::scatter();
    let panel = &mut sheet.chart.panels[0];
    (panel.x.scale, panel.x.range) = (AxisScale::Categories(names.clone()), None);
    sheet.chart.panels = vec![panel.clone(); 3];
    let scene = compose::scene(&sheet, Viewport::Wide);
    for name in names {
        assert_eq!(texts(&scene).iter().filter(|text| text.text == name).count(), 3, "{name}");
    }
}

/// A board of lines with a stone on every point of its left and lower edge, and names beside them.
fn edged(size: usize) -> BoardPicture {
    let at = |number: usize| 1.7 + number as f64;
    let end = at(size - 1);
    let stone = |at: [f64; 2]| PiecePicture {
        at,
        radius: 0.46,
        tone: Tone::Dark,
        is_turned: false,
        figure: Figure::Stone,
        count: 1,
    };
    let left = (0..size).map(|row| stone([at(0), at(row)]));
    let low = (1..size).map(|column| stone([at(column), end]));
    let rows = (0..size).map(|row| ((size - row).to_string(), [at(0) - 0.92, at(row)]));
    let columns = (0..size).map(|column| ("W".to_owned(), [at(column), end + 0.92]));
    BoardPicture {
        size: [end + 0.9, end + 1.6],
        pieces: left.chain(low).collect(),
        labels: rows.chain(columns).collect(),
        ..BoardPicture::default()
    }
}

#[test]
fn no_stone_covers_the_names_of_rows_and_columns_however_many_boards_there_are() {
    for (size, count) in [(15, 1), (15, 4), (15, 13), (19, 2), (19, 6), (19, 16)] {
        let diagram = |_| Diagram { title: "game".into(), note: "end".into(), board: edged(size) };
        let mut sheet = samples::diagrams();
        sheet.chart.diagrams = (0..count).map(diagram).collect();
        for viewport in [Viewport::Wide, Viewport::Narrow] {
            let scene = compose::scene(&sheet, viewport);
            let texts = texts(&scene);
            assert_eq!(texts.len(), count * (2 * size + 2), "{size} {count}");
            for (i, text) in texts.iter().enumerate() {
                let ((left, top), (right, bottom)) = bounds(text);
                let is_apart = |other: &&Text| {
                    let ((a, b), (c, d)) = bounds(other);
                    right <= a || c <= left || bottom <= b || d <= top
                };
                assert!(texts[..i].iter().all(is_apart), "{size} {count}: {} covers a name", text.text);
                let is_clear = |shape: &Shape| match shape {
                    Shape::Disc { centre: (x, y), radius, .. } => {
                        let near = (x.clamp(left, right), y.clamp(top, bottom));
                        (x - near.0).hypot(y - near.1) >= radius - 0.5
                    }
                    _ => true,
                };
                assert!(scene.shapes.iter().all(is_clear), "{size} {count}: a stone covers {}", text.text);
            }
        }
    }
}

#[test]
fn points_that_meet_no_other_stand_at_their_category() {
    let names = AxisScale::Categories(["a", "b", "c"].map(String::from).to_vec());
    let mut sheet = samples::small_table();
    let panel = &mut sheet.chart.panels[0];
    panel.x.scale = names;
    let dots = |places: &[f64]| places.iter().map(|&x| Vertex::at(x, 0.5)).collect::<Vec<_>>();
    // Without the line at zero.
    panel.series = panel.series.split_off(1);
    (panel.series[0].points, panel.series[1].points) = (dots(&[0.0, 2.0]), dots(&[1.0]));
    let lanes = |panel: &Panel| {
        let lanes = Lanes::of(panel);
        [0, 1].map(|series| lanes.of_series(series).shift(panel.series[series].points[0]).x)
    };
    assert_eq!(lanes(panel), [0.0, 1.0]);
    panel.series[1].points = dots(&[1.0, 2.0]);
    let [first, second] = lanes(panel);
    assert!(first < 0.0 && second > 1.0, "those that meet stand beside each other");
}

#[test]
fn outside_text_stays_text() {
    let mut sheet = samples::scatter();
    sheet.title = "<script>alert(1)</script>".into();
    sheet.chart.panels[0].x.label = "</svg><script>".into();
    let svg = svg(&sheet).expect("it paints");
    assert!(!svg.contains("<script") && svg.contains("&lt;/svg&gt;&lt;script&gt;"));
}

#[test]
fn the_png_is_twice_the_logical_size() {
    for sheet in [samples::scatter(), samples::correlations()] {
        let scene = compose::scene(&sheet, Viewport::Wide);
        let bytes = png(&sheet).expect("it paints");
        let mut reader = ::png::Decoder::new(bytes.as_slice()).read_info().expect("a valid header");
        let mut pixels = vec![0; reader.output_buffer_size()];
        let info = reader.next_frame(&mut pixels).expect("valid pixels");
        assert_eq!((f64::from(info.width), f64::from(info.height)), (2.0 * scene.width, 2.0 * scene.height));
        let dark = pixels.chunks(3).filter(|pixel| pixel.iter().all(|&byte| byte < 60)).count();
        assert!(dark > 500, "the texts are there: {dark} dark pixels");
    }
}

#[test]
fn the_same_sheet_gives_the_same_bytes() {
    let sheet = samples::assorted();
    assert_eq!(svg(&sheet).expect("it paints"), svg(&sheet).expect("it paints"));
    assert_eq!(png(&sheet).expect("it paints"), png(&sheet).expect("it paints"));
}

#[test]
fn stones_stand_apart_on_the_points_of_their_board() {
    let sheet = samples::boards();
    let scene = compose::scene(&sheet, Viewport::Wide);
    let discs = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Disc { centre, radius, colour: super::palette::INK, .. } => Some((*centre, *radius)),
        _ => None,
    });
    let discs: Vec<(Spot, f64)> = discs.collect();
    assert_eq!(discs.len(), 81 + 150);
    for (i, ((x, y), r)) in discs.iter().enumerate() {
        let apart = |((a, b), s): &(Spot, f64)| (x - a).hypot(y - b) >= r + s;
        assert!(discs[..i].iter().all(apart), "a stone covers another at ({x}, {y})");
    }
    let numbers = texts(&scene).into_iter().filter(|text| text.anchor == Anchor::Middle && text.text == "81");
    assert_eq!(numbers.count(), 2, "on both boards");
}

#[test]
fn odd_charts_are_drawn_too() {
    let empty = Sheet { chart: Chart::of(vec![]), ..samples::scatter() };
    assert!(png(&empty).is_ok());
    let mut odd = samples::scatter();
    let panel = &mut odd.chart.panels[0];
    panel.series[1].points[0].y = f64::NAN;
    panel.series[2].points[0].x = f64::INFINITY;
    panel.series[2].points[1].x = 1e300;
    panel.series[2].mark = Mark::Dashed;
    panel.x.scale = AxisScale::Categories(vec![]);
    panel.y.scale = AxisScale::Log;
    panel.y.range = Some((-1.0, 0.0));
    assert!(svg(&odd).is_ok_and(|svg| svg.contains("no data")));
}
