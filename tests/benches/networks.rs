//! Evaluations a second by the process of a network that costs nothing: the price of the pipes. It needs Python with NumPy;
//! `GAUNTLET_PYTHON` names another interpreter.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use gauntlet_games::base::{Seed, Stop};
use gauntlet_nets::encoders::{Batch, Planes};
use gauntlet_nets::nets::deep::Answers;
use gauntlet_play::engines::{Launch, serve_if_guard};
use gauntlet_play::networks::{Greeting, NetworkProcess, SharedNetwork};

/// A network that answers zeros for every position.
const ZERO: &str = "
import numpy, gauntlet
class Zero(gauntlet.Network):
    def seed(self, seed): pass
    def evaluate(self, images): return numpy.zeros((len(images), self.logits)), numpy.zeros(len(images))
Zero().run()
";

/// Positions of a batch.
const BATCH: usize = 256;

fn main() {
    serve_if_guard();
    let python = std::env::var("GAUNTLET_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let launch = Launch {
        name: "zero".to_owned(),
        command: [python.as_str(), "-c", ZERO].map(str::to_owned).to_vec(),
        directory: PathBuf::new(),
        workplace: None,
        environment: BTreeMap::from([(
            "PYTHONPATH".to_owned(),
            concat!(env!("CARGO_MANIFEST_DIR"), "/python").to_owned(),
        )]),
        startup: Duration::from_secs(60),
        timeout: Duration::from_secs(10),
        stop: Stop::default(),
    };
    let greeting = Greeting { game: "connect-four".to_owned(), shape: [2, 6, 7], logits: 7 };
    let started = NetworkProcess::start(launch, greeting, &serde_json::Map::new()).and_then(|mut process| {
        process.seed(&Seed::new(1))?;
        SharedNetwork::new(process, Vec::new(), false)
    });
    let network = match started {
        Ok(network) => network,
        Err(error) => return println!("skipped: {error}"),
    };
    let mut inference = network.inference().expect("a thread starts");
    let mut planes = Planes::new(2, 6, 7, 7);
    (0..BATCH).for_each(|at| planes.push(&[at as f32; 84]));
    let (batch, mut answers) = (Batch::Planes(planes), Answers::default());
    for _ in 0..5 {
        let (start, batches) = (Instant::now(), 1000);
        (0..batches).for_each(|_| inference.infer(&batch, &mut answers).expect("it answers"));
        let rate = (batches * BATCH) as f64 / start.elapsed().as_secs_f64();
        println!("{rate:.0} evaluations/s in batches of {BATCH}");
    }
}
