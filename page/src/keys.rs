//! The secrets of one page: the link that works once, the cookie that it is exchanged for, the token in every form, and the path
//! that all addresses begin with. Browsers send a cookie to every port of a host; because ours is limited to this random path,
//! it is not sent to other servers on this machine.

use std::sync::atomic::{AtomicBool, Ordering};

/// The name of the cookie.
const COOKIE: &str = "last_word";

/// The secrets. Each has 256 random bits, the path 64.
#[derive(Debug)]
pub(crate) struct Keys {
    link: String,
    link_used: AtomicBool,
    cookie: String,
    /// Whether the person closed the page: then nobody has its cookie any more.
    closed: AtomicBool,
    form: String,
    base: String,
}

/// What opening a link did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opened {
    /// It was opened for the first time: this browser is the person's.
    Now,
    /// Somebody opened it before.
    Before,
    /// It is not the link.
    No,
}

impl Keys {
    pub(crate) fn new(random: &mut dyn FnMut() -> u64) -> Keys {
        let mut secret = || (0..4).map(|_| format!("{:016x}", random())).collect::<String>();
        let (link, cookie, form) = (secret(), secret(), secret());
        let base = format!("/{:016x}", random());
        Keys { link, link_used: AtomicBool::new(false), cookie, closed: AtomicBool::new(false), form, base }
    }

    /// The path that all addresses begin with: `/5f1c…`.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// The path of the link.
    pub(crate) fn link_path(&self) -> String {
        format!("/open/{}", self.link)
    }

    /// Opens the link, if this is its path. It can be opened once.
    pub(crate) fn open(&self, path: &str) -> Opened {
        match path.strip_prefix("/open/").is_some_and(|token| is_same(token, &self.link)) {
            false => Opened::No,
            true if self.link_used.swap(true, Ordering::SeqCst) => Opened::Before,
            true => Opened::Now,
        }
    }

    /// The cookie as `Set-Cookie` has it. The browser forgets it when its session ends.
    pub(crate) fn set_cookie(&self) -> String {
        format!("{COOKIE}={}; Path={}; HttpOnly; SameSite=Strict", self.cookie, self.base)
    }

    /// The cookie as it is taken back.
    pub(crate) fn end_cookie(&self) -> String {
        format!("{COOKIE}=; Path={}; HttpOnly; SameSite=Strict; Max-Age=0", self.base)
    }

    /// Takes the cookie back: from here on nobody comes in.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    /// Whether a request's cookies have ours.
    pub(crate) fn has_cookie(&self, cookies: &str) -> bool {
        if self.closed.load(Ordering::SeqCst) {
            return false;
        }
        let mut pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == COOKIE && is_same(value, &self.cookie))
    }

    /// The token of every form.
    pub(crate) fn form_token(&self) -> &str {
        &self.form
    }

    pub(crate) fn is_form_token(&self, token: &str) -> bool {
        is_same(token, &self.form)
    }
}

/// Whether two texts are equal. Takes the same time wherever they differ, so that a secret cannot be guessed letter by letter.
fn is_same(one: &str, other: &str) -> bool {
    let differs = one.bytes().zip(other.bytes()).fold(0, |found, (a, b)| found | (a ^ b));
    one.len() == other.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Keys {
        let mut next = 0;
        Keys::new(&mut || {
            next += 1;
            next
        })
    }

    #[test]
    fn the_link_opens_once() {
        let keys = keys();
        assert_eq!(keys.open("/open/0"), Opened::No);
        assert_eq!(keys.open(&keys.link_path()), Opened::Now);
        assert_eq!(keys.open(&keys.link_path()), Opened::Before);
        assert_eq!(keys.open("/open/0"), Opened::No);
    }

    #[test]
    fn after_the_end_no_cookie_counts() {
        let keys = keys();
        let set = keys.set_cookie();
        let ours = set.split(';').next().unwrap();
        assert!(keys.has_cookie(ours));
        keys.close();
        assert!(!keys.has_cookie(ours));
        let ended = keys.end_cookie();
        let path = set.split("; ").find(|part| part.starts_with("Path=")).unwrap();
        assert!(ended.starts_with("last_word=;") && ended.contains(path) && ended.contains("Max-Age=0"));
    }

    #[test]
    fn only_our_cookie_counts() {
        let keys = keys();
        let set = keys.set_cookie();
        let ours = set.split(';').next().unwrap();
        assert!(keys.has_cookie(ours) && keys.has_cookie(&format!("a=b; {ours}; c=d")));
        for other in
            ["", "last_word=", "last_word", &ours[..ours.len() - 1], &format!("{ours}0"), &format!("x{ours}")]
        {
            assert!(!keys.has_cookie(other), "{other}");
        }
        assert!(set.contains(&format!("; Path={}; HttpOnly; SameSite=Strict", keys.base())), "{set}");
    }
}
