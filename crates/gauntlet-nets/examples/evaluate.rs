//! Evaluates the start of Connect Four with a convolutional network with random weights.

use std::error::Error;

use gauntlet_games::base::Seed;
use gauntlet_games::games::GameSpec;
use gauntlet_nets::encoders::{Batch, Encoding as _, PlanesSpec};
use gauntlet_nets::nets::deep::{Answers, DeepSpec, Init, inference_of, weight_count};
use gauntlet_nets::nets::{NumberFormat, softmax};

fn main() -> Result<(), Box<dyn Error>> {
    let game = serde_json::from_str::<GameSpec>(r#"{ "connect-four": {} }"#)?.build();
    let spec: DeepSpec = serde_json::from_str(r#"{ "agz-cnn": { "channels": [16, 32, 32] } }"#)?;
    let mut encoder = PlanesSpec::default().encoder(std::slice::from_ref(&game));

    let net = spec.build(encoder.dims(), Init::default(), &Seed::new(1))?;
    println!("{} with {} weights", spec.name(), weight_count(&*net));
    let mut net = inference_of(&spec, net, NumberFormat::F32)?;

    let position = game.start();
    let (mut batch, mut answers) = (Batch::new(encoder.dims()), Answers::default());
    encoder.encode(&[&*position], &mut batch);
    net.infer(&batch, &mut answers)?;

    let (mut actions, mut slots) = (Vec::new(), Vec::new());
    position.actions(&mut actions);
    encoder.slots(&*position, &actions, &mut slots);
    let mut policy: Vec<f32> = slots.iter().map(|&slot| answers.policy_logits[slot as usize]).collect();
    softmax(&mut policy);
    println!("value for the side to move: {:+.3}", answers.values[0]);
    for (action, probability) in actions.into_iter().zip(policy) {
        println!("{}: {probability:.3}", game.action_name(action));
    }
    Ok(())
}
