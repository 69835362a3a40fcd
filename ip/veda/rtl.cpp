// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/rtl.hpp"

#include <algorithm>
#include <utility>

namespace levee::veda {

namespace {

/// Buffers for the results of each product, and the products that write there.
std::vector<Product> with_results(std::span<const Product> products,
                                  std::vector<std::vector<std::uint32_t>>& results)
{
    std::vector<Product> copies(products.begin(), products.end());
    results.resize(copies.size());
    for (std::size_t i = 0; i < copies.size(); ++i) {
        results[i].resize(copies[i].n);
        copies[i].out = results[i].data();
    }
    return copies;
}

/// Computes the reference's results.
std::vector<std::vector<std::uint32_t>> expected_of(ReferenceCore& reference,
                                                    std::span<const Product> products)
{
    std::vector<std::vector<std::uint32_t>> expected;
    reference.run(with_results(products, expected));
    return expected;
}

std::shared_ptr<const ProductGroup> copy_of(const Configuration& configuration,
                                            std::span<const Product> side_by_side)
{
    const auto group = std::make_shared<ProductGroup>();
    group->configuration = configuration;
    group->products.assign(side_by_side.begin(), side_by_side.end());
    for (Product& product : group->products) {
        const std::uint32_t rows = product.b_transposed ? product.n : product.k;
        const std::uint32_t inner = product.b_transposed ? product.k : product.n;
        const std::size_t b_elements = (rows - 1) * product.b_pitch + inner;
        product.a = group->operands.emplace_back(product.a, product.a + product.k).data();
        product.b = group->operands.emplace_back(product.b, product.b + b_elements).data();
    }
    return group;
}

void replay(Driver& driver, const ArrayShape& shape, const ProductGroup& group)
{
    ReferenceCore reference(shape);
    reference.begin(group.configuration);
    const auto expected = expected_of(reference, group.products);
    std::vector<std::vector<std::uint32_t>> results;
    const std::vector<Product> products = with_results(group.products, results);
    driver.begin();
    driver.run(group.configuration, products, expected);
    driver.drain();
}

} // namespace

RtlCore::RtlCore(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode, replay), reference_(size())
{
}

void RtlCore::begin(const Configuration& configuration)
{
    configuration_ = configuration;
    reference_.begin(configuration);
    driver().begin();
}

void RtlCore::run(std::span<const Product> side_by_side)
{
    remember(copy_of(configuration_, side_by_side));
    std::span<const std::vector<std::uint32_t>> expected;
    if (in_lockstep())
        expected = expected_.emplace_back(expected_of(reference_, side_by_side));
    driver().run(configuration_, side_by_side, expected);
    fail_if_different();
}

std::uint64_t RtlCore::finish()
{
    driver().drain();
    fail_if_different();
    expected_.clear();
    const std::uint64_t cycles = driver().operation_cycles();
    check_cycles("cycles of the operation", reference_.finish(), cycles);
    return cycles;
}

} // namespace levee::veda
