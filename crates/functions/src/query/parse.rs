//! From words to a question. Clauses stand in a fixed order, each at most once.

use std::collections::VecDeque;

use quadrille_cell::{ErrorValue, Value};

use super::expression::{Aggregate, Comparison, Expression, Scalar, Test, TextTest};
use super::table::{Kind, Table};
use super::tokens::{Word, words};
use crate::coerce::read_typed;
use crate::context::CallContext;
use crate::text::patterns;

/// What a query asks. Everything left out is empty.
pub(super) struct Question {
    pub select: Vec<Expression>,
    pub test: Option<Test>,
    pub group_by: Vec<Expression>,
    pub pivot: Vec<Expression>,
    /// With whether the order falls.
    pub order_by: Vec<(Expression, bool)>,
    pub limit: Option<u32>,
    pub offset: u32,
    pub labels: Vec<(Expression, String)>,
    pub formats: Vec<(Expression, String)>,
}

/// Brackets and NOTs in one another.
const DEPTH_MAX: u32 = 32;

pub(super) fn parse(context: &mut CallContext, text: &str, table: &Table) -> Result<Question, ErrorValue> {
    let mut parser = Parser { words: words(text)?.into(), table, depth: 0, context };
    parser.query()
}

struct Parser<'a, 'b, 'c> {
    words: VecDeque<Word>,
    table: &'a Table<'a>,
    depth: u32,
    context: &'b mut CallContext<'c>,
}

type Parsed<T> = Result<T, ErrorValue>;

impl Parser<'_, '_, '_> {
    fn query(&mut self) -> Parsed<Question> {
        let mut question = Question {
            select: Vec::new(),
            test: None,
            group_by: Vec::new(),
            pivot: Vec::new(),
            order_by: Vec::new(),
            limit: None,
            offset: 0,
            labels: Vec::new(),
            formats: Vec::new(),
        };
        if self.takes("select") && !self.takes_sign("*") {
            question.select = self.list(Self::sum)?;
        } else {
            question.select = (0..self.table.columns()).map(Expression::Column).collect();
        }
        if self.takes("where") {
            question.test = Some(self.any_test()?);
        }
        if self.takes("group") {
            self.expects("by")?;
            question.group_by = self.list(Self::sum)?;
        }
        if self.takes("pivot") {
            question.pivot = self.list(Self::sum)?;
        }
        if self.takes("order") {
            self.expects("by")?;
            question.order_by = self.list(|parser| {
                let expression = parser.sum()?;
                let falls = parser.takes("desc");
                if !falls {
                    parser.takes("asc");
                }
                Ok((expression, falls))
            })?;
        }
        if self.takes("limit") {
            question.limit = Some(self.count()?);
        }
        if self.takes("offset") {
            question.offset = self.count()?;
        }
        if self.takes("label") {
            question.labels = self.list(Self::named)?;
        }
        if self.takes("format") {
            question.formats = self.list(Self::named)?;
        }
        if self.words.is_empty() { Ok(question) } else { Err(ErrorValue::Value) }
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = vec![item(self)?];
        while self.takes_sign(",") {
            list.push(item(self)?);
        }
        Ok(list)
    }

    /// An expression and a text.
    fn named(&mut self) -> Parsed<(Expression, String)> {
        let expression = self.sum()?;
        match self.words.pop_front() {
            Some(Word::Text(text)) => Ok((expression, text)),
            _ => Err(ErrorValue::Value),
        }
    }

    fn count(&mut self) -> Parsed<u32> {
        match self.words.pop_front() {
            Some(Word::Number(number)) if number.fract() == 0.0 && number <= f64::from(u32::MAX) => {
                Ok(number as u32)
            }
            _ => Err(ErrorValue::Value),
        }
    }

    // Tests

    fn any_test(&mut self) -> Parsed<Test> {
        let mut tests = vec![self.all_tests()?];
        while self.takes("or") {
            tests.push(self.all_tests()?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Test::Any(tests) })
    }

    fn all_tests(&mut self) -> Parsed<Test> {
        let mut tests = vec![self.one_test()?];
        while self.takes("and") {
            tests.push(self.one_test()?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Test::All(tests) })
    }

    fn one_test(&mut self) -> Parsed<Test> {
        if self.takes("not") {
            return self.nested(|parser| Ok(Test::Not(Box::new(parser.one_test()?))));
        }
        // A bracket opens a test or an expression; which one shows behind it.
        if self.words.front() == Some(&Word::Sign("(")) {
            let before = self.words.clone();
            let inner = self.nested(|parser| {
                parser.words.pop_front();
                let test = parser.any_test()?;
                parser.expects_sign(")")?;
                Ok(test)
            });
            match inner {
                Ok(test) if !self.goes_on_as_expression() => return Ok(test),
                _ => self.words = before,
            }
            self.context.budget.charge(self.words.len() as u64)?;
        }
        let left = self.sum()?;
        if self.takes("is") {
            let is_not = self.takes("not");
            self.expects("null")?;
            let test = Test::IsNull(left);
            return Ok(if is_not { Test::Not(Box::new(test)) } else { test });
        }
        if let Some(comparison) = self.comparison() {
            return Ok(Test::Compare(comparison, left, self.sum()?));
        }
        let text_test = if self.takes("contains") {
            TextTest::Contains
        } else if self.takes("starts") {
            self.expects("with")?;
            TextTest::StartsWith
        } else if self.takes("ends") {
            self.expects("with")?;
            TextTest::EndsWith
        } else if self.takes("like") {
            TextTest::Like
        } else if self.takes("matches") {
            let pattern = self.text()?;
            let pattern = patterns::compile(self.context, &format!("^(?:{pattern})$"), false, "")?;
            return Ok(Test::Matches(left, pattern));
        } else {
            return self.truth(left);
        };
        Ok(Test::Text(text_test, left, self.text()?))
    }

    /// A column of truth values is a test by itself.
    fn truth(&mut self, expression: Expression) -> Parsed<Test> {
        let is_truth = match &expression {
            Expression::Column(column) => self.table.kinds[*column as usize] == Kind::Boolean,
            Expression::Literal(Value::Boolean(_)) => true,
            _ => false,
        };
        let holds = Expression::Literal(Value::Boolean(true));
        if is_truth {
            Ok(Test::Compare(Comparison::Equal, expression, holds))
        } else {
            Err(ErrorValue::Value)
        }
    }

    fn goes_on_as_expression(&self) -> bool {
        match self.words.front() {
            Some(Word::Sign(sign)) => *sign != ")",
            Some(Word::Name(name)) => ["is", "contains", "starts", "ends", "like", "matches"]
                .iter()
                .any(|word| name.eq_ignore_ascii_case(word)),
            _ => false,
        }
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let comparison = match self.words.front()? {
            Word::Sign("=") => Comparison::Equal,
            Word::Sign("!=" | "<>") => Comparison::NotEqual,
            Word::Sign("<") => Comparison::Less,
            Word::Sign("<=") => Comparison::LessOrEqual,
            Word::Sign(">") => Comparison::Greater,
            Word::Sign(">=") => Comparison::GreaterOrEqual,
            _ => return None,
        };
        self.words.pop_front();
        Some(comparison)
    }

    // Values

    fn sum(&mut self) -> Parsed<Expression> {
        let mut left = self.product()?;
        while let Some(Word::Sign(sign @ ("+" | "-"))) = self.words.front().cloned() {
            left = self.arithmetic(sign, left, Self::product)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Expression> {
        let mut left = self.value()?;
        while let Some(Word::Sign(sign @ ("*" | "/"))) = self.words.front().cloned() {
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
        self.words.pop_front();
        let right = right(self)?;
        let sign = sign.chars().next().unwrap_or('+');
        // Values are computed by recursion, so sums are not longer than brackets are deep.
        if depth(&left) > DEPTH_MAX {
            return Err(ErrorValue::Value);
        }
        Ok(Expression::Arithmetic(sign, Box::new((left, right))))
    }

    fn value(&mut self) -> Parsed<Expression> {
        match self.words.pop_front().ok_or(ErrorValue::Value)? {
            Word::Number(number) => Ok(Expression::Literal(Value::number(number))),
            Word::Text(text) => Ok(Expression::Literal(Value::text(text))),
            Word::Quoted(name) => self.column(&name),
            Word::Sign("-") => match self.words.pop_front() {
                Some(Word::Number(number)) => Ok(Expression::Literal(Value::number(-number))),
                _ => Err(ErrorValue::Value),
            },
            Word::Sign("(") => self.nested(|parser| {
                let inner = parser.sum()?;
                parser.expects_sign(")")?;
                Ok(inner)
            }),
            Word::Sign(_) => Err(ErrorValue::Value),
            Word::Name(name) => self.named_value(&name.to_lowercase(), &name),
        }
    }

    fn named_value(&mut self, lower: &str, name: &str) -> Parsed<Expression> {
        match lower {
            "true" => return Ok(Expression::Literal(Value::Boolean(true))),
            "false" => return Ok(Expression::Literal(Value::Boolean(false))),
            "date" | "datetime" | "timestamp" | "timeofday"
                if matches!(self.words.front(), Some(Word::Text(_))) =>
            {
                let text = self.text()?;
                return match read_typed(&text).value {
                    Value::Number(number) => Ok(Expression::Literal(Value::Number(number))),
                    _ => Err(ErrorValue::Value),
                };
            }
            _ => {}
        }
        if !self.takes_sign("(") {
            return self.column(name);
        }
        if let Some((_, aggregate)) = Aggregate::ALL.into_iter().find(|(known, _)| *known == lower) {
            let Expression::Column(column) = self.value()? else { return Err(ErrorValue::Value) };
            self.expects_sign(")")?;
            return Ok(Expression::Aggregate(aggregate, column));
        }
        let (_, function, count) =
            Scalar::ALL.into_iter().find(|(known, ..)| *known == lower).ok_or(ErrorValue::Value)?;
        self.nested(|parser| {
            let arguments = if count == 0 { Vec::new() } else { parser.list(Self::sum)? };
            parser.expects_sign(")")?;
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

    // Words

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(ErrorValue::Value);
        }
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn takes(&mut self, keyword: &str) -> bool {
        let found =
            matches!(self.words.front(), Some(Word::Name(name)) if name.eq_ignore_ascii_case(keyword));
        if found {
            self.words.pop_front();
        }
        found
    }

    fn takes_sign(&mut self, wanted: &str) -> bool {
        let found = matches!(self.words.front(), Some(Word::Sign(sign)) if *sign == wanted);
        if found {
            self.words.pop_front();
        }
        found
    }

    fn expects(&mut self, keyword: &str) -> Parsed<()> {
        if self.takes(keyword) { Ok(()) } else { Err(ErrorValue::Value) }
    }

    fn expects_sign(&mut self, sign: &str) -> Parsed<()> {
        if self.takes_sign(sign) { Ok(()) } else { Err(ErrorValue::Value) }
    }

    fn text(&mut self) -> Parsed<String> {
        match self.words.pop_front() {
            Some(Word::Text(text)) => Ok(text),
            _ => Err(ErrorValue::Value),
        }
    }
}

/// How deep the left sides of operators go.
fn depth(expression: &Expression) -> u32 {
    let mut depth = 0;
    let mut at = expression;
    while let Expression::Arithmetic(_, sides) = at {
        at = &sides.0;
        depth += 1;
    }
    depth
}
