// SPDX-License-Identifier: Apache-2.0
#include "ip/cim_macro/rtl.hpp"

#include <memory>
#include <utility>

namespace levee::cim_macro {

namespace {

/// Repeats a job. A design that is fresh from reset has no rows loaded, so it also gets all earlier
/// rows.
void replay(Driver& driver, const Shape& shape, const RememberedJob& job)
{
    const std::vector<JobResult> expected = expected_of(shape, {&job.whole, 1});
    Driver::Options options;
    options.expected = expected;
    options.stop_at_cycle_difference = true;
    (void)driver.run({driver.is_fresh() ? &job.whole : &job.given, 1}, options);
}

} // namespace

RtlEngine::RtlEngine(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode, replay)
{
}

RtlEngine::~RtlEngine() = default;

/// If the design is clocked in simulated time, rows are loaded in the LOAD operation. Otherwise
/// they are loaded together with the vectors that need them.
void RtlEngine::load(std::span<const std::int8_t> weights)
{
    resident_ = to_load_ = rows_of(size(), weights);
    if (!is_clocked_in_time())
        return;
    const Job rows{std::exchange(to_load_, {}), {}, InputType::Int8};
    defer(std::make_shared<const RememberedJob>(RememberedJob{rows, rows}));
}

std::vector<std::vector<std::int32_t>>
RtlEngine::multiply(const std::vector<std::vector<std::int16_t>>& vectors, InputType type)
{
    const auto work = std::make_shared<const RememberedJob>(
        RememberedJob{{resident_, vectors, type}, {std::exchange(to_load_, {}), vectors, type}});
    std::vector<JobResult> known;
    if (needs_expected())
        known = expected_of(size(), {&work->whole, 1});
    if (is_clocked_in_time()) {
        defer(work);
        return std::move(known.front().sums);
    }
    remember(work);
    JobResult result = driver().run({&work->given, 1}, options(known)).front();
    fail_if_different();
    check_cycles("cycles until the last sums", vectors.size() * vector_cycles(type), result.cycles);
    return std::move(result.sums);
}

} // namespace levee::cim_macro
