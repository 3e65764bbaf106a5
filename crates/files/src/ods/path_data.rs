//! The paths of shapes: `svg:d` (SVG 1.1, 8.3) and `draw:enhanced-path` (ODF 1.3 part 3, 19.145).

/// Commands of a path, at most.
const COMMANDS_MAX: usize = 10_000;

/// A command with absolute coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Command {
    Move((f64, f64)),
    Line((f64, f64)),
    Curve([(f64, f64); 3]),
    Close,
}

/// The commands of a path; `None` for one with other commands than lines, curves and their end, with formulas, or
/// with too many.
pub(super) fn path_data(data: &str) -> Option<Vec<Command>> {
    let mut commands = Vec::new();
    let mut at = (0.0, 0.0);
    let mut start = at;
    for (index, letter) in
        data.char_indices().filter(|(_, letter)| letter.is_ascii_alphabetic() && *letter != 'e')
    {
        let rest = &data[index + 1..];
        let end = rest.find(|letter: char| letter.is_ascii_alphabetic() && letter != 'e');
        let numbers = numbers(&rest[..end.unwrap_or(rest.len())])?;
        let is_relative = letter.is_ascii_lowercase();
        let point = |pair: &[f64], at: (f64, f64)| match is_relative {
            true => (at.0 + pair[0], at.1 + pair[1]),
            false => (pair[0], pair[1]),
        };
        let count = match letter.to_ascii_uppercase() {
            'M' | 'L' => 2,
            'H' | 'V' => 1,
            'C' => 6,
            'Z' => {
                commands.push(Command::Close);
                at = start;
                0
            }
            // The end of a part of an enhanced path, and whether it is filled and has a line.
            'N' | 'F' | 'S' if numbers.is_empty() => 0,
            _ => return None,
        };
        if count == 0 {
            continue;
        }
        if numbers.is_empty() || numbers.len() % count != 0 {
            return None;
        }
        for (position, own) in numbers.chunks_exact(count).enumerate() {
            let command = match letter.to_ascii_uppercase() {
                'M' if position == 0 => {
                    start = point(own, at);
                    Command::Move(start)
                }
                // Further points of a move are lines.
                'M' | 'L' => Command::Line(point(own, at)),
                'H' => Command::Line((if is_relative { at.0 + own[0] } else { own[0] }, at.1)),
                'V' => Command::Line((at.0, if is_relative { at.1 + own[0] } else { own[0] })),
                _ => Command::Curve([point(&own[..2], at), point(&own[2..4], at), point(&own[4..], at)]),
            };
            at = match command {
                Command::Move(to) | Command::Line(to) | Command::Curve([.., to]) => to,
                Command::Close => start,
            };
            commands.push(command);
        }
        if commands.len() > COMMANDS_MAX {
            return None;
        }
    }
    matches!(commands.first(), Some(Command::Move(_))).then_some(commands)
}

/// Numbers between spaces, commas and signs; `None` for formulas and others.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let mut numbers = Vec::new();
    let mut own = String::new();
    let mut push = |own: &mut String| -> Option<()> {
        if !own.is_empty() {
            numbers.push(own.parse().ok().filter(|number: &f64| number.is_finite())?);
            own.clear();
        }
        Some(())
    };
    for character in text.chars() {
        match character {
            ' ' | ',' | '\t' | '\n' | '\r' => push(&mut own)?,
            '-' if !own.is_empty() && !own.ends_with('e') => {
                push(&mut own)?;
                own.push('-');
            }
            character => own.push(character),
        }
    }
    push(&mut own)?;
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_absolute_commands() {
        let expected = [
            Command::Move((1.0, 2.0)),
            Command::Line((4.0, 2.0)),
            Command::Line((4.0, -3.0)),
            Command::Curve([(5.0, -3.0), (6.0, -2.0), (7.0, -1.5)]),
            Command::Close,
        ];
        for path in [
            "M1 2 4 2L4-3C5-3 6-2 7-1.5Z",
            "m1,2 3 0v-5c1 0 2 1 3 1.5z",
            "M 1 2 H 4 V -3 C 5 -3 6 -2 7 -1.5 Z N",
        ] {
            assert_eq!(path_data(path).as_deref(), Some(&expected[..]), "{path}");
        }
        for other in ["", "L1 2", "M1", "M1 2 A1 1 0 0 0 3 3", "M ?f0 0 L 1 1", "M 1 x", "M 1e999 0"] {
            assert_eq!(path_data(other), None, "{other}");
        }
    }
}
