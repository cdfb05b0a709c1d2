//! Loops of a function: basic blocks, dominators, natural loops.
//!
//! A backward jump is not yet a loop: compilers move cold code to a function's end, from where it
//! jumps back. It is one if its target dominates it, that is, if there is no other way in (Hecht
//! and Ullman 1972). Dominators are found by iteration (Cooper, Harvey and Kennedy 2001).

use std::collections::{BTreeMap, BTreeSet};

use super::listing::{Instruction, Kind};

/// A natural loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    /// Its instructions, places in the function, as the loop passes through them: from its head to
    /// the end of the function, then what lies before the head.
    pub body: Vec<usize>,
    /// Whether it has no loop within.
    pub innermost: bool,
}

/// All loops, by their heads' places. O(blocks^2) at worst, nearly linear in practice.
pub(super) fn loops(code: &[Instruction]) -> Vec<Loop> {
    let graph = Graph::new(code);
    let mut bodies: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (block, successors) in graph.successors.iter().enumerate() {
        for &head in successors.iter().filter(|&&head| graph.dominates(head, block)) {
            bodies.entry(head).or_default().extend(graph.body(head, block));
        }
    }
    let heads: Vec<usize> = bodies.keys().copied().collect();
    let natural = |(head, body): (&usize, &BTreeSet<usize>)| {
        let innermost = heads.iter().all(|other| other == head || !body.contains(other));
        let before = body.range(..head);
        let blocks = body.range(head..).chain(before);
        let body = blocks.flat_map(|&block| graph.starts[block]..graph.starts[block + 1]);
        Loop { body: body.collect(), innermost }
    };
    bodies.iter().map(natural).collect()
}

/// Blocks and the ways between them.
struct Graph {
    /// First instruction of each block, and the number of all instructions.
    starts: Vec<usize>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    /// The immediate dominator of each block that can be reached; the entry's is itself.
    dominators: Vec<Option<usize>>,
    /// Place of each block in reverse postorder.
    order: Vec<usize>,
}

impl Graph {
    fn new(code: &[Instruction]) -> Self {
        let places: BTreeMap<u64, usize> =
            code.iter().enumerate().map(|(at, instruction)| (instruction.address, at)).collect();
        let target = |at: usize| code[at].target.and_then(|target| places.get(&target).copied());
        let mut starts = BTreeSet::from([0, code.len()]);
        for (at, instruction) in code.iter().enumerate() {
            match instruction.kind {
                Kind::Plain => {}
                Kind::Call if !instruction.never_returns() => {}
                Kind::Branch | Kind::Jump => starts.extend([at + 1].into_iter().chain(target(at))),
                _ => drop(starts.insert(at + 1)),
            }
        }
        let starts: Vec<usize> = starts.into_iter().collect();
        let count = starts.len() - 1;
        let block = |at: usize| starts.binary_search(&at).ok().filter(|&block| block < count);
        let mut successors: Vec<Vec<usize>> = (0..count)
            .map(|number| {
                let last = starts[number + 1] - 1;
                let next = || block(last + 1);
                let ways = match code[last].kind {
                    Kind::Branch => [target(last).and_then(block), next()],
                    Kind::Jump => [target(last).and_then(block), None],
                    Kind::Indirect | Kind::End => [None, None],
                    Kind::Call if code[last].never_returns() => [None, None],
                    Kind::Plain | Kind::Call => [next(), None],
                };
                ways.into_iter().flatten().collect()
            })
            .collect();
        adopt(code, &starts, &mut successors);
        let mut graph = Self {
            predecessors: reversed(&successors),
            dominators: vec![None; count],
            order: Vec::new(),
            starts,
            successors,
        };
        graph.find_dominators();
        graph
    }

    fn find_dominators(&mut self) {
        let postorder = postorder(&self.successors);
        self.order = vec![usize::MAX; self.successors.len()];
        for (place, &block) in postorder.iter().rev().enumerate() {
            self.order[block] = place;
        }
        if let Some(entry) = self.dominators.first_mut() {
            *entry = Some(0);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &block in postorder.iter().rev().filter(|&&block| block != 0) {
                let known = self.predecessors[block].iter().copied();
                let known = known.filter(|&from| self.dominators[from].is_some());
                let common = known.reduce(|a, b| self.common(a, b));
                changed |= self.dominators[block] != common;
                self.dominators[block] = common;
            }
        }
    }

    /// The last block that dominates both.
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            let later = if self.order[a] > self.order[b] { &mut a } else { &mut b };
            match self.dominators[*later] {
                Some(up) if up != *later => *later = up,
                _ => return 0,
            }
        }
        a
    }

    fn dominates(&self, head: usize, block: usize) -> bool {
        let mut at = block;
        loop {
            match self.dominators[at] {
                _ if at == head => return self.dominators[at].is_some(),
                Some(up) if up != at => at = up,
                _ => return false,
            }
        }
    }

    /// Blocks from which `tail` is reached without passing `head`.
    fn body(&self, head: usize, tail: usize) -> BTreeSet<usize> {
        let mut body = BTreeSet::from([head]);
        let mut open = vec![tail];
        while let Some(block) = open.pop() {
            if body.insert(block) {
                let from = self.predecessors[block].iter();
                open.extend(from.filter(|&&from| self.dominators[from].is_some()));
            }
        }
        body
    }
}

/// Blocks that nothing leads to are where jumps through tables go; without such a jump they are
/// handlers that unwinding enters, and stay unreached.
fn adopt(code: &[Instruction], starts: &[usize], successors: &mut [Vec<usize>]) {
    let known: BTreeSet<usize> = successors.iter().flatten().copied().collect();
    let orphans: Vec<usize> =
        (1..successors.len()).filter(|block| !known.contains(block)).collect();
    for (block, ways) in successors.iter_mut().enumerate() {
        if code[starts[block + 1] - 1].kind == Kind::Indirect {
            ways.extend(&orphans);
        }
    }
}

fn reversed(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (from, ways) in successors.iter().enumerate() {
        ways.iter().for_each(|&to| predecessors[to].push(from));
    }
    predecessors
}

/// Blocks that the entry reaches, each after those that it leads to.
fn postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; successors.len()];
    let mut open = Vec::new();
    if !seen.is_empty() {
        seen[0] = true;
        open.push((0, 0));
    }
    while let Some((block, way)) = open.pop() {
        match successors[block].get(way) {
            None => order.push(block),
            Some(&next) => {
                open.push((block, way + 1));
                if !std::mem::replace(&mut seen[next], true) {
                    open.push((next, 0));
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::super::listing::read;
    use super::super::object::Machine;
    use super::*;

    /// Instructions of one byte each at 0, 1, 2 ...: `op` or `op target`.
    fn of(lines: &[&str]) -> Vec<(Vec<usize>, bool)> {
        let text: Vec<String> = lines
            .iter()
            .enumerate()
            .map(|(at, line)| match line.split_once(' ') {
                Some((op, target)) => format!("{at:x}:\t{op}\t{target} <f+0x{target}>\n"),
                None => format!("{at:x}:\t{line}\n"),
            })
            .collect();
        let code = read(&text.concat(), Machine::X86);
        loops(&code).into_iter().map(|found| (found.body, found.innermost)).collect()
    }

    #[test]
    fn nested_loops() {
        let code = ["nop", "push", "inc", "dec", "jne 2", "add", "jne 1", "ret"];
        assert_eq!(of(&code), [(vec![1, 2, 3, 4, 5, 6], false), (vec![2, 3, 4], true)]);
    }

    #[test]
    fn cold_code_at_the_end_is_no_loop() {
        // 4 is entered from 1 and jumps back to 2, which 1 also falls into.
        let code = ["test", "jne 4", "add", "ret", "sub", "jmp 2"];
        assert_eq!(of(&code), []);
        // The same within a loop: the cold part belongs to it, in the order it is passed.
        let code = ["test", "jne 5", "add", "jne 0", "ret", "sub", "jmp 2"];
        assert_eq!(of(&code), [(vec![0, 1, 2, 3, 5, 6], true)]);
    }

    #[test]
    fn a_loop_entered_in_its_middle_starts_at_its_head() {
        let code = ["jmp 3", "add", "inc", "cmp", "jne 1", "ret"];
        assert_eq!(of(&code), [(vec![3, 4, 1, 2], true)]);
    }

    #[test]
    fn ends_of_control_flow() {
        // A call that panics leads nowhere; ud2 and jumps out of the function end a block.
        let panic = "0:\tcmp\n1:\tjae 4 <f+0x4>\n2:\tjmp 0 <f>\n\
                     4:\tcall 9000 <_ZN4core9panicking5panic17h0123456789abcdefE>\n5:\tjmp 0 <f>\n";
        let code = read(panic, Machine::X86);
        assert_eq!(loops(&code), [Loop { body: vec![0, 1, 2], innermost: true }]);
        assert_eq!(of(&["jmp ff"]), []);
        assert_eq!(of(&["jmp 0"]), [(vec![0], true)]);
        assert_eq!(loops(&[]), []);
    }

    #[test]
    fn a_jump_table_leads_to_blocks_without_a_way_in() {
        let text =
            "0:\tinc\n1:\tjmpq *%rax\n2:\tadd\n3:\tjmp 0 <f>\n4:\tsub\n5:\tjmp 0 <f>\n6:\tret\n";
        let code = read(text, Machine::X86);
        assert_eq!(loops(&code), [Loop { body: vec![0, 1, 2, 3, 4, 5], innermost: true }]);
    }

    #[test]
    fn random_code_agrees_with_the_definition() {
        let mut rng = entasis_stats::rng::stream(12, &[]);
        for _ in 0..3000 {
            let n = 2 + rng.below(9) as usize;
            let lines: Vec<String> = (0..n)
                .map(|_| match rng.below(4) {
                    0 => format!("jne {:x}", rng.below(n as u64)),
                    1 => format!("jmp {:x}", rng.below(n as u64)),
                    2 => "ret".to_owned(),
                    _ => "add".to_owned(),
                })
                .collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let heads: BTreeSet<usize> = of(&lines).iter().map(|(body, _)| body[0]).collect();
            assert_eq!(heads, naive_heads(&lines), "{lines:?}");
        }
    }

    /// Targets of jumps from instructions that cannot be reached without them.
    fn naive_heads(lines: &[&str]) -> BTreeSet<usize> {
        let ways = |at: usize| -> Vec<usize> {
            let target =
                lines[at].split_once(' ').and_then(|(_, t)| usize::from_str_radix(t, 16).ok());
            let next = (at + 1 < lines.len()).then_some(at + 1);
            match lines[at].split(' ').next() {
                Some("jne") => target.into_iter().chain(next).collect(),
                Some("jmp") => target.into_iter().collect(),
                Some("ret") => vec![],
                _ => next.into_iter().collect(),
            }
        };
        let reached = |without: Option<usize>| -> BTreeSet<usize> {
            let (mut seen, mut open) = (BTreeSet::new(), vec![0]);
            while let Some(at) = open.pop() {
                if Some(at) != without && seen.insert(at) {
                    open.extend(ways(at));
                }
            }
            seen
        };
        let all = reached(None);
        let edges = all.iter().flat_map(|&from| ways(from).into_iter().map(move |to| (from, to)));
        let back = edges.filter(|&(from, to)| from == to || !reached(Some(to)).contains(&from));
        back.map(|(_, to)| to).collect()
    }
}
