//! Running totals per path: what is left of spans when they are not kept.
//!
//! [`Tallies::fold`] takes one span; order does not matter, except that a span which
//! continues another must follow it. Both the live summary of a process and the
//! reading of a file fold into this.

use crate::anchor::Rate;
use crate::histogram::{self, Histogram};
use crate::memory::MemoryTally;
use crate::path::PathId;
use crate::span::{Span, SpanFlags};
use crate::work::WorkTally;

/// Totals of the spans of one path.
///
/// **Units** nanoseconds. Sums stop at [`u64::MAX`], which only a damaged file reaches.
#[derive(Debug, Clone, PartialEq)]
pub struct PathTally {
    /// Spans, a continued one counted once.
    pub count: u64,
    /// Sum of durations.
    pub total_ns: u64,
    /// Sum of squared durations, in ns², for the standard deviation.
    pub square_ns2: f64,
    /// Shortest duration; [`u64::MAX`] while `count` is 0.
    pub min_ns: u64,
    /// Longest duration.
    pub max_ns: u64,
    /// Durations of spans that did not take from their parent's own time: detached ones and segments aside.
    pub outside_ns: u64,
    /// CPU time of the process, over the spans that carried it.
    pub process_ns: Option<u64>,
    /// CPU time of the thread, over the spans that carried it.
    pub thread_ns: Option<u64>,
    /// Wall time from first start to end, of spans that were suspended.
    pub wall_ns: Option<u64>,
    /// Spans that were closed out of order.
    pub unbalanced: u64,
    /// Pieces that continue a span which isn't here: each counts as a span.
    pub continued: u64,
    /// What these take.
    pub continued_ns: u64,
    /// Spans whose launches were still being computed when they ended.
    pub in_flight: u64,
    /// Spans whose launches were looked at and ready.
    pub waited: u64,
    /// Host memory, over the spans that carried it.
    pub memory: Option<Box<MemoryTally>>,
    /// Work, over the spans that carried it.
    pub work: Option<Box<WorkTally>>,
    /// Durations.
    pub histogram: Histogram,
    /// Durations that are not counted yet.
    latest: Latest,
}

/// The latest durations of a path: counting several at once costs less for each, and a later span
/// may still continue the last one.
#[derive(Debug, Clone, Copy, Default)]
struct Latest {
    durations_ns: [u64; Self::MOST],
    count: usize,
    /// Which of them continues a span that isn't here, counted from 1; 0 for none.
    continued: usize,
}

impl Latest {
    /// As many as fill a line of the cache, with their count.
    const MOST: usize = 7;

    fn durations(&self) -> &[u64] {
        &self.durations_ns[..self.count]
    }

    fn last(&mut self) -> Option<&mut u64> {
        self.durations_ns[..self.count].last_mut()
    }
}

impl PartialEq for Latest {
    fn eq(&self, other: &Self) -> bool {
        self.durations() == other.durations()
    }
}

impl Default for PathTally {
    fn default() -> Self {
        Self {
            count: 0,
            total_ns: 0,
            square_ns2: 0.0,
            min_ns: u64::MAX,
            max_ns: 0,
            outside_ns: 0,
            process_ns: None,
            thread_ns: None,
            wall_ns: None,
            unbalanced: 0,
            continued: 0,
            continued_ns: 0,
            in_flight: 0,
            waited: 0,
            memory: None,
            work: None,
            histogram: Histogram::new(),
            latest: Latest::default(),
        }
    }
}

impl PathTally {
    /// What the parent's own time loses to these spans.
    pub fn nested_ns(&self) -> u64 {
        self.total_ns.saturating_sub(self.outside_ns)
    }

    /// What the spans that are longer than `usual_ns` take beyond it, together; of settled ones. Each duration is known to
    /// [`Histogram::RELATIVE_ERROR`].
    pub fn beyond_ns(&self, usual_ns: u64) -> u64 {
        let (min_ns, max_ns) = (self.min_ns as f64, self.max_ns as f64);
        let each = self.histogram.iter().map(|(bucket, count)| {
            let duration_ns = histogram::middle_of(bucket).min(max_ns).max(min_ns);
            count as f64 * (duration_ns - usual_ns as f64).max(0.0)
        });
        each.sum::<f64>().round() as u64
    }

    /// Adds one span without anything unusual.
    #[inline]
    pub fn fold_plain(&mut self, duration_ns: u64) {
        if self.latest.count == Latest::MOST {
            self.settle();
        }
        let Latest {
            durations_ns,
            count,
            ..
        } = &mut self.latest;
        durations_ns[*count] = duration_ns;
        *count += 1;
    }

    /// Adds one span.
    #[inline]
    pub fn fold(&mut self, span: &Span, rate: Rate) {
        let duration_ns = rate.nanoseconds(span.duration);
        if span.flags == SpanFlags::NONE {
            self.fold_plain(duration_ns);
        } else {
            self.fold_unusual(span, duration_ns, rate);
        }
    }

    #[cold]
    fn fold_unusual(&mut self, span: &Span, duration_ns: u64, rate: Rate) {
        let flags = span.flags;
        if flags.has(SpanFlags::UNFINISHED) {
            return; // it would make all others longer: its time stays with what it lies in
        }
        if flags.takes_nothing() {
            self.outside_ns = self.outside_ns.saturating_add(duration_ns);
        }
        self.unbalanced += u64::from(flags.has(SpanFlags::UNBALANCED));
        self.in_flight += u64::from(flags.has(SpanFlags::IN_FLIGHT));
        self.waited += u64::from(flags.has(SpanFlags::WAITED));
        add(&mut self.process_ns, span.process_ns);
        add(&mut self.thread_ns, span.thread_ns);
        add(
            &mut self.wall_ns,
            span.wall.map(|wall| rate.nanoseconds(wall)),
        );
        if let Some(memory) = span.memory
            && flags.has(SpanFlags::DETACHED)
        {
            let tally = self.memory.get_or_insert_default();
            tally.outside_sum_bytes = tally.outside_sum_bytes.saturating_add(memory.net_bytes);
        }
        if flags.has(SpanFlags::FLOP) || flags.has(SpanFlags::BYTES) {
            let tally = self.work.get_or_insert_default();
            tally.add(span.work, duration_ns);
        }
        self.settle_but_last();
        let goes_on = self.latest.continued > 0;
        if flags.has(SpanFlags::CONTINUES)
            && let Some(last_ns) = self.latest.last()
        {
            if goes_on {
                self.continued_ns = self.continued_ns.saturating_add(duration_ns);
            }
            *last_ns = last_ns.saturating_add(duration_ns);
            if let Some(tally) = &mut self.memory {
                tally.go_on(span.memory);
            }
            return;
        }
        self.settle();
        self.fold_plain(duration_ns);
        if flags.has(SpanFlags::CONTINUES) {
            self.continued += 1;
            self.continued_ns = self.continued_ns.saturating_add(duration_ns);
            self.latest.continued = 1;
        }
        if let Some(memory) = span.memory {
            self.memory.get_or_insert_default().begin(memory);
        }
    }

    /// Counts all spans: nothing continues the last one any more.
    #[inline(never)]
    pub fn settle(&mut self) {
        let latest = std::mem::take(&mut self.latest);
        self.count_each(latest.durations());
    }

    /// Counts all spans but the last one.
    fn settle_but_last(&mut self) {
        if self.latest.count > 1 {
            let latest = std::mem::take(&mut self.latest);
            if let [before @ .., last] = latest.durations() {
                self.count_each(before);
                self.fold_plain(*last);
                self.latest.continued = usize::from(latest.continued == latest.count);
            }
        }
    }

    fn count_each(&mut self, durations_ns: &[u64]) {
        if durations_ns.is_empty() {
            return;
        }
        let (mut sum_ns, mut square_ns2) = (0_u64, self.square_ns2);
        let (mut min_ns, mut max_ns) = (self.min_ns, self.max_ns);
        let buckets = durations_ns.iter().map(|ns| {
            sum_ns = sum_ns.saturating_add(*ns);
            min_ns = min_ns.min(*ns);
            max_ns = max_ns.max(*ns);
            let float = histogram::to_float(*ns);
            square_ns2 += float * float;
            histogram::bucket_of_float(float)
        });
        self.histogram.add_all(buckets);
        self.total_ns = self.total_ns.saturating_add(sum_ns);
        self.square_ns2 = square_ns2;
        (self.min_ns, self.max_ns) = (min_ns, max_ns);
        self.count += durations_ns.len() as u64;
        if let Some(memory) = &mut self.memory {
            memory.settle();
        }
    }

    /// Whether any span was added.
    pub fn has_spans(&self) -> bool {
        self.count > 0 || self.latest.count > 0
    }

    /// Adds the totals of another process or thread. Both are settled first.
    pub fn merge(&mut self, other: Self) {
        self.append(other);
        self.settle();
    }

    /// Adds the totals of what came later: a span may go on that came last, there or, without any there, here.
    pub fn append(&mut self, mut other: Self) {
        if !other.has_spans() {
            return;
        }
        self.settle();
        other.settle_but_last();
        self.latest = other.latest;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        self.square_ns2 += other.square_ns2;
        self.outside_ns = self.outside_ns.saturating_add(other.outside_ns);
        self.unbalanced += other.unbalanced;
        self.continued += other.continued;
        self.continued_ns = self.continued_ns.saturating_add(other.continued_ns);
        self.in_flight += other.in_flight;
        self.waited += other.waited;
        add(&mut self.process_ns, other.process_ns);
        add(&mut self.thread_ns, other.thread_ns);
        add(&mut self.wall_ns, other.wall_ns);
        self.histogram.merge(&other.histogram);
        if let Some(memory) = &other.memory {
            self.memory.get_or_insert_default().merge(memory);
        }
        if let Some(work) = &other.work {
            self.work.get_or_insert_default().merge(work);
        }
    }
}

fn add(total: &mut Option<u64>, part: Option<u64>) {
    if let Some(part) = part {
        *total = Some(total.unwrap_or(0).saturating_add(part));
    }
}

/// The tallies of one process, by path number.
#[derive(Debug, Clone, Default)]
pub struct Tallies {
    by_path: Vec<PathTally>,
}

impl Tallies {
    /// Nothing counted yet.
    pub const fn new() -> Self {
        Self {
            by_path: Vec::new(),
        }
    }

    /// Adds one span.
    #[inline]
    pub fn fold(&mut self, span: &Span, rate: Rate) {
        let index = span.path.index();
        if index >= self.by_path.len() {
            self.grow(index);
        }
        self.by_path[index].fold(span, rate);
    }

    /// Adds one span without anything unusual.
    #[inline]
    pub fn fold_plain(&mut self, path: PathId, duration_ns: u64) {
        let index = path.index();
        if index >= self.by_path.len() {
            self.grow(index);
        }
        self.by_path[index].fold_plain(duration_ns);
    }

    #[cold]
    fn grow(&mut self, index: usize) {
        self.by_path
            .resize_with(index.min(crate::PathTable::LIMIT) + 1, PathTally::default);
    }

    /// Whether a path has spans.
    pub fn has(&self, path: PathId) -> bool {
        self.by_path
            .get(path.index())
            .is_some_and(PathTally::has_spans)
    }

    /// Adds those of what came later, as [`PathTally::append`] does.
    pub fn append(&mut self, later: Self) {
        if later.by_path.len() > self.by_path.len() {
            self.by_path
                .resize_with(later.by_path.len(), PathTally::default);
        }
        for (tally, other) in self.by_path.iter_mut().zip(later.by_path) {
            tally.append(other);
        }
    }

    /// The tallies of the paths that others are told as; what is told of none is left out.
    #[must_use]
    pub fn folded(self, told: impl Fn(PathId) -> Option<PathId>) -> Self {
        let mut folded = Self::new();
        for (id, tally) in (0_u32..).zip(self.by_path) {
            if let Some(path) = told(PathId(id)).filter(|_| tally.has_spans()) {
                if path.index() >= folded.by_path.len() {
                    folded.grow(path.index());
                }
                folded.by_path[path.index()].merge(tally);
            }
        }
        folded
    }

    /// Settles one path; `None` without spans.
    pub fn settled_at(&mut self, path: PathId) -> Option<&PathTally> {
        let tally = self.by_path.get_mut(path.index())?;
        tally.settle();
        (tally.count > 0).then_some(tally)
    }

    /// How many spans a path has, settled or not.
    pub fn count_of(&self, path: PathId) -> u64 {
        let mut tally = self.by_path.get(path.index()).cloned().unwrap_or_default();
        tally.settle();
        tally.count
    }

    /// Settles every path and yields those that have spans.
    pub fn settled(&mut self) -> impl Iterator<Item = (PathId, &PathTally)> {
        self.by_path.iter_mut().for_each(PathTally::settle);
        (0_u32..)
            .zip(&self.by_path)
            .filter(|(_, tally)| tally.count > 0)
            .map(|(id, tally)| (PathId(id), tally))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate() -> Rate {
        Rate::new(2.0)
    }

    fn flagged(duration: u64, flags: SpanFlags) -> Span {
        Span {
            flags,
            ..Span::plain(PathId(2), 0, duration, 1)
        }
    }

    #[test]
    fn ticks_become_nanoseconds_and_add_up() {
        let mut tallies = Tallies::new();
        for duration in [10, 30, 20] {
            tallies.fold(&Span::plain(PathId(2), 0, duration, 1), rate());
        }
        let (path, tally) = tallies.settled().next().unwrap();
        assert_eq!(path, PathId(2));
        assert_eq!(
            (tally.count, tally.total_ns, tally.min_ns, tally.max_ns),
            (3, 120, 20, 60)
        );
        assert_eq!(tally.nested_ns(), 120);
    }

    #[test]
    fn what_spans_take_beyond_the_usual_is_not_what_short_ones_save() {
        let beyond_ns = |durations: &[u64], usual_ns| {
            let mut tally = PathTally::default();
            for duration in durations {
                tally.fold_plain(*duration);
            }
            tally.settle();
            tally.beyond_ns(usual_ns)
        };
        // Two in ten are next to nothing, which is no gain to the slow one.
        let steps = [1, 1, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 3_000];
        let found = beyond_ns(&steps, 1_000);
        assert!((1_960..=2_040).contains(&found), "{found}");
        assert_eq!(beyond_ns(&[1_000; 9], 1_000), 0);
        assert_eq!(beyond_ns(&[10, 20, 30], 30), 0);
        assert_eq!(beyond_ns(&[], 30), 0);
    }

    #[test]
    fn a_continued_span_counts_once_with_its_whole_duration() {
        let mut tally = PathTally::default();
        tally.fold(&flagged(10, SpanFlags::NONE), rate());
        tally.fold(&flagged(5, SpanFlags::CONTINUES), rate());
        tally.fold(&flagged(40, SpanFlags::NONE), rate());
        tally.settle();
        assert_eq!(
            (tally.count, tally.min_ns, tally.max_ns, tally.total_ns),
            (2, 30, 80, 110)
        );
    }

    #[test]
    fn a_piece_whose_span_was_lost_counts_as_a_span() {
        let mut tallies = Tallies::new();
        tallies.fold(&flagged(10, SpanFlags::CONTINUES), rate());
        tallies.fold(&flagged(5, SpanFlags::CONTINUES), rate());
        let (_, tally) = tallies.settled().next().unwrap();
        assert_eq!((tally.count, tally.total_ns, tally.max_ns), (1, 30, 30));
    }

    #[test]
    fn a_span_goes_on_over_the_border_of_two_appended_tallies() {
        let mut tallies = [Tallies::new(), Tallies::new()];
        tallies[0].fold(&flagged(10, SpanFlags::NONE), rate());
        let [mut earlier, later] = tallies;
        earlier.append(later);
        earlier.fold(&flagged(5, SpanFlags::CONTINUES), rate());
        let (_, tally) = earlier.settled().next().unwrap();
        assert_eq!((tally.count, tally.max_ns), (1, 30));
    }

    #[test]
    fn a_span_that_was_cut_short_makes_no_other_longer() {
        let mut tally = PathTally::default();
        tally.fold(&flagged(10, SpanFlags::NONE), rate());
        tally.fold(&flagged(5_000, SpanFlags::UNFINISHED), rate());
        tally.fold(&flagged(5, SpanFlags::CONTINUES), rate());
        tally.settle();
        assert_eq!((tally.count, tally.max_ns, tally.total_ns), (1, 30, 30));
    }

    #[test]
    fn a_segment_aside_or_detached_is_not_taken_from_its_parent() {
        let mut tally = PathTally::default();
        tally.fold(&flagged(10, SpanFlags::ASIDE), rate());
        tally.fold(&flagged(10, SpanFlags::DETACHED), rate());
        tally.fold(&flagged(10, SpanFlags::UNBALANCED), rate());
        tally.fold(&flagged(10, SpanFlags::WITHIN), rate());
        tally.settle();
        assert_eq!(
            (tally.count, tally.nested_ns(), tally.unbalanced),
            (4, 40, 1)
        );
    }

    #[test]
    fn merging_two_halves_is_folding_the_whole() {
        let durations = [3_u64, 900, 14, 14, 7_000, 1];
        let mut whole = PathTally::default();
        let mut halves = [PathTally::default(), PathTally::default()];
        for (index, duration) in durations.iter().enumerate() {
            whole.fold(&flagged(*duration, SpanFlags::NONE), rate());
            halves[index % 2].fold(&flagged(*duration, SpanFlags::NONE), rate());
        }
        whole.settle();
        let [mut left, right] = halves;
        left.merge(right);
        assert_eq!(left, whole);
    }
}
