//! The `#[guarded]` attribute, which stands above every `#[pyfunction]` and `#[pymethods]`.
//!
//! The bindings catch a panic, but raise it as an exception that `except Exception` misses; and they make the
//! object that a function answers with, and the text of its error, where a failed allocation panics again.
//! So the body, the object and the error are made inside of `crate::entry::answered` and its kin.

use proc_macro::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Block, Ident, ImplItem, Item, ItemImpl, ReturnType, Signature, Token, Type,
    parse_macro_input, parse_quote,
};

/// Guards a free function, or all those of an `impl`.
///
/// Above an `impl` it takes names of fields: each becomes an attribute that Python reads.
#[proc_macro_attribute]
pub fn guarded(fields: TokenStream, item: TokenStream) -> TokenStream {
    let fields = parse_macro_input!(fields with Punctuated::<Ident, Token![,]>::parse_terminated);
    match parse_macro_input!(item as Item) {
        Item::Fn(mut function) => {
            guard(&function.attrs, &mut function.sig, &mut function.block);
            function.into_token_stream()
        }
        Item::Impl(mut methods) => {
            add_getters(&mut methods, &fields);
            for item in &mut methods.items {
                if let ImplItem::Fn(method) = item {
                    guard(&method.attrs, &mut method.sig, &mut method.block);
                }
            }
            methods.into_token_stream()
        }
        _ => quote!(compile_error! { "#[guarded] stands above functions and methods" }),
    }
    .into()
}

fn add_getters(methods: &mut ItemImpl, fields: &Punctuated<Ident, Token![,]>) {
    for field in fields {
        methods.items.push(parse_quote! {
            #[getter]
            fn #field<'py>(&self, python: ::pyo3::Python<'py>) -> ::pyo3::PyResult<::pyo3::Bound<'py, ::pyo3::PyAny>> {
                ::pyo3::IntoPyObjectExt::into_bound_py_any(::core::clone::Clone::clone(&self.#field), python)
            }
        });
    }
}

/// Puts the body into the guard that makes what the interpreter takes from this function.
fn guard(attributes: &[Attribute], signature: &mut Signature, block: &mut Block) {
    let is = |word: &str| attributes.iter().any(|one| one.path().is_ident(word));
    let given: Type = match &signature.output {
        ReturnType::Default => parse_quote!(()),
        ReturnType::Type(_, given) => (**given).clone(),
    };
    let fails = is_result(&given);
    let body = if fails {
        quote!(move || -> #given #block)
    } else {
        quote!(move || ::pyo3::PyResult::<#given>::Ok((move || -> #given #block)()))
    };
    let (run, output) = match signature.ident.to_string().as_str() {
        // It tells the collector of objects, and may do nothing else.
        "__traverse__" => return,
        "__next__" => (
            quote!(answered_next),
            quote!(::core::option::Option<::pyo3::Py<::pyo3::PyAny>>),
        ),
        // The bindings make no object of these, or one of a class, which fails without a panic.
        "__len__" | "__hash__" | "__bool__" | "__contains__" | "__clear__" => {
            (quote!(answered), quote!(#given))
        }
        _ if is("new") || is("setter") || is_nothing(&given) => (quote!(answered), quote!(#given)),
        _ => (quote!(answered_object), quote!(::pyo3::Py<::pyo3::PyAny>)),
    };
    signature.output = if fails && run.to_string() == "answered" {
        parse_quote!(-> #output)
    } else {
        parse_quote!(-> ::pyo3::PyResult<#output>)
    };
    *block = parse_quote!({ crate::entry::#run(#body) });
}

/// Whether it answers `None`: as an object of its own, `()` would be an empty tuple.
fn is_nothing(given: &Type) -> bool {
    let text = given.to_token_stream().to_string().replace(' ', "");
    text == "()" || text == "PyResult<()>"
}

fn is_result(given: &Type) -> bool {
    let Type::Path(path) = given else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "PyResult" || last.ident == "Result")
}
