//! How large a formula may be. Every tree that [`parse`](crate::parse) returns is within these limits, so that
//! walking one recursively fits any stack we run on, WebAssembly's 1 MiB included.

use crate::Expression;

/// Characters of a formula, as in Excel.
pub const LENGTH_MAX: usize = 8_192;
/// Calls, parentheses, signs and arrays inside one another. Excel allows 64 nested calls.
pub const NESTING_MAX: u32 = 64;
/// Arguments of one call, as in Excel.
pub const ARGUMENTS_MAX: usize = 255;
/// Nodes inside one another, where the left operand of a binary operator does not count: `1+2+3` is as deep as
/// `1+2`. Each level of nesting can bring several: `1=(2+3*(…`.
pub const DEPTH_MAX: u32 = 256;
/// Nodes from the root to the farthest leaf, all counted: a sum may have as many terms.
pub const HEIGHT_MAX: u32 = 1_024;

/// How high and how deep a tree is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    height: u32,
    depth: u32,
    /// Of what [`NESTING_MAX`] limits. What a file writes in one call, as `_xlfn.SINGLE(A:A)`, may take two: `(@A:A)`.
    nesting: u32,
}

impl Extent {
    pub const NONE: Extent = Extent { height: 0, depth: 0, nesting: 0 };
    pub const LEAF: Extent = Extent { height: 1, depth: 1, nesting: 0 };

    /// Of two trees side by side.
    pub fn max(self, other: Extent) -> Extent {
        Extent {
            height: self.height.max(other.height),
            depth: self.depth.max(other.depth),
            nesting: self.nesting.max(other.nesting),
        }
    }

    /// Of a node above children that extend this far.
    pub fn above(self) -> Extent {
        Extent { height: self.height + 1, depth: self.depth + 1, ..self }
    }

    /// Of a call, parentheses or a sign round what extends this far.
    pub fn around(self) -> Extent {
        Extent { nesting: self.nesting + 1, ..self.above() }
    }

    /// Of a binary operator.
    pub fn above_operands(left: Extent, right: Extent) -> Extent {
        let both = left.max(right);
        Extent { height: both.height + 1, depth: left.depth.max(right.depth + 1), ..both }
    }

    pub fn is_within_limits(self) -> bool {
        self.height <= HEIGHT_MAX && self.depth <= DEPTH_MAX && self.nesting <= NESTING_MAX
    }
}

/// Whether a tree that came from elsewhere is within [`DEPTH_MAX`] and [`HEIGHT_MAX`]. Does not recurse.
pub fn is_within_limits(expression: &Expression) -> bool {
    // Each with the extent of the path from the root.
    let mut pending = vec![(expression, Extent::LEAF)];
    while let Some((expression, path)) = pending.pop() {
        if !path.is_within_limits() {
            return false;
        }
        let below = path.above();
        match expression {
            Expression::Call { arguments, .. } => {
                pending.extend(arguments.iter().map(|argument| (argument, below)));
            }
            Expression::Apply { callee, arguments } => {
                pending.push((callee, below));
                pending.extend(arguments.iter().map(|argument| (argument, below)));
            }
            Expression::Unary(_, inner) | Expression::Parenthesised(inner) => pending.push((inner, below)),
            Expression::Binary(_, left, right) => {
                pending.push((left, Extent { depth: path.depth, ..below }));
                pending.push((right, below));
            }
            Expression::Array(rows) => {
                pending.extend(rows.iter().flatten().map(|element| (element, below)));
            }
            Expression::Number(_)
            | Expression::Text(_)
            | Expression::Boolean(_)
            | Expression::Error(_)
            | Expression::Missing
            | Expression::Reference(_)
            | Expression::Name(_)
            | Expression::Invalid(_) => {}
        }
    }
    true
}
