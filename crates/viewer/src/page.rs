//! The page as the build left it here, or why it did not.

/// The three files that the page consists of.
#[derive(Debug)]
pub struct Page {
    /// `index.html`, which refers to the other two as `app.js` and `app.css`.
    pub html: &'static str,
    /// The whole program, with its libraries.
    pub js: &'static str,
    /// The whole style sheet.
    pub css: &'static str,
}

/// What to tell and to do where there is no page.
pub const MISSING: (&str, &str) = (
    "this copy of Conatus was built without its page",
    "install Node.js 18 or newer with npm and build Conatus again; the build's warning says \
     what was missing",
);

/// The page, unless it could not be built.
pub fn page() -> Option<&'static Page> {
    #[cfg(page_bundle)]
    {
        static PAGE: Page = Page {
            html: include_str!(concat!(env!("OUT_DIR"), "/page/index.html")),
            js: include_str!(concat!(env!("OUT_DIR"), "/page/app.js")),
            css: include_str!(concat!(env!("OUT_DIR"), "/page/app.css")),
        };
        Some(&PAGE)
    }
    #[cfg(not(page_bundle))]
    None
}
