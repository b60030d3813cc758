//! The encoder with weights and activations of one byte, for processors that multiply bytes by the instruction VNNI.
//!
//! Only the products with weights are made of bytes, four to six times as fast as with floats; attention, norms and activations stay
//! floats. Each 64 weights of an output have a scale, and each 64 activations of a token, so that a text's vector does not depend on the
//! texts beside it. The vectors are near enough to those of floats (cosine above .999) to be compared with them: machines share them.

#![allow(unsafe_code, reason = "instructions of a processor are called where it was asked whether it has them")]

mod attention;
mod linear;
mod network;
mod rows;

pub use network::Bert;

/// Whether this processor has what the functions of this module are compiled for.
pub fn is_supported() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni")
}
