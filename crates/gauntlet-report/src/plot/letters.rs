//! The letters of a PDF as fonts inside it: TrueType with the used glyphs alone, whose text can be searched and copied.
//! Some publishers refuse the simpler way, a font of type 3.

use std::collections::BTreeMap;
use std::io::Write as _;

use ab_glyph::{Font as _, GlyphId};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish as _, Name, Pdf, Rect, Ref, Str};
use subsetter::{GlyphRemapper, subset};

use super::font;

/// Units of an em in a PDF.
const EM: f32 = 1000.0;
/// The glyphs of the fonts are numbered by themselves.
const IDENTITY: SystemInfo<'static> = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };
/// Objects of one font.
const OBJECTS: i32 = 5;
/// Letters of the tag that marks a font as a part of another one.
const TAG: usize = 6;
/// Thickness of upright strokes, which viewers use only if the font is damaged.
const STEM: f32 = 90.0;

/// The regular and the bold letters of a document.
#[derive(Default)]
pub(super) struct Letters {
    faces: [Face; 2],
}

#[derive(Default)]
struct Face {
    glyphs: GlyphRemapper,
    /// The characters of the glyphs, by their numbers in the document.
    characters: BTreeMap<u16, char>,
}

/// A glyph of a text: its number in the document, and the change of its distance to the next one, in thousandths of an em.
pub(super) type Placed = (u16, f32);

impl Letters {
    /// The glyphs of a text.
    pub fn glyphs(&mut self, text: &str, bold: bool) -> Vec<Placed> {
        let (face, font) = (&mut self.faces[usize::from(bold)], font::face(bold));
        let unit = EM / font::em(bold);
        let known: Vec<(char, _)> = text.chars().map(|c| (c, font.glyph_id(c))).collect();
        let mut placed = Vec::new();
        for (at, (character, glyph)) in known.iter().enumerate() {
            let number = face.glyphs.remap(glyph.0);
            // One glyph stands for all characters that the font does not have.
            let meaning = if number == 0 { char::REPLACEMENT_CHARACTER } else { *character };
            face.characters.entry(number).or_insert(meaning);
            let kern = known.get(at + 1).map_or(0.0, |(_, next)| font.kern_unscaled(*glyph, *next));
            placed.push((number, kern * unit));
        }
        placed
    }

    /// The name of a font in the resources of the page.
    pub fn name(bold: bool) -> Name<'static> {
        Name(if bold { b"F1" } else { b"F0" })
    }

    /// The fonts in use with their objects, the first of which is `first`.
    pub fn objects(&self, first: i32) -> impl Iterator<Item = (bool, Ref)> {
        let used = [false, true].into_iter().filter(|bold| !self.faces[usize::from(*bold)].characters.is_empty());
        used.zip((first..).step_by(OBJECTS as usize).map(Ref::new))
    }

    /// Writes the fonts.
    pub fn write(&self, pdf: &mut Pdf, first: i32) -> std::io::Result<()> {
        self.objects(first).try_for_each(|(bold, id)| self.faces[usize::from(bold)].write(pdf, id, bold))
    }
}

impl Face {
    fn write(&self, pdf: &mut Pdf, id: Ref, bold: bool) -> std::io::Result<()> {
        let [composed, outlines, descriptor, file, meanings] = [0, 1, 2, 3, 4].map(|at| Ref::new(id.get() + at));
        let bytes = subset(font::bytes(bold), 0, &self.glyphs).map_err(std::io::Error::other)?;
        let name = format!("{}+{}", tag(&bytes), if bold { "DejaVuSans-Bold" } else { "DejaVuSans" });
        let name = Name(name.as_bytes());
        let identity = Name(b"Identity-H");
        let mut font = pdf.type0_font(composed);
        font.base_font(name).encoding_predefined(identity).descendant_font(outlines).to_unicode(meanings);
        font.finish();
        let mut font = pdf.cid_font(outlines);
        font.subtype(CidFontType::Type2).base_font(name).system_info(IDENTITY).font_descriptor(descriptor);
        font.cid_to_gid_map_predefined(Name(b"Identity")).widths().consecutive(0, self.widths(bold));
        font.finish();
        self.describe(pdf, descriptor, (name, file), bold);
        let packed = packed(&bytes)?;
        pdf.stream(file, &packed).filter(Filter::FlateDecode).pair(Name(b"Length1"), bytes.len() as i32);
        let mut map = UnicodeCmap::new(Name(b"Custom"), IDENTITY);
        self.characters.iter().for_each(|(number, character)| map.pair(*number, *character));
        pdf.cmap(meanings, &map.finish());
        Ok(())
    }

    /// The widths of all glyphs, in the order of their numbers.
    fn widths(&self, bold: bool) -> Vec<f32> {
        let (font, unit) = (font::face(bold), EM / font::em(bold));
        self.glyphs.remapped_gids().map(|glyph| font.h_advance_unscaled(GlyphId(glyph)) * unit).collect()
    }

    fn describe(&self, pdf: &mut Pdf, id: Ref, (name, file): (Name<'_>, Ref), bold: bool) {
        let (font, unit) = (font::face(bold), EM / font::em(bold));
        let bounds = |glyph: u16| font.outline(GlyphId(glyph)).map(|outline| outline.bounds);
        let boxes: Vec<_> = self.glyphs.remapped_gids().filter_map(bounds).collect();
        let least = |side: fn(&ab_glyph::Rect) -> f32| boxes.iter().map(side).fold(0.0, f32::min) * unit;
        let most = |side: fn(&ab_glyph::Rect) -> f32| boxes.iter().map(side).fold(0.0, f32::max) * unit;
        // The bounds of an outline have their upper edge first.
        let (low, high) = (least(|all| all.min.y.min(all.max.y)), most(|all| all.max.y.max(all.min.y)));
        let corners = Rect::new(least(|all| all.min.x), low, most(|all| all.max.x), high);
        let mut descriptor = pdf.font_descriptor(id);
        descriptor.name(name).flags(FontFlags::SYMBOLIC).bbox(corners).italic_angle(0.0).stem_v(STEM);
        descriptor.ascent(font.ascent_unscaled() * unit).descent(font.descent_unscaled() * unit);
        let capital = bounds(font.glyph_id('H').0).map_or(0.0, |all| all.max.y.max(all.min.y));
        descriptor.cap_height(capital * unit).font_file2(file);
    }
}

/// The tag of a part of a font: letters that depend on the part.
fn tag(bytes: &[u8]) -> String {
    blake3::hash(bytes).as_bytes()[..TAG].iter().map(|byte| char::from(b'A' + byte % 26)).collect()
}

/// The compressed form of a stream.
pub(super) fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    packed.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_glyphs_of_a_text_tell_its_characters() {
        let mut letters = Letters::default();
        let text = "AV ±−ε AV";
        let (plain, bold) = (letters.glyphs(text, false), letters.glyphs("A", true));
        let read: String = plain.iter().map(|(number, _)| letters.faces[0].characters[number]).collect();
        assert_eq!(read, text);
        assert_eq!((plain[0].0, bold[0].0, plain[7].0), (1, 1, 1), "numbers begin behind the glyph of missing ones");
        // A and V are set closer.
        assert!(plain[0].1 < 0.0 && plain[2].1 == 0.0, "{plain:?}");
        assert_eq!(letters.objects(7).map(|(bold, id)| (bold, id.get())).collect::<Vec<_>>(), [(false, 7), (true, 12)]);
    }

    #[test]
    fn a_part_of_a_font_is_small_and_deterministic() {
        let written = || {
            let (mut letters, mut pdf) = (Letters::default(), Pdf::new());
            letters.glyphs("Elo 1000 ± 50", false);
            letters.write(&mut pdf, 1).expect("it is written");
            pdf.finish()
        };
        let bytes = written();
        assert!(bytes.len() < 20_000 && bytes == written(), "{}", bytes.len());
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("+DejaVuSans") && text.contains("/FontFile2") && !text.contains("Bold"));
    }
}
