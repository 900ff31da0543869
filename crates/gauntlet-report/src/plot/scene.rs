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
    /// A page of a paper with a column of this width, in logical pixels. It may be printed without colours.
    Page(u32),
}

impl Viewport {
    /// Whether three boards beside each other would be small.
    pub fn is_slim(self) -> bool {
        matches!(self, Viewport::Narrow | Viewport::Page(..600))
    }
}

/// All shapes of a picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Scene {
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
    /// Names of series, in the order of the legend.
    pub series: Vec<String>,
    /// Parts of the picture, in the order of its shapes: the first shape of each, and its owner.
    pub parts: Vec<(usize, Owner)>,
    /// Texts for readers who point at a place.
    pub hints: Vec<Hint>,
    /// Whether lines and areas differ by patterns, too, and not by their colours alone.
    pub is_patterned: bool,
}

/// The owner of some shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Owner {
    /// The picture: axes, titles, rules.
    #[default]
    Picture,
    /// The entry of a series in the legend.
    Entry(usize),
    /// The marks of a series.
    Series(usize),
}

/// A place with its text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hint {
    pub at: Spot,
    pub owner: Owner,
    pub text: String,
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
        Self { width, height, ..Self::default() }
    }

    /// The next shapes belong to the series of this name, if the legend has it.
    pub fn begin(&mut self, series: &str) {
        let owner = self.owner(series);
        self.parts.push((self.shapes.len(), owner));
    }

    /// The next shapes are the entry of this name in the legend.
    pub fn begin_entry(&mut self, series: &str) {
        self.series.push(series.to_owned());
        self.parts.push((self.shapes.len(), Owner::Entry(self.series.len() - 1)));
    }

    /// The next shapes belong to the picture.
    pub fn end(&mut self) {
        self.parts.push((self.shapes.len(), Owner::Picture));
    }

    /// The owner of the marks of a series.
    pub fn owner(&self, series: &str) -> Owner {
        let known = self.series.iter().position(|known| known == series);
        known.map_or(Owner::Picture, Owner::Series)
    }

    /// The shapes by parts, without empty ones.
    pub fn parts(&self) -> impl Iterator<Item = (Owner, &[Shape])> {
        let starts = std::iter::once((0, Owner::Picture)).chain(self.parts.iter().copied());
        let ends = self.parts.iter().map(|(start, _)| *start).chain([self.shapes.len()]);
        starts
            .zip(ends)
            .map(|((start, owner), end)| (owner, &self.shapes[start..end]))
            .filter(|part| !part.1.is_empty())
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
