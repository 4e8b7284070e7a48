//! A range beside the stack: of what may overlap with others, such as a timer's segment.

use super::tool::tool;
use crate::clock;
use crate::site::Site;

/// A range that was started; dropping it ends it, on any thread.
#[derive(Debug)]
#[must_use = "dropping it ends the range"]
pub struct Started(u64);

impl Started {
    /// Starts one. `None` while no tool is attached.
    #[inline]
    pub fn now(site: &Site) -> Option<Self> {
        let tool = tool()?;
        Some(Self(tool.start(tool.name(site), clock::now())))
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(tool) = tool() {
            tool.end(self.0);
        }
    }
}
