use super::*;

const MS: u64 = 1_000_000;

#[test]
fn compiling_is_told_with_where_and_how_often() {
    let place = |path: &str, count, ms: u64| laptime_analysis::CompiledIn {
        path: path.to_owned(),
        count,
        total_ns: ms * MS,
    };
    let told = |count, places| {
        finding_sentence(&Finding::Compiling {
            count,
            total_ns: 7_400 * MS,
            wall_ns: 10_000 * MS,
            places,
        })
    };
    let places = vec![
        place("evaluation/compile", 2, 5_000),
        place("compile", 1, 1_500),
        place("step/forward/compile", 1, 800),
    ];
    insta::assert_snapshot!(told(5, places).unwrap(), @"Compiling took 7.40 s, 74 % of the run: 2 times in evaluation (5.00 s), 1 time outside of other laps (1.50 s), 1 time in step/forward (800 ms), 1 time elsewhere. If that is the same function again and again, inputs of the same shapes need it once: `TORCH_LOGS=recompiles` or `JAX_LOG_COMPILES=1` print what differs. `TORCHINDUCTOR_CACHE_DIR` and `JAX_COMPILATION_CACHE_DIR` keep what was compiled for the next run.");
    // Of another function in each place, once, no inputs have other shapes than before.
    let each = vec![
        place("compile", 1, 4_000),
        place("step/forward/compile", 1, 3_400),
    ];
    insta::assert_snapshot!(told(2, each).unwrap(), @"Compiling took 7.40 s, 74 % of the run: 1 time outside of other laps (4.00 s), 1 time in step/forward (3.40 s). `TORCHINDUCTOR_CACHE_DIR` and `JAX_COMPILATION_CACHE_DIR` keep what was compiled for the next run.");
    // More places than are named may have compiled again.
    let more = told(9, vec![place("evaluation/compile", 1, 7_400)]).unwrap();
    assert!(more.contains("same shapes"), "{more}");
}
