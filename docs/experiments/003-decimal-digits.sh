#!/bin/sh
# Does the experiment decimal-digits again: the idea, its profile, equal sides, the change.
set -e
entasis lab scan --name decimal-digits --function spelled::write_decimal --place crates/types/src/spelled.rs:246 --metric time --workload 'to_string 6' --reason 'a 128-bit division is a call and its digits are made as a String; values of 64 bits need neither'
entasis lab profile decimal-digits --left git:c9035b31611fa7139a29dc12718e4e71be08bc89
entasis lab experiment decimal-digits --left git:c9035b31611fa7139a29dc12718e4e71be08bc89 --right git:9c2c0152340564e1655ce675b66adb48de22a2e0
