// SPDX-License-Identifier: Apache-2.0
// Tests how a score becomes an importance, and how sums saturate.
#include "ip/kv_tables/importance.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>

using namespace levee::kv_tables;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

int logit(float score)
{
    return static_cast<std::int16_t>(to_fixed(score, LEVEE_SE_LOGIT));
}
int softmax(float score)
{
    return to_fixed(score, LEVEE_SE_SOFTMAX);
}

} // namespace

TEST_CASE("softmax scores become unsigned Q2.14, to nearest, ties to even, saturating")
{
    constexpr float unit = 1.0f / 16384.0f;
    CHECK(softmax(1.0f) == 16384);
    CHECK(softmax(0.5f * unit) == 0);
    CHECK(softmax(0.50001f * unit) == 1);
    CHECK(softmax(1.5f * unit) == 2);
    CHECK(softmax(2.5f * unit) == 2);
    CHECK(softmax(3.99996f) == 65535);
    CHECK(softmax(4.0f) == 65535);
    CHECK(softmax(infinity) == 65535);
    CHECK(softmax(3e38f) == 65535);
    CHECK(softmax(-1.0f) == 0);
    CHECK(softmax(not_a_number) == 0);
}

TEST_CASE("logits become signed Q8.8, to nearest, ties to even, saturating")
{
    constexpr float unit = 1.0f / 256.0f;
    CHECK(logit(1.0f) == 256);
    CHECK(logit(-1.0f) == -256);
    CHECK(logit(-0.5f * unit) == 0);
    CHECK(logit(-1.5f * unit) == -2);
    CHECK(logit(2.5f * unit) == 2);
    CHECK(logit(127.99609f) == 32767);
    CHECK(logit(128.0f) == 32767);
    CHECK(logit(-128.0f) == -32768);
    CHECK(logit(-129.0f) == -32768);
    CHECK(logit(-infinity) == -32768);
    CHECK(logit(not_a_number) == 0);
}

TEST_CASE("sums saturate at both ends of their format")
{
    CHECK(add_saturating(0xFFFE, 1, LEVEE_SE_SOFTMAX) == 0xFFFF);
    CHECK(add_saturating(0xFFFF, 0xFFFF, LEVEE_SE_SOFTMAX) == 0xFFFF);
    CHECK(add_saturating(0x7FFF, 1, LEVEE_SE_LOGIT) == 0x7FFF);
    CHECK(add_saturating(0x8000, 0xFFFF, LEVEE_SE_LOGIT) == 0x8000);
    CHECK(add_saturating(0xFFFF, 1, LEVEE_SE_LOGIT) == 0);
}
