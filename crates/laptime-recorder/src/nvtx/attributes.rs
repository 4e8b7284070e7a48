//! What a range is told with: `nvtxEventAttributes_v2` of NVTX, 48 bytes.
//!
//! | offset | bytes | |
//! |---|---|---|
//! | 0 | 2 | version of the API, 3 |
//! | 2 | 2 | size of this |
//! | 4 | 12 | category, kind of colour, colour: none |
//! | 16 | 4 | kind of payload: 1, an unsigned integer of 64 bits |
//! | 20 | 4 | reserved |
//! | 24 | 8 | payload: the span's id |
//! | 32 | 4 | kind of message: 3, a registered string |
//! | 40 | 8 | message: its handle |

use std::ffi::c_void;

/// Version of the API, as the headers have it.
pub const VERSION: u16 = 3;

const PAYLOAD_UNSIGNED: i32 = 1;
const MESSAGE_REGISTERED: i32 = 3;

/// The handle of a string that the tool knows.
pub type Name = *mut c_void;

/// The attributes of a range or a mark.
#[repr(C)]
#[derive(Debug)]
pub struct Attributes {
    version: u16,
    size: u16,
    category: u32,
    color_kind: i32,
    color: u32,
    payload_kind: i32,
    reserved: i32,
    payload: u64,
    message_kind: i32,
    message: Name,
}

const _: () = assert!(size_of::<Attributes>() == 48);

impl Attributes {
    /// Those of a range with a name, of the span with this id.
    pub fn new(name: Name, id: u64) -> Self {
        Self {
            version: VERSION,
            size: size_of::<Self>() as u16,
            category: 0,
            color_kind: 0,
            color: 0,
            payload_kind: PAYLOAD_UNSIGNED,
            reserved: 0,
            payload: id,
            message_kind: MESSAGE_REGISTERED,
            message: name,
        }
    }
}
