//! `conatus schema`: the JSON Schema of scene files, for editors.

use crate::Done;
use crate::errors::print;

/// Prints the schema.
pub fn schema() -> Done {
    print(&format!("{:#}\n", conatus_world::scene::schema()))
}
