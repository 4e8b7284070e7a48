//! The `laptime` program: hands its arguments to [`laptime_cli::of_process`].

fn main() {
    std::process::exit(laptime_cli::of_process(std::env::args_os()));
}
