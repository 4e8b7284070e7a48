//! In which module something happens.
//!
//! In the forward that is the one being called. In the backward it is the one that made the
//! autograd node: nodes are numbered as they are made, so the numbers at which modules begin and
//! end say whose a node is.

use std::collections::HashMap;

use laptime_ops::ModuleId;

/// The module that the nodes of the graph belong to, from a number on.
struct Border {
    from: u64,
    module: ModuleId,
}

/// A module that is being called.
struct Called {
    module: ModuleId,
    in_backward: bool,
}

/// The modules of a model and which of them is being called.
#[derive(Default)]
pub struct Places {
    /// Where each module stands, by its address. The feed's Python side holds it.
    known: HashMap<usize, Vec<(String, ModuleId)>>,
    paths: HashMap<ModuleId, String>,
    called: Vec<Called>,
    borders: Vec<Border>,
}

impl Places {
    /// A module stands at a path, one of perhaps several.
    pub fn know(&mut self, address: usize, path: &str, id: ModuleId) {
        self.paths.insert(id, path.to_owned());
        let places = self.known.entry(address).or_default();
        places.push((path.to_owned(), id));
    }

    /// The module that is being called.
    pub fn current(&self) -> ModuleId {
        self.called.last().map_or(ModuleId::ROOT, |it| it.module)
    }

    /// The module that is being called again, if that began in the backward.
    pub fn current_in_backward(&self) -> Option<ModuleId> {
        let called = self.called.last();
        called.filter(|it| it.in_backward).map(|it| it.module)
    }

    /// The module that made a node.
    pub fn of_node(&self, number: u64) -> ModuleId {
        // Nodes that accumulate gradients have the highest number: nobody made them.
        if number == u64::MAX {
            return ModuleId::ROOT;
        }
        let next = self.borders.partition_point(|it| it.from <= number);
        let border = next.checked_sub(1).and_then(|at| self.borders.get(at));
        border.map_or(ModuleId::ROOT, |it| it.module)
    }

    /// A module is called from another; the next node has a number. Whether it is known.
    pub fn enter(
        &mut self,
        address: usize,
        from: ModuleId,
        number: u64,
        in_backward: bool,
    ) -> Option<ModuleId> {
        let found = self.place(address, from);
        let module = found.unwrap_or(from);
        self.called.push(Called {
            module,
            in_backward,
        });
        self.border(number, module);
        found
    }

    /// The module that was entered last returns.
    pub fn leave(&mut self, number: u64) {
        self.called.pop();
        self.border(number, self.current());
    }

    fn border(&mut self, from: u64, module: ModuleId) {
        match self.borders.last_mut() {
            Some(last) if last.from == from => last.module = module,
            _ => self.borders.push(Border { from, module }),
        }
    }

    /// A module's place: of several, the one nearest to the caller.
    fn place(&self, address: usize, from: ModuleId) -> Option<ModuleId> {
        let places = self.known.get(&address)?;
        if let [(_, id)] = places[..] {
            return Some(id);
        }
        let from = self.paths.get(&from).map_or("", String::as_str);
        let near = |path: &str| {
            let shared = path.split('.').zip(from.split('.'));
            shared.take_while(|(one, other)| one == other).count()
        };
        let nearest = places
            .iter()
            .rev()
            .max_by_key(|(path, _)| (near(path), std::cmp::Reverse(path.len())));
        nearest.map(|(_, id)| *id)
    }
}
