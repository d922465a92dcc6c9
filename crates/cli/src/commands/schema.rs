//! `conatus schema`: the JSON Schema of scene files, for editors.

use crate::Done;
use crate::terminal::print_verbatim;

/// Prints the schema.
pub fn schema() -> Done {
    print_verbatim(&format!("{:#}\n", conatus_world::scene::schema()))
}
