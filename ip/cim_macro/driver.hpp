// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_driver.hpp"
#include "ip/cim_macro/boundary.hpp"
#include "ip/cim_macro/model.hpp"
#include "ip/cim_macro/pins.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::cim_macro {

/// Rows to load, followed by vectors to multiply.
struct Job {
    std::vector<Row> rows;
    std::vector<std::vector<std::int16_t>> vectors; ///< One element for each input.
    InputType type = InputType::Int8;
};

struct JobResult {
    std::vector<std::vector<std::int32_t>> sums; ///< Sums of each vector.
    std::uint64_t cycles = 0; ///< Cycles from the first vector's first pass to the last vector's
                              ///< sums.
};

/// Returns the rows that load all of `weights`, [input][output].
[[nodiscard]] std::vector<Row> rows_of(const Shape& shape, std::span<const std::int8_t> weights);

/// Returns the results of the reference, without cycles. All rows must be loaded before the first
/// job that multiplies.
[[nodiscard]] std::vector<JobResult> expected_of(const Shape& shape, std::span<const Job> jobs);

/// Drives a design with jobs as fast as its ready signals and the gates (back-pressure) allow. The
/// channels are load, in and out.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 3;
    using Options = RtlRunOptions<JobResult>;

    Driver(Pins& pins, bool compare_cycles) : RtlDriver(pins, Boundary(), compare_cycles) {}

    /// Runs one operation. Stops at the first wrong value.
    std::vector<JobResult> run(std::span<const Job> jobs, const Options& options);
    [[nodiscard]] RtlPlace place() const override;

private:
    friend class RtlDriver<Ports, Boundary>;
    struct Progress;

    void compare_boundary(const Inputs& in, const Outputs& want, const Outputs& got) override;
    [[nodiscard]] const char* busy_signal(const Outputs& out) const override;
    void expect(const Inputs& in, Outputs& out) const override;

    [[nodiscard]] Inputs inputs(Progress& progress);
    bool observe(Progress& progress, const Inputs& in, const Outputs& out);
    void compare_values(Progress& progress, const Inputs& in, const Outputs& out);
    void give_up(Progress& progress);

    const Progress* progress_ = nullptr;
};

} // namespace levee::cim_macro
