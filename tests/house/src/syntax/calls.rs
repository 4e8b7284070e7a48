//! What a function's body calls, and inside which other calls.

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Expr, Item};

use super::tokens;

/// A call, or what may panic as one does: `[]` is an access by index, `name!` a macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The function's or method's name, without its path.
    pub name: String,
    /// How many arguments it is given, a method's own object left out; a macro's tokens are none.
    pub arguments: usize,
    /// The calls whose last argument is a closure that it stands in, the outermost first; in a macro, those among whose
    /// arguments it stands.
    pub inside: Vec<String>,
}

/// All calls of a body, those of functions that are made in it left out.
pub fn in_body(body: &syn::Block) -> Vec<Call> {
    let mut handed = Handed::default();
    handed.visit_block(body);
    let mut finder = Finder {
        handed: handed.over,
        ..Finder::default()
    };
    finder.visit_block(body);
    finder.found
}

/// The name of a call's function, and of a variable that is its last argument.
fn handed_over(call: &syn::ExprCall) -> Option<(String, String)> {
    let argument = match call.args.last()? {
        Expr::Path(path) => path.path.get_ident()?.to_string(),
        _ => return None,
    };
    Some((name_of(&call.func)?, argument))
}

fn name_of(function: &Expr) -> Option<String> {
    match function {
        Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

/// Finds the variables that are the last argument of a call, or are called.
#[derive(Default)]
struct Handed {
    /// The call's name, empty for a variable that is called, and the variable's.
    over: Vec<(String, String)>,
}

impl<'ast> Visit<'ast> for Handed {
    fn visit_item(&mut self, _: &'ast Item) {}

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        self.over.extend(handed_over(call));
        let called = name_of(&call.func).map(|name| (String::new(), name));
        self.over.extend(called);
        visit::visit_expr_call(self, call);
    }
}

#[derive(Default)]
struct Finder {
    /// What [`Handed`] found.
    handed: Vec<(String, String)>,
    found: Vec<Call>,
    inside: Vec<String>,
}

impl Finder {
    fn add(&mut self, name: String, arguments: usize) {
        let inside = self.inside.clone();
        self.found.push(Call {
            name,
            arguments,
            inside,
        });
    }

    fn visit_arguments(&mut self, name: &str, arguments: &Punctuated<Expr, syn::Token![,]>) {
        for (at, argument) in arguments.iter().enumerate() {
            let is_run = at + 1 == arguments.len() && matches!(argument, Expr::Closure(_));
            if is_run {
                self.inside.push(name.to_owned());
            }
            self.visit_expr(argument);
            if is_run {
                self.inside.pop();
            }
        }
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, _: &'ast Item) {}

    /// A closure with a name stands in the one call that it is handed to.
    fn visit_local(&mut self, local: &'ast syn::Local) {
        let closure = local
            .init
            .as_ref()
            .filter(|init| matches!(*init.expr, Expr::Closure(_)));
        let syn::Pat::Ident(name) = &local.pat else {
            return visit::visit_local(self, local);
        };
        let mut to = self
            .handed
            .iter()
            .filter(|(_, variable)| name.ident == variable);
        match (closure, to.next().cloned(), to.next()) {
            (Some(closure), Some((call, _)), None) => {
                self.inside.push(call);
                self.visit_expr(&closure.expr);
                self.inside.pop();
            }
            _ => visit::visit_local(self, local),
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let name = name_of(&call.func).unwrap_or_default();
        self.add(name.clone(), call.args.len());
        self.visit_expr(&call.func);
        self.visit_arguments(&name, &call.args);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        self.add(name.clone(), call.args.len());
        self.visit_expr(&call.receiver);
        self.visit_arguments(&name, &call.args);
    }

    fn visit_expr_index(&mut self, index: &'ast syn::ExprIndex) {
        self.add("[]".to_owned(), 1);
        visit::visit_expr_index(self, index);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let name = call.path.segments.last().map(|last| last.ident.to_string());
        self.add(format!("{}!", name.unwrap_or_default()), 0);
        let inside = &self.inside;
        let called = tokens::calls(&call.tokens, inside);
        self.found.extend(called);
    }
}
