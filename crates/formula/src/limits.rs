//! Limits of formulas. Every tree that [`parse`](crate::parse) returns is within them, so that
//! recursion over it fits the smallest stack, WebAssembly's 1 MiB.

use crate::Expression;

/// Maximum length of a formula in characters, as in Excel.
pub const LENGTH_MAX: usize = 8_192;
/// Maximum nesting of calls, parentheses, signs and arrays. Excel allows 64 nested calls.
pub const NESTING_MAX: u32 = 64;
/// Maximum number of arguments of a call, as in Excel.
pub const ARGUMENTS_MAX: usize = 255;
/// Maximum depth of a tree, where the left operand of a binary operator adds no depth: `1+2+3` is
/// as deep as `1+2`. One level of nesting can add several levels of depth: `1=(2+3*(…`.
pub const DEPTH_MAX: u32 = 256;
/// Maximum number of nodes from the root to a leaf, and so of the terms of a sum.
pub const HEIGHT_MAX: u32 = 1_024;

/// Height, depth and nesting of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    height: u32,
    depth: u32,
    /// The nesting that [`NESTING_MAX`] limits. A call in a file, such as `_xlfn.SINGLE(A:A)`, can
    /// take two levels: `(@A:A)`.
    nesting: u32,
}

impl Extent {
    pub const NONE: Extent = Extent { height: 0, depth: 0, nesting: 0 };
    pub const LEAF: Extent = Extent { height: 1, depth: 1, nesting: 0 };

    /// Returns the extent of two sibling trees.
    pub fn max(self, other: Extent) -> Extent {
        Extent {
            height: self.height.max(other.height),
            depth: self.depth.max(other.depth),
            nesting: self.nesting.max(other.nesting),
        }
    }

    /// Returns the extent of a parent of trees of this extent.
    pub fn above(self) -> Extent {
        Extent { height: self.height + 1, depth: self.depth + 1, ..self }
    }

    /// Returns the extent of a call, parentheses or a sign around trees of this extent.
    pub fn around(self) -> Extent {
        Extent { nesting: self.nesting + 1, ..self.above() }
    }

    /// Returns the extent of a binary operator.
    pub fn above_operands(left: Extent, right: Extent) -> Extent {
        let both = left.max(right);
        Extent { height: both.height + 1, depth: left.depth.max(right.depth + 1), ..both }
    }

    /// Whether the extent is within all three limits.
    pub fn is_within_limits(self) -> bool {
        self.height <= HEIGHT_MAX && self.depth <= DEPTH_MAX && self.nesting <= NESTING_MAX
    }
}

/// Whether a tree that was not built by [`parse`](crate::parse) is within [`DEPTH_MAX`] and
/// [`HEIGHT_MAX`]. Does not recurse.
pub fn is_within_limits(expression: &Expression) -> bool {
    // Nodes with the extent of the path from the root.
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
