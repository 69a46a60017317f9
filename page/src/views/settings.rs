//! The settings as they were read: what agents may write where, and what they are kept from. The page changes how long a document may
//! get (`budget`), and nothing else of them.

use crate::Page;
use crate::render::{answer, show as screen};
use crate::shell::Shell;
use askama::Template;
use axum::extract::State as Shared;
use axum::response::Response;
use engine::output::SettingsRead;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "settings.html")]
struct Settings {
    shell: Shell,
    file: String,
    read: SettingsRead,
}

pub(crate) async fn show(Shared(page): Shared<Arc<Page>>) -> Response {
    answer(page, |page| {
        let read = page.home.settings_read()?;
        let file = page.home.short(&page.home.layout().config());
        screen(&Settings { shell: Shell::new(page, "Settings"), file, read })
    })
    .await
}
