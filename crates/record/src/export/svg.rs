//! stub
use crate::*;
/// stub
pub fn write(_recording: &Recording, _out: &mut impl std::io::Write) -> Result<(), RecordError> {
    Ok(())
}
