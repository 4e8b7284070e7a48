//! The `#[lap]` attribute, exported as `laptime::attribute::lap`.
//!
//! A function gets a guard as its first statement; an `async` function's body becomes a
//! future that knows its busy time and its wall time. Nothing else of the function changes.

use proc_macro::TokenStream;
use proc_macro2::Span;
use quote::quote;
use syn::{Ident, ItemFn, LitStr, Stmt, parse_macro_input, parse_quote};

/// Records every call of a function as a lap named after it, or by the given name.
///
/// ```ignore
/// use laptime::attribute::lap;
///
/// #[lap]
/// fn forward() {}
///
/// #[lap("io/read")]
/// async fn read() {}
/// ```
#[proc_macro_attribute]
pub fn lap(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let name = if arguments.is_empty() {
        None
    } else {
        Some(parse_macro_input!(arguments as LitStr))
    };
    let mut function = parse_macro_input!(item as ItemFn);
    let name = name
        .unwrap_or_else(|| LitStr::new(&function.sig.ident.to_string(), function.sig.ident.span()));
    if function.sig.asyncness.is_some() {
        let body = &function.block;
        function.block = parse_quote! {{
            static SITE: ::laptime::LazySite = ::laptime::LazySite::new(#name);
            ::laptime::lap_future(&SITE, async move #body).await
        }};
    } else {
        // Among the body's own statements, for a block around them would be linted; behind its
        // leading items, for those too. Its name meets none of the function's.
        let guard = Ident::new("_lap", Span::mixed_site());
        let statements = &mut function.block.stmts;
        let is_item = |statement: &&Stmt| matches!(statement, Stmt::Item(_));
        let at = statements.iter().take_while(is_item).count();
        statements.insert(at, parse_quote!(let #guard = ::laptime::lap!(#name);));
    }
    quote!(#function).into()
}
