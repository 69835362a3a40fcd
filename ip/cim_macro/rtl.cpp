// SPDX-License-Identifier: Apache-2.0
#include "ip/cim_macro/rtl.hpp"

#include <memory>
#include <utility>

namespace levee::cim_macro {

namespace {

JobResult run_in_lockstep(Driver& driver, const Job& job, const std::vector<JobResult>& expected)
{
    Driver::Options options;
    options.expected = expected;
    options.stop_at_cycle_difference = true;
    return driver.run({&job, 1}, options).front();
}

/// With all rows: a replay does not begin where they were loaded.
void replay(Driver& driver, const Shape& shape, const Job& job)
{
    run_in_lockstep(driver, job, expected_of(shape, {&job, 1}));
}

} // namespace

RtlEngine::RtlEngine(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode, replay)
{
}

void RtlEngine::load(std::span<const std::int8_t> weights)
{
    resident_ = to_load_ = rows_of(size(), weights);
}

std::vector<std::vector<std::int32_t>>
RtlEngine::multiply(const std::vector<std::vector<std::int16_t>>& vectors, InputType type)
{
    const auto whole = std::make_shared<const Job>(Job{resident_, vectors, type});
    remember(whole);
    const Job job{std::exchange(to_load_, {}), vectors, type};
    JobResult result = in_lockstep()
                           ? run_in_lockstep(driver(), job, expected_of(size(), {whole.get(), 1}))
                           : driver().run({&job, 1}, {}).front();
    fail_if_different();
    check_cycles("cycles until the last sums", vectors.size() * vector_cycles(type), result.cycles);
    return std::move(result.sums);
}

} // namespace levee::cim_macro
