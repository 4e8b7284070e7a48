//! How a process of several is called: by its rank, where it told one.

/// Says how a process is called in a message.
pub fn called(pid: u32, rank: Option<&str>) -> String {
    match rank {
        Some(rank) => format!("rank {rank} (process {pid})"),
        None => format!("process {pid}"),
    }
}
