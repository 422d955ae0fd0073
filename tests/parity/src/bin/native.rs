//! The native side: `suites`, `digests SUITE COUNT SEED...` (a line a seed), `case SUITE SEED INDEX` (a line a number).

use retry_primitives_parity::{SUITES, bits};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments[index].parse::<u64>().expect("a number");
    match arguments[0].as_str() {
        "suites" => println!("{}", SUITES.map(|suite| suite.name).join(" ")),
        "digests" => {
            let (suite, count) = (&SUITES[number(1) as usize], number(2));
            for seed in 3..arguments.len() {
                println!("{:016x}", suite.digest(number(seed), count));
            }
        }
        "case" => {
            for value in SUITES[number(1) as usize].case(number(2), number(3)) {
                println!("{:016x}", bits(value));
            }
        }
        other => panic!("no such command: {other}"),
    }
}
