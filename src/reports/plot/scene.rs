//! A picture as a list of shapes in logical pixels, the first at the bottom. It knows neither data nor file formats.

use super::palette::Rgb;

/// A place: to the right, and down.
pub(super) type Spot = (f64, f64);

/// The medium of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Viewport {
    /// A page of paper, or a wide screen.
    Wide,
    /// A screen of a telephone's width: panels are below each other.
    Narrow,
}

/// All shapes of a picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Scene {
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

/// One shape.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// An open line with round joints.
    Path { points: Vec<Spot>, width: f64, colour: Rgb },
    /// A filled polygon.
    Area { points: Vec<Spot>, colour: Rgb, opacity: f64 },
    /// A filled circle.
    Disc { centre: Spot, radius: f64, colour: Rgb, opacity: f64 },
    /// One line of text.
    Text(Text),
}

/// One line of text, vertically centred on its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Text {
    pub text: String,
    pub at: Spot,
    /// Font size in logical pixels.
    pub size: f64,
    pub bold: bool,
    pub anchor: Anchor,
    /// Reads upwards.
    pub turned: bool,
    pub colour: Rgb,
}

/// The part of a text that is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Scene {
    /// An empty picture.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, shapes: Vec::new() }
    }

    /// A line through some places.
    pub fn path(&mut self, points: impl Into<Vec<Spot>>, width: f64, colour: Rgb) {
        self.shapes.push(Shape::Path { points: points.into(), width, colour });
    }

    /// A filled polygon.
    pub fn area(&mut self, points: impl Into<Vec<Spot>>, colour: Rgb, opacity: f64) {
        self.shapes.push(Shape::Area { points: points.into(), colour, opacity });
    }

    /// A filled circle.
    pub fn disc(&mut self, centre: Spot, radius: f64, colour: Rgb, opacity: f64) {
        self.shapes.push(Shape::Disc { centre, radius, colour, opacity });
    }

    /// A line of text, if it is not empty.
    pub fn text(&mut self, text: Text) {
        if !text.text.is_empty() {
            self.shapes.push(Shape::Text(text));
        }
    }
}

impl Text {
    /// Level text in the colour of ink.
    pub fn new(text: impl Into<String>, at: Spot, size: f64, anchor: Anchor) -> Self {
        Self { text: text.into(), at, size, bold: false, anchor, turned: false, colour: super::palette::INK }
    }

    /// The same, reading upwards.
    pub fn turned(self) -> Self {
        Self { turned: true, ..self }
    }

    /// The same in bold type.
    pub fn bold(self) -> Self {
        Self { bold: true, ..self }
    }
}
