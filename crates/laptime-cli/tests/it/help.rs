//! What `laptime` says about itself: help, usage errors, completions, the manual page.

use crate::place::Place;

#[test]
fn all_commands_are_listed() {
    let left = Place::new().laptime(&["--help"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    insta::assert_snapshot!(left.out, @r"
    Tells where a program spends its time

    Usage: laptime <COMMAND>

    Commands:
      run          Run a program with recording on, then print where its time went
      report       Show where the time of a recording went
      compare      Tell whether a program got faster or slower, and where, from recordings
      ranks        Tell which rank of a job holds the others up, since when, and why
      bench        Tell which command is faster: run them in turns until it's clear
      export       Write a recording in the format of another tool: Perfetto, speedscope, data frames
      list         List the recordings of this folder, the newest first
      clean        Delete all recordings of .laptime/runs but the newest
      ops          Count what a model costs: parameters, MAC, FLOP and bytes, from shapes alone
      doctor       Show the clock and why, what a span costs here, and what the system allows
      pack         Make one file of a recording, to send or to keep
      completions  Print a script that teaches a shell Laptime's commands and flags
      man          Print the manual page; read it with `laptime man | man -l -`
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version
    ");
}

#[test]
fn run_explains_itself() {
    let left = Place::new().laptime(&["run", "--help"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    insta::assert_snapshot!(left.out, @"
    Run a program with recording on, then print where its time went

    A `.py` file runs under the interpreter that Laptime is installed in. Every Python below records,
    however it is started; PyTorch training is split into phases without an edit. The program keeps its
    own output and exit code; the summary goes to stderr.

    Usage: laptime run [OPTIONS] [--] <PROGRAM> [ARGS]...
           laptime run [OPTIONS] -m <MODULE> [ARGS]...
           laptime run [OPTIONS] -c <CODE> [ARGS]...

    Arguments:
      [PROGRAM] [ARGS]...
              The script or program, and its arguments

    Options:
      -o, --output <FILE>
              Where to record; ends in .lap [default: .laptime/runs/<PROGRAM>-<n>.lap]

          --force
              Replace the recording named by --output

          --html <FILE>
              Also write the report as an HTML page, which ends in .html; replaces what is there

          --modules
              Also time every module of the network, forward and backward

          --ops
              Count the operations of each step once, and join them with the time: FLOP/s, MFU

          --no-stacks
              Don't sample which functions Python's threads are in, which is done up to a hundred times
              per second

          --calls
              Count every call of a function and of a builtin, as cProfile does; short functions get
              slower

          --nvtx
              Hand laps and phases to nsys or ncu as NVTX ranges, and say so where no such tool is
              attached

          --kernels <FIRST:END>
              Profile the operators and kernels of these steps, counted from 0 and without the last:
              10:13

          --memory[=<WHAT>]
              Count what every span allocates and frees; `objects` counts small Python objects one by
              one too

          --no-auto
              Record only the program's own laps: no automatic phases

      -m <MODULE> [ARGS]...
              Run a Python module, as `python -m` does; what follows is its own

      -c <CODE> [ARGS]...
              Run this code, as `python -c` does; what follows is its own

      -h, --help
              Print help (see a summary with '-h')

    Exit code: the program's own; a signal that ended the program ends laptime, too (128 + N in a
    shell). 125 wrong usage, or Laptime could not start it, 126 it is not executable, 127 it was not
    found. 2 is always the program's.
    ");
}

#[test]
fn report_explains_itself() {
    let left = Place::new().laptime(&["report", "-h"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    insta::assert_snapshot!(left.out, @"
    Show where the time of a recording went

    Usage: laptime report [OPTIONS] [FILE]

    Arguments:
      [FILE]  The recording, or its name in .laptime/runs; a folder, a packed file or one process's file
              [default: the last run here]

    Options:
      -f, --format <FORMAT>     In which form [default: text, or what --output ends in] [possible
                                values: text, tree, markdown, json, csv, html]
          --json                Same as --format json
      -o, --output <FILE>       Write there instead of to standard output; replaces what is there
          --open                Show what was written in a browser; without --output a page beside the
                                run
          --tree                Draw the laps as a tree, and below each the functions that took its time
          --functions           Show the functions that each lap was in, where stacks were sampled or
                                calls counted (same as --by function)
          --kernels             Show the operators and kernels of each lap, where steps were profiled by
                                --kernels
          --by <BY>             What a row is: a path, a path in one process, a module, a class of
                                modules, or a function in a lap [default: path] [possible values: path,
                                process, module, class, function]
          --sort <SORT>         What comes first among the spans inside one span [default: total]
                                [possible values: total, self, count, mean, p50, max, kept, peak, name,
                                appearance]
          --columns <COLUMN,…>  Columns of the tables, such as `p95,max,cpu` [possible values: count,
                                total, self, mean, stddev, min, p50, p90, p95, p99, max, cpu, thread,
                                delayed, device, device-share, launch-bound, net, kept, peak,
                                device-net, device-peak, device-held, flop, flop/s, flop/byte, bound,
                                mfu, parent, share, bytes]
          --top <ROWS>          Only this many rows: the largest by --sort, with the rows around them
          --filter <PATTERN>    Only paths like this, such as `step/*` or `**/forward`
          --until <METRIC>      Time, steps and epochs to a threshold, such as `test_acc >= 0.95`
          --whole               Show the whole run, warm-up included, where the table would be of the
                                steps after it
          --salvage             Read what is intact of a damaged recording
      -h, --help                Print help (see more with '--help')

    Exit code: 0 the report is written, 1 it could not be, 2 wrong usage, 6 there is no recording to
    read: no such file, another file, or a damaged one.
    ");
}

#[test]
fn ops_explains_itself() {
    let left = Place::new().laptime(&["ops", "--help"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    insta::assert_snapshot!(left.out, @r"
    Count what a model costs: parameters, MAC, FLOP and bytes, from shapes alone

    TARGET is `package.module:factory` (or a model, or a function), a torchvision model's name, a
    Hugging Face `config.json`, a `.pt2` file of torch.export (with --trust), an `.onnx` file (without
    Python), or counts that `-f json` wrote. Models are built without weights where that can be.

    Usage: laptime ops [OPTIONS] <TARGET>

    Arguments:
      <TARGET>
              What to count

    Options:
      -i, --input <SIZES[:TYPE]>
              Sizes of an input, in order, such as `1,3,224,224` or `1,128:int64`

          --kwarg <NAME=SIZES[:TYPE]>
              Sizes of an input that is passed by name

          --dim <NAME=SIZE>
              A size that an ONNX file leaves open, such as `batch=8`

          --trust
              Load a `.pt2` file: that can run whatever code its author put into it

          --seq <LENGTH>
              Tokens of the input, for a model that takes tokens [default: the longest that its
              `config.json` allows]

          --backward
              Count the backward too, from the output's loss or its sum

          --by <BY>
              Which table [default: modules where there are some; HTML has both]
              
              [possible values: op, module]

          --depth <LEVELS>
              Levels of modules, or `all` [default: 2]

          --sort <SORT>
              What comes first [default: operators by MAC, modules as they stand in the model]
              
              [possible values: mac, flop, bytes, intensity, calls, name, model]

          --exact
              Every digit instead of k, M, G

          --roofline
              Draw what each part can reach on this machine, and what holds it back

          --device <DEVICE>
              Whose ceilings the roofline has, such as `cuda:0`
              
              [default: cpu]

          --mode <MODE>
              Tensors with shapes alone, or with values; auto tries the former first
              
              [default: auto]
              [possible values: auto, fake, real]

      -f, --format <FORMAT>
              In which form [default: text, or what --output ends in]
              
              [possible values: text, markdown, json, csv, html]

          --json
              Same as --format json

      -o, --output <FILE>
              Write there instead of to standard output; replaces what is there

          --open
              Show what was written in a browser

      -h, --help
              Print help (see a summary with '-h')

    Exit code: 0 counted, whatever is listed as not counted; 1 it could not be, with the framework's own
    message; 2 wrong usage; 6 a file that cannot be read.
    ");
}

#[test]
fn doctor_explains_itself() {
    let left = Place::new().laptime(&["doctor", "-h"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    insta::assert_snapshot!(left.out, @r"
    Show the clock and why, what a span costs here, and what the system allows

    Usage: laptime doctor [OPTIONS]

    Options:
          --json      Print JSON
          --config    Show every setting and where its value came from, instead
          --ceilings  Measure what arithmetic and memory reach here at most, and keep that, instead
      -h, --help      Print help
    ");
}

#[test]
fn pack_explains_itself() {
    let left = Place::new().laptime(&["pack", "--help"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    insta::assert_snapshot!(left.out, @r"
    Make one file of a recording, to send or to keep

    The file is a tar archive. Every command takes it in place of the folder.

    Usage: laptime pack [OPTIONS] <RECORDING>

    Arguments:
      <RECORDING>
              The recording, or its name in .laptime/runs

    Options:
      -o, --output <FILE>
              Where to write it [default: <RECORDING>.packed.lap]

          --force
              Replace the packed recording that is there

      -h, --help
              Print help (see a summary with '-h')

    Exit code: 0 the file is written, 1 it could not be, 2 wrong usage, 6 there is no recording to read:
    no such file, another file, or a damaged one.
    ");
}

#[test]
fn a_run_of_nothing_is_a_usage_error() {
    let left = Place::new().laptime(&["run"]);
    assert_eq!((left.code, left.out.as_str()), (125, ""));
    insta::assert_snapshot!(left.err, @r"
    error: the following required arguments were not provided:
      <PROGRAM> [ARGS]...

    Usage: laptime run [OPTIONS] [--] <PROGRAM> [ARGS]...
           laptime run [OPTIONS] -m <MODULE> [ARGS]...
           laptime run [OPTIONS] -c <CODE> [ARGS]...

    For more information, try '--help'.
    ");
}

#[test]
fn an_unknown_format_names_the_known_ones() {
    let left = Place::new().laptime(&["report", "a.lap", "-f", "pdf"]);
    assert_eq!((left.code, left.out.as_str()), (2, ""));
    insta::assert_snapshot!(left.err, @r"
    error: invalid value 'pdf' for '--format <FORMAT>'
      [possible values: text, tree, markdown, json, csv, html]

    For more information, try '--help'.
    ");
}

#[test]
fn force_alone_makes_no_sense() {
    let left = Place::new().laptime(&["run", "--force", "true"]);
    assert_eq!((left.code, left.out.as_str()), (125, ""));
    insta::assert_snapshot!(left.err, @r"
    error: the following required arguments were not provided:
      --output <FILE>

    Usage: laptime run [OPTIONS] [--] <PROGRAM> [ARGS]...
           laptime run [OPTIONS] -m <MODULE> [ARGS]...
           laptime run [OPTIONS] -c <CODE> [ARGS]...

    For more information, try '--help'.
    ");
}

#[test]
fn a_script_without_run_gets_the_hint() {
    let place = Place::new();
    place.file("my train.py", "");
    let left = place.laptime(&["my train.py"]);
    assert_eq!(left.code, 2);
    assert!(
        left.err.ends_with("hint: laptime run 'my train.py'\n"),
        "{}",
        left.err
    );
    assert!(!place.laptime(&["no-such-command"]).err.contains("hint:"));
}

#[test]
fn every_shell_learns_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let left = Place::new().laptime(&["completions", shell]);
        assert_eq!(left.code, 0);
        for word in [
            "run", "report", "export", "list", "clean", "ops", "doctor", "pack", "salvage",
        ] {
            assert!(left.out.contains(word), "{shell} does not know {word}");
        }
    }
}

#[test]
fn the_manual_page_describes_every_command() {
    let left = Place::new().laptime(&["man"]);
    assert_eq!(left.code, 0);
    assert!(left.out.contains(".TH laptime 1"));
    for command in [
        "RUN",
        "REPORT",
        "LIST",
        "CLEAN",
        "OPS",
        "DOCTOR",
        "PACK",
        "COMPLETIONS",
        "MAN",
    ] {
        assert!(
            left.out.contains(&format!(".SH \"LAPTIME {command}\"")),
            "{command}"
        );
    }
}

#[test]
fn colour_follows_the_environment() {
    let place = Place::new();
    let help = |variables: &[(&str, &str)]| {
        let mut command = place.command();
        command.arg("--help").envs(variables.iter().copied());
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(!help(&[]).contains('\x1b'));
    assert!(help(&[("FORCE_COLOR", "1")]).contains('\x1b'));
    assert!(help(&[("FORCE_COLOR", "1"), ("NO_COLOR", "1")]).contains('\x1b'));
    assert!(!help(&[("FORCE_COLOR", "0")]).contains('\x1b'));
}
