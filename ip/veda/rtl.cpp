// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/rtl.hpp"

#include <algorithm>
#include <utility>

namespace levee::veda {

namespace {

/// Returns copies of the products that write to buffers in `results`.
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

/// Returns the results of the reference.
std::vector<std::vector<std::uint32_t>> expected_of(ReferenceCore& reference,
                                                    std::span<const Product> products)
{
    std::vector<std::vector<std::uint32_t>> expected;
    reference.run(with_results(products, expected));
    return expected;
}

std::shared_ptr<const ProductGroup> copy_of(const Configuration& configuration,
                                            std::span<const Product> side_by_side, bool begins)
{
    const auto group = std::make_shared<ProductGroup>();
    group->begins = begins;
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

/// Repeats a group in the design. The design still holds the results of an operation's last group
/// when the next group begins.
void replay(Driver& driver, const ArrayShape& shape, const ProductGroup& group)
{
    if (group.begins) {
        driver.drain();
        driver.begin();
    }
    ReferenceCore reference(shape);
    reference.begin(group.configuration);
    group.expected = expected_of(reference, group.products);
    const std::vector<Product> products = with_results(group.products, group.results);
    driver.run(group.configuration, products, group.expected);
}

} // namespace

RtlCore::RtlCore(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode, replay), reference_(size())
{
}

RtlCore::~RtlCore() = default;

void RtlCore::begin(const Configuration& configuration)
{
    configuration_ = configuration;
    begins_ = true;
    reference_.begin(configuration);
    driver().begin();
}

void RtlCore::run(std::span<const Product> side_by_side)
{
    auto group = copy_of(configuration_, side_by_side, begins_);
    const bool follows = !std::exchange(begins_, false);
    if (is_clocked_in_time()) {
        reference_.run(side_by_side);
        return defer(std::move(group));
    }
    remember(std::move(group), {}, follows);
    std::span<const std::vector<std::uint32_t>> expected;
    if (needs_expected())
        expected = expected_.emplace_back(expected_of(reference_, side_by_side));
    driver().run(configuration_, side_by_side, expected, in_lockstep());
    fail_if_different();
}

std::uint64_t RtlCore::finish()
{
    if (is_clocked_in_time())
        return reference_.finish();
    driver().drain();
    fail_if_different();
    expected_.clear();
    const std::uint64_t cycles = driver().operation_cycles();
    check_cycles("cycles of the operation", reference_.finish(), cycles);
    return cycles;
}

} // namespace levee::veda
