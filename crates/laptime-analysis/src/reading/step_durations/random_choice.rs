//! A part of a path's spans, chosen by chance and the same each time: bounded, in time order.
//!
//! Whether a span is kept is told by its start alone, scrambled: neither the order of reading nor
//! what else is kept changes it, and no rhythm of the program is in step with it. When too many are
//! there, half of them go, those whose next bit is set (distinct sampling, Gibbons 2001).

use laptime_core::{Span, SpanFlags};

/// Most values of a path; at least half as many are there where there were more.
const MOST: usize = 2_048;

/// One span, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    /// Start of the span.
    pub start: u64,
    /// End of the span; of several pieces, of the last.
    pub end: u64,
    /// Time that it ran, in all its pieces.
    pub duration: u64,
}

/// Some of the spans of a path.
#[derive(Debug, Clone, Default)]
pub struct Sampled {
    /// Number of the lowest bits that must be 0 in a scrambled start.
    level: u32,
    kept: Vec<Piece>,
    /// The latest span, which the next piece may go on with, and its track.
    latest: Option<(Piece, u32)>,
}

impl Sampled {
    /// Adds a span, or a further piece of the one before.
    #[inline]
    pub fn push(&mut self, span: &Span) {
        let end = span
            .start
            .saturating_add(span.wall.unwrap_or(span.duration));
        if let Some((piece, track)) = &mut self.latest
            && span.flags.has(SpanFlags::CONTINUES)
            && *track == span.track
        {
            piece.end = piece.end.max(end);
            piece.duration = piece.duration.saturating_add(span.duration);
            return;
        }
        let piece = Piece {
            start: span.start,
            end,
            duration: span.duration,
        };
        if let Some((before, _)) = self.latest.replace((piece, span.track)) {
            self.keep(before);
        }
    }

    /// Adds the time from one moment to another. It is chosen by its start, as spans are.
    pub fn push_between(&mut self, start: u64, end: u64) {
        let duration = end.saturating_sub(start);
        self.keep(Piece {
            start,
            end,
            duration,
        });
    }

    /// Returns the chosen spans, in time order.
    pub fn finish(mut self) -> Vec<Piece> {
        if let Some((last, _)) = self.latest.take() {
            self.keep(last);
        }
        self.kept.sort_unstable();
        self.kept
    }

    fn keep(&mut self, piece: Piece) {
        if !is_chosen(&piece, self.level) {
            return;
        }
        self.kept.push(piece);
        while self.kept.len() > MOST && self.level < u64::BITS {
            self.level += 1;
            let level = self.level;
            self.kept.retain(|piece| is_chosen(piece, level));
        }
    }
}

fn is_chosen(piece: &Piece, level: u32) -> bool {
    level == 0 || scrambled(piece.start).trailing_zeros() >= level
}

/// Scrambles a number: every bit of the result depends on every bit of it (splitmix64, Steele 2014).
fn scrambled(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use laptime_core::PathId;

    use super::*;

    fn span(start: u64, flags: SpanFlags) -> Span {
        Span {
            flags,
            ..Span::plain(PathId(2), start, start % 7 + 1, 1)
        }
    }

    fn chosen(starts: impl Iterator<Item = u64>) -> Vec<Piece> {
        let mut sampled = Sampled::default();
        starts.for_each(|start| sampled.push(&span(start, SpanFlags::NONE)));
        sampled.finish()
    }

    #[test]
    fn few_spans_are_all_kept_in_time_order() {
        let backwards = chosen((0..100).rev());
        assert_eq!(backwards.len(), 100);
        assert!(backwards.is_sorted());
    }

    #[test]
    fn of_many_a_bounded_part_is_kept_whatever_their_order() {
        let forwards = chosen(0..100_000);
        assert!(
            (MOST / 4..=MOST).contains(&forwards.len()),
            "{}",
            forwards.len()
        );
        assert_eq!(chosen((0..100_000).rev()), forwards);
    }

    #[test]
    fn what_is_kept_is_not_in_step_with_a_rhythm() {
        // Of seven durations that follow each other each is kept about as often.
        let all = chosen(0..100_000);
        for duration in 1..=7 {
            let same = all
                .iter()
                .filter(|piece| piece.duration == duration)
                .count();
            assert!(same > all.len() / 14, "{duration}: {same} of {}", all.len());
        }
    }

    #[test]
    fn pieces_are_one_span() {
        let mut sampled = Sampled::default();
        sampled.push(&span(7, SpanFlags::NONE));
        sampled.push(&span(70, SpanFlags::CONTINUES));
        let piece = Piece {
            start: 7,
            end: 71,
            duration: 2,
        };
        assert_eq!(sampled.finish(), [piece]);
    }
}
