//! One question, answered as JSON with a given schema.

use crate::client::{Bounds, Client};
use crate::error::EndpointError;
use crate::{Api, Endpoint, Purpose};
use serde_json::{Value, json};

/// A chat client for one server.
pub struct Chat(Client);

/// A server's reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// Its text; empty if it refused without any.
    pub text: String,
    /// Input tokens as reported; 0 if they are not.
    pub input_tokens: u32,
    /// Output tokens.
    pub output_tokens: u32,
}

impl Chat {
    /// Sends nothing yet.
    pub fn new(endpoint: Endpoint, bounds: Bounds) -> Chat {
        Chat(Client::new(endpoint, Purpose::Chat, bounds))
    }

    /// Whether address and key are usable; the server is not contacted.
    ///
    /// # Errors
    /// [`EndpointError::Address`].
    pub fn check(&self) -> Result<(), EndpointError> {
        self.0.check()
    }

    /// Requests an answer with a JSON schema, of at most `tokens` tokens. The caller must validate the answer.
    ///
    /// # Errors
    /// Those of [`Client::post`], and [`EndpointError::Shape`].
    pub fn ask(&self, question: &str, schema: &Value, tokens: u32) -> Result<Reply, EndpointError> {
        let Endpoint { model, api, .. } = self.0.endpoint();
        let messages = json!([{ "role": "user", "content": question }]);
        let body = match api {
            Api::Ollama => json!({
                "model": model, "messages": messages, "stream": false, "format": schema,
                "options": { "temperature": 0, "num_predict": tokens },
            }),
            Api::OpenAi => json!({
                "model": model, "messages": messages, "temperature": 0, "max_tokens": tokens,
                "response_format": { "type": "json_schema", "json_schema": { "name": "answer", "schema": schema } },
            }),
        };
        let answered = self.0.post(&body)?;
        read(*api, &answered.body).map_err(|why| EndpointError::Shape { url: answered.url, why: why.to_owned() })
    }
}

/// The reply in the body of an answer.
fn read(api: Api, body: &[u8]) -> Result<Reply, &'static str> {
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    let said: Value = serde_json::from_slice(body).map_err(|_| "it is not JSON")?;
    let count = |value: &Value| u32::try_from(value.as_u64().unwrap_or_default()).unwrap_or(u32::MAX);
    let (message, input, output) = match api {
        Api::Ollama => (&said["message"], &said["prompt_eval_count"], &said["eval_count"]),
        Api::OpenAi => (&said["choices"][0]["message"], &said["usage"]["prompt_tokens"], &said["usage"]["completion_tokens"]),
    };
    let refusal = || message["refusal"].as_str().map(str::to_owned);
    let text = text_of(&message["content"]).or_else(refusal).ok_or("it holds no message")?;
    Ok(Reply { text, input_tokens: count(input), output_tokens: count(output) })
}

/// The text of a message: a string, or with some servers a list of parts.
fn text_of(content: &Value) -> Option<String> {
    let of_parts = || content.as_array()?.iter().map(|part| part["text"].as_str()).collect();
    content.as_str().map(str::to_owned).or_else(of_parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_both_apis_are_read_and_junk_is_named() {
        let openai = json!({"choices": [{"message": {"content": "{}"}}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}});
        let ollama = json!({"message": {"content": "{}"}, "prompt_eval_count": 7, "eval_count": 2});
        let reply = Reply { text: "{}".into(), input_tokens: 7, output_tokens: 2 };
        assert_eq!(read(Api::OpenAi, openai.to_string().as_bytes()), Ok(reply.clone()));
        assert_eq!(read(Api::Ollama, format!("\u{feff}{ollama}").as_bytes()), Ok(reply));
        let in_parts =
            json!({"choices": [{"message": {"content": [{"type": "text", "text": "{\"a\":"}, {"type": "text", "text": "1}"}]}}]});
        assert_eq!(read(Api::OpenAi, in_parts.to_string().as_bytes()).map(|reply| reply.text), Ok("{\"a\":1}".to_owned()));
        let refused = json!({"choices": [{"message": {"content": null, "refusal": "I can't"}}]});
        assert_eq!(read(Api::OpenAi, refused.to_string().as_bytes()).map(|reply| reply.text), Ok("I can't".to_owned()));
        for junk in
            ["<html>", "{}", "[]", r#"{"choices": []}"#, r#"{"choices": [{"message": {"content": [{"image_url": "a"}]}}]}"#, "\u{0}"]
        {
            assert!(read(Api::OpenAi, junk.as_bytes()).is_err() && read(Api::Ollama, junk.as_bytes()).is_err(), "{junk}");
        }
    }
}
