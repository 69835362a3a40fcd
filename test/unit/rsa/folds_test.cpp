// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/folds.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <tuple>

using namespace levee;
using rsa::Fold;
using rsa::Product;

namespace {

constexpr rsa::Shape shape{4, 3, 16};

/// Counts how often the folds multiply each (row, column, element of k, byte of B) of a product.
std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, unsigned>, int>
times_of(const std::vector<Fold>& folds, std::uint32_t product)
{
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, unsigned>, int> times;
    for (const Fold& fold : folds)
        for (std::uint32_t m = 0; fold.product == product && m < fold.m; ++m)
            for (std::uint32_t n = 0; n < fold.n; ++n)
                for (std::uint32_t k = 0; k < fold.k; ++k)
                    ++times[{fold.first_m + m, fold.first_n + n, fold.first_k + k, fold.b_byte}];
    return times;
}

Product product(std::uint32_t m, std::uint32_t n, std::uint32_t k)
{
    Product result;
    result.m = m;
    result.n = n;
    result.k = k;
    return result;
}

} // namespace

TEST_CASE("folds multiply each element of a product once, and fit the array")
{
    std::vector products{product(1, 1, 1), product(7, 8, 9), product(5, 7, 24), product(3, 2, 5)};
    products[1].is_transposed = true;
    products[2].group = 8;
    products[3].a_type = products[3].b_type = LEVEE_TYPE_INT16;
    const std::vector<Fold> folds = rsa::folds_of(shape, products, 3);
    for (std::uint32_t i = 0; i < products.size(); ++i) {
        const Product& p = products[i];
        const auto times = times_of(folds, i);
        CHECK(times.size() == std::size_t{p.m} * p.n * p.k * p.b_bytes());
        CHECK(std::ranges::all_of(times, [](const auto& one) { return one.second == 1; }));
    }
    for (const Fold& fold : folds) {
        const Product& its = products[fold.product];
        CHECK(fold.m <= 3);
        CHECK(fold.m * its.passes() <= shape.sums);
        CHECK(fold.k <= (its.is_transposed ? shape.columns : shape.rows));
        CHECK(fold.n <= (its.is_transposed ? shape.rows : shape.columns));
        CHECK(fold.first_k / its.group_elements() ==
              (fold.first_k + fold.k - 1) / its.group_elements());
    }
}
