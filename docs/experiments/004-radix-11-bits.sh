#!/bin/sh
# Does the experiment radix-11-bits again: the idea, its profile, equal sides, the change. From the repository's root.
# The commits of the first time were joined into one when they landed, so the new side is that commit with the change.
set -e
commit() { # the tree of a commit with the diff applied, as a commit on top of it
    export GIT_INDEX_FILE="${TMPDIR:-/tmp}/replay.$$"
    git read-tree "$1"
    git apply --cached $2 "$(dirname "$0")/004-radix-11-bits.diff"
    git commit-tree -p "$1" -m 'an experiment, again' "$(git write-tree)"
    rm -f "$GIT_INDEX_FILE"
    unset GIT_INDEX_FILE
}
old=3ad453a0ae9fa620ede165825d42c52ea3571690
new=$(commit $old)
entasis lab scan --name radix-11-bits --function sort::run::radix_sort --place crates/exec/src/sort/run.rs:213 --metric time --workload 'order_by 4' --reason 'digits of 11 bits that begin where keys differ take one pass over these keys, bytes take two'
entasis lab profile radix-11-bits --left "git:$old"
entasis lab experiment radix-11-bits --left "git:$old" --right "git:$new"
