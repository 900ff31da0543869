//! The check that the answer to a position does not depend on the others of its batch.

use rand::RngExt as _;

use gauntlet_games::base::Seed;
use gauntlet_nets::encoders::Planes;
use gauntlet_nets::nets::deep::Answers;

/// Different positions of the check.
pub const POSITIONS: usize = 7;

/// The reason why a network does not give the same bits for positions in batches of these sizes, at different places.
///
/// # Errors
/// Those of `evaluate`.
pub fn row_fault<E>(
    [channels, rows, columns]: [usize; 3],
    logits: usize,
    sizes: &[usize],
    mut evaluate: impl FnMut(&Planes) -> Result<Answers, E>,
) -> Result<Option<RowFault>, E> {
    let (mut rng, size) = (Seed::new(0).rng(), channels * rows * columns);
    let mut image = || (0..size).map(|_| f32::from(rng.random_range(0..2_u8))).collect::<Vec<f32>>();
    let images: Vec<Vec<f32>> = (0..POSITIONS).map(|_| image()).collect();
    let mut known: Vec<Option<Vec<u32>>> = vec![None; POSITIONS];
    for (turn, &size) in sizes.iter().enumerate() {
        let order: Vec<usize> = (0..size).map(|at| (3 * at + turn) % POSITIONS).collect();
        let mut planes = Planes::new(channels, rows, columns, logits);
        order.iter().for_each(|&at| planes.push(&images[at]));
        let answers = by_row(&evaluate(&planes)?, logits);
        if order.into_iter().zip(&answers).any(|(at, row)| known[at].get_or_insert_with(|| row.clone()) != row) {
            let again = by_row(&evaluate(&planes)?, logits);
            return Ok(Some(if again == answers { RowFault::Batch } else { RowFault::Chance }));
        }
    }
    Ok(None)
}

/// The reason why answers to one position differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFault {
    /// They depend on the other positions of the batch.
    Batch,
    /// They differ for one batch, too.
    Chance,
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
            row_fault([2, 3, 3], 2, &[7, 1, 64, 3], |planes: &Planes| -> Result<Answers, ()> {
                let count = planes.positions();
                let values: Vec<f32> =
                    planes.values().chunks(18).enumerate().map(|(at, image)| of(image, at, count)).collect();
                Ok(Answers { policy_logits: values.iter().flat_map(|&value| [value, 1.0]).collect(), values })
            })
            .unwrap()
        };
        let hash = |image: &[f32]| image.iter().fold(1.0, |sum, x| (sum * 1.7 + x) % 5.0);
        let batch = Some(RowFault::Batch);
        assert_eq!(answered(|image, _, _| image.iter().fold(1.0, |sum, x| (sum * 1.7 + x) % 5.0)), None);
        assert!(hash(&[0.0, 1.0]) != hash(&[1.0, 0.0]));
        // By the place in the batch, and by its size in the last bit; in large batches alone, too.
        assert_eq!(answered(|image, at, _| image[0] + at as f32), batch);
        let last_bit =
            |image: &[f32], _, count: usize| f32::from_bits((1.0 + image[0]).to_bits() + u32::from(count > 3));
        assert_eq!(answered(last_bit), batch);
        assert_eq!(answered(|image, _, count| image[0] + f32::from(u8::from(count == 64))), batch);
        let mut calls = 0.0;
        let by_chance = row_fault([1, 1, 1], 1, &[7, 1], |planes: &Planes| -> Result<Answers, ()> {
            calls += 1.0;
            Ok(Answers { policy_logits: vec![0.0; planes.positions()], values: vec![calls; planes.positions()] })
        });
        assert_eq!(by_chance, Ok(Some(RowFault::Chance)));
    }
}
