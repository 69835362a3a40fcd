// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/model.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <span>
#include <vector>

using namespace levee::rsa;

TEST_CASE("a product is added to the earlier contents, times each row's factor")
{
    // [1 2; 3 4] x [1 1; 1 2] = [3 5; 7 11], times 0.5.
    const std::array<std::int8_t, 4> a = {1, 2, 3, 4}, b = {1, 1, 1, 2};
    const std::vector<float> keep = {0.25f, 3.0f};
    std::vector<float> out = {8.0f, 16777216.0f, 1.0f, 2.0f};
    Gemm gemm;
    gemm.m = gemm.n = gemm.k = 2;
    gemm.a = {std::as_bytes(std::span(a)), 2, LEVEE_TYPE_INT8};
    gemm.b = {std::as_bytes(std::span(b)), 2, LEVEE_TYPE_INT8};
    gemm.alpha = 0.5f;
    gemm.accumulate = true;
    gemm.keep = {keep, 1};
    gemm.out = out;
    gemm.out_pitch = 2;
    levee::rsa::gemm(gemm);
    CHECK(out == std::vector<float>{3.5f, 4194306.5f, 6.5f, 11.5f});
    gemm.keep = {};
    levee::rsa::gemm(gemm);
    CHECK(out == std::vector<float>{5.0f, 4194309.0f, 10.0f, 17.0f});
    std::vector<float> by_passes = {8.0f, 16777216.0f, 1.0f, 2.0f};
    gemm.keep = {keep, 1};
    gemm.out = by_passes;
    gemm_by_passes(gemm);
    CHECK(by_passes == std::vector<float>{3.5f, 4194306.5f, 6.5f, 11.5f});
    gemm.keep = {std::span(keep).first(1), 1};
    CHECK_THROWS_AS(levee::rsa::gemm(gemm), std::invalid_argument);
}
