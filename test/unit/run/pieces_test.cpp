// SPDX-License-Identifier: Apache-2.0
// Tests how reports show tokens.
#include "platform/run/report_data.hpp"

#include <catch2/catch.hpp>

using namespace levee;

TEST_CASE("a token beyond the vocabulary is shown by its number")
{
    const Tokenizer tokenizer = Tokenizer::numbers(100, "test");
    CHECK(report_data::piece(tokenizer, 7, 99) == " 99");
    CHECK(report_data::piece(tokenizer, 99, 100) == "<token 100>");
    CHECK(report_data::piece(tokenizer, 99'999, 5) == " 5");
    CHECK(report_data::piece(tokenizer, 5, LEVEE_NO_TOKEN) == "<token 4294967295>");
}
