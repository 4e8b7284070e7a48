//! What the tokens of a macro say: they have no syntax before it is expanded.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{Call, Function};

/// Paths from `crate`, `self` or `super`, of two parts or more.
pub fn paths(tokens: &TokenStream) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => found.extend(paths(&group.stream())),
            TokenTree::Ident(first) => {
                let mut path = vec![first.to_string()];
                while is_colon(tokens.get(at + 1)) && is_colon(tokens.get(at + 2)) {
                    let Some(TokenTree::Ident(next)) = tokens.get(at + 3) else {
                        break;
                    };
                    path.push(next.to_string());
                    at += 3;
                }
                if path.len() > 1 && ["crate", "self", "super"].contains(&path[0].as_str()) {
                    found.push(path);
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The texts among the tokens, those of attributes left out.
pub fn texts(tokens: &TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_attribute = false;
    for token in tokens.clone() {
        match &token {
            TokenTree::Group(group) if !is_attribute => found.extend(texts(&group.stream())),
            TokenTree::Literal(literal) => {
                let text = syn::parse_str::<syn::LitStr>(&literal.to_string());
                found.extend(text.map(|text| text.value()));
            }
            _ => {}
        }
        is_attribute = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '#');
    }
    found
}

fn is_colon(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == ':')
}

/// Names before parentheses, and the macros among them.
pub fn calls(tokens: &TokenStream, inside: &[String]) -> Vec<Call> {
    let mut found = Vec::new();
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let mut inside = inside.to_vec();
        if let Some(name) = called(&tokens[..at]) {
            let is_function = group.delimiter() == Delimiter::Parenthesis && !name.ends_with('!');
            if is_function || name.ends_with('!') {
                let arguments = if is_function {
                    parts(&group.stream())
                } else {
                    0
                };
                let within = inside.clone();
                inside.push(name.clone());
                found.push(Call {
                    name,
                    arguments,
                    inside: within,
                });
            }
        }
        found.extend(calls(&group.stream(), &inside));
    }
    found
}

/// The name that stands before a group, if it is what is called with it.
fn called(before: &[TokenTree]) -> Option<String> {
    match before {
        [.., TokenTree::Ident(define), TokenTree::Ident(_)] if define == "fn" => None,
        [.., TokenTree::Ident(name)] => Some(name.to_string()),
        [.., TokenTree::Ident(name), TokenTree::Punct(mark)] if mark.as_char() == '!' => {
            Some(format!("{name}!"))
        }
        _ => None,
    }
}

/// How many parts commas make.
fn parts(tokens: &TokenStream) -> usize {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is_comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
    let split = tokens.split(is_comma);
    split.filter(|part| !part.is_empty()).count()
}

/// Functions with another language's calling convention and a body.
pub fn foreign_functions(tokens: &TokenStream) -> Vec<Function> {
    let mut found = Vec::new();
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => found.extend(foreign_functions(&group.stream())),
            TokenTree::Ident(word) if word == "extern" => {
                found.extend(foreign_function(&tokens[at + 1..]));
            }
            _ => {}
        }
    }
    found
}

/// The function whose `extern` is followed by these; `None` for a type, a block or a declaration.
fn foreign_function(tokens: &[TokenTree]) -> Option<Function> {
    let tokens = match tokens {
        [TokenTree::Literal(abi), rest @ ..] if abi.to_string() != "\"Rust\"" => rest,
        rest @ [TokenTree::Ident(_), ..] => rest,
        _ => return None,
    };
    let [TokenTree::Ident(word), rest @ ..] = tokens else {
        return None;
    };
    let (name, rest) = match rest {
        [TokenTree::Ident(name), rest @ ..] => (name.to_string(), rest),
        [TokenTree::Punct(_), TokenTree::Ident(name), rest @ ..] => (format!("${name}"), rest),
        _ => return None,
    };
    if word != "fn" {
        return None;
    }
    for token in rest {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == ';' => return None,
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
                return Some(Function {
                    name,
                    is_foreign: true,
                    is_for_python: false,
                    is_guarded: false,
                    calls: calls(&body.stream(), &[]),
                });
            }
            _ => {}
        }
    }
    None
}
