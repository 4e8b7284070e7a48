//! The streams that the program is known to use, for laps that end at the last of them.
//!
//! Recording an event on a stream that was destroyed is undefined, and nothing tells of a stream's end.
//! So only those are kept that live as long as the program by its own word.

use super::driver::{Context, Stream};

/// Most streams that are kept: an event is recorded on each where a lap ends.
pub const MOST: usize = 64;

/// Those that are known.
#[derive(Debug, Default)]
pub struct Streams {
    known: Vec<(Context, Stream)>,
    /// Whether there were more.
    is_full: bool,
}

impl Streams {
    /// One is in use, which never ends.
    pub fn see(&mut self, context: Context, stream: Stream) {
        if self.known.contains(&(context, stream)) {
            return;
        }
        if self.known.len() < MOST {
            self.known.push((context, stream));
        } else {
            self.is_full = true;
        }
    }

    /// Those of a context, without one of them.
    pub fn beside(&self, context: Context, stream: Stream) -> Vec<Stream> {
        let others = self.known.iter().filter(|one| one.0 == context);
        let others = others.map(|one| one.1);
        others.filter(|other| *other != stream).collect()
    }

    /// One is no stream any more: the driver refused it.
    pub fn forget(&mut self, context: Context, stream: Stream) {
        self.known.retain(|known| *known != (context, stream));
    }

    /// Whether there were more than are kept.
    pub fn is_full(&self) -> bool {
        self.is_full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_streams_than_are_kept_are_told() {
        let (mut streams, context) = (Streams::default(), Context(1));
        for handle in 0..MOST {
            streams.see(context, Stream(100 + handle));
            streams.see(context, Stream(100));
        }
        assert!(!streams.is_full());
        streams.see(context, Stream(99));
        assert!(streams.is_full());
        assert_eq!(streams.beside(context, Stream(100)).len(), MOST - 1);
    }

    #[test]
    fn streams_are_beside_those_of_their_own_context() {
        let mut streams = Streams::default();
        streams.see(Context(1), Stream(10));
        streams.see(Context(2), Stream(20));
        assert_eq!(streams.beside(Context(1), Stream(11)), [Stream(10)]);
        assert!(streams.beside(Context(1), Stream(10)).is_empty());
    }
}
