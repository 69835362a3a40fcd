// SPDX-License-Identifier: Apache-2.0
// Compares the macro's reference with figures derived by hand, and with a bit-by-bit evaluation.
#include "core/numerics/numerics.hpp"
#include "ip/cim_macro/model.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::cim_macro;

TEST_CASE("by hand: three inputs, two outputs")
{
    const Shape shape{3, 2};
    const std::vector<std::int8_t> weights{1, -2, 3, 4, -128, 127};
    // The sums are 10 + 300 + 128, and -20 + 400 - 127.
    CHECK(multiply(shape, weights, std::vector<std::int16_t>{10, 100, -1}) ==
          std::vector<std::int32_t>{438, 253});
    CHECK(multiply_by_bits(shape, weights, std::vector<std::int16_t>{10, 100, -1},
                           InputType::Int8) == std::vector<std::int32_t>{438, 253});
    CHECK(vector_cycles(InputType::Int8) == 9); // This is the macro of Titanus.
    CHECK(vector_cycles(InputType::Int16) == 18);
}

TEST_CASE("bit-serial sums are exact for every type, also for extreme values")
{
    const Shape shape{256, 4};
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const auto type = static_cast<InputType>(seed % 3);
        std::vector<std::int8_t> weights(std::size_t{256} * 4);
        std::vector<std::int16_t> inputs(256);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = static_cast<std::int8_t>(seed < 6 ? -128 : random_word(seed, 0, i));
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const std::uint32_t word = seed < 3   ? 0x8080
                                       : seed < 6 ? 0x7FFF
                                                  : random_word(seed, 1, i);
            inputs[i] = type == InputType::Int16  ? static_cast<std::int16_t>(word)
                        : type == InputType::Int8 ? static_cast<std::int8_t>(word)
                                                  : static_cast<std::uint8_t>(word);
        }
        CHECK(multiply(shape, weights, inputs) == multiply_by_bits(shape, weights, inputs, type));
    }
}
