// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee::bench {

// Returns the speed of a fixed native loop in millions of steps per second, the median of five
// runs. Each step of the loop, a 64-bit xorshift, depends on the previous one. The speed measures
// the machine, not Levee. Dividing by it makes figures from different machines or loads comparable.
double calibrate();

// Returns the CPU seconds that this thread has used.
double cpu_seconds();

} // namespace levee::bench
