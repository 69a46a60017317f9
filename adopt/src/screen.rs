//! Finds lines that give orders to the agent that reads them ("ignore all previous instructions"). Nothing here obeys them, but such
//! a line is not remembered without a person's yes.

/// Parts of such lines, in lower case.
const ORDERS: [&str; 15] = [
    "ignore all previous",
    "ignore previous instructions",
    "ignore the above",
    "ignore your instructions",
    "disregard previous",
    "disregard all",
    "disregard your",
    "forget your instructions",
    "do not tell the user",
    "don't tell the user",
    "without telling the user",
    "system prompt",
    "忽略之前",
    "忽略以上",
    "不要告诉用户",
];

/// Whether a text gives orders to its reader.
pub(crate) fn gives_orders(text: &str) -> bool {
    let plain = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    ORDERS.iter().any(|order| plain.contains(order))
}
