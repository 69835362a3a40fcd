// SPDX-License-Identifier: Apache-2.0
#include "test/bench/calibrate/calibrate.hpp"

#include <cstdio>

int main()
{
    std::printf("calibrate: %.1f M steps/s\n", levee::bench::calibrate());
}
