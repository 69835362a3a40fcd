// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/warning_tally.hpp"

#include <catch2/catch.hpp>

using levee::sweep::WarningTally;

TEST_CASE("warnings that differ only in numbers are one, with the range of each number")
{
    WarningTally tally;
    tally.add("dram is overcommitted: 100.36 GiB are used, 16.00 GiB are installed");
    tally.add("dram is overcommitted: 16.01 GiB are used, 16.00 GiB are installed");
    tally.add("dram is overcommitted: 20 GiB are used, 16.00 GiB are installed");
    CHECK(tally.lines(836) ==
          std::vector<std::string>{
              "3 of 836 runs: dram is overcommitted: 16.01 to 100.36 GiB are used, 16.00 GiB are "
              "installed"});
}

TEST_CASE("warnings with other words, names or places are separate")
{
    WarningTally tally;
    for (const char* warning :
         {"demo.yaml:3: kv_8mb is not used", "demo.yaml:4: kv_8mb is not used",
          "kv_4mb is not used", "kv_8mb is not used", "32x32 is not 64x64", "33x32 is not 64x64",
          "kv_4mb is not used"})
        tally.add(warning);
    CHECK(tally.lines(7) == std::vector<std::string>{"1 of 7 runs: 32x32 is not 64x64",
                                                     "1 of 7 runs: 33x32 is not 64x64",
                                                     "1 of 7 runs: demo.yaml:3: kv_8mb is not used",
                                                     "1 of 7 runs: demo.yaml:4: kv_8mb is not used",
                                                     "2 of 7 runs: kv_4mb is not used",
                                                     "1 of 7 runs: kv_8mb is not used"});
}
