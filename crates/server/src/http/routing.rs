//! `get`, `post` and the others of [`axum::routing`], which hide the type of the handler.
//!
//! Axum wraps each handler in several services that are generic over its type. For every one of them the
//! compiler generates code and proves that the future of the handler is [`Send`], which took a quarter of the
//! time to compile this crate. Here all handlers have one type, so that it happens once.

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
