//! Modules that are remembered as trained, the last ones.

/// Modules that are remembered as trained, of those that the program calls itself.
const MOST_LEARNERS: usize = 16;

/// The program trains a module.
pub fn learns(learners: &mut Vec<usize>, module: usize) {
    if !learners.contains(&module) {
        if learners.len() == MOST_LEARNERS {
            learners.remove(0);
        }
        learners.push(module);
    }
}
