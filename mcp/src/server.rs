//! From requests of the protocol to tools and prompts. A call runs on a thread of its own, because it waits for a disk;
//! calls that change something begin one after another, in the order they came, and are made durable together.

use crate::call::{self, Call, InTurn};
use crate::session::Session;
use crate::{INSTRUCTIONS, ToolSet, prompts, tools};
use engine::Home;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// How often a client that asked for progress hears that a call is still under way.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// Calls that only read and run at once: each may hold a month of documents in memory.
const READING_MAX: usize = 6;

/// One client's server.
#[derive(Debug)]
pub(crate) struct Server {
    home: Home,
    session: Arc<Session>,
    tools: ToolSet,
    changing: Arc<tokio::sync::Mutex<()>>,
    reading: Arc<tokio::sync::Semaphore>,
}

impl Server {
    pub(crate) fn new(home: Home, cwd: PathBuf, tools: ToolSet) -> Server {
        let session = Arc::new(Session::new(cwd, home.host().random()));
        let reading = Arc::new(tokio::sync::Semaphore::new(READING_MAX));
        Server { home, session, tools, changing: Arc::default(), reading }
    }

    /// Waits until a call of this tool may begin.
    async fn turn(&self, tool: &tools::Tool) -> Option<InTurn> {
        if tool.changes {
            return Some(InTurn::Changing { _held: Arc::clone(&self.changing).lock_owned().await });
        }
        let held = Arc::clone(&self.reading).acquire_owned().await;
        held.ok().map(|held| InTurn::Reading { _held: held })
    }

    /// Runs one call, and reports progress meanwhile.
    async fn run(
        &self,
        tool: &'static tools::Tool,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let turn = self.turn(tool).await;
        let cancelled = context.ct.clone();
        let progress = Arc::new(Mutex::new(String::new()));
        let call = Call {
            home: self.home.clone(),
            session: Arc::clone(&self.session),
            caller: self.session.caller(context.client_info().as_ref()),
            runtime: Handle::current(),
            cancelled: Box::new(move || cancelled.is_cancelled()),
            progress: Arc::clone(&progress),
            turn: RefCell::new(turn),
        };
        let arguments = request.arguments.unwrap_or_default();
        let work = tokio::task::spawn_blocking(move || {
            if call.is_cancelled() {
                return CallToolResult::default();
            }
            match call.home.check().and_then(|()| (tool.run)(&call, arguments)) {
                Ok(answer) => answer.result(),
                Err(failure) => call::failed(&failure, &call.home),
            }
        });
        match told_meanwhile(work, &progress, context).await {
            Ok(result) => result,
            Err(e) => CallToolResult::error(vec![ContentBlock::text(format!(
                "{} ended badly, and what became of it is not known: {e}\nnext: outcome without ids",
                tool.name
            ))]),
        }
    }
}

/// Waits for a call; a client that gave a progress token hears each second how far it is.
async fn told_meanwhile<T>(
    mut work: JoinHandle<T>,
    progress: &Mutex<String>,
    context: &RequestContext<RoleServer>,
) -> Result<T, tokio::task::JoinError> {
    let Some(token) = context.meta.get_progress_token() else { return work.await };
    let mut seconds = 0.0;
    loop {
        if let Ok(done) = tokio::time::timeout(PROGRESS_EVERY, &mut work).await {
            return done;
        }
        seconds += 1.0;
        let words = progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let mut told = ProgressNotificationParam::new(token.clone(), seconds);
        told.message = Some(words).filter(|words| !words.is_empty());
        // A client that has gone is told nothing; the call goes on.
        let _ = context.peer.notify_progress(told).await;
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("last-word", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all(self.tools).iter().map(tools::Tool::listed).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::all(self.tools).iter().find(|tool| tool.name == request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
        };
        Ok(self.run(tool, request, &context).await.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let said = prompts::say(&request.name, &arguments, &self.home);
        let said = said.ok_or_else(|| {
            ErrorData::invalid_params(format!("there is no prompt `{}`", request.name), None)
        })?;
        Ok(said.into())
    }
}
