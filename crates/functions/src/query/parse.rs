//! The parser of queries. Clauses have a fixed order and occur at most once.

use std::collections::VecDeque;

use quadrille_cell::{ErrorValue, Value};

use super::expression::{Aggregate, Comparison, Condition, Expression, Scalar, TextCondition};
use super::table::{ColumnType, Table};
use super::tokens::{Token, tokenize};
use crate::coerce::parse_input;
use crate::context::CallContext;
use crate::text::patterns;

/// A parsed query. Omitted clauses are empty.
pub(super) struct Query {
    pub select: Vec<Expression>,
    pub condition: Option<Condition>,
    pub group_by: Vec<Expression>,
    pub pivot: Vec<Expression>,
    /// Expressions with whether their order is descending.
    pub order_by: Vec<(Expression, bool)>,
    pub limit: Option<u32>,
    pub offset: u32,
    pub labels: Vec<(Expression, String)>,
    pub formats: Vec<(Expression, String)>,
}

/// Maximum nesting of parentheses and NOT.
const DEPTH_MAX: u32 = 32;

pub(super) fn parse(context: &mut CallContext, text: &str, table: &Table) -> Result<Query, ErrorValue> {
    let mut parser = Parser { tokens: tokenize(text)?.into(), table, depth: 0, context };
    parser.query()
}

struct Parser<'a, 'b, 'c> {
    tokens: VecDeque<Token>,
    table: &'a Table<'a>,
    depth: u32,
    context: &'b mut CallContext<'c>,
}

type Parsed<T> = Result<T, ErrorValue>;

impl Parser<'_, '_, '_> {
    fn query(&mut self) -> Parsed<Query> {
        let mut query = Query {
            select: Vec::new(),
            condition: None,
            group_by: Vec::new(),
            pivot: Vec::new(),
            order_by: Vec::new(),
            limit: None,
            offset: 0,
            labels: Vec::new(),
            formats: Vec::new(),
        };
        if self.accept("select") && !self.accept_symbol("*") {
            query.select = self.list(Self::sum)?;
        } else {
            query.select = (0..self.table.columns()).map(Expression::Column).collect();
        }
        if self.accept("where") {
            query.condition = Some(self.disjunction()?);
        }
        if self.accept("group") {
            self.expect("by")?;
            query.group_by = self.list(Self::sum)?;
        }
        if self.accept("pivot") {
            query.pivot = self.list(Self::sum)?;
        }
        if self.accept("order") {
            self.expect("by")?;
            query.order_by = self.list(|parser| {
                let expression = parser.sum()?;
                let is_descending = parser.accept("desc");
                if !is_descending {
                    parser.accept("asc");
                }
                Ok((expression, is_descending))
            })?;
        }
        if self.accept("limit") {
            query.limit = Some(self.count()?);
        }
        if self.accept("offset") {
            query.offset = self.count()?;
        }
        if self.accept("label") {
            query.labels = self.list(Self::expression_with_text)?;
        }
        if self.accept("format") {
            query.formats = self.list(Self::expression_with_text)?;
        }
        if self.tokens.is_empty() { Ok(query) } else { Err(ErrorValue::Value) }
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = vec![item(self)?];
        while self.accept_symbol(",") {
            list.push(item(self)?);
        }
        Ok(list)
    }

    /// Parses an expression followed by a text.
    fn expression_with_text(&mut self) -> Parsed<(Expression, String)> {
        let expression = self.sum()?;
        match self.tokens.pop_front() {
            Some(Token::Text(text)) => Ok((expression, text)),
            _ => Err(ErrorValue::Value),
        }
    }

    fn count(&mut self) -> Parsed<u32> {
        match self.tokens.pop_front() {
            Some(Token::Number(number)) if number.fract() == 0.0 && number <= f64::from(u32::MAX) => {
                Ok(number as u32)
            }
            _ => Err(ErrorValue::Value),
        }
    }

    // Conditions

    fn disjunction(&mut self) -> Parsed<Condition> {
        let mut tests = vec![self.conjunction()?];
        while self.accept("or") {
            tests.push(self.conjunction()?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Condition::Any(tests) })
    }

    fn conjunction(&mut self) -> Parsed<Condition> {
        let mut tests = vec![self.condition()?];
        while self.accept("and") {
            tests.push(self.condition()?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Condition::All(tests) })
    }

    fn condition(&mut self) -> Parsed<Condition> {
        if self.accept("not") {
            return self.nested(|parser| Ok(Condition::Not(Box::new(parser.condition()?))));
        }
        // A parenthesis opens a condition or an expression. Try a condition first and backtrack if
        // an operator follows.
        if self.tokens.front() == Some(&Token::Symbol("(")) {
            let before = self.tokens.clone();
            let inner = self.nested(|parser| {
                parser.tokens.pop_front();
                let test = parser.disjunction()?;
                parser.expect_symbol(")")?;
                Ok(test)
            });
            match inner {
                Ok(test) if !self.continues_expression() => return Ok(test),
                _ => self.tokens = before,
            }
            self.context.budget.charge(self.tokens.len() as u64)?;
        }
        let left = self.sum()?;
        if self.accept("is") {
            let is_not = self.accept("not");
            self.expect("null")?;
            let test = Condition::IsNull(left);
            return Ok(if is_not { Condition::Not(Box::new(test)) } else { test });
        }
        if let Some(comparison) = self.comparison() {
            return Ok(Condition::Compare(comparison, left, self.sum()?));
        }
        let text_test = if self.accept("contains") {
            TextCondition::Contains
        } else if self.accept("starts") {
            self.expect("with")?;
            TextCondition::StartsWith
        } else if self.accept("ends") {
            self.expect("with")?;
            TextCondition::EndsWith
        } else if self.accept("like") {
            TextCondition::Like
        } else if self.accept("matches") {
            let pattern = self.text()?;
            let pattern = patterns::compile(self.context, &format!("^(?:{pattern})$"), false, "")?;
            return Ok(Condition::Matches(left, pattern));
        } else {
            return self.truth(left);
        };
        Ok(Condition::Text(text_test, left, self.text()?))
    }

    /// A Boolean column is a condition by itself.
    fn truth(&mut self, expression: Expression) -> Parsed<Condition> {
        let is_truth = match &expression {
            Expression::Column(column) => self.table.types[*column as usize] == ColumnType::Boolean,
            Expression::Literal(Value::Boolean(_)) => true,
            _ => false,
        };
        let holds = Expression::Literal(Value::Boolean(true));
        if is_truth {
            Ok(Condition::Compare(Comparison::Equal, expression, holds))
        } else {
            Err(ErrorValue::Value)
        }
    }

    fn continues_expression(&self) -> bool {
        match self.tokens.front() {
            Some(Token::Symbol(sign)) => *sign != ")",
            Some(Token::Name(name)) => ["is", "contains", "starts", "ends", "like", "matches"]
                .iter()
                .any(|word| name.eq_ignore_ascii_case(word)),
            _ => false,
        }
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let comparison = match self.tokens.front()? {
            Token::Symbol("=") => Comparison::Equal,
            Token::Symbol("!=" | "<>") => Comparison::NotEqual,
            Token::Symbol("<") => Comparison::Less,
            Token::Symbol("<=") => Comparison::LessOrEqual,
            Token::Symbol(">") => Comparison::Greater,
            Token::Symbol(">=") => Comparison::GreaterOrEqual,
            _ => return None,
        };
        self.tokens.pop_front();
        Some(comparison)
    }

    // Expressions

    fn sum(&mut self) -> Parsed<Expression> {
        let mut left = self.product()?;
        while let Some(Token::Symbol(sign @ ("+" | "-"))) = self.tokens.front().cloned() {
            left = self.arithmetic(sign, left, Self::product)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Expression> {
        let mut left = self.value()?;
        while let Some(Token::Symbol(sign @ ("*" | "/"))) = self.tokens.front().cloned() {
            left = self.arithmetic(sign, left, Self::value)?;
        }
        Ok(left)
    }

    fn arithmetic(
        &mut self,
        sign: &'static str,
        left: Expression,
        right: fn(&mut Self) -> Parsed<Expression>,
    ) -> Parsed<Expression> {
        self.tokens.pop_front();
        let right = right(self)?;
        let sign = sign.chars().next().unwrap_or('+');
        // Evaluation is recursive, so chains of operators are limited like nesting.
        if depth(&left) > DEPTH_MAX {
            return Err(ErrorValue::Value);
        }
        Ok(Expression::Arithmetic(sign, Box::new((left, right))))
    }

    fn value(&mut self) -> Parsed<Expression> {
        match self.tokens.pop_front().ok_or(ErrorValue::Value)? {
            Token::Number(number) => Ok(Expression::Literal(Value::number(number))),
            Token::Text(text) => Ok(Expression::Literal(Value::text(text))),
            Token::Quoted(name) => self.column(&name),
            Token::Symbol("-") => match self.tokens.pop_front() {
                Some(Token::Number(number)) => Ok(Expression::Literal(Value::number(-number))),
                _ => Err(ErrorValue::Value),
            },
            Token::Symbol("(") => self.nested(|parser| {
                let inner = parser.sum()?;
                parser.expect_symbol(")")?;
                Ok(inner)
            }),
            Token::Symbol(_) => Err(ErrorValue::Value),
            Token::Name(name) => self.named_value(&name.to_lowercase(), &name),
        }
    }

    fn named_value(&mut self, lower: &str, name: &str) -> Parsed<Expression> {
        match lower {
            "true" => return Ok(Expression::Literal(Value::Boolean(true))),
            "false" => return Ok(Expression::Literal(Value::Boolean(false))),
            "date" | "datetime" | "timestamp" | "timeofday"
                if matches!(self.tokens.front(), Some(Token::Text(_))) =>
            {
                let text = self.text()?;
                return match parse_input(&text).value {
                    Value::Number(number) => Ok(Expression::Literal(Value::Number(number))),
                    _ => Err(ErrorValue::Value),
                };
            }
            _ => {}
        }
        if !self.accept_symbol("(") {
            return self.column(name);
        }
        if let Some((_, aggregate)) = Aggregate::ALL.into_iter().find(|(known, _)| *known == lower) {
            let Expression::Column(column) = self.value()? else { return Err(ErrorValue::Value) };
            self.expect_symbol(")")?;
            return Ok(Expression::Aggregate(aggregate, column));
        }
        let (_, function, count) =
            Scalar::ALL.into_iter().find(|(known, ..)| *known == lower).ok_or(ErrorValue::Value)?;
        self.nested(|parser| {
            let arguments = if count == 0 { Vec::new() } else { parser.list(Self::sum)? };
            parser.expect_symbol(")")?;
            if arguments.len() == count {
                Ok(Expression::Call(function, arguments))
            } else {
                Err(ErrorValue::Value)
            }
        })
    }

    fn column(&self, name: &str) -> Parsed<Expression> {
        self.table.column(name).map(Expression::Column).ok_or(ErrorValue::Value)
    }

    // Tokens

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(ErrorValue::Value);
        }
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn accept(&mut self, keyword: &str) -> bool {
        let is_match =
            matches!(self.tokens.front(), Some(Token::Name(name)) if name.eq_ignore_ascii_case(keyword));
        if is_match {
            self.tokens.pop_front();
        }
        is_match
    }

    fn accept_symbol(&mut self, symbol: &str) -> bool {
        let is_match = matches!(self.tokens.front(), Some(Token::Symbol(sign)) if *sign == symbol);
        if is_match {
            self.tokens.pop_front();
        }
        is_match
    }

    fn expect(&mut self, keyword: &str) -> Parsed<()> {
        if self.accept(keyword) { Ok(()) } else { Err(ErrorValue::Value) }
    }

    fn expect_symbol(&mut self, sign: &str) -> Parsed<()> {
        if self.accept_symbol(sign) { Ok(()) } else { Err(ErrorValue::Value) }
    }

    fn text(&mut self) -> Parsed<String> {
        match self.tokens.pop_front() {
            Some(Token::Text(text)) => Ok(text),
            _ => Err(ErrorValue::Value),
        }
    }
}

/// Returns the number of nested operators on the left sides.
fn depth(expression: &Expression) -> u32 {
    let mut depth = 0;
    let mut at = expression;
    while let Expression::Arithmetic(_, sides) = at {
        at = &sides.0;
        depth += 1;
    }
    depth
}
