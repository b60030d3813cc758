//! Extracting lessons with a model, if a person opted in: by an errand of the project's agent, or a model server. In the background:
//! detections are queued as rows, and any idle process takes some. Each attempt is counted before it is made, so that a crash does not make
//! it free, and others retry later.

use super::out_of_question;
use super::settle::{DetectionOutcome, SettleOutcome, Teller, home_of};
use crate::app::App;
use crate::clock::day_number;
use crate::errands::Order;
use crate::error::Result;
use crate::keys::key_for;
use agent_cli::StopHandle;
use model_endpoint::{Api, Bounds, Chat, Endpoint, EndpointError};
use ralph_core::detection::{DetectionRefusal, LearningTotal};
use ralph_core::errand::{ErrandAgent, ErrandKind, ErrandState};
use ralph_core::limits;
use ralph_core::prices;
use ralph_core::settings::{AutomaticLearning, ExtractorApi, LearningExtractor};
use ralph_core::signal::Usage;
use ralph_core::time::Timestamp;
use ralph_rag::learn::Detection;
use ralph_rag::learn::extract::{ExtractFault, ExtractedLesson, prompt, read_answer, schema};
use serde::Serialize;
use sqlite_db::Read;
use sqlite_db::table::KeptDetection;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Holds the key of a model server that requires one, if the keyring has none: a key must not be in a file that is committed.
const KEY_VARIABLE: &str = "RALPH_EXTRACTOR_KEY";
/// Tokens of an answer for one detection: its JSON takes 150.
const ANSWER_TOKENS: u32 = 400;
/// Lease of a taken detection beyond the timeout of its call.
const SLACK: Duration = Duration::from_secs(10);

/// Result of asking a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Extraction {
    /// Number of calls.
    pub asked: u32,
    /// Results of the detections, including those settled by rules.
    #[serde(flatten)]
    pub settled: SettleOutcome,
    /// Detections still queued for a model.
    pub queue: u32,
    /// Why calls gave no usable answer.
    pub faults: Vec<String>,
}

/// Why a call gave no usable answer.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("{0}; {way_out}", way_out = .0.way_out())]
    Endpoint(#[from] EndpointError),
    #[error(transparent)]
    Answer(#[from] ExtractFault),
    #[error("errand {0}: {1}")]
    Errand(u32, String),
}

/// Answer and cost of a call.
struct Call {
    answer: std::result::Result<BTreeMap<usize, Option<ExtractedLesson>>, Fault>,
    usd: f64,
}

impl App {
    /// Asks the configured model about queued detections, until none is left, the day's calls or dollars are used up, or `patience`
    /// is over; then settles what rules can. Does nothing if the extractor is rules.
    pub async fn extract_lessons(self: &Arc<Self>, patience: Duration, stop: &StopHandle) -> Result<Extraction> {
        let began = Instant::now();
        let mut done = Extraction::default();
        loop {
            let settings = self.settings()?.automatic_learning;
            if settings.extractor == LearningExtractor::Rules || stop.asked().is_some() {
                break;
            }
            let of = settings.clone();
            let taken = self.blocking(move |app| app.take_detections(&of)).await?;
            if taken.is_empty() {
                let left = patience.saturating_sub(began.elapsed());
                let Some(wait) = self.until_next_try()?.filter(|wait| *wait <= left) else { break };
                tokio::time::sleep(wait).await;
                continue;
            }
            done.asked += 1;
            self.ask_extractor(&settings, taken, &mut done, stop).await?;
            if began.elapsed() >= patience {
                break;
            }
        }
        done.settled += self.blocking(|app| app.settle_detections()).await?;
        done.queue = self.db.read(|r| r.count_detections_to_ask())?;
        Ok(done)
    }

    /// Detections for one call, each counted as tried; none if the day's budget is used up: then rules decide on them. What nothing is to be
    /// learned from any more is not sent anywhere.
    fn take_detections(&self, settings: &AutomaticLearning) -> Result<Vec<KeptDetection>> {
        let now = self.clock.now();
        let lease = Duration::from_secs(u64::from(settings.extractor_seconds)) + SLACK;
        let until = now.plus_millis(u64::try_from(lease.as_millis()).unwrap_or(u64::MAX));
        let most = if settings.extractor_batch { limits::EXTRACTOR_BATCH as usize } else { 1 };
        self.write(|tx| {
            let mut taken = Vec::new();
            let day = day_number(now);
            let calls = tx.learning_count(day, LearningTotal::ExtractorCalls)?;
            let exhausted = calls >= settings.extractor_calls || left_usd(tx, settings, day)? <= 0.0;
            for kept in tx.detections_to_ask(now)? {
                if taken.len() == most {
                    break;
                }
                let refused = match home_of(tx, &kept)? {
                    // A detection on a branch is extracted only once its work is known to stay.
                    Err(DetectionOutcome::Wait) => continue,
                    Err(DetectionOutcome::Refused(why)) => Some(why),
                    _ => refused_since(settings, &kept),
                };
                let because = refused.or(exhausted.then_some(DetectionRefusal::OverBudget));
                let because = because.or((kept.tries >= limits::EXTRACTOR_TRIES).then_some(DetectionRefusal::NoAnswer));
                if let Some(because) = because {
                    tx.leave_to_rules(kept.id, because)?;
                } else if tx.take_detection(kept.id, now, until)? {
                    taken.push(KeptDetection { tries: kept.tries + 1, ..kept });
                }
            }
            if !taken.is_empty() {
                tx.count_learning(day, LearningTotal::ExtractorCalls, 1)?;
            }
            Ok(taken)
        })
    }

    async fn ask_extractor(
        self: &Arc<Self>,
        settings: &AutomaticLearning,
        taken: Vec<KeptDetection>,
        done: &mut Extraction,
        stop: &StopHandle,
    ) -> Result<()> {
        let read = |kept: &KeptDetection| serde_json::from_value::<Detection>(kept.record.clone()).ok();
        let detections: Vec<Detection> = taken.iter().filter_map(read).collect();
        // An unreadable record is settled as such by rules.
        if detections.len() < taken.len() {
            return self.blocking(move |app| app.try_again(&taken, limits::EXTRACTOR_TRIES)).await;
        }
        let asked: Vec<&Detection> = detections.iter().collect();
        // Agents' output was cleaned on receipt; cleaning it again applies rules added since.
        let question = crate::secrets::wash::text(&prompt(&asked));
        let began = Instant::now();
        let call = match settings.extractor {
            LearningExtractor::Agent => self.ask_agent(settings, &question, taken.len(), stop).await?,
            _ => self.ask_endpoint(settings, question, taken.len()).await?,
        };
        let took = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
        let failed = call.answer.is_err();
        self.blocking(move |app| app.count_call(took, call.usd, failed)).await?;
        match call.answer {
            Ok(mut answers) => {
                let settings = settings.clone();
                let settled = self.blocking(move |app| {
                    let (mut settled, mut unanswered) = (SettleOutcome::default(), Vec::new());
                    for (at, kept) in taken.into_iter().enumerate() {
                        let Some(said) = answers.remove(&at) else {
                            unanswered.push(kept);
                            continue;
                        };
                        settled.count(app.settle_one(&kept, &settings, app.knowledge_rules()?, Teller::Model(said.as_ref()))?);
                    }
                    app.try_again(&unanswered, 0)?;
                    Ok(settled)
                });
                done.settled += settled.await?;
            }
            Err(fault) => {
                tracing::warn!("automatic learning: no lesson by {}: {fault:?}", settings.extractor);
                done.faults.push(fault.to_string());
                self.blocking(move |app| app.try_again(&taken, 0)).await?;
            }
        }
        Ok(())
    }

    /// Makes detections available again after an exponential backoff; those tried often enough go to rules.
    fn try_again(&self, taken: &[KeptDetection], tries_at_least: u32) -> Result<()> {
        let now = self.clock.now();
        self.write(|tx| {
            for kept in taken {
                let tries = kept.tries.max(tries_at_least);
                if tries >= limits::EXTRACTOR_TRIES {
                    tx.leave_to_rules(kept.id, DetectionRefusal::NoAnswer)?;
                } else {
                    let wait = limits::EXTRACTOR_BACKOFF_MS << tries.saturating_sub(1);
                    tx.ask_again(kept.id, now.plus_millis(wait.unsigned_abs()))?;
                }
            }
            Ok(())
        })
    }

    fn count_call(&self, took: u32, usd: f64, failed: bool) -> Result<()> {
        let day = day_number(self.clock.now());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "dollars of a call, clamped")]
        let microdollars = (usd * 1e6).clamp(0.0, f64::from(u32::MAX / 2)) as u32;
        self.write(|tx| {
            for (what, count) in [
                (LearningTotal::ExtractorMillis, took),
                (LearningTotal::ExtractorMicrodollars, microdollars),
                (LearningTotal::ExtractorFailed, u32::from(failed)),
            ] {
                if count > 0 {
                    tx.count_learning(day, what, count)?;
                }
            }
            Ok(())
        })
    }

    /// Time until a detection can be asked about again.
    fn until_next_try(&self) -> Result<Option<Duration>> {
        let now = self.clock.now();
        let next: Option<Timestamp> = self.db.read(|r| r.next_detection_to_ask(now))?;
        Ok(next.map(|next| Duration::from_millis(next.millis_since(now) + 1)))
    }

    async fn ask_endpoint(self: &Arc<Self>, settings: &AutomaticLearning, question: String, detections: usize) -> Result<Call> {
        let api = match settings.extractor_api {
            ExtractorApi::Openai => Api::OpenAi,
            ExtractorApi::Ollama => Api::Ollama,
        };
        let (url, model) = (settings.extractor_url.clone(), settings.extractor_model.clone());
        let request = Duration::from_secs(u64::from(settings.extractor_seconds));
        let bounds = Bounds { answer: limits::EXTRACTOR_ANSWER_BYTES, request };
        self.blocking(move |_| {
            let endpoint = Endpoint { key: key_for(&url, KEY_VARIABLE), url, model: model.clone(), api };
            let tokens = ANSWER_TOKENS * u32::try_from(detections).unwrap_or(1);
            let reply = match Chat::new(endpoint, bounds).ask(&question, &schema(detections), tokens) {
                Ok(reply) => reply,
                Err(fault) => return Ok(Call { answer: Err(fault.into()), usd: 0.0 }),
            };
            let usage = Usage { input_tokens: reply.input_tokens, output_tokens: reply.output_tokens, ..Usage::default() };
            let usd = prices::estimate(&model, &usage).unwrap_or_default();
            Ok(Call { answer: read_answer(&reply.text, detections).map_err(Fault::from), usd })
        })
        .await
    }

    async fn ask_agent(
        self: &Arc<Self>,
        settings: &AutomaticLearning,
        question: &str,
        detections: usize,
        stop: &StopHandle,
    ) -> Result<Call> {
        let program = self.errand_program(ErrandKind::Extract, &ErrandAgent::default()).await?;
        let model = if settings.extractor_model.is_empty() { &program.settings.model } else { &settings.extractor_model };
        let left = self.db.read(|r| left_usd(r, settings, day_number(self.clock.now())))?;
        let order = Order {
            tools: Some(Vec::new()),
            model: model.clone(),
            max_usd: Some(left),
            max_minutes: settings.extractor_seconds.div_ceil(60),
            ..program.order(format!("Tell the lessons of {detections} detections"), self.scratch_checkout())
        };
        let errand = self.run_errand(order, question, stop).await?;
        let answer = match errand.state {
            ErrandState::Done => read_answer(&errand.answer, detections).map_err(Fault::from),
            state => Err(Fault::Errand(errand.id, errand.note.unwrap_or_else(|| state.to_string()))),
        };
        Ok(Call { answer, usd: errand.usage.cost_usd.unwrap_or_default() })
    }
}

/// Why a detection is rejected, whatever a model says: a person may have changed the settings, or turned learning off, since it was queued.
fn refused_since(settings: &AutomaticLearning, kept: &KeptDetection) -> Option<DetectionRefusal> {
    let detection = serde_json::from_value::<Detection>(kept.record.clone()).ok()?;
    out_of_question(settings, &detection)
}

/// How much of a day's dollars is left.
fn left_usd(r: &Read<'_>, settings: &AutomaticLearning, day: i64) -> Result<f64> {
    Ok(settings.extractor_usd - f64::from(r.learning_count(day, LearningTotal::ExtractorMicrodollars)?) / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::learn::Speaker;
    use crate::learn::tests::mended;

    #[test]
    fn what_is_queued_is_sent_nowhere_once_learning_is_off() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let app = App::init(folder.path(), Clock::system()).expect("makes a project");
        let on = AutomaticLearning { extractor: LearningExtractor::Endpoint, ..AutomaticLearning::of_a_new_project() };
        let taken = |settings: &AutomaticLearning| {
            app.keep_detection(&on, &Speaker::default(), &mended(), 0).expect("is queued");
            let taken = app.take_detections(settings).expect("looks");
            (taken.len(), app.db.read(|r| r.count_detections_to_ask()).expect("counts"))
        };
        let nothing = (0, 0);
        assert_eq!(taken(&AutomaticLearning { enabled: false, ..on.clone() }), nothing, "off");
        assert_eq!(taken(&AutomaticLearning { min_episode_confidence: 1.0, ..on.clone() }), nothing, "too unsure for what is asked now");
        assert_eq!(taken(&on), (1, 1), "on");
    }
}
