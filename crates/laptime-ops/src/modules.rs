//! The modules of a model, by dotted path.

use std::collections::HashMap;

/// A module by its place in [`Modules`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleId(pub u32);

impl ModuleId {
    /// The model itself, and everything outside any module.
    pub const ROOT: Self = Self(0);
}

/// What is known of a module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Module {
    /// The module's dotted path; empty for the model itself.
    pub path: String,
    /// The module's class.
    pub kind: String,
    /// The module around it.
    pub parent: Option<ModuleId>,
    /// How often the module was called.
    pub calls: u64,
    /// Elements of the module's parameters and of those below, each once.
    pub params: u64,
}

/// All modules; parents come before their children.
#[derive(Debug, Clone)]
pub struct Modules {
    all: Vec<Module>,
    by_path: HashMap<String, ModuleId>,
}

impl Default for Modules {
    fn default() -> Self {
        Self {
            all: vec![Module::default()],
            by_path: HashMap::from([(String::new(), ModuleId::ROOT)]),
        }
    }
}

impl Modules {
    /// The module of a path, made where there was none, with those around it.
    pub fn id(&mut self, path: &str) -> ModuleId {
        if let Some(&id) = self.by_path.get(path) {
            return id;
        }
        let parent = match path.rfind('.') {
            Some(dot) => self.id(&path[..dot]),
            None => ModuleId::ROOT,
        };
        let id = ModuleId(self.all.len() as u32);
        self.all.push(Module {
            path: path.to_owned(),
            parent: Some(parent),
            ..Module::default()
        });
        self.by_path.insert(path.to_owned(), id);
        id
    }

    /// The module of an id, to say more of it. The model itself for an id that isn't from here.
    pub fn get_mut(&mut self, id: ModuleId) -> &mut Module {
        let row = self.row(id);
        &mut self.all[row]
    }

    /// All modules, parents before children.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Module> {
        self.all.iter()
    }

    /// The place of a module among all. That of the model itself for an id that isn't from here.
    pub fn row(&self, id: ModuleId) -> usize {
        let row = id.0 as usize;
        if row < self.all.len() { row } else { 0 }
    }
}
