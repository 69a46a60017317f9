//! launchd: an agent that is kept alive and watches. It does not use WatchPaths, which loses changes, nor StartInterval,
//! which skips runs while the machine sleeps.

use super::{FileChange, Plan, read, schedule, tool::ToolRun};
use crate::failure::Failure;
use crate::world::World;
use std::path::Path;

const LABEL: &str = "last-word.work";

pub fn plan(world: &World, install: bool) -> Result<Plan, Failure> {
    let path = world.user_home().join(format!("Library/LaunchAgents/{LABEL}.plist"));
    let log = world.user_home().join("Library/Logs/last-word.log");
    let before = read(world, &path)?;
    let after = match install {
        true => Some(plist(&schedule::call(world, &["work", "--watch"])?, &log)),
        false => None,
    };
    let changed = before != after;
    let domain = format!("gui/{}", rustix::process::getuid().as_raw());
    let out = ToolRun::new(&["launchctl", "bootout", &format!("{domain}/{LABEL}")]).may_fail();
    let into = ToolRun::new(&["launchctl", "bootstrap", &domain, &path.display().to_string()]);
    let mut plan = Plan::default();
    if before.is_some() && changed {
        plan.first.push(out);
    }
    if install && changed {
        plan.then.push(into);
    }
    if install {
        plan.afterwards
            .push(format!("launchd keeps it running; what goes wrong is in {}", world.short(&log)));
    }
    plan.changes.push(FileChange { path, before, after, mode: 0o644 });
    Ok(plan)
}

fn plist(call: &[String], log: &Path) -> String {
    let words: String = call.iter().map(|word| format!("\t\t<string>{}</string>\n", escaped(word))).collect();
    let log = escaped(&log.display().to_string());
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by `last-word install launchd`; `last-word uninstall launchd` removes it. -->
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>{LABEL}</string>
	<key>ProgramArguments</key>
	<array>
{words}	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<true/>
	<key>ThrottleInterval</key>
	<integer>30</integer>
	<key>ExitTimeOut</key>
	<integer>10</integer>
	<key>ProcessType</key>
	<string>Background</string>
	<key>Umask</key>
	<integer>63</integer>
	<key>EnvironmentVariables</key>
	<dict>
		<key>PATH</key>
		<string>/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin</string>
	</dict>
	<key>StandardErrorPath</key>
	<string>{log}</string>
</dict>
</plist>
"#
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
