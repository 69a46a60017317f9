//! The files a patch touches: `apply_patch` envelopes and unified diffs.

/// The paths as written in the patch; for a move both names.
pub(crate) fn paths(patch: &str) -> Vec<String> {
    const HEADS: [&str; 4] = ["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"];
    let mut found = Vec::new();
    for line in patch.lines() {
        let line = line.trim_start();
        if let Some(path) = HEADS.iter().find_map(|head| line.strip_prefix(head)) {
            found.push(path.trim().to_owned());
        } else if let Some(path) =
            ["+++ ", "--- ", "rename from ", "rename to "].iter().find_map(|head| line.strip_prefix(head))
        {
            let path = path.split('\t').next().unwrap_or_default().trim();
            let stripped = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
            found.extend(stripped.map(str::to_owned));
            found.push(path.to_owned());
        }
    }
    found.retain(|path| !path.is_empty() && path != "/dev/null");
    found
}

/// Whether a text is a patch of either kind.
pub(crate) fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch") || (text.contains("\n+++ ") && text.contains("--- "))
}
