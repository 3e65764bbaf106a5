//! `get`, `post` and the others of [`axum::routing`], for handlers whose type does not matter afterwards.
//!
//! Axum wraps each handler in several services, and the compiler makes all of them for each type of handler,
//! and proves for each that the future of the handler is [`Send`]. With one type for all handlers it does so
//! once: that took a quarter of the time in which this crate is compiled.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::{self, MethodRouter};

use super::app::App;

type ResponseFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler of any type.
#[derive(Clone)]
struct AnyHandler(Arc<dyn Fn(Request, App) -> ResponseFuture + Send + Sync>);

impl AnyHandler {
    fn new<H: Handler<T, App>, T>(handler: H) -> AnyHandler {
        AnyHandler(Arc::new(move |request, app| Box::pin(handler.clone().call(request, app))))
    }
}

impl Handler<(), App> for AnyHandler {
    type Future = ResponseFuture;

    fn call(self, request: Request, app: App) -> ResponseFuture {
        (self.0)(request, app)
    }
}

/// Routes `GET` and `HEAD` requests to a handler.
pub fn get<H: Handler<T, App>, T>(handler: H) -> MethodRouter<App> {
    routing::get(AnyHandler::new(handler))
}

/// Routes `POST` requests to a handler.
pub fn post<H: Handler<T, App>, T>(handler: H) -> MethodRouter<App> {
    routing::post(AnyHandler::new(handler))
}

/// Routes `PUT` requests to a handler.
pub fn put<H: Handler<T, App>, T>(handler: H) -> MethodRouter<App> {
    routing::put(AnyHandler::new(handler))
}

/// Routes `PATCH` requests to a handler.
pub fn patch<H: Handler<T, App>, T>(handler: H) -> MethodRouter<App> {
    routing::patch(AnyHandler::new(handler))
}

/// Routes `DELETE` requests to a handler.
pub fn delete<H: Handler<T, App>, T>(handler: H) -> MethodRouter<App> {
    routing::delete(AnyHandler::new(handler))
}
