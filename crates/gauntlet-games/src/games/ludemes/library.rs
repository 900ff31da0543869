//! The built-in game descriptions.

/// A described game: its name and its description.
#[derive(Debug, Clone, Copy)]
pub struct Described {
    /// Lower-case letters and dashes: `dai-hasami-shogi`.
    pub name: &'static str,
    /// The description.
    pub text: &'static str,
}

macro_rules! described {
    ($($name:literal $file:literal,)*) => {
        /// All built-in descriptions, by name.
        pub const LIBRARY: &[Described] =
            &[$(Described { name: $name, text: include_str!(concat!("library/", $file, ".lud")) }),*];
    };
}

described! {
    "breakthrough" "breakthrough",
    "connect6" "connect6",
    "dai-hasami-shogi" "dai_hasami_shogi",
    "fanorona" "fanorona",
    "feed-the-ducks" "feed_the_ducks",
    "gomoku" "gomoku",
    "hex" "hex",
    "hexentafl" "hexentafl",
    "konane" "konane",
    "lasca" "lasca",
    "minishogi" "minishogi",
    "pentalath" "pentalath",
    "squava" "squava",
    "surakarta" "surakarta",
    "yavalath" "yavalath",
}

/// The built-in description of this name.
pub fn described(name: &str) -> Option<&'static Described> {
    LIBRARY.iter().find(|game| game.name == name)
}
