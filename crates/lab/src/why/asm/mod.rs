//! The machine code of one function in two builds: is it the same, which loop of it is hot, and how
//! fast would a model of a processor run that loop?
//!
//! The machine's tools do the work: `objdump` (LLVM's or GNU's) reads binaries, `llvm-mca` has the
//! models. Rooms: `tool` runs them; `object` reads symbol tables; `listing` reads instructions;
//! `pick` finds the function and the loop that are meant; `flow` finds loops; `model` asks
//! `llvm-mca`; `samples` reads profiles, `places` those of processes; `report` prints; `excerpt` is
//! what is kept. Absent on purpose: an opinion on which build is faster. A model of one loop is
//! evidence beside a measurement, not in its place.

mod excerpt;
mod flow;
mod listing;
mod model;
mod object;
mod pick;
mod places;
mod report;
mod samples;
mod tool;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use entasis_base::{Error, Result, codes};

pub use self::excerpt::Excerpt;
use self::listing::Instruction;
pub use self::model::Prediction;
pub use self::object::{Function, Machine};
pub use self::places::Place;
pub use self::samples::{Sample, parse_samples};
use self::tool::Tool;

/// Longest function that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// Longest one whose loops are looked for without anybody's asking for it.
const MOST_SHOWN: u64 = 64 << 10;
/// Instructions of the longest loop that a model runs: it takes a second for a few thousand.
const MOST_MODELLED: usize = 2000;

/// What to compare.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The function: a name, the end of its path, or its name in the symbol table.
    pub function: String,
    /// The old and the new binary.
    pub binaries: [PathBuf; 2],
    /// Processors by LLVM's names; if empty, two or one usual ones of the binaries' family.
    pub cpus: Vec<String>,
    /// The loop to look at on each side, from 1, in place of the hottest.
    pub loops: [Option<usize>; 2],
    /// Which of several instances of one name to take on each side, from 1.
    pub picks: [Option<usize>; 2],
    /// Where a profile of each side found the function at work.
    pub samples: [Vec<Sample>; 2],
}

/// How a loop was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The request names it.
    Number,
    /// So many samples fell into it, more than into any other innermost loop.
    Samples(u64),
    /// No samples: it is the innermost loop with the most instructions.
    Longest,
}

/// A loop of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Its number, from 1.
    pub number: usize,
    /// How it was chosen.
    pub choice: Choice,
    /// Instructions with their distance from the function's beginning.
    pub body: Vec<(u64, String)>,
    /// What the model leaves out or does not see.
    pub warnings: Vec<String>,
    /// Predictions in the order of [`Comparison::cpus`], or why there is none.
    pub predictions: Vec<Result<Prediction, String>>,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The binary.
    pub binary: PathBuf,
    /// The function in it.
    pub function: Function,
    /// Its instructions.
    pub instructions: usize,
    /// The hash of its code, addresses aside.
    pub code: u64,
    /// How many loops it has.
    pub loops: usize,
    /// The loop that was looked at; none if there is no loop.
    pub hot: Option<Loop>,
}

/// Two builds' code of a function. Its text form is what `entasis lab asm` prints.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Old and new.
    pub sides: [Side; 2],
    /// Processors that were asked about.
    pub cpus: Vec<String>,
    /// Why these two of several functions of this name were taken.
    pub note: Option<String>,
}

impl Comparison {
    /// Whether both functions have the same instructions, addresses aside.
    pub fn same_code(&self) -> bool {
        self.sides[0].code == self.sides[1].code
    }
}

/// A binary whose functions are known.
struct Binary<'a> {
    path: &'a Path,
    machine: Machine,
    functions: Vec<Function>,
    /// Which function is called through which slot.
    pointers: HashMap<u64, String>,
    objdump: Tool,
}

/// A function that was read.
struct Code<'a> {
    function: &'a Function,
    instructions: Vec<Instruction>,
    hash: u64,
}

/// Compares a function in two builds. `path` is where tools are looked for, as in `PATH`.
///
/// Errors say what is needed: a package, symbols, a longer name. Runs `objdump` three times for
/// each side and `llvm-mca` once for each side and processor: two seconds for binaries of 200 MB,
/// in a build for tests.
pub fn compare(request: &Request, path: &OsStr) -> Result<Comparison> {
    let mca = find_mca(path)?;
    let [old, new] = &request.binaries;
    let builds = Builds::open([old, new], path)?;
    let (codes, note) = pick::functions(&builds.binaries, request)?;
    builds.modelled(&mca, &codes, request, note)
}

/// Two builds whose symbol tables were read once, for who asks about many of their functions.
pub struct Builds<'a> {
    binaries: [Binary<'a>; 2],
    path: &'a OsStr,
}

impl<'a> Builds<'a> {
    /// The old and the new binary. `path` is where tools are looked for, as in `PATH`.
    ///
    /// Errors say what is needed: a package, symbols, binaries of one family of processors. Runs
    /// `objdump` twice for each binary.
    pub fn open(binaries: [&'a Path; 2], path: &'a OsStr) -> Result<Self> {
        let objdump = Tool::find(&["llvm-objdump", "objdump"], "llvm", path)?;
        let [old, new] = binaries;
        let binaries = [Binary::open(old, &objdump)?, Binary::open(new, &objdump)?];
        if binaries[0].machine != binaries[1].machine {
            return Err(bad(
                "The binaries are for different processors: compare two of one family",
            ));
        }
        Ok(Self { binaries, path })
    }

    /// Whether both have a function, named as in the symbol table of each. Looks through both
    /// tables.
    pub fn has(&self, names: &[String; 2]) -> bool {
        self.binaries.iter().zip(names).all(|(binary, name)| binary.named(name).is_some())
    }

    /// Compares a function, named as in the symbol table of each build: on usual processors its
    /// innermost loop with the most samples, or the longest one where `places` (by side and
    /// process) do not tell.
    ///
    /// Errors: `llvm-mca` is missing, a build has no such function, or it has more than 64 KiB of
    /// code. Runs `objdump` once for each side and `llvm-mca` once for each side and processor.
    pub fn compare(
        &self,
        names: &[String; 2],
        places: &[Vec<Vec<Place<'_>>>; 2],
    ) -> Result<Comparison> {
        let mca = find_mca(self.path)?;
        let read = |side: usize| -> Result<Code<'_>> {
            let (binary, name) = (&self.binaries[side], &names[side]);
            match binary.named(name) {
                Some(function) if function.size > MOST_SHOWN => Err(bad(format!(
                    "Function `{name}` has {} bytes of code, more than {MOST_SHOWN} are shown by \
                     `entasis lab asm` only",
                    function.size
                ))),
                Some(function) => binary.read(function),
                None => Err(bad(format!("No function `{name}` in {}", binary.path.display()))),
            }
        };
        let codes = [read(0)?, read(1)?];
        let samples = [0, 1].map(|side: usize| {
            let functions = &self.binaries[side].functions;
            places::samples(functions, codes[side].function, &places[side])
        });
        self.modelled(&mca, &codes, &Request { samples, ..Request::default() }, None)
    }

    /// Whether functions have the same machine code, addresses aside: what the fact
    /// `identical_code` of a class is made of. Each pair is a function's name in both symbol
    /// tables. `None` for a function that neither binary has (one of a library, or of the kernel),
    /// and for one that cannot be read (of more than 1 MiB of code). Runs `objdump` once for each
    /// function of each side.
    pub fn same_code(&self, pairs: &BTreeSet<[String; 2]>) -> BTreeMap<[String; 2], Option<bool>> {
        let binaries = &self.binaries;
        let tables: [HashMap<&str, &Function>; 2] = binaries
            .each_ref()
            .map(|binary| binary.functions.iter().map(|f| (f.symbol.as_str(), f)).collect());
        let mut found = BTreeMap::new();
        for pair in pairs {
            let functions = [0, 1].map(|side| tables[side].get(pair[side].as_str()).copied());
            let same = match functions {
                [Some(old), Some(new)] => {
                    let read = binaries[0].read(old).ok().zip(binaries[1].read(new).ok());
                    read.map(|(old, new)| old.hash == new.hash)
                }
                [None, None] => None,
                _ => Some(false),
            };
            found.insert(pair.clone(), same);
        }
        found
    }

    /// The hot loops of functions that were read, and what the model says of them.
    fn modelled(
        &self,
        mca: &Tool,
        codes: &[Code; 2],
        request: &Request,
        note: Option<String>,
    ) -> Result<Comparison> {
        let machine = self.binaries[0].machine;
        let cpus = match (&request.cpus[..], machine) {
            ([], Machine::X86) => vec!["skylake".to_owned(), "znver3".to_owned()],
            ([], Machine::Arm) => vec!["neoverse-n1".to_owned()],
            (cpus, _) => cpus.to_vec(),
        };
        let model = |body: &[&Instruction]| {
            if body.len() > MOST_MODELLED {
                let long = format!("a loop of {} instructions is not modelled", body.len());
                return (Vec::new(), vec![Err(long); cpus.len()]);
            }
            let input = model::input(body, machine);
            let ask = |cpu: &String| {
                model::predict(mca, &input, machine, cpu).map_err(|e| e.message().to_owned())
            };
            let predictions = cpus.iter().map(ask).collect();
            (input.warnings, predictions)
        };
        let side = |at: usize| side(&self.binaries[at], &codes[at], request, at, &model);
        let sides = [side(0)?, side(1)?];
        Ok(Comparison { sides, cpus, note })
    }
}

/// What the model says of a loop's instructions: warnings and predictions.
type Model<'a> = dyn Fn(&[&Instruction]) -> (Vec<String>, Vec<Result<Prediction, String>>) + 'a;

/// One side; `at` is its place in the request.
fn side(binary: &Binary, code: &Code, request: &Request, at: usize, model: &Model) -> Result<Side> {
    let loops = flow::loops(&code.instructions);
    let weights = samples::by_address(&request.samples[at], code.function);
    let hot = pick::hot_loop(&loops, &code.instructions, request.loops[at], &weights)?;
    let start = code.function.address;
    let place = start..start + code.function.size;
    let hot = hot.map(|(number, choice)| {
        let body: Vec<&Instruction> =
            loops[number].body.iter().map(|&place| &code.instructions[place]).collect();
        let (warnings, predictions) = model(&body);
        Loop {
            number: number + 1,
            choice,
            body: body.iter().map(|i| (i.address - start, i.shown(&place))).collect(),
            warnings,
            predictions,
        }
    });
    Ok(Side {
        binary: binary.path.to_owned(),
        function: code.function.clone(),
        instructions: code.instructions.len(),
        code: code.hash,
        loops: loops.len(),
        hot,
    })
}

fn bad(message: impl Into<String>) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message)
}

fn find_mca(path: &OsStr) -> Result<Tool> {
    Tool::find(&["llvm-mca"], "llvm", path)
}

impl<'a> Binary<'a> {
    fn open(path: &'a Path, objdump: &Tool) -> Result<Self> {
        let shown = path.display();
        if let Err(e) = std::fs::File::open(path) {
            return Err(Error::from(e).context(format_args!("Cannot read {shown}")));
        }
        let answer = objdump.run(&[OsStr::new("-t"), path.as_os_str()], "")?;
        let machine = Machine::of(&answer.stdout).ok_or_else(|| {
            let said = answer.stderr.lines().next().unwrap_or("another processor");
            bad(format!("{shown} is no binary for x86-64 or AArch64 that objdump reads: {said}"))
        })?;
        let functions = object::functions(&answer.stdout);
        if functions.is_empty() {
            return Err(bad(format!(
                "{shown} has no symbols: take a build that was not stripped (in Cargo.toml \
                 `strip = false`; debug information is not needed)"
            )));
        }
        // Not an error of object files and static binaries: they have no slots.
        let slots = objdump.run(&[OsStr::new("-R"), path.as_os_str()], "")?;
        let pointers = object::pointers(&slots.stdout, &functions);
        Ok(Self { path, machine, functions, pointers, objdump: objdump.clone() })
    }

    /// The function of this name in the symbol table.
    fn named(&self, symbol: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.symbol == symbol)
    }

    fn read<'f>(&self, function: &'f Function) -> Result<Code<'f>> {
        let name = function.name();
        if function.size > MOST_BYTES {
            return Err(bad(format!(
                "{name} has {} bytes, more than 1 MiB of code",
                function.size
            )));
        }
        let args = [
            "-d".to_owned(),
            "-r".to_owned(),
            "--no-show-raw-insn".to_owned(),
            format!("--section={}", function.section),
            format!("--start-address={:#x}", function.address),
            format!("--stop-address={:#x}", function.address + function.size),
        ];
        let mut args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        args.push(self.path.as_os_str());
        let answer = self.objdump.run(&args, "")?;
        let mut instructions = listing::read(&answer.stdout, self.machine);
        listing::resolve(&mut instructions, &self.pointers);
        if instructions.is_empty() {
            let said = answer.stderr.lines().next().unwrap_or("no instructions");
            return Err(bad(format!(
                "Cannot disassemble {name} of {}: {said}",
                self.path.display()
            )));
        }
        let hash = listing::code_hash(&instructions, self.machine);
        Ok(Code { function, instructions, hash })
    }
}

#[cfg(test)]
mod tests;
