//! Images of positions for engines that ask for them: those of the project's own networks.

use std::io::Write as _;
use std::sync::Arc;

use super::engine::Ask;
use super::messages::{HelloFromEngine, PlanesShape};
use gauntlet_games::base::Action;
use gauntlet_games::games::{Game, Position};
use gauntlet_nets::encoders::{Batch, Dims, Encoder, Encoding, keeps_enough};

/// An encoder and its last batch.
pub struct Images {
    encoder: Box<dyn Encoder>,
    batch: Batch,
    shape: PlanesShape,
    logit_slots: Vec<u32>,
}

impl Images {
    /// The images that an engine asks for; `None` if it asks for none.
    ///
    /// # Errors
    /// If it asks for two kinds, or the game has no such images: the rest of a sentence about the engine.
    pub fn of(hello: &HelloFromEngine, game: &Arc<dyn Game>) -> Result<Option<Images>, String> {
        let encoding: &dyn Encoding = match (&hello.planes, &hello.tensors) {
            (None, None) => return Ok(None),
            (Some(planes), None) => planes,
            (None, Some(tensors)) => tensors,
            (Some(_), Some(_)) => return Err("asks for `planes` and for `tensors`: only one is possible".to_owned()),
        };
        let fits = encoding.check(&**game).and_then(|()| keeps_enough(&**game, encoding.lookback(&**game)));
        fits.map_err(|reason| format!("asks for images that {} does not have: {reason}", game.name()))?;
        let extent = encoding.extent(&**game);
        let Dims::Planes { channels, rows, columns, .. } = extent.dims else {
            return Err("asks for images that are none".to_owned());
        };
        let shape = PlanesShape { shape: [channels, rows, columns], logits: extent.slots };
        let (encoder, batch) = (encoding.encoder(&[Arc::clone(game)]), Batch::new(extent.dims));
        Ok(Some(Images { encoder, batch, shape, logit_slots: Vec::new() }))
    }

    /// Channels, rows, columns and logits.
    #[must_use]
    pub fn shape(&self) -> PlanesShape {
        self.shape
    }

    /// Encodes the positions of a message.
    pub fn encode(&mut self, asks: &[Ask<'_>]) {
        let positions: Vec<&dyn Position> = asks.iter().map(|ask| ask.position).collect();
        self.encoder.encode(&positions, &mut self.batch);
    }

    /// Appends the image of position `at` of the encoded ones, and the logit slots of its legal actions, as JSON.
    pub fn write(&mut self, at: usize, position: &dyn Position, legal: &[Action], into: &mut Vec<u8>) {
        let [channels, rows, columns] = self.shape.shape;
        let size = channels * rows * columns;
        if let Batch::Planes(planes) = &self.batch {
            into.extend_from_slice(br#","planes":"#);
            write_list(&planes.values()[at * size..(at + 1) * size], into);
        }
        self.logit_slots.clear();
        self.encoder.slots(position, legal, &mut self.logit_slots);
        into.extend_from_slice(br#","slots":"#);
        write_list(&self.logit_slots, into);
    }
}

/// Appends numbers as a JSON list. Images are mostly whole numbers, which are short.
fn write_list<T: std::fmt::Display>(numbers: &[T], into: &mut Vec<u8>) {
    into.push(b'[');
    for (at, number) in numbers.iter().enumerate() {
        if at > 0 {
            into.push(b',');
        }
        let _ = write!(into, "{number}");
    }
    into.push(b']');
}
