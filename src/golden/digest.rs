//! tmp
/// tmp
pub fn digest(_: &super::GoldenSet) -> String {
    String::new()
}
