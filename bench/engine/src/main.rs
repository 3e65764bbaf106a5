//! The native program; see `quadrille_bench_tasks::native`. Additional tasks: `task document`, `task limit`,
//! `task cancel`, and `inputs FILE COUNT`, which chooses the input cells that all engines edit in a
//! real workbook.

#[cfg(not(target_arch = "wasm32"))]
mod cancel;

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [command, file, count] = &arguments[..]
        && command == "inputs"
    {
        return native::print_inputs(file, count.parse().unwrap_or(100));
    }
    println!("{}", native::perform());
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use quadrille_bench_engine::{Ours, document};
    use quadrille_bench_tasks::{Engine, limit};
    use quadrille_workbook::{Input, Literal};

    pub fn perform() -> String {
        quadrille_bench_tasks::native::perform::<Ours>(|task, machine| match task {
            "document" => Some(document(machine)),
            "limit" => Some(limit(machine)),
            "cancel" => Some(crate::cancel::cancel()),
            _ => None,
        })
    }

    /// Prints a line with the size of the workbook, then `count` of its numbers, chosen by a fixed sequence.
    pub fn print_inputs(file: &str, count: usize) {
        let opened = std::fs::read(file).map_err(|error| error.to_string());
        let opened = opened.and_then(|bytes| Ours::open(file, &bytes).map_err(|trouble| trouble.to_string()));
        let ours = match opened {
            Ok(ours) => ours,
            Err(reason) => {
                eprintln!("{file}: {reason}");
                std::process::exit(1);
            }
        };
        let (mut cells, mut formulas, mut inputs) = (0_u64, 0_u64, Vec::new());
        for sheet in ours.workbook.sheets() {
            let Some(used) = sheet.used_range() else { continue };
            for (cell, input) in sheet.inputs_in(used) {
                cells += 1;
                match input {
                    Input::Formula(_) => formulas += 1,
                    Input::Value(Literal::Number(number)) => {
                        inputs.push((cell, number, sheet.name().clone()))
                    }
                    _ => {}
                }
            }
        }
        println!("#\t{cells}\t{formulas}\t{}", ours.workbook.sheets().len());
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..count.min(inputs.len() * 4) {
            // Knuth's linear congruential generator: the same cells in every run.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (cell, number, sheet) = &inputs[(state >> 33) as usize % inputs.len()];
            println!("{}\t{}\t{number}\t{sheet}", cell.row.get(), cell.column.get());
        }
    }
}
