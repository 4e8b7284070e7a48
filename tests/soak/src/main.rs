//! Kills a recording program at random instants and checks what is left of its recording.
//!
//! The program (`writer`) runs a fixed sequence of operations on each of its threads and notes
//! every one in a page of its own that survives it (`truth`). After each kill the recording must
//! hold exactly the spans of that sequence up to the kill: at most one finished span a thread
//! lost, none invented, and the black box must name the spans that were open (`check`).
//!
//! ```text
//! laptime-soak --kills 1000 [--seed N] [--longest-ms 80]
//! ```

mod check;
mod sequence;
mod truth;
mod writer;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use check::Outcome;

/// What is asked for.
struct Plan {
    kills: u64,
    seed: u64,
    longest: Duration,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, folder, truth] = words.as_slice()
        && first == "writer"
    {
        writer::run(Path::new(folder), Path::new(truth));
    }
    let Some(plan) = plan(&words) else {
        eprintln!("usage: laptime-soak --kills N [--seed N] [--longest-ms N]");
        return ExitCode::from(2);
    };
    match soak(&plan) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("soak: {message}");
            ExitCode::FAILURE
        }
    }
}

fn plan(words: &[String]) -> Option<Plan> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let mut plan = Plan {
        kills: 0,
        seed: now.as_nanos() as u64,
        longest: Duration::from_millis(80),
    };
    for pair in words.chunks(2) {
        let [flag, value] = pair else { return None };
        let value = value.parse().ok()?;
        match flag.as_str() {
            "--kills" => plan.kills = value,
            "--seed" => plan.seed = value,
            "--longest-ms" => plan.longest = Duration::from_millis(value),
            _ => return None,
        }
    }
    (plan.kills > 0).then_some(plan)
}

fn soak(plan: &Plan) -> Result<(), String> {
    let started = Instant::now();
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    println!("soak: {} kills, seed {}", plan.kills, plan.seed);
    let mut random = plan.seed | 1;
    let mut sum = Outcome::default();
    let mut failed = 0_u64;
    for kill in 0..plan.kills {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let after = plan.longest.mul_f64(random as f64 / u64::MAX as f64);
        let folder = scratch.path().join(format!("{kill}.lap"));
        let truth = scratch.path().join(format!("{kill}.truth"));
        kill_one(&folder, &truth, after)?;
        match check::check(&folder, &truth) {
            Ok(outcome) => {
                if outcome.has_spans() {
                    notices_a_loss(&folder, &truth)?;
                }
                sum.add(&outcome);
                let _ = std::fs::remove_dir_all(&folder);
                let _ = std::fs::remove_file(&truth);
            }
            Err(message) => {
                failed += 1;
                eprintln!("soak: kill {kill} after {after:?}: {message}");
                if failed == 1 {
                    let kept = std::env::temp_dir().join(format!("laptime-soak-{}", plan.seed));
                    let _ = std::fs::rename(&folder, &kept);
                    eprintln!("soak: the recording is kept at {}", kept.display());
                }
            }
        }
    }
    println!("soak: {sum}");
    println!("soak: {:.1} s", started.elapsed().as_secs_f64());
    println!("{} passed, {failed} failed", plan.kills - failed);
    if failed > 0 {
        return Err(format!("{failed} of {} recordings were wrong", plan.kills));
    }
    if sum.kills_with_spans * 2 < plan.kills {
        return Err("most kills came before the first span: nothing was shown".to_owned());
    }
    Ok(())
}

/// Checks the check: were one cycle more known to be done, its spans would have to be missed.
fn notices_a_loss(folder: &Path, truth: &Path) -> Result<(), String> {
    truth::claim_one_cycle_more(truth).map_err(|error| error.to_string())?;
    match check::check(folder, truth) {
        Ok(_) => Err("the check did not notice that spans were missing".to_owned()),
        Err(_) => Ok(()),
    }
}

fn kill_one(folder: &Path, truth: &Path, after: Duration) -> Result<(), String> {
    truth::create(truth).map_err(|error| format!("truth page: {error}"))?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .arg("writer")
        .args([folder, truth])
        .stdin(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot start the writer: {error}"))?;
    // A random instant is what this test is about.
    std::thread::sleep(after);
    if let Ok(Some(status)) = child.try_wait() {
        return Err(format!("the writer ended by itself: {status}"));
    }
    child.kill().map_err(|error| error.to_string())?;
    child.wait().map_err(|error| error.to_string())?;
    Ok(())
}
