//! Writes the seeds where cargo-fuzz looks for them: `fuzz/corpus/<target>/`.

use std::{fs, io, path::Path};

fn main() -> io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (reader, _) in laptime_fuzz::READERS {
        let folder = corpus.join(reader);
        fs::create_dir_all(&folder)?;
        for (index, seed) in laptime_fuzz::seeds::of(reader).iter().enumerate() {
            fs::write(folder.join(format!("seed-{index}")), seed)?;
        }
    }
    Ok(())
}
