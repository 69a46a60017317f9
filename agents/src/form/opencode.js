// last-word for opencode, which has no command hooks: this plugin calls `last-word hook --agent opencode`. `last-word install opencode`
// puts it into ~/.config/opencode/plugins/. Whatever fails here stays out of opencode's way.

import { spawnSync } from "node:child_process"

// No variable names it: opencode has those of a `.env` in the directory it works in.
const program = "last-word"
const home = []

function hook(event) {
  const done = spawnSync(program, [...home, "hook", "--agent", "opencode"], {
    input: JSON.stringify(event),
    encoding: "utf8",
    timeout: 5000,
  })
  try {
    return JSON.parse(done.stdout || "{}")
  } catch {
    return {}
  }
}

export const LastWord = async ({ directory }) => {
  const base = (session, type) => ({ event_type: type, session_id: session, work_dir: directory })
  // What each session was shown: the same text with every request, so that it is cached.
  const shown = new Map()
  const context = (session) => {
    if (!shown.has(session)) {
      shown.set(session, hook(base(session, "pre-session")).additional_context || "")
    }
    return shown.get(session)
  }
  // The calls that run now. A tool of a server is `server_tool`.
  const commands = new Map()
  const maybeUnseen = (tool) => tool === "bash" || tool.includes("_")
  const end = (session) => {
    if (shown.delete(session)) hook(base(session, "post-session"))
  }
  return {
    "experimental.chat.system.transform": async (input, output) => {
      const text = input.sessionID && context(input.sessionID)
      if (text) output.system.push(text)
    },
    "tool.execute.before": async (input, output) => {
      const call = {
        ...base(input.sessionID, "pre-tool-call"),
        tool_name: input.tool,
        tool_input: output.args,
        tool_call_id: input.callID,
      }
      const reply = hook(call)
      if (reply.decision === "deny") throw new Error(reply.reason)
      if (maybeUnseen(input.tool)) commands.set(input.callID, call)
    },
    // What a command changed past the queue is told behind its output.
    "tool.execute.after": async (input, output) => {
      const call = commands.get(input.callID)
      if (!commands.delete(input.callID)) return
      const reply = hook({ ...call, event_type: "post-tool-call" })
      if (reply.additional_context) output.output = `${output.output || ""}\n${reply.additional_context}`
    },
    "shell.env": async (input, output) => {
      if (!input.sessionID) return
      output.env.LAST_WORD_AGENT = "opencode"
      output.env.LAST_WORD_SESSION = input.sessionID
    },
    event: async ({ event }) => {
      if (event.type === "session.deleted") end(event.properties?.info?.id)
    },
    dispose: async () => {
      for (const session of [...shown.keys()]) end(session)
    },
  }
}
