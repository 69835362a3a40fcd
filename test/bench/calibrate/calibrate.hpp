// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee::bench {

// Returns millions of steps per second of a fixed native loop (a 64-bit xorshift in which each step
// depends on the previous one), the median of five. It measures the machine, not Levee. Figures
// from different machines, or under different load, can be compared after division by it.
double calibrate();

// Returns the CPU seconds that this thread has used.
double cpu_seconds();

} // namespace levee::bench
