//! The agent that plays a script, as a real program.
