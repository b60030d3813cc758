//! The run machine: event in, effects out.
