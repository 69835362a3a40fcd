// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/rtl.hpp"

#include <memory>
#include <utility>

namespace levee::rsa {

namespace {

Run run_in_lockstep(Driver& driver, const Work& work)
{
    const std::vector<PassSums> expected = expected_of(work);
    Driver::Options options;
    options.expected = expected;
    options.stop_at_cycle_difference = true;
    return driver.run(work, options);
}

void replay(Driver& driver, const Shape&, const Work& work)
{
    run_in_lockstep(driver, work);
}

} // namespace

RtlEngine::RtlEngine(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode, replay)
{
}

std::vector<std::vector<std::int64_t>> RtlEngine::multiply(std::vector<Product> products,
                                                           std::uint32_t block)
{
    const auto work = std::make_shared<const Work>(Work{std::move(products), block});
    remember(work);
    const Run run = in_lockstep() ? run_in_lockstep(driver(), *work) : driver().run(*work, {});
    fail_if_different();
    if (in_lockstep())
        check_cycles("cycles until the last sums",
                     cycles_of(size(), work->products, folds_of(size(), work->products, block)),
                     run.cycles);
    std::vector<std::vector<std::int64_t>> totals;
    for (std::size_t i = 0; i < work->products.size(); ++i)
        totals.push_back(combine(work->products[i], run.sums[i]));
    return totals;
}

} // namespace levee::rsa
