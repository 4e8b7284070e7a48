use proptest::prelude::*;

use laptime_analysis::BoundBy;

use super::*;
use crate::document::Cell;
use crate::document::column::Column;
use crate::text::glyphs::Glyphs;

fn roof() -> Roof {
    Roof {
        flop_per_s: 1e12,
        flop_label: "measured float32 matmul peak of cpu".to_owned(),
        bytes_per_s: 1e10,
        bytes_label: "measured memory bandwidth of cpu".to_owned(),
    }
}

fn point(name: &str, total_flop: u128, bytes: u128) -> Point {
    Point {
        name: name.to_owned(),
        total_flop,
        bytes,
        achieved_flop_per_s: None,
    }
}

#[test]
fn below_the_ridge_memory_holds_back() {
    let (low, high) = (point("low", 99, 1), point("high", 100, 1));
    assert_eq!(low.bound(&roof()), Some(BoundBy::Memory));
    assert_eq!(high.bound(&roof()), Some(BoundBy::Arithmetic));
    assert!((roof().attainable_flop_per_s(50.0) - 5e11).abs() < 1.0);
    assert!((roof().attainable_flop_per_s(500.0) - 1e12).abs() < 1.0);
}

#[test]
fn work_takes_at_least_the_longer_of_its_two_times() {
    // 1e12 FLOP take a second, 2e10 bytes two.
    assert!((point("", 1_000_000_000_000, 20_000_000_000).least_s(&roof()) - 2.0).abs() < 1e-9);
    assert!((point("", 3_000_000_000_000, 20_000_000_000).least_s(&roof()) - 3.0).abs() < 1e-9);
}

#[test]
fn the_points_that_take_longest_are_shown_and_the_rest_is_said() {
    let mut points: Vec<Point> = (1..=20)
        .map(|index| point(&format!("p{index}"), index * 1_000, 10))
        .collect();
    points.push(point("view", 0, 10));
    let roofline = Roofline::new(roof(), points).unwrap();
    assert_eq!(roofline.points.len(), MOST_POINTS);
    assert_eq!(roofline.points[0].name, "p20");
    assert_eq!(
        roofline.notes[1..],
        [
            "8 points that take less time not shown",
            "1 point without floating-point work not shown"
        ]
    );
}

#[test]
fn modules_that_are_alike_are_one_point_with_all_their_work() {
    let (mut counts, _) = crate::tables::operations::examples::network();
    counts.by_module[5].inclusive = counts.by_module[4].inclusive;
    let points = of_counts(&counts, None, None);
    let block = &counts.by_module[4].inclusive.total().cost;
    let point = points
        .iter()
        .find(|point| point.name == "layers.0 and 1 alike")
        .unwrap();
    assert_eq!(point.total_flop, 2 * block.total_flop());
    assert_eq!(point.bytes, 2 * block.bytes());
    // Operators keep their names.
    let names = |points: Vec<Point>| {
        points
            .into_iter()
            .map(|point| point.name)
            .collect::<Vec<_>>()
    };
    counts.by_op[1].tallies = counts.by_op[0].tallies;
    let operators = names(of_counts(
        &counts,
        Some(crate::tables::operations::By::Operator),
        None,
    ));
    assert_eq!(operators[..2], ["aten::convolution", "aten::addmm"]);
}

#[test]
fn without_a_roof_or_a_point_the_reason_is_said() {
    let flat = Roof {
        bytes_per_s: 0.0,
        ..roof()
    };
    let why = Roofline::new(flat, vec![point("a", 1, 1)]).unwrap_err();
    assert_eq!(why.to_string(), "the machine's ceilings are not known");
    let why = Roofline::new(roof(), vec![point("a", 0, 1)]).unwrap_err();
    assert_eq!(why.to_string(), "nothing both computes and moves bytes");
}

#[test]
fn what_is_above_its_roof_is_bound_by_nothing_that_is_known() {
    // 10 GB/s and 5 FLOP/byte: 50 GFLOP/s.
    let mut cached = point("cached", 5_000, 1_000);
    cached.achieved_flop_per_s = Some(5.4e10);
    assert_eq!(cached.bound(&roof()), Some(BoundBy::Memory));
    cached.achieved_flop_per_s = Some(9e10);
    assert_eq!(cached.bound(&roof()), None);
    let roofline = Roofline::new(roof(), vec![cached]).unwrap();
    assert!(roofline.notes[1].starts_with("what is above the roof has its bytes from caches"));
    let table = roofline.table();
    let column = |column| table.columns.iter().position(|known| *known == column);
    let cells = &table.rows[0].cells;
    assert_eq!(cells[column(Column::BOUND).unwrap()], Cell::from("above"));
    assert_eq!(cells[column(Column::LEAST_TIME).unwrap()], Cell::Blank);
    let json = serde_json::to_value(&roofline).unwrap();
    assert!(json["points"][0]["bound"].is_null() && json["points"][0]["least_s"].is_null());
}

#[test]
fn what_was_achieved_stands_below_the_roof_in_ascii_too() {
    let mut slow = point("slow", 1_000_000_000, 1_000_000);
    slow.achieved_flop_per_s = Some(2e10);
    let bare = point("bare", 1_000_000_000, 1_000_000_000);
    let roofline = Roofline::new(roof(), vec![slow, bare]).unwrap();
    insta::assert_snapshot!(plot::render(&roofline, 70, &Glyphs::new(false)), @r"
          |
          |
      1 T |                                    //-----------------------
          |                                 ///
          |                             ////
          |                          ////
          |                       ///
    100 G |                   ////
          |                ////
          |             ////
          |         ////                                        2
     10 G |      //1/
          |   ////
          |///
          +--------+--------------+--------------+--------------+-------
                   1             10             100            1k
           FLOP/s over FLOP/byte; the roof: 10.0 GB/s and 1.00 TFLOP/s
    ");
    let table = roofline.table();
    assert!(table.columns.contains(&Column::ACHIEVED));
    assert_eq!(table.rows[0].cells[3], Cell::Blank);
    assert_eq!(table.rows[1].cells[3], Cell::Rate(2e10));
}

/// Checks the drawing for a notebook, which has no styles of ours: without its own colours all of it would be black.
#[test]
fn every_element_of_the_drawing_has_a_look_of_its_own() {
    let measured = Point {
        achieved_flop_per_s: Some(2e10),
        ..point("a", 1_000_000, 1_000)
    };
    let slow = point("<path class=\"grid\"", 1_000, 1_000_000);
    let svg = svg::render(&Roofline::new(roof(), vec![measured, slow]).unwrap());
    let is_drawn = |element: &&str| element.starts_with("path") || element.starts_with("circle");
    for element in svg.split('<').filter(is_drawn) {
        let is_styled = element.contains("fill=") || element.contains("stroke=");
        assert!(is_styled, "{element}");
    }
    let colours = svg.split("var(").skip(1);
    assert!(colours.clone().count() > 10);
    for colour in colours {
        let (variable, _) = colour.split_once(')').unwrap();
        assert!(variable.contains(','), "{variable} is a page's alone");
    }
}

proptest! {
    /// Checks that both pictures come out whole, whatever is counted and measured.
    #[test]
    fn any_point_below_any_roof_can_be_drawn(
        flop in 1_u128..u128::MAX / 4,
        bytes in 1_u128..u128::MAX / 4,
        peak in 1e-3_f64..1e30,
        bandwidth in 1e-3_f64..1e30,
        achieved in proptest::option::of(0.0_f64..1e30),
        width in 0_usize..300,
    ) {
        let roof = Roof { flop_per_s: peak, bytes_per_s: bandwidth, ..roof() };
        let point = Point { achieved_flop_per_s: achieved, ..point("p", flop, bytes) };
        let other = Point { bytes: point.bytes + 1, ..point.clone() };
        let roofline = Roofline::new(roof, vec![point, other]).unwrap();
        let plot = plot::render(&roofline, width, &Glyphs::new(true));
        prop_assert!(plot.contains('1') && plot.contains('2'));
        let svg = svg::render(&roofline);
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
        prop_assert_eq!(svg.matches("class=\"mark\"").count(), 2);
    }
}

#[test]
fn the_roof_of_a_device_says_what_it_is_or_what_is_not_known() {
    use laptime_core::ceilings::{Bound as What, Ceiling, Ceilings, Origin};
    let mut ceilings = Ceilings::default();
    let mut add = |bound, per_s| {
        let source = "a datasheet".to_owned();
        ceilings.add(Ceiling {
            device: "cuda:0".to_owned(),
            bound,
            per_s,
            origin: Origin::Published { source },
        });
    };
    add(What::Flop("bfloat16".to_owned()), 9.89e14);
    add(What::Bytes, 3.35e12);
    let roof = Roof::of_device(&ceilings, "cuda:0", "bfloat16").unwrap();
    assert!((roof.ridge_flop_per_byte() - 9.89e14 / 3.35e12).abs() < 1e-9);
    assert_eq!(roof.flop_label, "published bfloat16 peak of cuda:0");
    let why = Roof::of_device(&ceilings, "cuda:0", "int8").unwrap_err();
    assert_eq!(why.to_string(), "no int8 peak of cuda:0 is known");
}

fn reaching(name: &str, intensity: u128, rate: f64) -> Point {
    Point {
        achieved_flop_per_s: Some(rate),
        ..point(name, intensity * 1_000_000, 1_000_000)
    }
}

/// Returns the lines of a picture without their margin, down to the axis.
fn picture(plot: &str) -> Vec<Vec<char>> {
    let lines = plot.lines().filter_map(|line| line.split_once('|'));
    lines.map(|(_, line)| line.chars().collect()).collect()
}

fn row_of(plot: &str, mark: char) -> Option<usize> {
    let lines = picture(plot);
    lines.iter().position(|line| line.contains(&mark))
}

#[test]
fn points_that_are_alike_share_a_mark_where_they_are() {
    let alike = (0..9).map(|index| reaching(&format!("p{index}"), 18, 3e9 + f64::from(index)));
    let apart = reaching("apart", 18, 1e8);
    let roofline = Roofline::new(roof(), alike.chain([apart]).collect()).unwrap();
    let plot = plot::render(&roofline, 100, &Glyphs::new(false));
    let rows: Vec<usize> = ('1'..='9').filter_map(|mark| row_of(&plot, mark)).collect();
    assert_eq!(rows.len(), 1, "one mark for all of them:\n{plot}");
    let last = plot.lines().last().unwrap().trim();
    assert_eq!(last, "1 is 2, 3, 4, 5, 6, 7, 8 and 9 too");
    assert!(row_of(&plot, 'a') > row_of(&plot, '1'), "{plot}");
}

proptest! {
    /// Checks that points with less FLOP/s stand no higher, and none stands above a roof that it is below.
    #[test]
    fn points_stand_at_their_values(
        rates in proptest::collection::vec((1_u128..1_000, 1e-3_f64..1.0), 1..12),
        width in 30_usize..100,
    ) {
        let points = rates.iter().enumerate().map(|(index, (intensity, part))| {
            let most = roof().attainable_flop_per_s(*intensity as f64);
            reaching(&index.to_string(), *intensity, part * most)
        });
        let roofline = Roofline::new(roof(), points.collect()).unwrap();
        let plot = plot::render(&roofline, width, &Glyphs::new(false));
        let place = |index: usize| row_of(&plot, mark(index));
        let seen = (0..roofline.points.len()).filter_map(|index| {
            Some((roofline.points[index].achieved_flop_per_s?, place(index)?))
        });
        let mut seen: Vec<(f64, usize)> = seen.collect();
        seen.sort_by(|one, other| one.0.total_cmp(&other.0));
        prop_assert!(seen.is_sorted_by(|low, high| low.1 >= high.1), "{}", plot);
    }
}
