//! What a value is.

use quadrille_cell::{ErrorValue, Value};

use crate::context::CallContext;
use crate::registry::Function;

pub(crate) const FUNCTIONS: &[Function] =
    &[Function::scalar("ISNUMBER", "value", "Whether the value is a number.", is_number)
        .examples(&[("=ISNUMBER(1)", "TRUE"), ("=ISNUMBER(\"1\")", "FALSE")])];

fn is_number(_: &mut CallContext, arguments: &[Value]) -> Result<Value, ErrorValue> {
    Ok(Value::Boolean(matches!(arguments[0], Value::Number(_))))
}
