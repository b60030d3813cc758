//! The weights of the bundled embedding model, below `models`.

#[path = "../../../crates/text-embed/build/weights.rs"]
mod fetching;

use crate::fault::Fault;
use crate::process;

/// Fetches the weights, unless the pinned ones are there.
pub fn weights() -> Result<(), Fault> {
    let models = process::root().join("models");
    if fetching::present(&models) {
        println!("      {}: present", fetching::FOLDER);
        return Ok(());
    }
    println!("      {}: fetching its weights, about 84 MB", fetching::FOLDER);
    fetching::fetch(&models).map_err(|fault| Fault::Missing { what: fetching::FOLDER.to_owned(), way_out: fault.to_string() })
}
