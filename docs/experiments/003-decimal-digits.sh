#!/bin/sh
# Does the experiment decimal-digits again: the idea, its profile, equal sides, the change. From the repository's root.
# The commits of the first time were joined into one when they landed, so the old side is that commit without the change.
set -e
commit() { # the tree of a commit with the diff applied, as a commit on top of it
    export GIT_INDEX_FILE="${TMPDIR:-/tmp}/replay.$$"
    git read-tree "$1"
    git apply --cached $2 "$(dirname "$0")/003-decimal-digits.diff"
    git commit-tree -p "$1" -m 'an experiment, again' "$(git write-tree)"
    rm -f "$GIT_INDEX_FILE"
    unset GIT_INDEX_FILE
}
base=3ad453a0ae9fa620ede165825d42c52ea3571690
old=$(commit $base -R)
new=$(git commit-tree -p "$old" -m 'an experiment, again' "$base^{tree}")
entasis lab scan --name decimal-digits --function spelled::write_decimal --place crates/types/src/spelled.rs:246 --metric time --workload 'to_string 6' --reason 'a 128-bit division is a call and its digits are made as a String; values of 64 bits need neither'
entasis lab profile decimal-digits --left "git:$old"
entasis lab experiment decimal-digits --left "git:$old" --right "git:$new"
