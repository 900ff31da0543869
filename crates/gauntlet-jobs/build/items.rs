//! The items of a module, in the smallest units of change: a function, a type, one method of an `impl`.

use proc_macro2::TokenStream;
use syn::punctuated::Punctuated;

use crate::syntax;

/// An item: the smallest part of a source with a hash of its own.
pub struct Item {
    /// Its module.
    pub module: usize,
    /// Its name in its module, for display.
    pub label: String,
    /// The way in which others depend on it.
    pub kind: Kind,
    /// Its syntax: an `impl` has one member.
    pub syntax: syn::Item,
}

/// The way in which others depend on an item.
pub enum Kind {
    /// By its name.
    Named(String),
    /// A member of an `impl` or a body of a trait: users depend on the type and the trait, and call it by this name; a
    /// member without a name always belongs to its type.
    Of(Option<String>),
    /// A macro call that defines items, with its tokens.
    Call(TokenStream),
}

impl Item {
    /// The items in a piece of syntax.
    pub fn all(module: usize, item: syn::Item) -> Vec<Item> {
        match item {
            syn::Item::Impl(found) => members(module, &found),
            syn::Item::Trait(found) => of_trait(module, found),
            syn::Item::Macro(ref call) if call.ident.is_none() => {
                let label = format!("{}!", syntax::names(&call.mac.path).join("::"));
                vec![Item { module, label, kind: Kind::Call(call.mac.tokens.clone()), syntax: item }]
            }
            other => name(&other)
                .map(|name| Item { module, label: name.clone(), kind: Kind::Named(name), syntax: other })
                .into_iter()
                .collect(),
        }
    }

    /// Whether it is an enum with this variant.
    pub fn has_variant(&self, name: &str) -> bool {
        matches!(&self.syntax, syn::Item::Enum(found) if found.variants.iter().any(|variant| variant.ident == name))
    }

    /// The macro that it calls.
    pub fn called(&self) -> Option<Vec<String>> {
        match &self.syntax {
            syn::Item::Macro(call) => Some(syntax::names(&call.mac.path)),
            _ => None,
        }
    }

    /// The names of a trait's methods.
    pub fn methods(&self) -> Vec<String> {
        let syn::Item::Trait(found) = &self.syntax else { return Vec::new() };
        let name = |item: &syn::TraitItem| match item {
            syn::TraitItem::Fn(method) => Some(method.sig.ident.to_string()),
            _ => None,
        };
        found.items.iter().filter_map(name).collect()
    }
}

fn name(item: &syn::Item) -> Option<String> {
    let ident = match item {
        syn::Item::Const(found) => &found.ident,
        syn::Item::Enum(found) => &found.ident,
        syn::Item::Fn(found) => &found.sig.ident,
        syn::Item::Static(found) => &found.ident,
        syn::Item::Struct(found) => &found.ident,
        syn::Item::Trait(found) => &found.ident,
        syn::Item::Type(found) => &found.ident,
        syn::Item::Union(found) => &found.ident,
        syn::Item::Macro(found) => found.ident.as_ref()?,
        // The workspace has no `extern` blocks, which have no name of their own.
        other => panic!("an item of an unknown kind: {}", syntax::print(other, &|_| None)),
    };
    Some(ident.to_string())
}

/// Every member of an `impl` with the head of the `impl`; an `impl` without members stays whole.
fn members(module: usize, found: &syn::ItemImpl) -> Vec<Item> {
    let on = syntax::print(&*found.self_ty, &|_| None).replace(' ', "");
    let of =
        found.trait_.as_ref().and_then(|(_, path, _)| syntax::names(path).last().map(|name| format!("{name} for ")));
    let head = format!("{}{on}", of.unwrap_or_default());
    let mut empty = found.clone();
    let found = std::mem::take(&mut empty.items);
    let member = |item: Option<&syn::ImplItem>| {
        let name = item.and_then(member_name);
        let label = name.as_ref().map_or(head.clone(), |name| format!("{head}::{name}"));
        let syntax = syn::Item::Impl(syn::ItemImpl { items: item.cloned().into_iter().collect(), ..empty.clone() });
        Item { module, label, kind: Kind::Of(name), syntax }
    };
    if found.is_empty() { vec![member(None)] } else { found.iter().map(|item| member(Some(item))).collect() }
}

/// The name by which a member is called. Associated types have none: they are part of their `impl`.
fn member_name(item: &syn::ImplItem) -> Option<String> {
    match item {
        syn::ImplItem::Fn(method) => Some(method.sig.ident.to_string()),
        syn::ImplItem::Const(constant) => Some(constant.ident.to_string()),
        _ => None,
    }
}

/// A trait with the signatures of its methods, and each default body as an item.
fn of_trait(module: usize, mut found: syn::ItemTrait) -> Vec<Item> {
    let name = found.ident.to_string();
    let mut bodies = Vec::new();
    for item in &mut found.items {
        let syn::TraitItem::Fn(method) = item else { continue };
        let Some(body) = method.default.take() else { continue };
        let called = method.sig.ident.to_string();
        let body = syn::ImplItemFn {
            attrs: Vec::new(),
            vis: syn::Visibility::Inherited,
            defaultness: None,
            sig: method.sig.clone(),
            block: body,
        };
        bodies.push((called, body));
        // The signature must show whether implementations may omit the method.
        method.semi_token = Some(Default::default());
    }
    let on: syn::Type = syn::parse_str(&name).expect("the name of a trait is a path");
    let body = |(called, body): (String, syn::ImplItemFn)| {
        let syntax = syn::ItemImpl {
            attrs: Vec::new(),
            defaultness: None,
            unsafety: None,
            impl_token: Default::default(),
            generics: syn::Generics { params: Punctuated::new(), ..found.generics.clone() },
            trait_: None,
            self_ty: Box::new(on.clone()),
            brace_token: Default::default(),
            items: vec![syn::ImplItem::Fn(body)],
        };
        let label = format!("{name}::{called}");
        Item { module, label, kind: Kind::Of(Some(called)), syntax: syn::Item::Impl(syntax) }
    };
    let bodies: Vec<Item> = bodies.into_iter().map(body).collect();
    let head = Item { module, label: name.clone(), kind: Kind::Named(name), syntax: syn::Item::Trait(found) };
    std::iter::once(head).chain(bodies).collect()
}
