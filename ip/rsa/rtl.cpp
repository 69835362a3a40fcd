// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/rtl.hpp"

#include <memory>
#include <utility>

namespace levee::rsa {

namespace {

void replay(Driver& driver, const Shape&, const Work& work)
{
    const std::vector<PassSums> expected = expected_of(work);
    Driver::Options options;
    options.expected = expected;
    options.stop_at_cycle_difference = true;
    (void)driver.run(work, options);
}

std::vector<std::vector<std::int64_t>> totals_of(const Work& work,
                                                 const std::vector<PassSums>& sums)
{
    std::vector<std::vector<std::int64_t>> totals;
    for (std::size_t i = 0; i < work.products.size(); ++i)
        totals.push_back(combine(work.products[i], sums[i]));
    return totals;
}

} // namespace

RtlEngine::RtlEngine(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode, replay)
{
}

RtlEngine::~RtlEngine() = default;

std::vector<std::vector<std::int64_t>> RtlEngine::multiply(std::vector<Product> products,
                                                           std::uint32_t block, std::uint32_t heads)
{
    const auto work = std::make_shared<const Work>(Work{std::move(products), block, heads});
    std::vector<PassSums> known;
    if (in_lockstep() || is_clocked_in_time() || shows_expected())
        known = expected_of(*work);
    if (is_clocked_in_time()) {
        defer(work);
        return totals_of(*work, known);
    }
    remember(work);
    const Run run = driver().run(*work, options(known));
    fail_if_different();
    if (in_lockstep())
        check_cycles("cycles until the last sums",
                     cycles_of(size(), work->products, folds_of(size(), work->products, block)),
                     run.cycles);
    return totals_of(*work, run.sums);
}

} // namespace levee::rsa
