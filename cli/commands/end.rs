//! `end`: a chat bot ends a turn, with flags or with the JSON that it has of the turn; its texts become events.

use crate::failure::{Exit, Failure};
use crate::render;
use crate::world::World;
use engine::TurnEnd;
use engine::output::TurnEnded;

/// End a turn of a conversation, and keep what was done and learned in it as events
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  last-word end --request r101 --group 7 --action-summary 'Moved the backup' --new-info 'Mei wants it at 04:00'
  printf '%s' \"$json\" | last-word end -
The JSON has the same words: {\"request_id\": \"r101\", \"end_seq\": 0, \"group_id\": \"7\", \"action_summary\": \"…\", \"new_info\": [\"…\"]}.
With nothing done and nothing learned nothing is kept, and that is no error. Said again with its request and number, it is kept once.")]
pub struct Args {
    /// `-`: the turn as JSON on standard input; flags say more of it
    #[arg(value_name = "-")]
    pub input: Option<String>,
    /// What was done in this turn (older: --summary)
    #[arg(long, alias = "summary", value_name = "TEXT", allow_hyphen_values = true)]
    pub action_summary: Option<String>,
    /// What was learned in it; may be given several times
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub new_info: Vec<String>,
    /// End it also where something was done and no message was sent
    #[arg(long)]
    pub force: bool,
    /// The request that the turn answers: with --seq, what makes it the same turn again
    #[arg(long, value_name = "ID")]
    pub request: Option<String>,
    /// Its number within the request [default: 0]
    #[arg(long, value_name = "N")]
    pub seq: Option<u64>,
    /// The user it was with
    #[arg(long, value_name = "ID")]
    pub user: Option<String>,
    /// The group it was in: its events are found from this group alone
    #[arg(long, value_name = "ID")]
    pub group: Option<String>,
    /// Who sent the message that began it
    #[arg(long, value_name = "ID")]
    pub sender: Option<String>,
    /// Where it was, in words
    #[arg(long, value_name = "TEXT")]
    pub place: Option<String>,
    /// A message it is about; may be given several times
    #[arg(long, value_name = "ID")]
    pub message: Vec<String>,
    /// When it was, with the zone of where it was: 2026-11-19T08:00:00+01:00 [default: now]
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// The agent that says it [default: $LAST_WORD_AGENT]
    #[arg(long)]
    pub agent: Option<String>,
    /// Its session [default: $LAST_WORD_SESSION]
    #[arg(long)]
    pub session: Option<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let turn = args.turn(match args.input.as_deref() {
        None => TurnEnd::default(),
        Some("-") => TurnEnd::read(&world.read_input("-")?)?,
        Some(other) => {
            return Err(Failure::new(format!("`{other}` is not understood"))
                .hint("a text has a flag in front: --action-summary 'what was done'; JSON comes on standard input: last-word end -")
                .exit(Exit::Usage));
        }
    });
    let ended = world.end(&world.caller(args.agent.as_deref(), args.session.as_deref()), &turn)?;
    say(world, &ended)
}

fn say(world: &World, ended: &TurnEnded) -> Result<u8, Failure> {
    if world.json {
        render::json(ended)?;
        return Ok(0);
    }
    let (Some(job), Some(document)) = (ended.job, &ended.document) else {
        render::say("nothing was said, nothing is kept")?;
        return Ok(0);
    };
    let document = world.short(document);
    if !ended.new {
        render::say(&format!("{job}  was kept before, for {document}"))?;
        return Ok(0);
    }
    for item in &ended.items {
        render::say(&match &ended.asks {
            None => format!("{item}  queued; {document} is changed at the next `last-word work`"),
            Some(why) => format!("{item}  waits for a yes: {why}; `last-word review` once a worker saw it"),
        })?;
    }
    Ok(0)
}

impl Args {
    /// The data of the turn: a flag wins over the field of the JSON.
    fn turn(&self, said: TurnEnd) -> TurnEnd {
        let or = |flag: &Option<String>, said: Option<String>| flag.clone().or(said);
        let many =
            |flags: &Vec<String>, said: Vec<String>| if flags.is_empty() { said } else { flags.clone() };
        TurnEnd {
            action_summary: self.action_summary.clone().unwrap_or(said.action_summary),
            new_info: many(&self.new_info, said.new_info),
            force: self.force || said.force,
            request_id: or(&self.request, said.request_id),
            end_seq: self.seq.unwrap_or(said.end_seq),
            user_id: or(&self.user, said.user_id),
            group_id: or(&self.group, said.group_id),
            sender_id: or(&self.sender, said.sender_id),
            place: or(&self.place, said.place),
            message_ids: many(&self.message, said.message_ids),
            timestamp_local: or(&self.at, said.timestamp_local),
            ..said
        }
    }
}
