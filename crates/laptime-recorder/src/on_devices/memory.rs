//! Memory of spans that closed, written with what the devices told of them.

use laptime_core::DeviceMemorySpan;
use laptime_core::format::record::Record;

use crate::device_memory::{Closed, devices};
use crate::registration;
use crate::thread::Thread;

/// Looks at the devices and writes the spans that just closed on the calling thread's stack. Never
/// inside of [`Thread::with`].
#[inline]
pub fn write_closed() {
    if devices::is_on() {
        write_closed_slowly();
    }
}

#[cold]
#[inline(never)]
fn write_closed_slowly() {
    let closed = Thread::with(|thread| thread.stack().device_memory.take_closed());
    let closed: Vec<Closed> = closed.unwrap_or_default();
    if closed.is_empty() {
        return;
    }
    let looked = devices::look();
    let spans: Vec<DeviceMemorySpan> = {
        let told = closed.iter().flat_map(|span| {
            let each = devices::close(span.token).into_iter();
            each.map(|(device, memory)| DeviceMemorySpan {
                path: span.path,
                start: span.start,
                track: span.track,
                device,
                memory,
            })
        });
        let all = told.collect();
        if looked { all } else { Vec::new() }
    };
    registration::with(|thread| {
        for span in spans {
            thread.writer.record(&Record::DeviceMemory(span));
        }
    });
}
