//! Asks a server on this machine for vectors of texts, in OpenAI's dialect. Whatever it answers, and however slowly, is bounded:
//! one deadline for all of it, no redirection, no proxy, so many bytes.

use crate::host::{EmbeddingsRequest, NotEmbedded};
use serde::{Deserialize, Serialize};
use ureq::Agent;

/// Most bytes of an answer for each text: 8,192 dimensions, written out in full.
const ANSWER_BYTES_MAX: u64 = 256 << 10;
/// Vectors of more dimensions are taken for a mistake.
const DIMENSIONS_MAX: usize = 8_192;
/// Most characters of a server's own words that are told on.
const SAID_CHARS_MAX: usize = 200;

#[derive(Serialize)]
struct TextsToEmbed<'a> {
    model: &'a str,
    input: &'a [String],
}

#[derive(Deserialize)]
struct EmbeddedTexts {
    data: Vec<Embedded>,
}

#[derive(Deserialize)]
struct Embedded {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// One vector for each text, in their order.
pub(super) fn ask(request: &EmbeddingsRequest<'_>) -> Result<Vec<Vec<f32>>, NotEmbedded> {
    let trouble = |e: String| NotEmbedded::Trouble(format!("{}: {e}", request.url));
    let body = serde_json::to_vec(&TextsToEmbed { model: request.model, input: request.texts })
        .map_err(|e| trouble(e.to_string()))?;
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(request.patience))
        .proxy(None)
        .max_redirects(0)
        .http_status_as_error(false)
        .build()
        .into();
    let sent = agent.post(request.url).header("content-type", "application/json").send(&body[..]);
    let mut answer = sent.map_err(|e| trouble(in_words(&e)))?;
    let most = ANSWER_BYTES_MAX * request.texts.len() as u64 + ANSWER_BYTES_MAX;
    let read = answer.body_mut().with_config().limit(most).read_to_vec();
    let bytes = read.map_err(|e| trouble(in_words(&e)))?;
    match answer.status().as_u16() {
        200 => vectors(&bytes, request.texts.len()).map_err(trouble),
        status @ (400 | 413 | 422) => {
            Err(NotEmbedded::Refused(format!("{}: {}", request.url, error_of(status, &bytes))))
        }
        status => Err(trouble(error_of(status, &bytes))),
    }
}

fn in_words(e: &ureq::Error) -> String {
    match e {
        ureq::Error::Timeout(_) => "no answer in time".to_owned(),
        ureq::Error::BodyExceedsLimit(_) => "the answer is too large".to_owned(),
        other => other.to_string(),
    }
}

fn error_of(status: u16, bytes: &[u8]) -> String {
    let said = String::from_utf8_lossy(bytes);
    let said: String =
        said.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SAID_CHARS_MAX).collect();
    format!("HTTP {status} {said}").trim_end().to_owned()
}

/// The vectors of an answer, in the order of the texts.
fn vectors(bytes: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, String> {
    let answer: EmbeddedTexts =
        serde_json::from_slice(bytes).map_err(|e| format!("the answer has no list of embeddings: {e}"))?;
    if answer.data.len() != texts {
        return Err(format!("{} vectors for {texts} texts", answer.data.len()));
    }
    let mut vectors = vec![Vec::new(); texts];
    for (at, embedded) in answer.data.into_iter().enumerate() {
        let slot = vectors.get_mut(embedded.index.unwrap_or(at)).filter(|slot| slot.is_empty());
        *slot.ok_or("the vectors are not numbered as the texts are")? = embedded.embedding;
    }
    let dimensions = vectors.first().map_or(0, Vec::len);
    if !(1..=DIMENSIONS_MAX).contains(&dimensions) {
        return Err(format!("vectors of {dimensions} dimensions"));
    }
    let is_vector = |vector: &Vec<f32>| {
        vector.len() == dimensions && vector.iter().all(|x| x.is_finite()) && vector.iter().any(|x| *x != 0.0)
    };
    match vectors.iter().all(is_vector) {
        true => Ok(vectors),
        false => Err("vectors of different lengths, or of no direction".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::vectors;

    #[test]
    fn only_an_answer_that_fits_is_taken() {
        let of = |text: &str, texts| vectors(text.as_bytes(), texts);
        let two = r#"{"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]}"#;
        assert_eq!(of(two, 2), Ok(vec![vec![1.0, 0.0], vec![0.0, 1.0]]));
        assert_eq!(of(r#"{"data": [{"embedding": [2]}], "usage": {}}"#, 1), Ok(vec![vec![2.0]]));
        for (bad, texts) in [
            (two, 1),
            (two, 3),
            (r#"{"data": []}"#, 1),
            (r#"{"data": [{"embedding": []}]}"#, 1),
            (r#"{"data": [{"embedding": [0, 0]}]}"#, 1),
            (r#"{"data": [{"embedding": [1e999]}]}"#, 1),
            (r#"{"data": [{"embedding": [1e300]}]}"#, 1),
            (r#"{"data": [{"embedding": "AAAA"}]}"#, 1),
            (r#"{"data": [{"index": 7, "embedding": [1]}]}"#, 1),
            (r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}"#, 2),
            (r#"{"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}"#, 2),
            (r#"{"error": "no"}"#, 1),
            ("", 1),
            ("<html>", 1),
        ] {
            assert!(of(bad, texts).is_err(), "{bad}");
        }
    }
}
