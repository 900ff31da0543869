//! Tests of every board of the fifteen games, site by site, against the reference system.

use std::{collections::BTreeMap, fs, io::Read, path::Path};

use flate2::read::GzDecoder;
use serde_json::Value;

use super::compass::COMPASS;
use super::*;

/// A shifted rectangle whose intersection with a hexagon is its lower rows.
fn half_hexagon() -> PlaneGraph {
    let rectangle = PlaneGraph::hexagonal_rectangle(7, 13).unwrap().shifted(-5.196_15, 0.0);
    PlaneGraph::hexagon(7).unwrap().intersected(&rectangle)
}

fn board(game: &str) -> BoardGraph {
    use SiteKind::{Cell, Vertex};
    let square = |size, kind| PlaneGraph::rectangle(size, size, kind, Diagonals::None).unwrap();
    let (drawing, kind) = match game {
        "Breakthrough" | "Konane" => (square(8, Cell), Cell),
        "Connect6" => (square(19, Vertex), Vertex),
        "Dai Hasami Shogi" => (square(9, Cell), Cell),
        "Fanorona" => (PlaneGraph::rectangle(5, 9, Vertex, Diagonals::Alternating).unwrap(), Vertex),
        "Feed the Ducks" => (PlaneGraph::hexagon(5).unwrap(), Cell),
        "Gomoku" => (square(15, Vertex), Vertex),
        "Hex" => (PlaneGraph::diamond(11).unwrap(), Cell),
        "HeXentafl" => (PlaneGraph::hexagon(4).unwrap().rotated(90.0), Cell),
        "Lasca" => (square(7, Cell), Cell),
        "Minishogi" | "Squava" => (square(5, Cell), Cell),
        "Pentalath" => (half_hexagon(), Cell),
        "Surakarta" => (square(6, Vertex), Vertex),
        "Yavalath" => (PlaneGraph::hexagon(5).unwrap().rotated(90.0), Cell),
        other => panic!("no board for {other}"),
    };
    BoardGraph::new(drawing, kind).unwrap()
}

fn read(file: &str) -> Option<BTreeMap<String, Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracles/ludemes").join(file);
    let Ok(bytes) = fs::read(path) else {
        eprintln!("skipped: ../shared/oracles/ludemes/{file} is not there");
        return None;
    };
    let mut text = String::new();
    if file.ends_with(".gz") {
        GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    } else {
        text = String::from_utf8(bytes).unwrap();
    }
    let games = serde_json::from_str::<Value>(&text).unwrap()["games"].take();
    Some(serde_json::from_value(games).unwrap())
}

fn lists(value: &Value) -> Vec<Vec<u16>> {
    serde_json::from_value(value.clone()).unwrap()
}

fn list(value: &Value) -> Vec<u16> {
    serde_json::from_value(value.clone()).unwrap()
}

fn named(name: &str) -> Compass {
    COMPASS.into_iter().find(|direction| format!("{direction:?}") == name).unwrap()
}

#[test]
fn sites_lie_where_the_reference_has_them() {
    for (game, truth) in read("topology.json").unwrap_or_default() {
        let board = board(&game);
        let drawing = board.drawing();
        assert_eq!(board.sites() as u64, truth["sites"], "{game}");
        let parts = [drawing.vertices().len(), drawing.edges().len(), drawing.faces().len()];
        assert_eq!(parts.map(|n| n as u64), ["vertices", "edges", "cells"].map(|key| truth[key].as_u64().unwrap()));
        let places: Vec<[f64; 2]> = serde_json::from_value(truth["centroid"].clone()).unwrap();
        let phases: Vec<u8> = serde_json::from_value(truth["phase"].clone()).unwrap();
        let [rows, columns] = ["row", "col"].map(|key| list(&truth[key]));
        for (site, place) in places.iter().enumerate() {
            let ours = board.places()[site];
            assert!((0..2).all(|axis| (ours[axis] - place[axis]).abs() < 1e-5), "{game} {site}: {ours:?} {place:?}");
            assert_eq!(board.column_and_row(site), [columns[site], rows[site]], "{game} {site}");
            assert_eq!(board.label(site), truth["label"][site], "{game}");
            assert_eq!(board.site(&board.label(site).to_lowercase()), Some(site as u16));
        }
        assert_eq!(board.regions().phases, phases, "{game}");
        assert_eq!(board.lines(0), lists(&truth["sets"]["columns"]), "{game}");
        assert_eq!(board.lines(1), lists(&truth["sets"]["rows"]), "{game}");
    }
}

#[test]
fn neighbours_and_rays_are_those_of_the_reference() {
    use Relation::{Adjacent, All, Diagonal, Orthogonal};
    let rays = read("radials.json.gz").unwrap_or_default();
    for (game, truth) in read("topology.json").unwrap_or_default() {
        let board = board(&game);
        for (name, relation) in
            [("All", All), ("Adjacent", Adjacent), ("Orthogonal", Orthogonal), ("Diagonal", Diagonal)]
        {
            let names: Vec<String> = board.directions(relation).iter().map(|d| format!("{d:?}")).collect();
            assert_eq!(serde_json::to_value(names).unwrap(), truth["supported"][name], "{game} {name}");
            for site in 0..board.sites() {
                let steps = truth["steps"].get(name).map_or_else(Vec::new, |steps| list(&steps[site]));
                assert_eq!(board.neighbours(relation, site), steps, "{game} {name} {site}");
            }
        }
        let directions = rays[&game].as_object().unwrap();
        assert_eq!(directions.len(), board.directions(All).len(), "{game}");
        for (name, rays) in directions {
            for site in 0..board.sites() {
                let ray = board.ray(named(name), site);
                assert_eq!(ray, lists(&rays[site]).concat(), "{game} {name} {site}");
                assert_eq!(board.step(named(name), site), ray.first().copied());
                let steps = list(&truth["steps"][name][site]);
                assert_eq!(board.step(named(name), site), steps.first().copied());
            }
        }
    }
}

#[test]
fn regions_are_those_of_the_reference() {
    for (game, truth) in read("topology.json").unwrap_or_default() {
        let board = board(&game);
        let (regions, sets) = (board.regions(), &truth["sets"]);
        let parts = [
            ("top", &regions.top),
            ("bottom", &regions.bottom),
            ("left", &regions.left),
            ("right", &regions.right),
            ("corners", &regions.corners),
            ("centre", &regions.centre),
            ("outer", &regions.outer),
            ("perimeter", &regions.outer),
            ("inner", &regions.inner),
        ];
        for (name, ours) in parts {
            assert_eq!(*ours, list(&sets[name]), "{game} {name}");
        }
        let sides: BTreeMap<String, &Vec<u16>> =
            regions.sides.iter().map(|(side, sites)| (format!("{side:?}"), sites)).collect();
        assert_eq!(serde_json::to_value(sides).unwrap(), sets["sides"], "{game}");
    }
}

#[test]
fn surakarta_has_the_tracks_of_the_reference() {
    let Some(games) = read("topology.json") else { return };
    let tracks = loops(6, 6, 2);
    let truth = games["Surakarta"]["tracks"].as_array().unwrap();
    assert_eq!(tracks.len(), truth.len());
    for (track, truth) in tracks.iter().zip(truth) {
        assert_eq!(track.sites, list(&truth["sites"]));
        let bends: Vec<u16> = track.bends.iter().map(|&bend| u16::from(bend)).collect();
        assert_eq!(bends, list(&truth["bump"]));
    }
}

#[test]
fn every_kind_of_site_has_mutual_neighbours() {
    let rectangle = |kind| PlaneGraph::rectangle(4, 6, kind, Diagonals::Alternating).unwrap();
    for kind in [SiteKind::Cell, SiteKind::Vertex, SiteKind::Edge] {
        for drawing in [rectangle(kind), PlaneGraph::hexagon(3).unwrap(), half_hexagon().rotated(30.0)] {
            let board = BoardGraph::new(drawing, kind).unwrap();
            for site in 0..board.sites() {
                for relation in [Relation::All, Relation::Adjacent, Relation::Orthogonal, Relation::Diagonal] {
                    for &other in board.neighbours(relation, site) {
                        assert!(board.neighbours(relation, other.into()).contains(&(site as u16)), "{kind:?}");
                        assert_eq!(board.distances(relation, site)[usize::from(other)], 1);
                    }
                }
            }
        }
    }
}

#[test]
fn boards_without_sites_or_with_too_many_are_refused() {
    let empty = |kind| ShapeError::Empty { kind };
    assert_eq!(PlaneGraph::hexagon(0), Err(empty(SiteKind::Cell)));
    assert_eq!(PlaneGraph::rectangle(3, 0, SiteKind::Vertex, Diagonals::None), Err(empty(SiteKind::Vertex)));
    assert_eq!(PlaneGraph::diamond(33), Err(ShapeError::TooLarge { sites: 1089 }));
    assert!(PlaneGraph::hexagon(usize::MAX).is_err());
    let apart = PlaneGraph::hexagon(2).unwrap().shifted(100.0, 0.0);
    let nothing = PlaneGraph::hexagon(2).unwrap().intersected(&apart);
    assert_eq!(BoardGraph::new(nothing, SiteKind::Cell), Err(empty(SiteKind::Cell)));
    let line = PlaneGraph::rectangle(1, 5, SiteKind::Cell, Diagonals::None).unwrap();
    assert_eq!(BoardGraph::new(line, SiteKind::Cell).unwrap().regions().corners, [0, 4]);
}
