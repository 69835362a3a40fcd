// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/arrays.hpp"

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace levee::test {

/// Random products that run in parallel, each with its own operands and results.
class RandomWork {
public:
    veda::Configuration configuration;

    /// Draws shapes near the array's size and its multiples. Operands are ordinary, sparse, or
    /// random bits.
    RandomWork(const veda::ArrayShape& shape, std::mt19937_64& random)
    {
        configuration.mode = random() % 2 == 0 ? veda::Mode::Inner : veda::Mode::Outer;
        configuration.split = random() % 2 == 0;
        configuration.narrow = random() % 2 == 0;
        const std::size_t count = configuration.split ? 1 + random() % shape.arrays : 1;
        const std::uint32_t lanes = veda::product_lanes(shape, configuration);
        const unsigned kind = random() % 4;
        for (std::size_t i = 0; i < count; ++i)
            add(lanes, kind, random);
    }
    RandomWork(const RandomWork&) = delete;
    RandomWork& operator=(const RandomWork&) = delete;
    RandomWork(RandomWork&&) = default;

    /// Returns the products; `results` gets one range for each product.
    [[nodiscard]] std::vector<veda::Product> products(std::vector<std::uint32_t>& results) const
    {
        std::size_t total = 0;
        for (const Operands& one : operands_)
            total += one.product.n;
        results.assign(total, 0xDEADBEEF);
        std::vector<veda::Product> products;
        std::uint32_t* out = results.data();
        for (const Operands& one : operands_) {
            products.push_back(one.product);
            products.back().a = one.a.data();
            products.back().b = one.b.data();
            products.back().out = out;
            out += one.product.n;
        }
        return products;
    }

private:
    struct Operands {
        veda::Product product;
        std::vector<std::uint16_t> a, b;
    };

    static std::uint32_t length(std::uint32_t lanes, std::mt19937_64& random)
    {
        const std::uint32_t choices[] = {1,
                                         2,
                                         lanes - 1,
                                         lanes,
                                         lanes + 1,
                                         2 * lanes,
                                         3 * lanes,
                                         2 * lanes + 3,
                                         1 + static_cast<std::uint32_t>(random() % (3 * lanes))};
        return choices[random() % std::size(choices)];
    }

    void add(std::uint32_t lanes, unsigned kind, std::mt19937_64& random)
    {
        Operands one;
        // Long only if the other is short; otherwise the product would take too long.
        const bool long_k = random() % 2 == 0;
        one.product.k = long_k ? length(lanes, random) : 1 + random() % 7;
        one.product.n = long_k ? 1 + random() % 7 : length(lanes, random);
        one.product.b_transposed = random() % 2 == 0;
        const std::uint32_t stored = one.product.b_transposed ? one.product.n : one.product.k;
        const std::uint32_t inner = one.product.b_transposed ? one.product.k : one.product.n;
        one.product.b_pitch = inner + random() % 3;
        for (std::uint32_t i = 0; i < one.product.k; ++i)
            one.a.push_back(element(kind, random));
        for (std::size_t i = 0; i < stored * one.product.b_pitch; ++i)
            one.b.push_back(element(kind, random));
        operands_.push_back(std::move(one));
    }

    static std::uint16_t element(unsigned kind, std::mt19937_64& random)
    {
        const std::uint64_t bits = random();
        if (kind == 0)
            return static_cast<std::uint16_t>(bits); // NaN soon spreads to all results.
        if (kind == 1 && bits >> 62 != 0)
            return static_cast<std::uint16_t>(bits & 0x8000); // These are mostly zeros.
        if (kind == 2 && bits >> 56 == 0)
            return static_cast<std::uint16_t>(0x7C00 | (bits & 0x8000)); // infinities
        if (kind == 2 && bits >> 60 == 1)
            return static_cast<std::uint16_t>(bits & 0x83FF); // These are subnormal numbers.
        if (kind == 2 && bits >> 60 == 2)
            return static_cast<std::uint16_t>(bits & 0x8000);
        // Exponents give magnitudes from 2^-7 to 2^8.
        return static_cast<std::uint16_t>((bits & 0x83FF) | (8 + (bits >> 16) % 16) << 10);
    }

    std::vector<Operands> operands_;
};

} // namespace levee::test
