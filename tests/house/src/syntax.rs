//! What a source file says: its modules, imports, paths and functions, as plain data.
//!
//! Items under `#[cfg(test)]` are left out, and nothing else: what stands behind one is read. Comments and strings are
//! no code. The tokens of macros, which have no syntax of their own, are searched for the same things ([`tokens`]).

mod calls;
mod tokens;

use proc_macro2::TokenStream;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, Meta, TraitItem, UseTree};

pub use calls::Call;

/// A file.
#[derive(Debug, Default)]
pub struct Syntax {
    /// The lines of its own documentation, `//!`.
    pub documentation: Vec<String>,
    /// The lints of `#![forbid(…)]`.
    pub forbidden: Vec<String>,
    /// The modules that it declares with `mod name;`.
    pub children: Vec<Child>,
    /// What it imports with `use`.
    pub imports: Vec<Import>,
    /// Paths that are written out where they are used, of two parts or more.
    pub paths: Vec<Written>,
    /// Its functions that have a body, at every depth.
    pub functions: Vec<Function>,
    /// The texts in its code, those of macros too; attributes have none.
    pub texts: Vec<String>,
}

/// A module with a file of its own.
#[derive(Debug)]
pub struct Child {
    /// The modules in braces around the declaration.
    pub within: Vec<String>,
    /// Its name.
    pub name: String,
    /// What `#[path]` says.
    pub path: Option<String>,
}

/// One name of a `use`.
#[derive(Debug)]
pub struct Import {
    /// The modules in braces around it.
    pub within: Vec<String>,
    /// The path as it is written; `*` is its last part where everything is imported.
    pub path: Vec<String>,
    /// The name that it goes by.
    pub name: String,
}

/// A path in code.
#[derive(Debug)]
pub struct Written {
    /// The modules in braces around it.
    pub within: Vec<String>,
    /// Its parts.
    pub path: Vec<String>,
}

/// A function with a body.
#[derive(Debug)]
pub struct Function {
    /// Its name; in a macro maybe `$name`.
    pub name: String,
    /// Whether it has another language's calling convention.
    pub is_foreign: bool,
    /// Whether Python can call it: `#[pyfunction]`, or in `#[pymethods]`.
    pub is_for_python: bool,
    /// Whether `#[guarded]` stands above it, or above the `impl` that it is in.
    pub is_guarded: bool,
    /// What it calls, functions inside it left out.
    pub calls: Vec<Call>,
}

impl Syntax {
    /// Reads a file's text.
    pub fn parse(text: &str) -> syn::Result<Self> {
        let file = syn::parse_file(text)?;
        let mut reader = Reader::default();
        reader.syntax.documentation = documentation(&file.attrs);
        reader.syntax.forbidden = forbidden(&file.attrs);
        reader.visit_file(&file);
        tell_apart(&mut reader.syntax.children);
        Ok(reader.syntax)
    }
}

/// Of a module that has one file on one system and another elsewhere, the one with a `#[path]` goes by its file's name.
fn tell_apart(children: &mut [Child]) {
    for at in 0..children.len() {
        let (before, [child, behind @ ..]) = children.split_at_mut(at) else {
            continue;
        };
        let is_it = |other: &Child| other.name == child.name && other.within == child.within;
        let has_other = before.iter().chain(&*behind).any(is_it);
        if let (true, Some(path)) = (has_other, &child.path) {
            child.name = path.trim_end_matches(".rs").to_owned();
        }
    }
}

/// The text of `//!` lines.
fn documentation(attributes: &[Attribute]) -> Vec<String> {
    let lines = attributes.iter().filter_map(|attribute| {
        let Meta::NameValue(meta) = &attribute.meta else {
            return None;
        };
        match &meta.value {
            syn::Expr::Lit(line) if meta.path.is_ident("doc") => match &line.lit {
                syn::Lit::Str(line) => Some(line.value()),
                _ => None,
            },
            _ => None,
        }
    });
    lines.collect()
}

fn forbidden(attributes: &[Attribute]) -> Vec<String> {
    let lints = attributes.iter().filter(|is| is.path().is_ident("forbid"));
    let lints = lints.filter_map(|lints| {
        let parse = Punctuated::<Meta, syn::Token![,]>::parse_terminated;
        lints.parse_args_with(parse).ok()
    });
    lints
        .flatten()
        .filter_map(|lint| lint.path().get_ident().map(ToString::to_string))
        .collect()
}

/// Whether what it stands on is compiled for tests only: `cfg(test)`, or `cfg(all(test, …))`.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    fn needs_test(condition: &Meta) -> bool {
        match condition {
            Meta::Path(name) => name.is_ident("test"),
            Meta::List(list) if list.path.is_ident("all") => {
                let parse = Punctuated::<Meta, syn::Token![,]>::parse_terminated;
                let parts = list.parse_args_with(parse);
                parts.is_ok_and(|parts| parts.iter().any(needs_test))
            }
            _ => false,
        }
    }
    attributes.iter().any(|attribute| {
        let condition = attribute
            .path()
            .is_ident("cfg")
            .then(|| attribute.parse_args());
        condition.is_some_and(|condition| condition.is_ok_and(|condition| needs_test(&condition)))
    })
}

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| {
        let last = attribute.path().segments.last();
        last.is_some_and(|last| last.ident == name)
    })
}

fn item_attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(syn::ItemConst { attrs, .. })
        | Item::Enum(syn::ItemEnum { attrs, .. })
        | Item::ExternCrate(syn::ItemExternCrate { attrs, .. })
        | Item::Fn(syn::ItemFn { attrs, .. })
        | Item::ForeignMod(syn::ItemForeignMod { attrs, .. })
        | Item::Impl(syn::ItemImpl { attrs, .. })
        | Item::Macro(syn::ItemMacro { attrs, .. })
        | Item::Mod(syn::ItemMod { attrs, .. })
        | Item::Static(syn::ItemStatic { attrs, .. })
        | Item::Struct(syn::ItemStruct { attrs, .. })
        | Item::Trait(syn::ItemTrait { attrs, .. })
        | Item::Type(syn::ItemType { attrs, .. })
        | Item::Union(syn::ItemUnion { attrs, .. })
        | Item::Use(syn::ItemUse { attrs, .. }) => attrs,
        _ => &[],
    }
}

/// Walks a file.
#[derive(Default)]
struct Reader {
    syntax: Syntax,
    /// The modules in braces around the place.
    within: Vec<String>,
    /// Whether the place is in `#[pymethods]`.
    is_for_python: bool,
    /// Whether the place is below `#[guarded]`.
    is_guarded: bool,
}

impl Reader {
    fn add_function(
        &mut self,
        attributes: &[Attribute],
        signature: &syn::Signature,
        body: &syn::Block,
    ) {
        let abi = signature.abi.as_ref();
        // `extern fn` alone is C's.
        let is_foreign =
            abi.is_some_and(|abi| abi.name.as_ref().is_none_or(|name| name.value() != "Rust"));
        self.syntax.functions.push(Function {
            name: signature.ident.to_string(),
            is_foreign,
            is_for_python: self.is_for_python || has(attributes, "pyfunction"),
            is_guarded: self.is_guarded || has(attributes, "guarded"),
            calls: calls::in_body(body),
        });
    }

    fn add_import(&mut self, tree: &UseTree, before: &[String]) {
        let mut path = before.to_vec();
        match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                self.add_import(&tree.tree, &path);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_import(tree, before);
                }
            }
            UseTree::Name(name) => self.add_name(path, name.ident.to_string(), None),
            UseTree::Rename(name) => {
                self.add_name(path, name.ident.to_string(), Some(name.rename.to_string()));
            }
            UseTree::Glob(_) => self.add_name(path, "*".to_owned(), None),
        }
    }

    /// `a::{self as b}` is `a as b`.
    fn add_name(&mut self, mut path: Vec<String>, last: String, name: Option<String>) {
        if last != "self" || path.is_empty() {
            path.push(last);
        }
        let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
        let within = self.within.clone();
        self.syntax.imports.push(Import { within, path, name });
    }

    fn add_path(&mut self, path: Vec<String>) {
        if path.len() > 1 {
            let within = self.within.clone();
            self.syntax.paths.push(Written { within, path });
        }
    }

    fn add_tokens(&mut self, tokens: &TokenStream) {
        for path in tokens::paths(tokens) {
            self.add_path(path);
        }
        self.syntax
            .functions
            .extend(tokens::foreign_functions(tokens));
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_for_tests(item_attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            ImplItem::Macro(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !is_for_tests(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let attributes = match item {
            TraitItem::Const(item) => &item.attrs,
            TraitItem::Fn(item) => &item.attrs,
            TraitItem::Type(item) => &item.attrs,
            TraitItem::Macro(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !is_for_tests(attributes) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if !is_for_tests(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = item.ident.to_string();
        if item.content.is_some() {
            self.within.push(name);
            visit::visit_item_mod(self, item);
            self.within.pop();
            return;
        }
        let path = item.attrs.iter().find(|is| is.path().is_ident("path"));
        let path = path.and_then(|path| match &path.meta {
            Meta::NameValue(path) => match &path.value {
                syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(path),
                    ..
                }) => Some(path.value()),
                _ => None,
            },
            _ => None,
        });
        let within = self.within.clone();
        self.syntax.children.push(Child { within, name, path });
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let outside = (self.is_for_python, self.is_guarded);
        self.is_for_python = has(&item.attrs, "pymethods");
        self.is_guarded = has(&item.attrs, "guarded");
        visit::visit_item_impl(self, item);
        (self.is_for_python, self.is_guarded) = outside;
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let is_outside = std::mem::take(&mut self.is_for_python);
        let is_guarded = std::mem::take(&mut self.is_guarded);
        self.add_function(&item.attrs, &item.sig, &item.block);
        visit::visit_item_fn(self, item);
        self.is_for_python = is_outside;
        self.is_guarded = is_guarded;
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add_function(&item.attrs, &item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.add_function(&item.attrs, &item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_import(&item.tree, &[]);
    }

    /// `pub(super)` imports nothing.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts = path.segments.iter().map(|part| part.ident.to_string());
        self.add_path(parts.collect());
        visit::visit_path(self, path);
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.syntax.texts.push(text.value());
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.add_tokens(&call.tokens);
        self.syntax.texts.extend(tokens::texts(&call.tokens));
        visit::visit_macro(self, call);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.add_tokens(&list.tokens);
        }
        let before = self.syntax.texts.len();
        visit::visit_attribute(self, attribute);
        self.syntax.texts.truncate(before);
    }
}
