//! The list of documents.

use crate::Page;
use crate::render::{answer, show as screen};
use crate::shell::Shell;
use askama::Template;
use axum::extract::State as Shared;
use axum::response::Response;
use std::sync::Arc;

/// How many members of each family are listed.
const LISTED_MAX: usize = 500;

#[derive(Template)]
#[template(path = "documents.html")]
struct Documents {
    shell: Shell,
    documents: Vec<DocumentRow>,
    more: usize,
}

struct DocumentRow {
    name: String,
    path: String,
    title: String,
}

pub(crate) async fn show(Shared(page): Shared<Arc<Page>>) -> Response {
    answer(page, |page| {
        let mut all = page.home.documents_here(&page.cwd)?;
        let more = all.len().saturating_sub(LISTED_MAX);
        all.truncate(LISTED_MAX);
        let row = |of: engine::output::ListedDocument| DocumentRow {
            path: page.home.short(&of.path),
            name: of.name,
            title: of.title,
        };
        let documents = all.into_iter().map(row).collect();
        screen(&Documents { shell: Shell::new(page, "Documents"), documents, more })
    })
    .await
}
