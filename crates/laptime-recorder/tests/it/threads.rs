//! The threads of this process.

/// Threads of this process with a name.
pub fn threads(name: &str) -> usize {
    let each = std::fs::read_dir("/proc/self/task").unwrap();
    let names =
        each.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|found| found.trim_end() == name).count()
}
