//! The names of a disk in memory: directories, the order of their changes, locks.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::ErrorKind;
use std::sync::{Arc, Mutex, MutexGuard};

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};

use super::FileNode;
use crate::failure::{Op, failed};
use crate::path::{check_dir, check_path, file_name, parent};
use crate::{DiskLock, Entry};

/// The identity of a directory: 0 is the root.
pub(crate) type DirId = u64;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    File(Arc<FileNode>),
    Dir(DirId),
}

pub(crate) type Entries = BTreeMap<String, Node>;

#[derive(Debug, Default)]
pub(crate) struct Dir {
    pub(crate) now: Entries,
    pub(crate) durable: Entries,
}

/// An atomic change of names: each becomes a node, or nothing.
#[derive(Clone, Debug)]
pub(crate) struct NameChange(pub(crate) Vec<(DirId, String, Option<Node>)>);

/// All directories, and the changes of names that no `sync_dir` made durable yet, oldest first.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) dirs: HashMap<DirId, Dir>,
    pub(crate) pending: Vec<NameChange>,
    next: DirId,
    track: bool,
}

impl Names {
    pub(crate) fn new(track: bool) -> Self {
        Self { dirs: HashMap::from([(0, Dir::default())]), pending: Vec::new(), next: 1, track }
    }

    /// A new directory without a name.
    pub(crate) fn new_dir(&mut self) -> DirId {
        let id = self.next;
        self.next += 1;
        self.dirs.insert(id, Dir::default());
        id
    }

    fn find(&self, path: &str) -> Option<Node> {
        let mut node = Node::Dir(0);
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let Node::Dir(id) = node else { return None };
            node = self.dirs.get(&id)?.now.get(part)?.clone();
        }
        Some(node)
    }

    fn dir(&self, path: &str) -> Option<DirId> {
        match self.find(path)? {
            Node::Dir(id) => Some(id),
            Node::File(_) => None,
        }
    }

    fn is_empty_dir(&self, id: DirId) -> bool {
        self.dirs.get(&id).is_none_or(|dir| dir.now.is_empty())
    }

    fn change(&mut self, change: NameChange) {
        for (id, name, node) in &change.0 {
            let Some(dir) = self.dirs.get_mut(id) else { continue };
            set(&mut dir.now, name, node.clone());
        }
        if self.track {
            self.pending.push(change);
        }
    }

    /// Takes out of the pending changes the chosen ones with all that must come before them (an
    /// earlier change in a directory that a later chosen one touches), and makes them durable.
    pub(crate) fn settle(&mut self, mut chosen: impl FnMut(&NameChange) -> bool) {
        let mut touched: HashSet<DirId> = HashSet::new();
        let mut keep = vec![false; self.pending.len()];
        for (keep, change) in keep.iter_mut().zip(&self.pending).rev() {
            let picked = chosen(change);
            if picked || change.0.iter().any(|(id, ..)| touched.contains(id)) {
                *keep = true;
                touched.extend(change.0.iter().map(|(id, ..)| *id));
            }
        }
        let mut rest = Vec::new();
        for (change, keep) in std::mem::take(&mut self.pending).into_iter().zip(keep) {
            if !keep {
                rest.push(change);
                continue;
            }
            for (id, name, node) in change.0 {
                let Some(dir) = self.dirs.get_mut(&id) else { continue };
                set(&mut dir.durable, &name, node);
            }
        }
        self.pending = rest;
    }
}

fn set(entries: &mut Entries, name: &str, node: Option<Node>) {
    match node {
        Some(node) => drop(entries.insert(name.to_owned(), node)),
        None => drop(entries.remove(name)),
    }
}

/// Names and locks of a disk in memory. All paths are checked here.
#[derive(Debug)]
pub(crate) struct Tree {
    names: Mutex<Names>,
    locks: Arc<Mutex<BTreeSet<String>>>,
    track: bool,
}

impl Tree {
    pub(crate) fn new(names: Names) -> Self {
        let track = names.track;
        Self { names: Mutex::new(names), locks: Arc::default(), track }
    }

    pub(crate) fn names(&self) -> MutexGuard<'_, Names> {
        lock(&self.names)
    }

    pub(crate) fn open(&self, path: &str) -> Result<Arc<FileNode>> {
        check_path(path)?;
        match self.names().find(path) {
            Some(Node::File(file)) => Ok(file),
            Some(Node::Dir(_)) => {
                Err(failed(Op::Open, path, ErrorKind::IsADirectory, "is a directory"))
            }
            None => Err(missing(Op::Open, path)),
        }
    }

    /// The file `path`, new, or also one that is there if `or_open`.
    pub(crate) fn create(&self, path: &str, or_open: bool) -> Result<Arc<FileNode>> {
        check_path(path)?;
        let mut names = self.names();
        match names.find(path) {
            Some(Node::File(file)) if or_open => return Ok(file),
            Some(_) => return Err(failed(Op::Create, path, ErrorKind::AlreadyExists, "exists")),
            None => {}
        }
        let dir = names.dir(parent(path)).ok_or_else(|| missing(Op::Create, path))?;
        let file = Arc::new(FileNode::new(Vec::new(), self.track));
        let node = Some(Node::File(file.clone()));
        names.change(NameChange(vec![(dir, file_name(path).to_owned(), node)]));
        Ok(file)
    }

    pub(crate) fn list(&self, path: &str) -> Result<Vec<Entry>> {
        check_dir(path)?;
        let names = self.names();
        let dir = names.dir(path).and_then(|id| names.dirs.get(&id));
        let entries = &dir.ok_or_else(|| missing(Op::List, path))?.now;
        let entry = |(name, node): (&String, &Node)| match node {
            Node::File(file) => {
                Entry { name: name.clone(), is_dir: false, len: file.read().now.len() as u64 }
            }
            Node::Dir(_) => Entry { name: name.clone(), is_dir: true, len: 0 },
        };
        Ok(entries.iter().map(entry).collect())
    }

    pub(crate) fn exists(&self, path: &str) -> Result<bool> {
        check_dir(path)?;
        Ok(self.names().find(path).is_some())
    }

    pub(crate) fn create_dir_all(&self, path: &str) -> Result<()> {
        check_dir(path)?;
        let mut names = self.names();
        let mut at = 0;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            at = match names.dirs.get(&at).and_then(|dir| dir.now.get(part)) {
                Some(Node::Dir(id)) => *id,
                Some(Node::File(_)) => {
                    return Err(failed(Op::CreateDir, path, ErrorKind::NotADirectory, "is a file"));
                }
                None => {
                    let id = names.new_dir();
                    names.change(NameChange(vec![(at, part.to_owned(), Some(Node::Dir(id)))]));
                    id
                }
            };
        }
        Ok(())
    }

    pub(crate) fn remove(&self, path: &str) -> Result<()> {
        check_path(path)?;
        let mut names = self.names();
        match names.find(path) {
            Some(Node::File(_)) => {}
            Some(Node::Dir(_)) => {
                return Err(failed(Op::Remove, path, ErrorKind::IsADirectory, "is a directory"));
            }
            None => return Err(missing(Op::Remove, path)),
        }
        let dir = names.dir(parent(path)).ok_or_else(|| missing(Op::Remove, path))?;
        names.change(NameChange(vec![(dir, file_name(path).to_owned(), None)]));
        Ok(())
    }

    pub(crate) fn remove_dir(&self, path: &str) -> Result<()> {
        check_path(path)?;
        {
            let names = self.names();
            let id = names.dir(path).ok_or_else(|| missing(Op::Remove, path))?;
            if !names.is_empty_dir(id) {
                let kind = ErrorKind::DirectoryNotEmpty;
                return Err(failed(Op::Remove, path, kind, "is not empty"));
            }
        }
        self.remove_dir_all(path)
    }

    pub(crate) fn remove_dir_all(&self, path: &str) -> Result<()> {
        check_path(path)?;
        let mut names = self.names();
        let id = names.dir(path).ok_or_else(|| missing(Op::Remove, path))?;
        let above = names.dir(parent(path)).ok_or_else(|| missing(Op::Remove, path))?;
        // Children first, one change each: a crash may leave a part of them.
        let mut doomed = Vec::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            for (name, node) in names.dirs.get(&id).map(|dir| &dir.now).into_iter().flatten() {
                doomed.push((id, name.clone(), node.clone()));
                if let Node::Dir(below) = node {
                    stack.push(*below);
                }
            }
        }
        doomed.reverse();
        doomed.push((above, file_name(path).to_owned(), Node::Dir(id)));
        for (dir, name, node) in doomed {
            names.change(NameChange(vec![(dir, name, None)]));
            if let (Node::Dir(gone), false) = (node, self.track) {
                names.dirs.remove(&gone);
            }
        }
        Ok(())
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<()> {
        check_path(from)?;
        check_path(to)?;
        let error = |kind, why| Err(failed(Op::Rename, &format!("{from}` to `{to}"), kind, why));
        let mut names = self.names();
        let (Some(node), Some(source)) = (names.find(from), names.dir(parent(from))) else {
            return error(ErrorKind::NotFound, "no such file or directory");
        };
        let Some(target) = names.dir(parent(to)) else {
            return error(ErrorKind::NotFound, "the target's directory does not exist");
        };
        if from == to {
            return Ok(());
        }
        if to.strip_prefix(from).is_some_and(|rest| rest.starts_with('/')) {
            return error(ErrorKind::InvalidInput, "the target is inside the source");
        }
        match (&node, names.find(to)) {
            (_, None) | (Node::File(_), Some(Node::File(_))) => {}
            (Node::Dir(_), Some(Node::Dir(id))) if names.is_empty_dir(id) => {}
            (Node::Dir(_), Some(Node::Dir(_))) => {
                return error(ErrorKind::DirectoryNotEmpty, "the target is not empty");
            }
            (Node::Dir(_), Some(Node::File(_))) => {
                return error(ErrorKind::NotADirectory, "the target is a file");
            }
            (Node::File(_), Some(Node::Dir(_))) => {
                return error(ErrorKind::IsADirectory, "the target is a directory");
            }
        }
        let gone = (source, file_name(from).to_owned(), None);
        let there = (target, file_name(to).to_owned(), Some(node));
        names.change(NameChange(vec![gone, there]));
        Ok(())
    }

    pub(crate) fn link(&self, from: &str, to: &str) -> Result<()> {
        check_path(from)?;
        check_path(to)?;
        let error = |kind, why| Err(failed(Op::Link, &format!("{from}` to `{to}"), kind, why));
        let mut names = self.names();
        let Some(Node::File(file)) = names.find(from) else {
            return error(ErrorKind::NotFound, "no such file");
        };
        let Some(target) = names.dir(parent(to)) else {
            return error(ErrorKind::NotFound, "the target's directory does not exist");
        };
        if names.find(to).is_some() {
            return error(ErrorKind::AlreadyExists, "the name is taken");
        }
        let node = Some(Node::File(file.clone()));
        names.change(NameChange(vec![(target, file_name(to).to_owned(), node)]));
        Ok(())
    }

    pub(crate) fn sync_dir(&self, path: &str) -> Result<()> {
        check_dir(path)?;
        let mut names = self.names();
        let dir = names.dir(path).ok_or_else(|| missing(Op::Sync, path))?;
        names.settle(|change| change.0.iter().any(|(id, ..)| *id == dir));
        Ok(())
    }

    pub(crate) fn lock(&self, path: &str) -> Result<DiskLock> {
        self.create(path, true)?;
        let mut locks = lock(&self.locks);
        if !locks.insert(path.to_owned()) {
            return Err(Error::new(
                codes::CANNOT_OPEN_FILE,
                format!(
                    "Cannot lock `{path}`: process {} is using this directory",
                    std::process::id()
                ),
            ));
        }
        let held = MemoryLock { locks: self.locks.clone(), path: path.to_owned() };
        Ok(DiskLock::new(path, Box::new(held)))
    }
}

fn missing(op: Op, path: &str) -> Error {
    failed(op, path, ErrorKind::NotFound, "no such file or directory")
}

struct MemoryLock {
    locks: Arc<Mutex<BTreeSet<String>>>,
    path: String,
}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        lock(&self.locks).remove(&self.path);
    }
}
