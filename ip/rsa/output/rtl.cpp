// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/output/rtl.hpp"

#include <memory>
#include <utility>

namespace levee::rsa::output {

namespace {

void replay(Driver& driver, const Shape&, const Work& work)
{
    const std::vector<Sums> expected = expected_of(work);
    Driver::Options options;
    options.expected = expected;
    options.stop_at_cycle_difference = true;
    (void)driver.run(work, options);
}

} // namespace

RtlEngine::RtlEngine(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode, replay)
{
}

RtlEngine::~RtlEngine() = default;

std::vector<Sums> RtlEngine::multiply(std::vector<Product> products, std::uint32_t,
                                      std::uint32_t heads)
{
    const auto work = std::make_shared<const Work>(Work{std::move(products), heads});
    std::vector<Sums> known;
    if (in_lockstep() || is_clocked_in_time() || shows_expected())
        known = expected_of(*work);
    if (is_clocked_in_time()) {
        defer(work);
        return known;
    }
    remember(work);
    Run run = driver().run(*work, options(known));
    fail_if_different();
    if (in_lockstep())
        check_cycles("cycles until the last sums", cycles_of(size(), work->products), run.cycles);
    return std::move(run.sums);
}

} // namespace levee::rsa::output
