// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee::bench {

// Millions of steps a second of a fixed native loop (a 64-bit xorshift; one step depends on the one
// before). It measures the machine, not Levee: figures taken on different machines, or beside
// different neighbours, compare after division by it. Median of five.
double calibrate();

// CPU seconds this thread has used.
double cpu_seconds();

} // namespace levee::bench
