//! Analysis of one item in its context: its parts as text, and the names, calls and constructed variants of each.
//!
//! Text is independent of layout. A path is shortened to its target item, or to the whole path of another package's
//! item. Names of modules and of workspace crates, visibility and imports are excluded.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Ident, Token};

use crate::items::{Item, Kind};
use crate::modules::{Import, Modules, Target, imports};
use crate::syntax;

/// A variant of a registry: `("GameSpec", "Othello")`.
pub type Fork = (String, String);

/// Structs whose presence in a spec decides as a variant does.
pub const SETTINGS: [&str; 1] = ["Clock"];

/// Prefix of the placeholder for a resolved name.
const PLACEHOLDER: &str = "__resolved_";

/// The analysis of an item.
#[derive(Debug, Default)]
pub struct Walked {
    /// The parts, starting with the unconditional one.
    pub parts: Vec<Part>,
    /// The resolved names, which the texts refer to by placeholders: a name and its items.
    pub resolved: Vec<(String, Vec<usize>)>,
    /// For a member of an `impl`: the items of this workspace that its type names.
    pub on: BTreeSet<usize>,
    /// The items of its trait: `None` without a trait, empty for a trait of another package.
    pub of: Option<BTreeSet<usize>>,
}

/// A part of an item, included under one condition.
#[derive(Debug, Default)]
pub struct Part {
    /// Alternatives: in each, all of these variants are named. Empty: always included.
    pub when: Vec<BTreeSet<Fork>>,
    /// Its tokens.
    pub text: Vec<TokenStream>,
    /// The items that it names.
    pub edges: BTreeSet<usize>,
    /// The names of members of types and traits that it may call.
    pub calls: BTreeSet<String>,
    /// The variants of registries that it constructs.
    pub makes: BTreeSet<Fork>,
    /// The packages that it names.
    pub packages: BTreeSet<String>,
}

impl Walked {
    /// The text of a part; `meaning` prints a resolved name.
    pub fn text(&self, part: usize, meaning: impl Fn(&str, &[usize]) -> String) -> String {
        let replace = |word: &str| {
            let at: usize = word.strip_prefix(PLACEHOLDER)?.parse().ok()?;
            let (name, items) = &self.resolved[at];
            Some(meaning(name, items))
        };
        self.parts[part].text.iter().map(|tokens| syntax::print(tokens, &replace) + "\n").collect()
    }
}

/// Reads an item.
pub fn walk(modules: &Modules, item: &Item, registries: &[&str]) -> Walked {
    let mut walker = Walker {
        modules,
        module: item.module,
        registries,
        found: Walked { parts: vec![Part::default()], ..Walked::default() },
        part: 0,
        scopes: Vec::new(),
        imports: Vec::new(),
        own: None,
        in_pattern: false,
    };
    let mut syntax = item.syntax.clone();
    if let syn::Item::Impl(found) = &syntax {
        walker.head(found);
    }
    if let Kind::Call(_) = &item.kind {
        walker.found.on = walker.named_by(&syntax);
    }
    walker.item(&mut syntax);
    walker.found
}

struct Walker<'a> {
    modules: &'a Modules,
    module: usize,
    registries: &'a [&'a str],
    found: Walked,
    /// The current part.
    part: usize,
    /// The local names, by block.
    scopes: Vec<BTreeSet<String>>,
    /// Imports within functions.
    imports: Vec<Import>,
    /// The registry of the current `impl`.
    own: Option<String>,
    in_pattern: bool,
}

impl Walker<'_> {
    fn part(&mut self) -> &mut Part {
        &mut self.found.parts[self.part]
    }

    fn item(&mut self, syntax: &mut syn::Item) {
        self.scopes.push(BTreeSet::new());
        let registry = match syntax {
            syn::Item::Enum(found) if self.registries.contains(&found.ident.to_string().as_str()) => Some(found),
            _ => None,
        };
        if let Some(registry) = registry {
            self.variants(registry);
        }
        match &mut *syntax {
            syn::Item::Macro(rules) if rules.ident.is_some() => {
                rules.mac.tokens = self.tokens(rules.mac.tokens.clone())
            }
            other => self.visit_item_mut(other),
        }
        self.scopes.pop();
        let tokens = syntax.to_token_stream();
        self.found.parts[0].text.push(tokens);
    }

    /// The type and the trait of an `impl`.
    fn head(&mut self, found: &syn::ItemImpl) {
        let generics: BTreeSet<String> = found.generics.params.iter().map(generic_name).collect();
        self.scopes.push(generics);
        self.found.on = self.named_by(&found.self_ty);
        self.found.of = found.trait_.as_ref().map(|(_, path, _)| match self.target(&syntax::names(path)) {
            Some(Target::Items(_, items, _)) => items.into_iter().collect(),
            _ => BTreeSet::new(),
        });
        // `impl From<Own> for String`: neither the trait nor the type belongs to this workspace.
        if self.found.on.is_empty() && self.found.of.as_ref().is_none_or(BTreeSet::is_empty) {
            self.found.on = found.trait_.as_ref().map(|(_, path, _)| self.named_by(path)).unwrap_or_default();
        }
        self.scopes.pop();
        if let syn::Type::Path(path) = &*found.self_ty {
            let name = path.path.segments.last().map(|segment| segment.ident.to_string());
            self.own = name.filter(|name| self.registries.contains(&name.as_str()));
        }
    }

    /// The items that some syntax names.
    fn named_by(&self, syntax: &impl ToTokens) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        paths(syntax.to_token_stream(), &mut |path, is_member| {
            if let (false, Some(Target::Items(_, items, _))) = (is_member, self.target(path)) {
                found.extend(items);
            }
        });
        found
    }

    /// The target of a path from here.
    fn target(&self, path: &[String]) -> Option<Target> {
        if self.is_local(path) || path.first().is_some_and(|name| name == "Self") {
            return None;
        }
        self.modules.resolve(self.module, path, &self.imports)
    }

    /// Whether a path starts with a local name. A variable starts no longer path: that is a module of the same name.
    fn is_local(&self, path: &[String]) -> bool {
        path.first().is_some_and(|name| {
            let can_be = path.len() == 1 || name.starts_with(char::is_uppercase);
            can_be && self.scopes.iter().any(|scope| scope.contains(name))
        })
    }

    /// Records the items that a path names, and returns its text; `None` if the text does not change.
    fn name(&mut self, path: &[String]) -> Option<Vec<String>> {
        if path.len() > 1 {
            let members = path[1..].to_vec();
            self.part().calls.extend(members);
        }
        let target = self.target(path);
        self.note_fork(path, target.as_ref());
        match target {
            Some(Target::Items(name, items, rest)) => {
                self.part().calls.extend(rest.iter().cloned());
                let place = self.refer(&name, items);
                Some(std::iter::once(place).chain(rest).collect())
            }
            Some(Target::Module(_)) => None,
            Some(Target::Foreign(whole)) => {
                self.part().packages.insert(whole[0].clone());
                Some(whole)
            }
            None => {
                if path.len() > 1 && !self.is_local(path) {
                    self.part().packages.insert(path[0].clone());
                }
                None
            }
        }
    }

    /// The placeholder of a resolved name.
    fn refer(&mut self, name: &str, items: Vec<usize>) -> String {
        self.part().edges.extend(&items);
        let wanted = (name.to_owned(), items);
        let known = self.found.resolved.iter().position(|known| *known == wanted);
        let at = known.unwrap_or_else(|| {
            self.found.resolved.push(wanted);
            self.found.resolved.len() - 1
        });
        format!("{PLACEHOLDER}{at}")
    }

    fn note_fork(&mut self, path: &[String], target: Option<&Target>) {
        let fork = self.fork(path, target).filter(|(registry, variant)| !self.in_pattern && registry != variant);
        self.part().makes.extend(fork);
    }

    /// The registry variant that a path names, if any. A path of a struct may also be a type.
    fn fork(&self, path: &[String], target: Option<&Target>) -> Option<Fork> {
        let (registry, variant) = match (path, target) {
            ([own, variant, ..], _) if own == "Self" => (self.own.clone()?, variant.clone()),
            (_, Some(Target::Items(name, _, rest))) if rest.is_empty() && SETTINGS.contains(&name.as_str()) => {
                (name.clone(), name.clone())
            }
            (_, Some(Target::Items(name, _, rest))) => (name.clone(), rest.first()?.clone()),
            _ => return None,
        };
        let is_variant = variant.starts_with(char::is_uppercase);
        (is_variant && self.registries.contains(&registry.as_str())).then_some((registry, variant))
    }

    /// Makes each variant of a registry a part.
    fn variants(&mut self, registry: &mut syn::ItemEnum) {
        let name = registry.ident.to_string();
        for mut variant in std::mem::take(&mut registry.variants) {
            let fork = (name.clone(), variant.ident.to_string());
            let part = self.conditional(vec![[fork].into()]);
            self.within(part, |walker| walker.visit_variant_mut(&mut variant));
            self.found.parts[part].text.push(variant.to_token_stream());
        }
    }

    fn conditional(&mut self, when: Vec<BTreeSet<Fork>>) -> usize {
        let known = self.found.parts.iter().position(|part| part.when == when);
        known.unwrap_or_else(|| {
            self.found.parts.push(Part { when, ..Part::default() });
            self.found.parts.len() - 1
        })
    }

    fn within(&mut self, part: usize, read: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.part, part);
        read(self);
        self.part = outer;
    }

    fn scoped(&mut self, read: impl FnOnce(&mut Self)) {
        self.scopes.push(BTreeSet::new());
        let imports = self.imports.len();
        read(self);
        self.imports.truncate(imports);
        self.scopes.pop();
    }

    fn bind(&mut self, name: String) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name);
        }
    }

    fn pattern(&mut self, pattern: &mut syn::Pat) {
        let outer = std::mem::replace(&mut self.in_pattern, true);
        self.visit_pat_mut(pattern);
        self.in_pattern = outer;
    }

    /// The variants for which a pattern may match; empty if it may match any.
    fn condition(&self, pattern: &syn::Pat) -> Vec<BTreeSet<Fork>> {
        let alternatives: Vec<&syn::Pat> = match pattern {
            syn::Pat::Or(or) => or.cases.iter().collect(),
            one => vec![one],
        };
        let forks = |alternative: &&syn::Pat| {
            let tokens = alternative.to_token_stream();
            // Nested alternatives are not distinguished.
            let mut found = BTreeSet::new();
            let has_bar = tokens.to_string().contains('|');
            paths(tokens, &mut |path, _| found.extend(self.fork(path, self.target(path).as_ref())));
            if has_bar { BTreeSet::new() } else { found }
        };
        let when: Vec<BTreeSet<Fork>> = alternatives.iter().map(forks).collect();
        if when.iter().all(|forks| !forks.is_empty()) { when } else { Vec::new() }
    }

    /// The structs without which a statement has no effect: `if let Some(Clock { .. }) = terms.clock { … }`.
    fn needed(&self, statement: &syn::Stmt) -> Vec<BTreeSet<Fork>> {
        let syn::Stmt::Expr(syn::Expr::If(decision), _) = statement else { return Vec::new() };
        let syn::Expr::Let(binding) = &*decision.cond else { return Vec::new() };
        let is_plain = matches!(&*binding.expr, syn::Expr::Field(_) | syn::Expr::Path(_));
        let when = if is_plain && decision.else_branch.is_none() { self.condition(&binding.pat) } else { Vec::new() };
        let are_structs = when.iter().flatten().all(|(registry, variant)| registry == variant);
        if are_structs && self.part == 0 { when } else { Vec::new() }
    }

    fn arm(&mut self, arm: &mut syn::Arm) {
        self.scoped(|walker| {
            walker.pattern(&mut arm.pat);
            if let Some((_, guard)) = &mut arm.guard {
                walker.visit_expr_mut(guard);
            }
            walker.visit_expr_mut(&mut arm.body);
        });
        arm.comma = None;
    }

    /// Tokens of a macro without syntax of their own: every path is a name, every word after a dot may be a call.
    fn tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut kept, mut at) = (Vec::with_capacity(trees.len()), 0);
        while at < trees.len() {
            match &trees[at] {
                TokenTree::Group(group) => {
                    let inner = self.tokens(group.stream());
                    kept.push(TokenTree::Group(proc_macro2::Group::new(group.delimiter(), inner)));
                    at += 1;
                }
                TokenTree::Ident(_) => {
                    let (path, end) = syntax::path_at(&trees, at);
                    let is_behind = |mark| at > 0 && syntax::is_punct(&trees[at - 1], mark);
                    let is_argument = is_behind('$') && path[0] != "crate";
                    if is_behind('.') || is_argument {
                        self.part().calls.extend(path.iter().cloned());
                        kept.extend_from_slice(&trees[at..end]);
                    } else if let Some(names) = self.name(&path) {
                        kept.extend(path_tokens(&names));
                    } else {
                        kept.extend_from_slice(&trees[at..end]);
                    }
                    at = end;
                }
                other => {
                    self.literal(&other.to_string());
                    kept.push(other.clone());
                    at += 1;
                }
            }
        }
        kept.into_iter().collect()
    }

    /// Constants named in a format string: `"{MOST} jobs"`.
    fn literal(&mut self, text: &str) {
        if !text.starts_with('"') && !text.starts_with('r') {
            return;
        }
        for rest in text.split('{').skip(1) {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if name.starts_with(char::is_uppercase) {
                self.name(&[name]);
            }
        }
    }

    /// The body of a macro call, parsed as a pattern after a value, as expressions, as statements, or as tokens.
    fn body(&mut self, called: &str, tokens: TokenStream) -> TokenStream {
        for tree in tokens.clone() {
            if let TokenTree::Literal(literal) = tree {
                self.literal(&literal.to_string());
            }
        }
        if called.starts_with("include_") {
            return self.included(tokens);
        }
        if (called == "matches" || called.ends_with("assert_matches"))
            && let Ok(mut asked) = Asked::parse.parse2(tokens.clone())
        {
            self.scoped(|walker| {
                walker.visit_expr_mut(&mut asked.value);
                walker.pattern(&mut asked.pattern);
                asked.guard.iter_mut().for_each(|guard| walker.visit_expr_mut(guard));
            });
            return asked.tokens();
        }
        if let Ok(mut list) = Punctuated::<syn::Expr, Token![,]>::parse_terminated.parse2(tokens.clone()) {
            list.iter_mut().for_each(|value| self.visit_expr_mut(value));
            return list.to_token_stream();
        }
        if let Ok(mut array) = syn::parse2::<Repeated>(tokens.clone()) {
            self.visit_expr_mut(&mut array.0);
            self.visit_expr_mut(&mut array.1);
            let (value, count) = (&array.0, &array.1);
            return quote::quote!(#value; #count);
        }
        self.tokens(tokens)
    }

    /// The hash of an included file stands for its contents.
    fn included(&self, tokens: TokenStream) -> TokenStream {
        let Ok(name) = syn::parse2::<syn::LitStr>(tokens.clone()) else { return tokens };
        let place = self.modules.all[self.module].folder.join(name.value());
        let content = std::fs::read(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
        let hash = blake3::hash(&content).to_hex().to_string();
        quote::quote!(#hash)
    }
}

impl VisitMut for Walker<'_> {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        visit_mut::visit_path_mut(self, path);
        let names = syntax::names(path);
        let Some(new) = self.name(&names) else { return };
        let mut arguments: Vec<syn::PathArguments> = path.segments.iter().map(|one| one.arguments.clone()).collect();
        arguments.reverse();
        let segment = |(behind, name): (usize, &String)| syn::PathSegment {
            ident: Ident::new(name, Span::call_site()),
            arguments: arguments.get(behind).cloned().unwrap_or_default(),
        };
        let mut segments: Vec<syn::PathSegment> = new.iter().rev().enumerate().map(segment).collect();
        segments.reverse();
        *path = syn::Path { leading_colon: None, segments: segments.into_iter().collect() };
    }

    fn visit_visibility_mut(&mut self, seen: &mut syn::Visibility) {
        *seen = syn::Visibility::Inherited;
    }

    fn visit_attribute_mut(&mut self, attribute: &mut syn::Attribute) {
        let syn::Meta::List(list) = &mut attribute.meta else { return };
        if list.path.is_ident("derive") {
            list.tokens = self.tokens(list.tokens.clone());
        } else if list.path.is_ident("serde") {
            list.tokens = self.serde(list.tokens.clone());
        }
    }

    fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
        let called = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        self.visit_path_mut(&mut call.path);
        call.tokens = self.body(&called, call.tokens.clone());
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut syn::ExprMethodCall) {
        let name = call.method.to_string();
        self.part().calls.insert(name);
        visit_mut::visit_expr_method_call_mut(self, call);
    }

    fn visit_expr_match_mut(&mut self, decision: &mut syn::ExprMatch) {
        self.visit_expr_mut(&mut decision.expr);
        let mut kept = Vec::new();
        for mut arm in std::mem::take(&mut decision.arms) {
            let when = if self.part == 0 { self.condition(&arm.pat) } else { Vec::new() };
            if when.is_empty() {
                self.arm(&mut arm);
                kept.push(arm);
            } else {
                let part = self.conditional(when);
                self.within(part, |walker| walker.arm(&mut arm));
                self.found.parts[part].text.push(arm.to_token_stream());
            }
        }
        decision.arms = kept;
    }

    fn visit_pat_ident_mut(&mut self, pattern: &mut syn::PatIdent) {
        let name = pattern.ident.to_string();
        if name.starts_with(char::is_uppercase) && pattern.by_ref.is_none() && pattern.subpat.is_none() {
            // A constant or an imported variant: one word can only become one word.
            if let Some([new]) = self.name(std::slice::from_ref(&name)).as_deref() {
                pattern.ident = Ident::new(new, Span::call_site());
            }
            return;
        }
        visit_mut::visit_pat_ident_mut(self, pattern);
        self.bind(name);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.scoped(|walker| {
            // Items are visible in the whole block.
            for statement in &block.stmts {
                match statement {
                    syn::Stmt::Item(syn::Item::Use(found)) => walker.imports.extend(imports(found)),
                    syn::Stmt::Item(item) => drop(local_name(item).map(|name| walker.bind(name))),
                    _ => {}
                }
            }
            block.stmts.retain(|statement| !matches!(statement, syn::Stmt::Item(syn::Item::Use(_))));
            for mut statement in std::mem::take(&mut block.stmts) {
                let when = walker.needed(&statement);
                if when.is_empty() {
                    walker.visit_stmt_mut(&mut statement);
                    block.stmts.push(statement);
                } else {
                    let part = walker.conditional(when);
                    walker.within(part, |walker| walker.visit_stmt_mut(&mut statement));
                    walker.found.parts[part].text.push(statement.to_token_stream());
                }
            }
        });
    }

    fn visit_expr_struct_mut(&mut self, made: &mut syn::ExprStruct) {
        let names = syntax::names(&made.path);
        let fork = self.fork(&names, self.target(&names).as_ref());
        self.part().makes.extend(fork);
        visit_mut::visit_expr_struct_mut(self, made);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        local.attrs.iter_mut().for_each(|attribute| self.visit_attribute_mut(attribute));
        if let Some(init) = &mut local.init {
            self.visit_local_init_mut(init);
        }
        self.pattern(&mut local.pat);
    }

    fn visit_expr_let_mut(&mut self, binding: &mut syn::ExprLet) {
        self.visit_expr_mut(&mut binding.expr);
        self.pattern(&mut binding.pat);
    }

    fn visit_expr_if_mut(&mut self, decision: &mut syn::ExprIf) {
        self.scoped(|walker| {
            walker.visit_expr_mut(&mut decision.cond);
            walker.visit_block_mut(&mut decision.then_branch);
        });
        if let Some((_, other)) = &mut decision.else_branch {
            self.visit_expr_mut(other);
        }
    }

    fn visit_expr_while_mut(&mut self, repeated: &mut syn::ExprWhile) {
        self.scoped(|walker| {
            walker.visit_expr_mut(&mut repeated.cond);
            walker.visit_block_mut(&mut repeated.body);
        });
    }

    fn visit_expr_for_loop_mut(&mut self, repeated: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut repeated.expr);
        self.scoped(|walker| {
            walker.pattern(&mut repeated.pat);
            walker.visit_block_mut(&mut repeated.body);
        });
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut syn::ExprClosure) {
        self.scoped(|walker| {
            closure.inputs.iter_mut().for_each(|input| walker.pattern(input));
            walker.visit_return_type_mut(&mut closure.output);
            walker.visit_expr_mut(&mut closure.body);
        });
    }

    fn visit_generics_mut(&mut self, generics: &mut syn::Generics) {
        let names: Vec<String> = generics.params.iter().map(generic_name).collect();
        names.into_iter().for_each(|name| self.bind(name));
        visit_mut::visit_generics_mut(self, generics);
    }

    fn visit_item_fn_mut(&mut self, function: &mut syn::ItemFn) {
        self.scoped(|walker| visit_mut::visit_item_fn_mut(walker, function));
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut syn::ImplItemFn) {
        self.scoped(|walker| visit_mut::visit_impl_item_fn_mut(walker, function));
    }

    fn visit_trait_item_fn_mut(&mut self, function: &mut syn::TraitItemFn) {
        self.scoped(|walker| visit_mut::visit_trait_item_fn_mut(walker, function));
    }
}

impl Walker<'_> {
    /// The settings of a serde attribute, some of which name functions and types in a string.
    fn serde(&mut self, tokens: TokenStream) -> TokenStream {
        const NAMING: [&str; 9] = [
            "default",
            "with",
            "serialize_with",
            "deserialize_with",
            "skip_serializing_if",
            "from",
            "into",
            "try_from",
            "getter",
        ];
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut kept = trees.clone();
        for at in 2..trees.len() {
            let TokenTree::Literal(literal) = &trees[at] else { continue };
            let is_naming = NAMING.iter().any(|key| syntax::is_word(&trees[at - 2], key));
            let text = literal.to_string();
            let Some(path) = syntax::quoted_path(text.trim_matches('"')).filter(|_| is_naming) else { continue };
            if syntax::is_word(&trees[at - 2], "with") {
                self.part().calls.extend(["serialize", "deserialize"].map(str::to_owned));
            }
            if let Some(names) = self.name(&path) {
                let inner = path_tokens(&names).into_iter().collect();
                kept[at] = TokenTree::Group(proc_macro2::Group::new(proc_macro2::Delimiter::None, inner));
            }
        }
        kept.into_iter().collect()
    }
}

/// `matches!(value, pattern if guard)`.
struct Asked {
    value: syn::Expr,
    pattern: syn::Pat,
    guard: Option<syn::Expr>,
}

impl Parse for Asked {
    fn parse(input: ParseStream<'_>) -> syn::Result<Asked> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
        let guard = if input.parse::<Option<Token![if]>>()?.is_some() { Some(input.parse()?) } else { None };
        input.parse::<Option<Token![,]>>()?;
        if input.is_empty() { Ok(Asked { value, pattern, guard }) } else { Err(input.error("more than a pattern")) }
    }
}

impl Asked {
    fn tokens(&self) -> TokenStream {
        let Asked { value, pattern, guard } = self;
        let guard = guard.as_ref().map(|guard| quote::quote!(if #guard));
        quote::quote!(#value, #pattern #guard)
    }
}

/// `value; count`, as in `vec![0; n]`.
struct Repeated(syn::Expr, syn::Expr);

impl Parse for Repeated {
    fn parse(input: ParseStream<'_>) -> syn::Result<Repeated> {
        let value = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(Repeated(value, input.parse()?))
    }
}

/// Calls `tell` for every path among tokens, with whether it follows a dot.
fn paths(tokens: TokenStream, tell: &mut impl FnMut(&[String], bool)) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < trees.len() {
        match &trees[at] {
            TokenTree::Group(group) => paths(group.stream(), tell),
            TokenTree::Ident(_) => {
                let (path, end) = syntax::path_at(&trees, at);
                tell(&path, at > 0 && syntax::is_punct(&trees[at - 1], '.'));
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

fn path_tokens(names: &[String]) -> Vec<TokenTree> {
    let path: Punctuated<Ident, Token![::]> = names.iter().map(|name| Ident::new(name, Span::call_site())).collect();
    path.to_token_stream().into_iter().collect()
}

fn generic_name(parameter: &syn::GenericParam) -> String {
    match parameter {
        syn::GenericParam::Lifetime(lifetime) => lifetime.lifetime.to_string(),
        syn::GenericParam::Type(parameter) => parameter.ident.to_string(),
        syn::GenericParam::Const(parameter) => parameter.ident.to_string(),
    }
}

/// The name of an item within a function.
fn local_name(item: &syn::Item) -> Option<String> {
    match item {
        syn::Item::Const(found) => Some(found.ident.to_string()),
        syn::Item::Static(found) => Some(found.ident.to_string()),
        syn::Item::Fn(found) => Some(found.sig.ident.to_string()),
        syn::Item::Struct(found) => Some(found.ident.to_string()),
        syn::Item::Enum(found) => Some(found.ident.to_string()),
        syn::Item::Trait(found) => Some(found.ident.to_string()),
        syn::Item::Type(found) => Some(found.ident.to_string()),
        _ => None,
    }
}
