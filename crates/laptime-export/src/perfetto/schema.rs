//! Numbers of the fields that are written, by the messages of Perfetto's `trace.proto`.

/// `Trace.packet`.
pub const PACKET: u32 = 1;

/// `TracePacket`.
pub mod packet {
    pub const CLOCK_SNAPSHOT: u32 = 6;
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE_ID: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED_DATA: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const TRACK_DESCRIPTOR: u32 = 60;
    /// What was interned before is forgotten: stands in the first packet.
    pub const STATE_CLEARED: u64 = 1;
    /// Names are interned.
    pub const NEEDS_STATE: u64 = 2;
}

/// `ClockSnapshot` and its `Clock`.
pub mod clock {
    pub const CLOCKS: u32 = 1;
    pub const PRIMARY: u32 = 2;
    pub const ID: u32 = 1;
    pub const TIMESTAMP: u32 = 2;
    /// `BUILTIN_CLOCK_REALTIME`.
    pub const REALTIME: u64 = 1;
    /// `BUILTIN_CLOCK_BOOTTIME`: what timestamps mean that name no clock.
    pub const BOOTTIME: u64 = 6;
}

/// `TrackDescriptor`, with what it holds.
pub mod track {
    pub const UUID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const PROCESS: u32 = 3;
    pub const THREAD: u32 = 4;
    pub const PARENT: u32 = 5;
    pub const COUNTER: u32 = 8;
    pub const CHILD_ORDERING: u32 = 11;
    pub const RANK: u32 = 12;
    /// `ChildTracksOrdering.EXPLICIT`.
    pub const EXPLICIT: u64 = 3;
    /// `ProcessDescriptor.pid` and `ThreadDescriptor.pid`.
    pub const PID: u32 = 1;
    /// `ProcessDescriptor.process_name`.
    pub const PROCESS_NAME: u32 = 6;
    /// `ThreadDescriptor.tid`.
    pub const TID: u32 = 2;
    /// `ThreadDescriptor.thread_name`.
    pub const THREAD_NAME: u32 = 5;
    /// `CounterDescriptor.unit`.
    pub const UNIT: u32 = 3;
    /// `CounterDescriptor.Unit.UNIT_SIZE_BYTES`.
    pub const BYTES: u64 = 3;
}

/// `TrackEvent`.
pub mod event {
    pub const ANNOTATIONS: u32 = 4;
    pub const TYPE: u32 = 9;
    pub const NAME_ID: u32 = 10;
    pub const TRACK: u32 = 11;
    pub const COUNTER_VALUE: u32 = 30;
    pub const DOUBLE_VALUE: u32 = 44;
    pub const BEGIN: u64 = 1;
    pub const END: u64 = 2;
    pub const INSTANT: u64 = 3;
    pub const COUNTER: u64 = 4;
}

/// `DebugAnnotation`.
pub mod annotation {
    pub const UNSIGNED: u32 = 3;
    pub const SIGNED: u32 = 4;
    pub const STRING: u32 = 6;
    pub const NAME: u32 = 10;
    pub const DOUBLE: u32 = 5;
}

/// `InternedData` and its `EventName`.
pub mod interned {
    pub const EVENT_NAMES: u32 = 2;
    pub const ID: u32 = 1;
    pub const NAME: u32 = 2;
}
