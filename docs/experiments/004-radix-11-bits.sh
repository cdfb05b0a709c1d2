#!/bin/sh
# Does the experiment radix-11-bits again: the idea, its profile, equal sides, the change.
set -e
entasis lab scan --name radix-11-bits --function sort::run::radix_sort --place crates/exec/src/sort/run.rs:213 --metric time --workload 'order_by 4' --reason 'digits of 11 bits that begin where keys differ take one pass over these keys, bytes take two'
entasis lab profile radix-11-bits --left git:c9035b31611fa7139a29dc12718e4e71be08bc89
entasis lab experiment radix-11-bits --left git:c9035b31611fa7139a29dc12718e4e71be08bc89 --right git:c8357267053d2b5153533dfd39b99560a0a5e04f
