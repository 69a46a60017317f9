"""The agents that are run: which version of each, how it is started, and what its home needs so that it asks nobody for a login,
a theme or trust. Nothing here knows last-word."""

import json
import pathlib
import re
import shutil

# What `run.py --install DIR` takes from npm. A newer version is written here once all of it was seen with it.
PACKAGES = {
    "claude_code": "@anthropic-ai/claude-code@2.1.330",
    "codex": "@openai/codex@0.169.0",
    "gemini_cli": "@google/gemini-cli@0.61.0",
    "qwen_code": "@qwen-code/qwen-code@0.24.4",
    "copilot": "@github/copilot@1.0.102",
    "opencode": "opencode-ai@1.18.33",
}
# opencode takes this from npm before it loads a plugin, into its directory of configuration: it is put there before, so that an agent
# speaks to the loopback alone.
OF_OPENCODE = "@opencode-ai/plugin@1.18.33"
# What several of them run on, where the machine's own is older.
NODE = "node@22.23.3"

TITLES = {
    "claude_code": "Claude Code",
    "codex": "Codex CLI",
    "gemini_cli": "Gemini CLI",
    "qwen_code": "Qwen Code",
    "copilot": "Copilot CLI",
    "opencode": "opencode",
}


class Agent:
    """How one agent is run. Without a person: `start`, `resume` (the last session goes on) and `compact` (a run of the last
    session in which its conversation is summarised: words that end before the prompt, and the prompt)."""

    def __init__(self, name, program, start, resume, env, settings=None, hooks=True, compact=None, attended=None, command="", own=""):
        self.name, self.program, self.start, self.resume = name, program, start, resume
        self.env, self.settings, self.hooks, self.compact = env, settings, hooks, compact
        # On a terminal; None where it is not run there.
        self.attended = attended
        # How a person types our command that has something remembered, where it has commands.
        self.command = command
        # Where a person keeps a command of their own, `/kettle`.
        self.own = own


# What a command of a person's own says to the model.
KETTLE = "put the kettle on"


class Attended:
    """How one agent is used on a terminal: the words that start it and resume the last session, what summarises, what clears, what ends
    it, and a text of its screen when it takes input."""

    def __init__(self, start, resume, compact, clear, quit, ready):
        self.start, self.resume, self.compact, self.clear, self.quit, self.ready = start, resume, compact, clear, quit, ready


def codex_settings(home, port):
    (home / ".codex").mkdir(exist_ok=True)
    path = home / ".codex/config.toml"
    kept = path.read_text() if path.exists() else ""
    servers = re.search(r"(?ms)^\[mcp_servers.*", kept)
    path.write_text(
        'model = "mock"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "mock"\n'
        f'base_url = "http://127.0.0.1:{port}/v1"\nwire_api = "responses"\n'
        # A screen that moves by itself is never seen to be finished.
        '[tui]\nanimations = false\n'
        f'[projects."{home / "project"}"]\ntrust_level = "trusted"\n' + (servers.group(0) if servers else "")
    )


def gemini_settings(home, _port):
    (home / ".gemini").mkdir(exist_ok=True)
    path = home / ".gemini/settings.json"
    settings = json.loads(path.read_text()) if path.exists() else {}
    settings["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    path.write_text(json.dumps(settings, indent=2))
    # Settings of a project are read of a folder that was trusted before, whatever --skip-trust says.
    (home / ".gemini/trustedFolders.json").write_text(json.dumps({str(home / "project"): "TRUST_FOLDER"}))


def claude_settings(home, _port):
    path = home / ".claude.json"
    settings = json.loads(path.read_text()) if path.exists() else {}
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    settings.update({
        "hasCompletedOnboarding": True, "theme": "dark", "projects": {str(home / "project"): project},
        "customApiKeyResponses": {"approved": ["none"], "rejected": []},
    })
    path.write_text(json.dumps(settings))


def copilot_settings(home, _port):
    (home / ".copilot").mkdir(exist_ok=True)
    folders = [str(home / "project")]
    (home / ".copilot/config.json").write_text(json.dumps({"trusted_folders": folders, "trustedFolders": folders}))


# Where --install put them.
installed = None


def opencode_settings(home, port):
    there, here = home / ".config/opencode", installed and pathlib.Path(installed, "opencode")
    there.mkdir(parents=True, exist_ok=True)
    if here and here.exists() and not (there / "node_modules").exists():
        shutil.copytree(here, there, dirs_exist_ok=True)
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "none"},
        "models": {"mock": {"name": "mock"}},
    }
    (home / ".config/opencode/opencode.json").write_text(
        json.dumps({"provider": {"mock": provider}, "model": "mock/mock", "autoupdate": False, "share": "disabled"})
    )


CODEX = ["codex", "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "-s", "workspace-write"]
GEMINI = ["gemini", "--skip-trust", "-m", "gemini-2.5-flash"]
QWEN = ["qwen", "--auth-type", "openai"]
YOLO = ["--approval-mode", "yolo"]
ALL = [
    Agent("claude_code", "claude", ["claude", "-p"], ["claude", "-p", "--continue"],
          {"ANTHROPIC_BASE_URL": "http://127.0.0.1:PORT", "ANTHROPIC_API_KEY": "none",
           "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"},
          settings=claude_settings, command="/last-word:remember", own=".claude/commands/kettle.md", compact=(["claude", "-p", "--continue"], "/compact"),
          attended=Attended(["claude"], ["claude", "--continue"], "/compact", "/clear", "/exit", "")),
    Agent("codex", "codex", CODEX, [*CODEX, "resume", "--last"], {}, settings=codex_settings,
          # It counts what the model says it used, and summarises before the next answer.
          compact=([*CODEX, "-c", "model_auto_compact_token_limit=10", "resume", "--last"], "go on"),
          attended=Attended(["codex", "--dangerously-bypass-hook-trust"],
                            ["codex", "--dangerously-bypass-hook-trust", "resume", "--last"], "/compact", "/new", "/quit", "")),
    Agent("gemini_cli", "gemini", [*GEMINI, "-p"], [*GEMINI, "--resume", "latest", "-p"],
          {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:PORT"}, settings=gemini_settings,
          command="/remember", own=".gemini/commands/kettle.toml",
          # Without a person it summarises by itself alone, past half a million tokens.
          attended=Attended(GEMINI, [*GEMINI, "--resume", "latest"], "/compress", "/clear", "/quit", "Type your message")),
    Agent("qwen_code", "qwen", [*QWEN, *YOLO, "-p"], [*QWEN, *YOLO, "--continue", "-p"],
          {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "http://127.0.0.1:PORT/v1", "OPENAI_MODEL": "mock"},
          # Its own `/remember` is that of its own memory.
          command="/last-word.remember", own=".qwen/commands/kettle.md",
          compact=([*QWEN, *YOLO, "--continue", "-p"], "/compress"),
          attended=Attended(QWEN, [*QWEN, "--continue"], "/compress", "/clear", "/quit", "Type your message")),
    Agent("copilot", "copilot", ["copilot", "-p"], ["copilot", "--continue", "-p"],
          {"COPILOT_PROVIDER_TYPE": "openai", "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:PORT/v1",
           "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_MODEL": "mock", "COPILOT_OFFLINE": "true"},
          settings=copilot_settings, compact=(["copilot", "--continue", "-p"], "/compact"),
          attended=Attended(["copilot"], ["copilot", "--continue"], "/compact", "/clear", "/exit", "")),
    Agent("opencode", "opencode", ["opencode", "run"], ["opencode", "run", "--continue"], {},
          settings=opencode_settings, hooks=False,
          attended=Attended(["opencode"], ["opencode", "--continue"], "/compact", "/new", "/exit", "Ask anything")),
]
