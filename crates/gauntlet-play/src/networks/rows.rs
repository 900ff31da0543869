//! The check that the answer to a position does not depend on the others of its batch.

use rand::RngExt as _;

use gauntlet_games::base::Seed;
use gauntlet_nets::encoders::Planes;
use gauntlet_nets::nets::deep::Answers;

/// Positions of the check.
const POSITIONS: usize = 7;

/// Whether a network gives the same bits for rows together, in the opposite order, and alone.
///
/// # Errors
/// Those of `evaluate`.
pub fn are_independent<E>(
    [channels, rows, columns]: [usize; 3],
    logits: usize,
    mut evaluate: impl FnMut(&Planes) -> Result<Answers, E>,
) -> Result<bool, E> {
    let mut rng = Seed::new(0).rng();
    let size = channels * rows * columns;
    let images: Vec<Vec<f32>> =
        (0..POSITIONS).map(|_| (0..size).map(|_| f32::from(rng.random_range(0..2_u8))).collect()).collect();
    let mut bits = |images: &[Vec<f32>]| {
        let mut planes = Planes::new(channels, rows, columns, logits);
        images.iter().for_each(|image| planes.push(image));
        evaluate(&planes).map(|answers| by_row(&answers, logits))
    };
    let together = bits(&images)?;
    let mut turned = bits(&images.iter().rev().cloned().collect::<Vec<_>>())?;
    turned.reverse();
    for (image, known) in images.iter().zip(&together) {
        if bits(std::slice::from_ref(image))?[0] != *known {
            return Ok(false);
        }
    }
    Ok(turned == together)
}

/// The bits of the logits and of the value of each position.
fn by_row(answers: &Answers, logits: usize) -> Vec<Vec<u32>> {
    let rows = answers.policy_logits.chunks(logits).zip(&answers.values);
    rows.map(|(logits, value)| logits.iter().chain([value]).map(|number| number.to_bits()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_depend_on_other_rows_are_found() {
        let answered = |of: fn(&[f32], usize, usize) -> f32| {
            are_independent([2, 3, 3], 2, |planes: &Planes| -> Result<Answers, ()> {
                let count = planes.positions();
                let values: Vec<f32> =
                    planes.values().chunks(18).enumerate().map(|(at, image)| of(image, at, count)).collect();
                Ok(Answers { policy_logits: values.iter().flat_map(|&value| [value, 1.0]).collect(), values })
            })
            .unwrap()
        };
        let hash = |image: &[f32]| image.iter().fold(1.0, |sum, x| (sum * 1.7 + x) % 5.0);
        assert!(answered(|image, _, _| image.iter().fold(1.0, |sum, x| (sum * 1.7 + x) % 5.0)));
        assert!(hash(&[0.0, 1.0]) != hash(&[1.0, 0.0]));
        // By the place in the batch, and by its size in the last bit.
        assert!(!answered(|image, at, _| image[0] + at as f32));
        assert!(!answered(|image, _, count| f32::from_bits((1.0 + image[0]).to_bits() + u32::from(count > 3))));
    }
}
