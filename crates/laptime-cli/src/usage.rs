//! What was typed wrongly: clap's errors with the line that helps, and options in a place where they mean nothing.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory};

use crate::args::{Cli, Command, RunArgs};
use laptime_report::Shown;

use crate::error::{CliError, RUN_FAILED, USAGE};
use crate::launch::target::Request;
use crate::messages::{quoted, say};
use crate::near_name::near_name;
use crate::outlet::Outlet;
use crate::runs::names::{found, is_recording};
use crate::terminal::{self, Stream};
use crate::{ops, recordings};

/// Shows an error of clap's and returns the exit code. Help and version are data, wrong usage is a message.
///
/// **Errors** where data can't be written.
pub fn show<'a, 'w>(
    mut usage: clap::Error,
    typed: &[OsString],
    out: &'a mut Outlet<'w>,
    err: &'a mut Outlet<'w>,
) -> Result<i32, CliError> {
    let command = typed.get(1).map(OsString::as_os_str).unwrap_or_default();
    let mut hint = forgotten_command(&usage, typed);
    if usage.kind() == ErrorKind::UnknownArgument {
        // That a target could have such a name helps nobody.
        usage.remove(ContextKind::Suggested);
        if command == "ops" {
            hint = ops::instead_of(&mut usage);
        } else if command.as_encoded_bytes().starts_with(b"-") {
            hint = before_command(&mut usage, typed);
        } else if command == "report" {
            hint = page_of(&mut usage, typed).or_else(|| whole_run(&mut usage));
        }
    }
    if usage.kind() == ErrorKind::MissingRequiredArgument
        && ["export", "compare", "pack"].contains(&command.to_str().unwrap_or_default())
    {
        hint = recordings::here();
    }
    let is_missing = usage.kind() == ErrorKind::MissingRequiredArgument;
    if is_missing && lacks_page(&usage) && typed.iter().any(|word| word == "--open") {
        hint = Some(OPEN.to_owned());
    }
    if usage.kind() == ErrorKind::InvalidValue {
        hint = lacks_code(&usage).or_else(|| memory_column(&mut usage));
    }
    let (target, stream) = if usage.use_stderr() {
        (err, Stream::Err)
    } else {
        (out, Stream::Out)
    };
    let rendered = usage.render();
    let text = if terminal::is_coloured(stream) {
        Shown::coloured(&rendered.ansi().to_string())
    } else {
        Shown::lines(&rendered.to_string())
    };
    let written = target.show(&text);
    if !usage.use_stderr() {
        written.map_err(CliError::from_output)?;
    } // Else nowhere is left to say that the message could not be written.
    if let Some(hint) = hint {
        say(target, format_args!("hint: {hint}"));
    }
    Ok(match usage.exit_code() {
        // A program's own 2 is passed on: it must mean nothing else.
        USAGE if is_run(typed) => RUN_FAILED,
        code => code,
    })
}

/// What to type beside `--open`.
const OPEN: &str = "--open shows what --output writes: add -o page.html";

/// Whether it is a page that is missing, not a recording.
fn lacks_page(usage: &clap::Error) -> bool {
    let missing = usage.get(ContextKind::InvalidArg);
    matches!(missing, Some(ContextValue::Strings(options)) if options.iter().any(|one| one.starts_with("--output")))
}

/// The line for somebody who typed `laptime run -c` and no code.
fn lacks_code(usage: &clap::Error) -> Option<String> {
    let ContextValue::String(option) = usage.get(ContextKind::InvalidArg)? else {
        return None;
    };
    let is_code = option.starts_with("-c ");
    is_code.then(|| "as for python: laptime run -c 'import train; train.main()'".to_owned())
}

/// Whether a program was to be run, wherever the word stands among options.
fn is_run(typed: &[OsString]) -> bool {
    match typed.get(1) {
        Some(first) if first.as_encoded_bytes().starts_with(b"-") => {
            typed.iter().skip(2).any(|word| word == "run")
        }
        Some(first) => first == "run",
        None => false,
    }
}

/// The command for somebody who typed `laptime train.py` or `laptime train-1.lap`.
fn forgotten_command(usage: &clap::Error, typed: &[OsString]) -> Option<String> {
    let ContextValue::String(word) = usage.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    let path = Path::new(word);
    let command = if is_recording(&found(path)) {
        "report"
    } else if path.exists() {
        "run"
    } else {
        return option_as_command(word, typed).or_else(|| near_command(usage, word, typed));
    };
    Some(format!("laptime {command} {}", quoted(path)))
}

/// The command for somebody who typed `laptime rnu train.py`, where clap names none: it asks for more likeness than short
/// names can have.
fn near_command(usage: &clap::Error, word: &str, typed: &[OsString]) -> Option<String> {
    if usage.get(ContextKind::SuggestedSubcommand).is_some() {
        return None;
    }
    let cli = Cli::command();
    let near = near_name(word, cli.get_subcommands().map(clap::Command::get_name))?;
    let rest = typed.iter().skip_while(|one| *one != word).skip(1);
    let words: Vec<String> = rest.map(|one| quoted(Path::new(one))).collect();
    let words = [&[near.to_owned()], &words[..]].concat().join(" ");
    Some(format!("did you mean laptime {words}?"))
}

/// The command for somebody who typed `laptime memory train.py`: it is an option of `run`.
fn option_as_command(word: &str, typed: &[OsString]) -> Option<String> {
    let run = RunArgs::augment_args(clap::Command::new("run"));
    let is_flag = has_option(&run, &format!("--{word}"));
    let rest: Vec<String> = typed
        .iter()
        .skip(2)
        .map(|one| quoted(Path::new(one)))
        .collect();
    let is_script = typed.get(2).is_some_and(|one| Path::new(one).is_file());
    (is_flag && is_script).then(|| format!("laptime run --{word} {}", rest.join(" ")))
}

/// The command for somebody who wants a page and typed `laptime report a.lap --html page.html`, as after `run`.
fn page_of(usage: &mut clap::Error, typed: &[OsString]) -> Option<String> {
    let ContextValue::String(option) = usage.get(ContextKind::InvalidArg)? else {
        return None;
    };
    if option.split('=').next() != Some("--html") {
        return None;
    }
    usage.remove(ContextKind::SuggestedArg);
    let words = typed.iter().skip(2);
    let mut words: Vec<String> = words.map(|word| quoted(Path::new(word))).collect();
    for word in &mut words {
        *word = match word.split_once('=') {
            Some(("--html", page)) => format!("-o {page}"),
            _ if word == "--html" => "-o".to_owned(),
            _ => continue,
        };
    }
    Some(format!(
        "the name says that it is a page: laptime report {}",
        words.join(" ")
    ))
}

/// The line for somebody who doesn't want the table after warm-up, and typed what once left it out.
fn whole_run(usage: &mut clap::Error) -> Option<String> {
    let ContextValue::String(option) = usage.get(ContextKind::InvalidArg)? else {
        return None;
    };
    if option != "--no-steady" {
        return None;
    }
    usage.remove(ContextKind::SuggestedArg);
    Some("the table is of the steps after warm-up: --whole shows the whole run instead".to_owned())
}

/// The line for somebody who asked for a column of memory, of which there are two.
fn memory_column(usage: &mut clap::Error) -> Option<String> {
    let text = |kind| match usage.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let (option, value) = (
        text(ContextKind::InvalidArg),
        text(ContextKind::InvalidValue),
    );
    let way = match option.split(' ').next()? {
        "--columns" => "--columns kept,peak",
        "--sort" => "--sort kept, --sort peak",
        _ => return None,
    };
    if !["mem", "memory", "ram"].contains(&value.as_str()) {
        return None;
    }
    // Such as `mean`, which is merely spelt alike.
    usage.remove(ContextKind::SuggestedValue);
    Some(format!(
        "for memory there are the columns kept, what all spans left behind, and peak, the most that one span held: {way}"
    ))
}

/// The line for somebody who typed an option of a command before the command's name.
fn before_command(usage: &mut clap::Error, typed: &[OsString]) -> Option<String> {
    let ContextValue::String(option) = usage.get(ContextKind::InvalidArg)? else {
        return None;
    };
    let option = option.split('=').next().unwrap_or_default().to_owned();
    let cli = Cli::command();
    let (at, command) = typed.iter().enumerate().skip(2).find_map(|(at, word)| {
        let command = cli.find_subcommand(word)?;
        Some((at, command))
    })?;
    if !has_option(command, &option) {
        return None;
    }
    usage.remove(ContextKind::SuggestedArg);
    usage.remove(ContextKind::SuggestedSubcommand);
    let name = command.get_name();
    let words = typed[1..at].iter().chain(&typed[at + 1..]);
    let words: Vec<String> = words.map(|word| quoted(Path::new(word))).collect();
    Some(format!(
        "options of {name} go after {name}: laptime {name} {}",
        words.join(" ")
    ))
}

fn has_option(command: &clap::Command, option: &str) -> bool {
    let is_it = |argument: &clap::Arg| {
        let long = argument.get_long().map(|name| format!("--{name}"));
        let short = argument.get_short().map(|letter| format!("-{letter}"));
        long.as_deref() == Some(option) || short.is_some_and(|short| option.starts_with(&short))
    };
    command.get_arguments().any(is_it)
}

/// The parsed arguments, told whether `--` stood before the program: clap keeps no word of it.
pub fn with_dashes(mut cli: Cli, typed: &[OsString]) -> Cli {
    if let Command::Run(run) = &mut cli.command {
        let before = typed.len().checked_sub(run.program.len() + 1);
        let word = before.and_then(|before| typed.get(before));
        run.is_after_dashes = !run.program.is_empty() && word.is_some_and(|word| word == "--");
    }
    cli
}

/// Says which long options of `laptime run` stand after the program's name, and so are its own.
pub fn given_away(args: &RunArgs) -> Option<String> {
    if args.is_after_dashes {
        return None; // whoever typed `--` has said whose the rest is
    }
    let known = RunArgs::augment_args(clap::Command::new("run"));
    let ours = |word: &OsStr| {
        let word = word.to_str()?;
        let name = word.strip_prefix("--")?.split('=').next()?;
        let is_ours = |argument: &&clap::Arg| argument.get_long() == Some(name);
        let option = known.get_arguments().find(is_ours)?;
        let needs_value = option.get_action().takes_values() && !option.is_require_equals_set();
        let value = if needs_value { "=…" } else { "" };
        Some((format!("--{name}"), format!("--{name}{value}")))
    };
    let (before, words) = match args.request() {
        Request::Program(words) => ("", words),
        Request::Module(words) => ("-m ", words),
        Request::Code(words) => ("-c ", words),
    };
    let mut words = words.iter();
    let first = words.next()?.to_string_lossy();
    // Code may have many lines.
    let program = if before == "-c " {
        "CODE".into()
    } else {
        first
    };
    let words = words.take_while(|word| *word != "--");
    let (mut names, mut options): (Vec<_>, Vec<_>) = words.filter_map(|word| ours(word)).unzip();
    names.dedup();
    options.dedup();
    if names.is_empty() {
        return None;
    }
    Some(format!(
        "{} after {program} {} to {program}; if {} meant for Laptime, put {} before: laptime run {} {before}{program}",
        names.join(" and "),
        if names.len() == 1 { "goes" } else { "go" },
        if names.len() == 1 {
            "it is"
        } else {
            "they are"
        },
        if names.len() == 1 { "it" } else { "them" },
        options.join(" "),
    ))
}
