//! Plays a script without the rest of Ralph, for writing scripts and for this crate's tests: `agent-script FILE --model M`.
//! The product's own way is the hidden subcommand `ralph agent-script`.

use scripted_agent::{PlayArgs, play};
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).filter(|word| word != "agent-script");
    let mut args = PlayArgs { script: words.next().unwrap_or_default().into(), model: String::new(), mcp_config: None };
    while let (Some(name), Some(value)) = (words.next(), words.next()) {
        match name.as_str() {
            "--model" => args.model = value,
            "--mcp-config" => args.mcp_config = Some(value.into()),
            _ => {}
        }
    }
    ExitCode::from(play(args).await)
}
