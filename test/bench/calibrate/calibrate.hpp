// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee::bench {

// Millions of steps a second of a fixed native loop (a 64-bit xorshift; one step depends on the one
// before). It measures the machine, not Levee: figures from different machines, or under different
// load, can be compared after division by it. Returns the median of five.
double calibrate();

// CPU seconds this thread has used.
double cpu_seconds();

} // namespace levee::bench
