//! A machine's ceilings as a table: the rate that each bounds, its size, and its origin.

use laptime_core::ceilings::{Bound, Ceiling, Ceilings, Measured, Origin};

use crate::quantity::{percent, si, thousands};
use crate::{Shown, text};

/// Renders the table. A star marks the ceilings that rates are compared with.
pub fn text(ceilings: &Ceilings) -> Shown {
    let heading = ["device", "", "ceiling  ", "origin"].map(str::to_owned);
    let rows: Vec<[String; 4]> = std::iter::once(heading)
        .chain(ceilings.all.iter().map(|ceiling| row(ceilings, ceiling)))
        .collect();
    let rows = text::aligned(&rows, "  ", &[2]);
    let mut text = format!("{}\n\n{rows}", ceilings.machine);
    for (what, why) in &ceilings.absent {
        text += "– ";
        text += what;
        text += ": ";
        text += &why.0;
        text.push('\n');
    }
    text += "\n* what rates are compared with: published, else what matrix products reach, else what \
             instructions could\n";
    Shown::lines(&text)
}

/// Renders the ceilings as JSON, as they are kept.
pub fn json(ceilings: &Ceilings) -> Shown {
    Shown::json(serde_json::to_string_pretty(ceilings).unwrap_or_default())
}

fn row(ceilings: &Ceilings, ceiling: &Ceiling) -> [String; 4] {
    let chosen = ceilings.get(&ceiling.device, &ceiling.bound);
    let star = if chosen.is_ok_and(|chosen| chosen == ceiling) {
        " *"
    } else {
        "  "
    };
    let (what, unit) = match &ceiling.bound {
        Bound::Flop(dtype) if dtype.starts_with("int") => (dtype.as_str(), "op/s"),
        Bound::Flop(dtype) => (dtype.as_str(), "FLOP/s"),
        Bound::Bytes => ("memory", "B/s"),
    };
    [
        ceiling.device.clone(),
        what.to_owned(),
        si(ceiling.per_s, unit) + star,
        origin(&ceiling.origin),
    ]
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Published { source } => format!("published: {source}"),
        Origin::Instructions(measured) | Origin::Framework(measured) => {
            let Measured {
                how,
                samples,
                median_ratio,
                ..
            } = measured;
            let busy = if measured.was_disturbed() {
                "; unreliable: the machine was busy, a quiet one may reach more"
            } else {
                ""
            };
            let samples = thousands(*samples);
            let median = percent(*median_ratio).inline();
            format!("measured: {how}, best of {samples}, their median at {median} of it{busy}")
        }
    }
}

#[cfg(test)]
mod tests {
    use laptime_core::ceilings::Sample;

    use super::*;

    #[test]
    fn every_ceiling_says_where_it_comes_from_and_which_counts() {
        let measured = |how: &str, per_s: f64| {
            let sample = |seconds| Sample {
                seconds,
                cpu_ratio: Some(if per_s < 1e11 { 0.5 } else { 1.0 }),
            };
            let samples = [1.0, 1.25, 1.25].map(sample);
            Measured::best_of(how.into(), per_s, &samples).unwrap().1
        };
        let ceiling = |bound, per_s, origin| Ceiling {
            device: "cpu".into(),
            bound,
            per_s,
            origin,
        };
        let flop = || Bound::Flop("float32".into());
        let mut ceilings = Ceilings {
            machine: "a processor, 2 processors".into(),
            ..Ceilings::default()
        };
        let instructions = measured("AVX2 multiply-adds on 2 threads", 5.11e11);
        ceilings.add(ceiling(flop(), 5.11e11, Origin::Instructions(instructions)));
        let products = measured("torch 2.15.0 products", 1.97e11);
        ceilings.add(ceiling(flop(), 1.97e11, Origin::Framework(products)));
        let triad = measured("triad on 2 threads", 9.72e10);
        ceilings.add(ceiling(Bound::Bytes, 9.72e10, Origin::Instructions(triad)));
        insta::assert_snapshot!(text(&ceilings), @r"
        a processor, 2 processors

        device               ceiling    origin
        cpu     float32  511 GFLOP/s    measured: AVX2 multiply-adds on 2 threads, best of 3, their median at 80.0 % of it
        cpu     float32  197 GFLOP/s *  measured: torch 2.15.0 products, best of 3, their median at 80.0 % of it
        cpu     memory     97.2 GB/s *  measured: triad on 2 threads, best of 3, their median at 80.0 % of it; unreliable: the machine was busy, a quiet one may reach more

        * what rates are compared with: published, else what matrix products reach, else what instructions could
        ");
    }
}
