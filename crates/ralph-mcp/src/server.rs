//! The MCP server: identifies itself, lists the tools, and calls one on a thread that may wait for the database.

use crate::arguments::Arguments;
use crate::call::{Call, told_by};
use crate::refused::Refused;
use crate::tools::{AUTO_LEARN, Offer, Session, Tool};
use ralph_app::{App, Listener};
use ralph_core::limits::MCP_PROGRESS_MILLIS;
use ralph_core::text::cut;
use ralph_core::view::CommandError;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode, Implementation,
    InitializeRequestParams, InitializeResult, JsonObject, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinError, JoinHandle};

/// Instructions that every agent reads first, once.
const INSTRUCTIONS: &str = "Ralph keeps the features, tasks and learnings of this project. Call append_feature_learning as soon as you learn \
something that would save the next agent time: a pitfall, a convention, a command that works. Faults come as {\"error\":{code,message,hint}}: \
follow the hint.";

/// The server of one client.
pub(crate) struct Server {
    session: Session,
    offer: Offer,
    /// What hears the calls; `None` inside of a run, whose driver hears them.
    listener: Option<Arc<Listener>>,
}

impl Server {
    pub(crate) fn new(app: Arc<App>, offer: Offer, listener: Option<Arc<Listener>>) -> Server {
        let ask_minutes = offer.ask_minutes.unwrap_or(0);
        Server { session: Session { app, auto_learn: None, ask_minutes }, offer, listener }
    }

    /// Calls a tool. Every possible error is a result for the agent.
    async fn call(&self, name: &str, mut arguments: JsonObject, context: &RequestContext<RoleServer>) -> CallToolResult {
        let Some(tool) = self.offer.tools().find(|tool| tool.name == name) else {
            let names: Vec<&str> = self.offer.tools().map(|tool| tool.name).collect();
            let (fault, hint) = (format!("there is no tool '{}'", cut(name, 80)), format!("use one of: {}", names.join(", ")));
            return refused(Refused(CommandError::new("unknown_tool", fault, hint)));
        };
        let auto_learn = match take_auto_learn(&mut arguments) {
            Ok(auto_learn) => auto_learn,
            Err(fault) => return refused(fault),
        };
        let session = Session { auto_learn, ..self.session.clone() };
        let call = self.listener.as_ref().map(|_| Call::begin(tool.name, &arguments, auto_learn, context));
        let work = tokio::task::spawn_blocking(move || {
            let answer = run(tool, &session, arguments);
            if let Ok(answer) = &answer {
                session.app.keep_told(&told_by(tool.name, answer));
            }
            answer
        });
        let answered = watched(work, context).await;
        if let (Some(listener), Some(call)) = (self.listener.as_ref(), call) {
            let came = match &answered {
                Ok(answer) => answer.as_ref().map_err(|Refused(fault)| fault.message.clone()),
                Err(error) => Err(error.to_string()),
            };
            listener.hear(call.ended(came.as_ref().copied().map_err(String::as_str)));
        }
        match answered {
            Ok(Ok(answer)) if tool.answers_in_text() => CallToolResult::success(vec![ContentBlock::text(answer.to_string())]),
            Ok(Ok(answer)) => CallToolResult::structured(answer),
            Ok(Err(fault)) => refused(fault),
            Err(error) => refused(Refused(CommandError::new(
                "internal",
                format!("{name} broke off: {error}"),
                "the project is as it was before the call; report this fault of Ralph",
            ))),
        }
    }
}

/// Waits for the work, and sends progress to a client that asked for it: many give up on a silent call.
async fn watched<T>(work: JoinHandle<T>, context: &RequestContext<RoleServer>) -> Result<T, JoinError> {
    let Some(token) = context.meta.get_progress_token() else { return work.await };
    let mut work = std::pin::pin!(work);
    let mut tick = tokio::time::interval(Duration::from_millis(MCP_PROGRESS_MILLIS));
    // The first tick is immediate.
    tick.tick().await;
    let mut told: u32 = 0;
    loop {
        tokio::select! {
            done = &mut work => return done,
            _ = tick.tick() => {
                told += 1;
                let seconds = u64::from(told) * MCP_PROGRESS_MILLIS / 1_000;
                let progress = ProgressNotificationParam::new(token.clone(), f64::from(told));
                // The transport notices when a client is gone.
                let _ = context.peer.notify_progress(progress.with_message(format!("at it for {seconds} s"))).await;
            }
        }
    }
}

/// Removes a call's choice on learning from it. Every tool takes it, though only those of the full profile spend words on it.
fn take_auto_learn(arguments: &mut JsonObject) -> Result<Option<bool>, Refused> {
    let given = arguments.remove(AUTO_LEARN.name).filter(|given| !given.is_null());
    Ok(given.map(|given| AUTO_LEARN.check(given)).transpose()?.and_then(|given| given.as_bool()))
}

fn run(tool: &Tool, session: &Session, arguments: JsonObject) -> Result<Value, Refused> {
    (tool.run)(session, Arguments::checked(tool.fields, arguments)?)
}

fn refused(Refused(error): Refused) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(json!({ "error": error }).to_string())])
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("ralph", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let info = self.negotiate_initialize(&request)?;
        // Later answers follow the negotiated version, not the requested one.
        request.protocol_version = info.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(info)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.offer.tools().map(Tool::described).collect()))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        Ok(self.call(&request.name, request.arguments.unwrap_or_default(), &context).await.into())
    }

    // rmcp's own would wait for its end, and block every later request.
    async fn listen(&self, _context: SubscriptionContext) -> Result<(), ErrorData> {
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Ralph has nothing to subscribe to", None))
    }

    async fn on_custom_request(&self, request: CustomRequest, _context: RequestContext<RoleServer>) -> Result<CustomResult, ErrorData> {
        // A request whose parameters don't match its method arrives here.
        match request.method.as_str() {
            "tools/call" => {}
            "initialize" => {
                let why = "initialize: give protocolVersion as a string, capabilities as an object, and clientInfo with name and version";
                return Err(ErrorData::invalid_request(why, None));
            }
            _ => return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)),
        }
        let arguments = request.params.as_ref().and_then(|params| params.get("arguments"));
        let name = request.params.as_ref().and_then(|params| params.get("name")).and_then(Value::as_str);
        let fault = match (name, arguments) {
            (None, _) => return Err(ErrorData::invalid_params("name: a call names its tool with a string", None)),
            (_, Some(given)) if !given.is_object() => {
                Refused::argument("arguments", format_args!("{} is not accepted", cut(&given.to_string(), 80)), "give an object")
            }
            _ => return Err(ErrorData::invalid_params("the parameters are not those of a call", None)),
        };
        serde_json::to_value(refused(fault)).map(CustomResult::new).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}
