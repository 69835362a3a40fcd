// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/rtl.hpp"

#include <algorithm>
#include <utility>

namespace levee::veda {

namespace {

// What a design may remember of the past is run again for waves.
constexpr std::size_t groups_remembered = 4;

/// Room for the results of each product, and the products that write there.
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

/// The reference's results.
std::vector<std::vector<std::uint32_t>> expected_of(ReferenceCore& reference,
                                                    std::span<const Product> products)
{
    std::vector<std::vector<std::uint32_t>> expected;
    reference.run(with_results(products, expected));
    return expected;
}

/// The groups once more from reset, the last with waves from its first cycle to the difference.
bool write_waves(MakePins make,
                 const std::deque<std::shared_ptr<const RtlCore::Remembered>>& groups,
                 const std::filesystem::path& fst)
{
    const std::unique_ptr<Pins> pins = make({});
    ReferenceCore reference(pins->shape());
    Driver driver(*pins, true);
    for (const auto& group : groups) {
        reference.begin(group->configuration);
        const auto expected = expected_of(reference, group->products);
        std::vector<std::vector<std::uint32_t>> results;
        const std::vector<Product> products = with_results(group->products, results);
        if (&group == &groups.back())
            pins->trace(fst);
        driver.begin();
        driver.run(group->configuration, products, expected);
        driver.drain();
    }
    pins->trace({});
    return driver.value() || driver.cycle();
}

} // namespace

RtlCore::RtlCore(std::string block, MakePins make, Mode mode)
    : block_(std::move(block)), make_(make), mode_(mode), pins_(make({})),
      driver_(*pins_, mode == Mode::Lockstep), reference_(pins_->shape())
{
}

void RtlCore::begin(const Configuration& configuration)
{
    configuration_ = configuration;
    reference_.begin(configuration);
    driver_.begin();
}

void RtlCore::run(std::span<const Product> side_by_side)
{
    remember(side_by_side);
    std::span<const std::vector<std::uint32_t>> expected;
    if (mode_ == Mode::Lockstep)
        expected = expected_.emplace_back(expected_of(reference_, side_by_side));
    driver_.run(configuration_, side_by_side, expected);
    fail_if_different();
}

std::uint64_t RtlCore::finish()
{
    driver_.drain();
    fail_if_different();
    expected_.clear();
    const std::uint64_t cycles = driver_.operation_cycles();
    if (mode_ == Mode::Lockstep) {
        ++comparisons_;
        const std::uint64_t expected = reference_.finish();
        if (cycles != expected)
            fail({Difference::Kind::Cycle, "cycles of the operation", "", cycles,
                  std::to_string(expected), std::to_string(cycles)});
    }
    return cycles;
}

void RtlCore::remember(std::span<const Product> side_by_side)
{
    const auto group = std::make_shared<Remembered>();
    group->configuration = configuration_;
    group->products.assign(side_by_side.begin(), side_by_side.end());
    for (Product& product : group->products) {
        const std::uint32_t rows = product.b_transposed ? product.n : product.k;
        const std::uint32_t inner = product.b_transposed ? product.k : product.n;
        const std::size_t b_elements = (rows - 1) * product.b_pitch + inner;
        product.a = group->operands.emplace_back(product.a, product.a + product.k).data();
        product.b = group->operands.emplace_back(product.b, product.b + b_elements).data();
    }
    recent_.push_back(group);
    if (recent_.size() > groups_remembered)
        recent_.pop_front();
}

void RtlCore::fail_if_different()
{
    if (driver_.value())
        fail(*driver_.value());
    if (driver_.cycle())
        fail(*driver_.cycle());
}

void RtlCore::fail(const Difference& difference)
{
    failure_.emplace(block_, difference,
                     [make = make_, groups = recent_](const std::filesystem::path& fst) {
                         return write_waves(make, groups, fst);
                     });
    throw LockstepDifference(*failure_);
}

} // namespace levee::veda
