//! A loop given to `llvm-mca`, and what it answers: a model of a processor's back end on straight
//! code whose data are in the first cache. Not a measurement.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use entasis_base::{Error, Result, codes};

use super::listing::{Instruction, Kind};
use super::object::Machine;
use super::tool::Tool;

/// Instructions that are simulated in all; the start of the pipeline then weighs nothing.
const SIMULATED: usize = 100_000;
const ITERATIONS: std::ops::RangeInclusive<usize> = 20..=1000;

/// What the model says of a loop on one processor.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Cycles for one iteration of the loop, dependencies between iterations included.
    pub cycles: f64,
    /// Cycles that an iteration would take if nothing but the processor's units limited it.
    pub block_throughput: f64,
    /// Micro-operations of an iteration.
    pub uops: f64,
    /// Instructions per cycle.
    pub ipc: f64,
    /// What holds the loop up, as far as the model finds anything.
    pub bottleneck: String,
}

/// A loop as `llvm-mca` takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub text: String,
    pub instructions: usize,
    /// What was changed for the model's sake.
    pub warnings: Vec<String>,
}

/// Writes a loop's instructions for the model: calls are left out, jumps go to one label.
pub(super) fn input(body: &[&Instruction], machine: Machine) -> Input {
    let mut text = ".Lloop:\n".to_owned();
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    let (mut inner, mut instructions) = (0, 0);
    let last = body.iter().rposition(|i| !matches!(i.kind, Kind::Plain | Kind::Call));
    for (at, instruction) in body.iter().enumerate() {
        if instruction.kind == Kind::Call {
            let name = instruction.symbol.clone();
            *calls.entry(name.unwrap_or_else(|| instruction.text.clone())).or_default() += 1;
            continue;
        }
        if instruction.kind != Kind::Plain && Some(at) != last {
            inner += 1;
        }
        let line = if instruction.is_nop() {
            "nop".to_owned()
        } else if instruction.target.is_some() {
            format!("{}.Lloop", instruction.before_target())
        } else {
            instruction.text.clone()
        };
        text += &format!("\t{}\n", portable(&line, machine));
        instructions += 1;
    }
    let mut warnings = Vec::new();
    if !calls.is_empty() {
        let times = |(name, &count): (&String, &usize)| match count {
            1 => name.clone(),
            _ => format!("{name} ({count} times)"),
        };
        let first: Vec<String> = calls.iter().take(5).map(times).collect();
        let more = if calls.len() > 5 { ", ..." } else { "" };
        let count = plural(calls.values().sum(), "call");
        warnings.push(format!("{count} left out of the model: {}{more}", first.join(", ")));
    }
    if inner > 0 {
        warnings.push(format!(
            "{} inside: the model passes through all of the loop each time",
            plural(inner, "jump")
        ));
    }
    Input { text, instructions, warnings }
}

/// GNU's disassembler and LLVM's assembler spell prefixes of jumps in different ways.
fn portable(line: &str, machine: Machine) -> &str {
    match machine {
        Machine::X86 => line.trim_start_matches("bnd ").trim_start_matches("notrack "),
        Machine::Arm => line,
    }
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Asks the model about one processor. An error says which instruction or which name of a processor
/// it does not take.
pub(super) fn predict(
    tool: &Tool,
    input: &Input,
    machine: Machine,
    cpu: &str,
) -> Result<Prediction> {
    let refuse = |why: &str| {
        Err(Error::new(
            codes::UNSUPPORTED_METHOD,
            format!("llvm-mca does not model it for {cpu}: {why}"),
        ))
    };
    if input.instructions == 0 {
        return refuse("nothing is left of the loop without its calls");
    }
    let iterations = (SIMULATED / input.instructions).clamp(*ITERATIONS.start(), *ITERATIONS.end());
    let args = [
        format!("-mtriple={}", machine.triple()),
        format!("-mcpu={cpu}"),
        format!("-iterations={iterations}"),
        "-bottleneck-analysis".to_owned(),
        "-instruction-info=0".to_owned(),
        "-resource-pressure=0".to_owned(),
    ];
    let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
    let answer = tool.run(&args, &input.text)?;
    if answer.stderr.contains("is not a recognized processor") {
        return refuse(&format!(
            "it knows no such processor; `llvm-mca -mtriple={} -mcpu=help` lists them",
            machine.triple()
        ));
    }
    match read(&answer.stdout, iterations) {
        Some(prediction) if answer.success => Ok(prediction),
        _ => refuse(&complaint(&answer.stderr)),
    }
}

/// The first error that the tool printed, and the instruction below it.
fn complaint(stderr: &str) -> String {
    let mut lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.by_ref().find_map(|line| Some(line.split_once("error: ")?.1));
    let quoted = lines.find(|line| *line != "^" && !line.starts_with("note:"));
    match (error, quoted) {
        (Some(error), Some(line)) => format!("{error} `{}`", line.replace('\t', " ")),
        (Some(error), None) => error.to_owned(),
        (None, _) => "it gave no answer".to_owned(),
    }
}

/// Reads the summary and the analysis of bottlenecks.
fn read(text: &str, iterations: usize) -> Option<Prediction> {
    let number = |name: &str| -> Option<f64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().parse().ok()
    };
    let iterations = iterations as f64;
    Some(Prediction {
        cycles: number("Total Cycles:")? / iterations,
        block_throughput: number("Block RThroughput:")?,
        uops: number("Total uOps:")? / iterations,
        ipc: number("IPC:")?,
        bottleneck: bottleneck(text),
    })
}

/// The parts of `Throughput Bottlenecks` that are not zero, in percent of cycles.
fn bottleneck(text: &str) -> String {
    let Some((_, section)) = text.split_once("Throughput Bottlenecks:") else {
        return "none found".to_owned();
    };
    let section = section.split("Critical sequence").next().unwrap_or(section);
    let mut parts = Vec::new();
    for line in section.lines() {
        let Some((name, share)) = line.split_once('[') else { continue };
        let share = share.trim_matches([']', ' ', '%']);
        let share: f64 = share.parse().unwrap_or(0.0);
        let name = name.trim().trim_start_matches("- ").trim_end_matches([':', ' ']);
        // Their parts follow.
        if share < 0.5 || ["Resource Pressure", "Data Dependencies"].contains(&name) {
            continue;
        }
        // Names of units stay as they are.
        let name = if name.contains(' ') { name.to_lowercase() } else { name.to_owned() };
        parts.push((share, name));
    }
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    parts.truncate(3);
    let parts: Vec<String> =
        parts.iter().map(|(share, name)| format!("{name} {share:.0} %")).collect();
    if parts.is_empty() { "none found".to_owned() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::super::listing::read as listing;
    use super::*;

    /// What llvm-mca 14 prints, shortened.
    const ANSWER: &str = "\
Iterations:        100
Instructions:      500
Total Cycles:      109
Total uOps:        600

Dispatch Width:    6
uOps Per Cycle:    4.59
IPC:               4.59
Block RThroughput: 0.8


Cycles with backend pressure increase [ 81.65% ]
Throughput Bottlenecks:\x20
  Resource Pressure       [ 12.00% ]
  - SKLPort5  [ 12.00% ]
  - SKLPort0  [ 0.10% ]
  Data Dependencies:      [ 81.65% ]
  - Register Dependencies [ 81.65% ]
  - Memory Dependencies   [ 0.00% ]

Critical sequence based on the simulation:

              Instruction                                 Dependency Information
        1.    paddq %xmm2, %xmm0    ## RESOURCE interference:  SKLPort0 [ probability: 98% ]
";

    #[test]
    fn answers_are_read() {
        let found = read(ANSWER, 100).unwrap();
        let expected = Prediction {
            cycles: 1.09,
            block_throughput: 0.8,
            uops: 6.0,
            ipc: 4.59,
            bottleneck: "register dependencies 82 %, SKLPort5 12 %".to_owned(),
        };
        assert_eq!(found, expected);
        let quiet = ANSWER.split("Cycles with").next().unwrap();
        assert_eq!(read(quiet, 100).unwrap().bottleneck, "none found");
        assert_eq!(read("Iterations: 100\n", 100), None);
    }

    #[test]
    fn calls_and_jumps_are_made_fit() {
        let text = "0:\tcmpq\t%rax, 8(%rdi)\n3:\tjae\t0x40 <f+0x40>\n\
                    5:\tcallq\t0x9000 <_ZN3foo4grow17h0123456789abcdefE>\n\
                    a:\tnopw\t%cs:(%rax,%rax)\n10:\tbnd jne\t0x0 <f>\n";
        let code = listing(text, Machine::X86);
        let input = input(&code.iter().collect::<Vec<_>>(), Machine::X86);
        let expected = ".Lloop:\n\tcmpq %rax, 8(%rdi)\n\tjae .Lloop\n\tnop\n\tjne .Lloop\n";
        assert_eq!((input.text.as_str(), input.instructions), (expected, 4));
        let [calls, jumps] = &input.warnings[..] else { unreachable!("{:?}", input.warnings) };
        assert_eq!(calls, "1 call left out of the model: foo::grow");
        assert!(jumps.starts_with("1 jump inside"), "{jumps}");
    }

    #[test]
    fn complaints_quote_the_instruction() {
        let stderr = "warning: x\n<stdin>:3:2: error: instruction requires: AVX-512 ISA\n\
                      \tvpaddq\t%zmm0, %zmm1, %zmm2\n        ^\n";
        let text = complaint(stderr);
        assert_eq!(text, "instruction requires: AVX-512 ISA `vpaddq %zmm0, %zmm1, %zmm2`");
        assert_eq!(complaint(""), "it gave no answer");
    }
}
