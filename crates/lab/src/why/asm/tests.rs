use super::*;

/// Assembles a text for a machine with the tools that are there; `None` where they are not. The
/// tests below then hold nothing: parsers and loops have tests on texts of their own.
fn assembled(name: &str, triple: &str, source: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let assembler = Tool::find(&["llvm-mc"], "llvm", &path).ok()?;
    Tool::find(&["llvm-mca"], "llvm", &path).ok()?;
    let folder = std::env::temp_dir().join(format!("entasis-why-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    let args = [format!("-triple={triple}"), "-filetype=obj".to_owned(), "-o".to_owned()];
    let mut args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
    args.push(file.as_os_str());
    let answer = assembler.run(&args, source).unwrap();
    assert!(answer.success, "{}", answer.stderr);
    Some(file)
}

fn run(request: &Request) -> Result<Comparison> {
    compare(request, &std::env::var_os("PATH").unwrap_or_default())
}

const ARM: &str = include_str!("samples/dot_aarch64.s");
const X86: &str = include_str!("samples/sum_x86_64.s");

#[test]
fn a_loop_of_arm() {
    let triple = "aarch64-linux-gnu";
    // The new side multiplies into a second register, and begins with another instruction.
    let faster = ARM.replace("fmla v0.2d, v1.2d, v3.2d", "fmul v4.2d, v1.2d, v3.2d");
    let Some(old) = assembled("dot_old.o", triple, ARM) else { return };
    let Some(new) = assembled("dot_new.o", triple, &faster) else { return };
    let request = Request {
        function: "dot".to_owned(),
        binaries: [old.clone(), new],
        cpus: vec!["neoverse-n1".to_owned(), "cortex-a57".to_owned(), "skylake".to_owned()],
        ..Request::default()
    };
    let found = run(&request).unwrap();
    assert!(!found.same_code());
    let hot = found.sides[0].hot.as_ref().unwrap();
    assert_eq!((hot.body.len(), hot.choice, found.sides[0].loops), (5, Choice::Longest, 1));
    assert_eq!(hot.body[0], (0x14, "ldr q1, [x0], #16".to_owned()));
    for at in 0..2 {
        let cycles = |side: usize| {
            let hot = found.sides[side].hot.as_ref().unwrap();
            hot.predictions[at].as_ref().unwrap().cycles
        };
        assert!(cycles(0) >= 1.0 && cycles(1) <= cycles(0), "{found}");
    }
    let refused = hot.predictions[2].as_ref().unwrap_err();
    assert!(refused.contains("no such processor"), "{refused}");
    // The same file against itself.
    let same = run(&Request { binaries: [old.clone(), old.clone()], ..request }).unwrap();
    assert!(same.same_code());
    assert!(same.to_string().contains("the same instructions as left"), "{same}");
    // And by the names in its symbol table.
    let path = std::env::var_os("PATH").unwrap();
    let builds = Builds::open([&old, &old], &path).unwrap();
    let pair = |old: &str, new: &str| [old.to_owned(), new.to_owned()];
    let asked = BTreeSet::from([pair("dot", "dot"), pair("no", "no"), pair("dot", "no")]);
    let answers: Vec<Option<bool>> = builds.same_code(&asked).into_values().collect();
    assert_eq!(answers, [Some(true), Some(false), None]);
    assert!(builds.has(&pair("dot", "dot")) && !builds.has(&pair("dot", "no")));
    let none = [Vec::new(), Vec::new()];
    let error = builds.compare(&pair("dot", "no"), &none).unwrap_err();
    assert!(error.message().starts_with("No function `no` in "), "{error}");
    let excerpt = Excerpt::new("dot", &builds.compare(&pair("dot", "dot"), &none).unwrap());
    assert!(excerpt.same && excerpt.loops[0] == excerpt.loops[1], "{excerpt:?}");
    assert!(excerpt.loops[0].starts_with("+0x14    ldr q1"), "{excerpt:?}");
    assert_eq!((excerpt.loops[0].lines().count(), excerpt.cpus.len()), (5, 1));
    assert!(excerpt.cycles.iter().flatten().all(|cycles| *cycles >= 1.0), "{excerpt:?}");
}

#[test]
fn loops_of_x86_by_samples_and_by_number() {
    let triple = "x86_64-linux-gnu";
    let Some(old) = assembled("sum_old.o", triple, X86) else { return };
    let padded =
        X86.replace("sums:\n", "sums:\n    nop\n").replace(" .text\n", " .text\n    ret\n");
    let Some(new) = assembled("sum_new.o", triple, &padded) else { return };
    let mut request =
        Request { function: "sums".to_owned(), binaries: [old, new], ..Request::default() };
    let found = run(&request).unwrap();
    assert!(found.same_code(), "padding and addresses do not count: {found}");
    let hot = found.sides[0].hot.as_ref().unwrap();
    assert_eq!((found.sides[0].loops, hot.number, hot.choice), (2, 1, Choice::Longest));
    assert!(hot.warnings[0].contains("1 call left out of the model: helper"), "{found}");
    let cycles = hot.predictions[0].as_ref().unwrap().cycles;
    assert!((0.5..20.0).contains(&cycles), "{found}");
    // A profile knows better.
    let (samples, left_out) = parse_samples("sums+0x2 1\nsums+0x29 90\nother+0x2 900\n");
    assert_eq!(left_out, 0);
    request.samples[0] = samples;
    let sampled = run(&request).unwrap();
    let hot = sampled.sides[0].hot.as_ref().unwrap();
    assert_eq!((hot.number, hot.choice), (2, Choice::Samples(90)), "{sampled}");
    // So do addresses of two processes, which have the file at other places.
    let path = std::env::var_os("PATH").unwrap();
    let builds = Builds::open([&request.binaries[0], &request.binaries[1]], &path).unwrap();
    let begin = |side: usize| builds.binaries[side].named("sums").unwrap().address;
    let of_process = |address: u64, samples| vec![Place { symbol: "sums", address, samples }];
    let old = [0x7000_1000, 0x7000_3000].map(|base| of_process(base + begin(0) + 0x29, 45));
    let places = [old.to_vec(), vec![of_process(0x7000_0000 + begin(1) + 3, 7)]];
    let found = builds.compare(&["sums", "sums"].map(str::to_owned), &places).unwrap();
    let chosen = found.sides.each_ref().map(|side| side.hot.as_ref().map(|hot| hot.choice));
    assert_eq!(chosen, [Some(Choice::Samples(90)), Some(Choice::Longest)]);
    request.loops = [Some(1), Some(3)];
    let error = run(&request).unwrap_err();
    assert_eq!(error.message(), "There is no loop 3: the function has 2");
}

#[test]
fn instances_of_one_name_are_told_apart() {
    let triple = "x86_64-linux-gnu";
    let function = |hash: &str, code: &str| {
        let name = format!("_ZN4simd3sum17h{hash}E");
        format!("\t.type\t{name},@function\n{name}:\n{code}\tret\n\t.size\t{name}, .-{name}\n")
    };
    let (a, b, c) = ("\tincl\t%eax\n", "\tincl\t%ecx\n", "\tincl\t%edx\n");
    let (x, y) = ("0123456789abcdef", "1123456789abcdef");
    let Some(old) = assembled("i_old.o", triple, &(function(x, a) + &function(y, b))) else {
        return;
    };
    let Some(new) = assembled("i_new.o", triple, &(function(x, c) + &function(y, a))) else {
        return;
    };
    let mut request = Request {
        function: "simd::sum".to_owned(),
        binaries: [old.clone(), new.clone()],
        ..Request::default()
    };
    let found = run(&request).unwrap();
    let symbols = found.sides.each_ref().map(|side| side.function.symbol.clone());
    assert_eq!(symbols, [format!("_ZN4simd3sum17h{y}E"), format!("_ZN4simd3sum17h{x}E")]);
    assert!(found.to_string().contains("the one pair whose code differs"), "{found}");
    assert!(found.sides[0].hot.is_none());
    request.picks = [Some(1), Some(2)];
    assert!(run(&request).unwrap().same_code());
    request.picks = [Some(1), None];
    let error = run(&request).unwrap_err();
    assert!(error.message().contains("--pick LEFT,RIGHT"), "{error}");
    request.picks = [Some(3), Some(1)];
    assert!(run(&request).unwrap_err().message().contains("no number 3"));
    // Both sides' instances are the same: the largest stands for them.
    let same = Request { binaries: [old.clone(), old], picks: [None; 2], ..request };
    assert!(run(&same).unwrap().to_string().contains("each with the same code"));
}

#[test]
fn errors_say_what_is_needed() {
    let nothing = compare(&Request::default(), OsStr::new("")).unwrap_err();
    assert_eq!(nothing.message(), "llvm-mca is not installed: install the package `llvm`");
    let triple = "x86_64-linux-gnu";
    let Some(file) = assembled("sum.o", triple, X86) else { return };
    let Some(bare) = assembled("bare.o", triple, "\tret\n") else { return };
    let Some(arm) = assembled("arm.o", "aarch64-linux-gnu", ARM) else { return };
    let ask = |function: &str, old: &Path, new: &Path| {
        let binaries = [old.to_owned(), new.to_owned()];
        let request = Request { function: function.to_owned(), binaries, ..Request::default() };
        run(&request).unwrap_err().message().to_owned()
    };
    assert!(ask("nothing", &file, &file).contains("No function `nothing`"));
    assert!(ask("s", &file, &file).contains("means 2 functions"));
    assert!(ask("sums", &bare, &file).contains("has no symbols"));
    assert!(ask("sums", &file, &arm).contains("different processors"));
    assert!(ask("sums", Path::new("/no/such"), &file).contains("Cannot read /no/such"));
    assert!(ask("sums", Path::new("/etc/passwd"), &file).contains("is no binary"));
}
