//! Comparison of values with golden files in `tests/golden` of this crate. Test code.
//!
//! `UPDATE_GOLDEN=1` rewrites the files: review the difference before you commit it.

use std::path::Path;

use serde_json::Value;

/// Asserts that a value equals the one in its file.
pub fn compare(name: &str, seen: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.json"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let text = serde_json::to_string_pretty(seen).expect("JSON");
        std::fs::write(&path, text + "\n").expect("the folder is there");
    }
    let text = std::fs::read_to_string(&path).expect("the golden file is committed");
    assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), *seen, "{name}");
}

/// Whether logarithms and exponentials have the same bits as where the files were written: math libraries differ.
pub fn same_bits() -> bool {
    cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))
}

/// The hash of a text in golden files.
pub fn hash(text: &[u8]) -> String {
    blake3::hash(text).to_hex()[..16].to_owned()
}
