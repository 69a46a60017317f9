//! Items: a list with filters, a page at a time; one item with its history; forms to revise, retire and restore it.

use crate::Page;
use crate::render::{PageAnswer, answer, show as screen};
use crate::routes::Fields;
use crate::shell::{Said, Shell};
use askama::Template;
use axum::Extension;
use axum::extract::{Query, State as Shared};
use axum::response::Response;
use engine::output::{Foreseen, ItemPast, ItemShown, ListedItem};
use engine::{ChangeItem, Exit, Failure, ItemFilter, ItemPlace};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Items of one page.
const ROWS: usize = 50;

#[derive(Template)]
#[template(path = "items.html")]
struct Items {
    shell: Shell,
    asked: BTreeMap<String, String>,
    all: bool,
    rows: Vec<ItemRow>,
    /// Where the next page begins.
    next: Option<String>,
}

impl Items {
    fn asked(&self, name: &str) -> &str {
        self.asked.get(name).map_or("", String::as_str)
    }
}

struct ItemRow {
    id: String,
    kb: String,
    text: String,
    kind: String,
    tags: Vec<String>,
    day: String,
    by: String,
    live: bool,
}

#[derive(Template)]
#[template(path = "item.html")]
struct OneItem {
    shell: Shell,
    row: ItemRow,
    /// The stamp of what is shown of it: its form sends it along.
    seen: String,
    /// What its new text is to be: what it says, or what the person typed who is shown it anew.
    new: String,
    written: String,
    heading: String,
    sure: Option<String>,
    superseded_by: Option<String>,
    past: Vec<PastRow>,
}

struct PastRow {
    at: String,
    what: &'static str,
    by: String,
    was: Option<String>,
    reason: Option<String>,
    job: String,
}

pub(crate) async fn list(
    Shared(page): Shared<Arc<Page>>,
    Query(asked): Query<BTreeMap<String, String>>,
) -> Response {
    answer(page, move |page| {
        let words = |name: &str| -> Vec<String> {
            let text = asked.get(name).map_or("", String::as_str);
            text.split_whitespace().map(str::to_owned).collect()
        };
        let day = |name: &str| asked.get(name).filter(|day| !day.is_empty()).cloned();
        let all = asked.contains_key("all");
        let filter = ItemFilter {
            kinds: words("kind"),
            entities: words("tag"),
            documents: words("kb"),
            from: day("from"),
            to: day("to"),
            all,
        };
        let after = asked.get("after").and_then(|place| ItemPlace::read(place));
        let (found, next) = page.home.items_page(&filter, after.as_ref(), ROWS, &page.cwd)?;
        let rows = found.iter().map(row).collect();
        let next = next.map(|place| next_page(&asked, &place));
        screen(&Items { shell: Shell::new(page, "Items"), asked, all, rows, next })
    })
    .await
}

/// The query of the page after this one.
fn next_page(asked: &BTreeMap<String, String>, place: &ItemPlace) -> String {
    let mut query = String::new();
    for (name, value) in asked.iter().filter(|(name, _)| *name != "after") {
        query += &format!("{}={}&", encoded(name), encoded(value));
    }
    query + "after=" + &encoded(&place.to_string())
}

/// A text, escaped for a query.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(byte.into()),
            other => out += &format!("%{other:02X}"),
        }
    }
    out
}

fn row(item: &ListedItem) -> ItemRow {
    ItemRow {
        id: item.id.clone(),
        kb: item.kb.clone(),
        text: item.text.clone(),
        kind: item.kind.clone().unwrap_or_default(),
        tags: item.tags.clone(),
        day: item.day.clone().unwrap_or_default(),
        by: item.by.clone().unwrap_or_default(),
        live: item.live,
    }
}

pub(crate) async fn one(
    Shared(page): Shared<Arc<Page>>,
    Query(asked): Query<BTreeMap<String, String>>,
) -> Response {
    answer(page, move |page| {
        let id = asked.get("id").map_or("", String::as_str);
        let shown = page.home.item_in(id, asked.get("kb").map(String::as_str), &page.cwd)?;
        draw(page, &shown, None)
    })
    .await
}

/// The stamp of an item: where it stands, and all that it says.
fn seen(page: &Page, shown: &ItemShown) -> String {
    let item = &shown.item;
    let live = if item.live { "live" } else { "ended" };
    let seen = page.seen().text(&item.id).text(&item.kb).text(live).text(&shown.written);
    item.heading.iter().fold(seen, |seen, heading| seen.text(heading)).stamp()
}

fn draw(page: &Page, shown: &ItemShown, typed: Option<&str>) -> Result<PageAnswer, Failure> {
    let past = shown.past.iter().map(|past| PastRow {
        at: page.home.wall_clock(past.at),
        what: past.operation.map_or("", |operation| operation.as_str()),
        by: changed_by(page, past),
        was: past.was.clone(),
        reason: past.reason.clone(),
        job: past.job.clone(),
    });
    let past = past.collect();
    let item = &shown.item;
    screen(&OneItem {
        shell: Shell::new(page, format!("Item {}", item.id)),
        row: row(item),
        seen: seen(page, shown),
        new: typed.unwrap_or(&item.text).to_owned(),
        written: shown.written.clone(),
        heading: item.heading.join(" › "),
        sure: item.confidence.map(|sure| format!("{:.0} %", sure * 100.0)),
        superseded_by: item.superseded_by.clone(),
        past,
    })
}

/// Who said what an item became, and who changed their words before they were merged.
fn changed_by(page: &Page, past: &ItemPast) -> String {
    let author = crate::words::who_declared(&page.home, &past.agent, &past.job);
    past.edited_by.as_ref().map_or_else(|| author.clone(), |who| format!("{author}, edited by {who}"))
}

/// Enqueues a job that revises, retires or restores an item.
pub(crate) async fn change(
    Shared(page): Shared<Arc<Page>>,
    Extension(fields): Extension<Fields>,
) -> Response {
    answer(page, move |page| {
        let operation = fields.get("action");
        if !["revise", "retire", "restore"].contains(&operation) {
            return Err(Failure::new("this form asks for nothing that is known").exit(Exit::Usage));
        }
        let kb = fields.said("kb");
        let shown = page.home.item_in(fields.get("id"), kb, &page.cwd)?;
        if fields.get("seen") != seen(page, &shown) {
            page.say(Said::bad(
                "Nothing was done: it was changed since you looked. This is what it says now.",
            ));
            return draw(page, &shown, Some(fields.get("text")).filter(|_| operation == "revise"));
        }
        let text = (operation == "revise").then(|| fields.get("text").replace("\r\n", "\n"));
        let change = ChangeItem {
            id: fields.get("id").to_owned(),
            operation: operation.to_owned(),
            text,
            old_text: None,
            confidence: None,
            reason: fields.said("reason").map(str::to_owned),
        };
        let done = page.home.change_item(&page.caller(), &change)?;
        let said = Said::good(match done.state {
            Foreseen::Known => "It says that already.".to_owned(),
            Foreseen::WillAsk | Foreseen::WillFail => done.why.unwrap_or_default(),
            _ => "It is in the queue: the worker writes it.".to_owned(),
        });
        page.say(said.queued(done.state != Foreseen::Known));
        Ok(PageAnswer::Go(format!("/job/{}", done.job)))
    })
    .await
}
