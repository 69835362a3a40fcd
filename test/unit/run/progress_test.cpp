// SPDX-License-Identifier: Apache-2.0
// Tests the progress messages of a long run.
#include "platform/run/progress.hpp"

#include <catch2/catch.hpp>

using levee::progress_text;

TEST_CASE("progress is a share, and the remaining time at the pace so far")
{
    CHECK(progress_text(1, 4, 10) == " 25 %, about 30 s left");
    CHECK(progress_text(3, 4, 10) == " 75 %, about 3 s left");
    CHECK(progress_text(1, 50, 0.5) == "  2 %, about 24 s left");
}

TEST_CASE("remaining times of more than a minute and a half are in minutes")
{
    CHECK(progress_text(1, 10, 9.9) == " 10 %, about 89 s left");
    CHECK(progress_text(1, 10, 10) == " 10 %, about 2 min left");
    CHECK(progress_text(1, 2, 600) == " 50 %, about 10 min left");
}

TEST_CASE("progress ends at 100 %, even if there was more work than announced")
{
    CHECK(progress_text(7, 7, 33) == "100 %, about 0 s left");
    CHECK(progress_text(9, 7, 33) == "100 %, about 0 s left");
}
