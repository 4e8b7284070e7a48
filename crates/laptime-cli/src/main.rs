//! The `laptime` program: hands its arguments and streams to [`laptime_cli::run`].

use std::io::{stderr, stdout};
use std::process::exit;

fn main() {
    exit(laptime_cli::run(
        std::env::args_os(),
        &mut stdout(),
        &mut stderr(),
    ));
}
