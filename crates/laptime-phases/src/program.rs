//! What the machine asks the program.

/// What the machine asks the program, and only when it has to know.
pub trait Program {
    /// Whether gradients are recorded.
    fn grad(&self) -> bool;
    /// Whether the module that is called is in training mode.
    fn training(&self) -> bool;
    /// Whether the module that is called, or what it is given, has something to learn.
    fn trains(&self) -> bool;
    /// Whether the module that is called has no parameters: a loss, say.
    fn is_bare(&self) -> bool;
    /// Which module is called: equal for the same one.
    fn called(&self) -> usize;
    /// Which module the one that is called stands for, if it is nothing but a wrapper around that.
    fn wraps(&self) -> Option<usize> {
        None
    }
    /// Whether gradients are asked for with respect to parameters.
    fn for_parameters(&self) -> bool;
    /// Whether the program has no optimizer and updates its parameters itself.
    fn by_hand(&self) -> bool;
}
