//! The `#[lap]` attribute, exported as `laptime::attribute::lap`.
//!
//! A function gets a guard as its first statement; an `async` function's body becomes a
//! future that knows its busy time and its wall time. Nothing else of the function changes.

use proc_macro::TokenStream;
use quote::quote;
use syn::{ItemFn, LitStr, parse_macro_input};

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
    let body = &function.block;
    let wrapped = if function.sig.asyncness.is_some() {
        quote! {{
            static SITE: ::laptime::LazySite = ::laptime::LazySite::new(#name);
            ::laptime::lap_future(&SITE, async move #body).await
        }}
    } else {
        quote! {{
            let _lap = ::laptime::lap!(#name);
            #body
        }}
    };
    match syn::parse2(wrapped) {
        Ok(block) => function.block = block,
        Err(error) => return error.to_compile_error().into(),
    }
    quote!(#function).into()
}
