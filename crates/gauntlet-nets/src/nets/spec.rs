//! The choice of a flat network, as in a manifest.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Kernel;
use super::conv::Conv;
use super::error::{self, NetError};
use super::flat::FlatNet;
use super::kernels::Path;
use super::mdlstm::Mdlstm;
use super::mdrnn::Mdrnn;
use super::mlp::Mlp;
use super::part::Part;
use crate::encoders::Topology;

/// A network as written in a manifest, such as `{ mdlstm = { cells = 3 } }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum NetSpec {
    /// Four swipes of LSTM cells; any board size.
    Mdlstm(Mdlstm),
    /// Four swipes of tanh units; any board size.
    Mdrnn(Mdrnn),
    /// One layer of feature maps; any board size.
    Conv(Conv),
    /// One fully connected hidden layer; fixed board size.
    Mlp(Mlp),
}

impl NetSpec {
    /// The properties of the architecture.
    fn net(&self) -> &dyn FlatNet {
        match self {
            NetSpec::Mdlstm(net) => net,
            NetSpec::Mdrnn(net) => net,
            NetSpec::Conv(net) => net,
            NetSpec::Mlp(net) => net,
        }
    }

    /// Number of weights on a board of `sites` sites; it depends on the board only for networks of one board size.
    #[must_use]
    pub fn weight_count(&self, sites: usize) -> usize {
        self.net().weight_count(sites)
    }

    /// The parts of the vector of weights, in order, on a board of `sites` sites.
    #[must_use]
    pub fn weight_parts(&self, sites: usize) -> Vec<Part> {
        match self {
            NetSpec::Mdlstm(net) => net.weight_parts(),
            NetSpec::Mdrnn(net) => net.weight_parts(),
            NetSpec::Conv(net) => net.weight_parts(),
            NetSpec::Mlp(net) => net.weight_parts(sites),
        }
    }

    /// Whether the same weights work on boards of every size.
    #[must_use]
    pub fn scales(&self) -> bool {
        self.net().scales()
    }

    /// Display name of the architecture with its sizes: `MDLSTM k=3`.
    #[must_use]
    pub fn name(&self) -> String {
        self.net().name()
    }

    /// Binds weights, in the order that the architecture documents, to a square board.
    ///
    /// # Errors
    /// If the board is not square or is too large, if the number of weights is wrong, or if a weight is not finite or
    /// is beyond [`LARGEST_WEIGHT`](super::LARGEST_WEIGHT).
    pub fn kernel(&self, topology: &Topology, weights: &[f64]) -> Result<Box<dyn Kernel>, NetError> {
        self.kernel_on(Path::best(), topology, weights)
    }

    /// The same on a given instruction path.
    pub(super) fn kernel_on(
        &self,
        path: Path,
        topology: &Topology,
        weights: &[f64],
    ) -> Result<Box<dyn Kernel>, NetError> {
        let size = error::check_board(topology)?;
        self.check(size * size, weights)?;
        Ok(self.net().kernel(path, size, weights))
    }

    /// Checks that these can be this network's weights.
    pub(super) fn check(&self, sites: usize, weights: &[f64]) -> Result<(), NetError> {
        error::check_weights(self.name(), self.weight_count(sites), weights)
    }

    /// One example of each kind and setting, for tests and benchmarks.
    #[must_use]
    pub fn examples() -> Vec<NetSpec> {
        serde_json::from_str(include_str!("examples.json")).expect("the examples are well-formed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<NetSpec, String> {
        #[derive(Deserialize)]
        struct Document {
            net: NetSpec,
        }
        toml::from_str::<Document>(&format!("net = {text}")).map(|d| d.net).map_err(|e| e.message().to_owned())
    }

    #[test]
    fn weight_counts_are_the_papers() {
        let count = |text: &str| parse(text).unwrap().weight_count(49);
        assert_eq!(count("{ mdrnn = { units = 3 } }"), 21);
        assert_eq!(count("{ mdlstm = { cells = 3 } }"), 93);
        assert_eq!(count("{ mdlstm = { cells = 3, forget = 'library' } }"), 93);
        assert_eq!(count("{ mdlstm = { cells = 3, forget = 'shared' } }"), 75);
        assert_eq!(count("{ mdlstm = { cells = 3, forget = 'none' } }"), 57);
        assert_eq!(count("{ conv = { maps = 3, field = 5 } }"), 79);
        assert_eq!(count("{ conv = { maps = 3, field = 5, planes = 2 } }"), 155);
        assert_eq!(count("{ mlp = { hidden = 10 } }"), 2 * 49 * 10 + 10 + 10 * 49 + 49);
        for k in 1..=8 {
            assert_eq!(count(&format!("{{ mdrnn = {{ units = {k} }} }}")), k * k + 4 * k);
            assert_eq!(count(&format!("{{ mdlstm = {{ cells = {k} }} }}")), 5 * k * k + 16 * k);
            assert_eq!(count(&format!("{{ conv = {{ maps = {k}, field = 3 }} }}")), k * (9 + 1) + 1);
            assert_eq!(count(&format!("{{ conv = {{ maps = {k}, field = 3, planes = 2 }} }}")), k * (18 + 1) + 2);
        }
    }

    #[test]
    fn impossible_sizes_are_refused_with_a_reason() {
        let refused = |text: &str, reason: &str| {
            let error = parse(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        };
        refused("{ mdlstm = { cells = 0 } }", "must be 1 to 64, not 0");
        refused("{ mdrnn = { units = -1 } }", "must be 1 to 64, not -1");
        refused("{ mdrnn = { units = 65536 } }", "must be 1 to 64, not 65536");
        refused("{ conv = { maps = 3, field = 4 } }", "must be odd, 1 to 15, not 4");
        refused("{ conv = { maps = 3, field = 17 } }", "must be odd, 1 to 15, not 17");
        refused("{ conv = { maps = 3, field = 5, planes = 3 } }", "must be 1 to 2, not 3");
        refused("{ mlp = { hidden = 257 } }", "must be 1 to 256, not 257");
        refused("{ mdlstm = { cells = 3, forgets = 'none' } }", "unknown field `forgets`");
        refused("{ mdlstm = { cells = 3, forget = 'never' } }", "unknown variant `never`");
        refused("{ mdlstm = {} }", "missing field `cells`");
        refused("{ lstm = { cells = 3 } }", "unknown variant `lstm`");
    }

    #[test]
    fn a_spec_survives_being_written() {
        for spec in NetSpec::examples() {
            let text = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<NetSpec>(&text).unwrap(), spec, "{text}");
        }
    }

    #[test]
    fn the_schema_knows_the_limits() {
        let schema = serde_json::to_string(&schemars::schema_for!(NetSpec)).unwrap();
        for part in
            [r#""maximum":64"#, r#""maximum":256"#, r#""enum":[1,3,5,7,9,11,13,15]"#, r#""additionalProperties":false"#]
        {
            assert!(schema.contains(part), "{part} is missing in {schema}");
        }
    }

    #[test]
    fn names_tell_the_examples_apart() {
        let names: std::collections::BTreeSet<String> = NetSpec::examples().iter().map(NetSpec::name).collect();
        assert_eq!(names.len(), NetSpec::examples().len());
        assert!(names.contains("MDLSTM k=3") && names.contains("CONV k=3 rho=5"), "{names:?}");
    }

    #[test]
    fn wrong_weights_are_refused() {
        let board = Topology::square(5);
        for spec in NetSpec::examples() {
            let mut weights = vec![0.1; spec.weight_count(25)];
            assert!(spec.kernel(&board, &weights).is_ok());
            assert!(matches!(spec.kernel(&board, &weights[1..]), Err(NetError::WeightCount { .. })));
            assert!(matches!(spec.kernel(&Topology::square(33), &weights), Err(NetError::Board { .. })));
            for wrong in [f64::NAN, f64::INFINITY, -2e15] {
                weights[1] = wrong;
                assert!(matches!(spec.kernel(&board, &weights), Err(NetError::Weight { index: 1, .. })));
            }
        }
    }
}
