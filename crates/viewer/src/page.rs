//! The page that the build has embedded, if it could be built.

/// The three files of the page.
#[derive(Debug)]
pub struct Page {
    /// `index.html`, which refers to the other two as `app.js` and `app.css`.
    pub html: &'static str,
    /// The bundled script, with its libraries.
    pub js: &'static str,
    /// The bundled style sheet.
    pub css: &'static str,
}

/// The error and the help text where the page is missing.
pub const MISSING: (&str, &str) = (
    "this copy of Conatus was built without its page",
    "install Node.js 18 or newer with npm and build Conatus again; the build's warning says \
     what was missing",
);

/// The page; `None` if it could not be built.
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
