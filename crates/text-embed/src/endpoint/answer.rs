//! Parses a server's response without trusting it.

use crate::error::Wrong;
use model_endpoint::Api;
use serde::Deserialize;

#[derive(Deserialize)]
struct Ollama {
    embeddings: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct OpenAi {
    data: Vec<Numbered>,
}

#[derive(Deserialize)]
struct Numbered {
    index: usize,
    embedding: Vec<f32>,
}

/// The vectors of a response in the order of the texts, each scaled to length 1.
///
/// # Errors
/// [`Wrong`]; then none of the vectors is usable.
pub fn vectors(api: Api, body: &[u8], asked: usize) -> Result<Vec<Vec<f32>>, Wrong> {
    let shape = |error: serde_json::Error| Wrong::Shape(error.to_string());
    let raw = match api {
        Api::Ollama => serde_json::from_slice::<Ollama>(body).map_err(shape)?.embeddings,
        Api::OpenAi => {
            let mut data = serde_json::from_slice::<OpenAi>(body).map_err(shape)?.data;
            data.sort_by_key(|one| one.index);
            if data.len() == asked && data.iter().enumerate().any(|(at, one)| one.index != at) {
                return Err(Wrong::Order);
            }
            data.into_iter().map(|one| one.embedding).collect()
        }
    };
    if raw.len() != asked {
        return Err(Wrong::Count { asked, found: raw.len() });
    }
    raw.into_iter().enumerate().map(|(at, vector)| scaled(vector).ok_or(Wrong::Number(at))).collect()
}

/// The vector at length 1; `None` if it has no direction.
fn scaled(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    // In f64, because the square of a large f32 is infinite.
    let length = vector.iter().map(|&number| f64::from(number).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    for number in &mut vector {
        *number = (f64::from(*number) / length) as f32;
    }
    Some(vector)
}
