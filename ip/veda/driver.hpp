// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_driver.hpp"
#include "ip/veda/boundary.hpp"
#include "ip/veda/pins.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee::veda {

/// Drives a design with products as fast as its ready signals and gates allow, group after group
/// without a gap. It stops at the first difference in values. Channels: operands, results.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 2;

    Driver(Pins& pins, bool compare_cycles);

    void begin();
    /// Drives products side by side. `expected`: the results to compare with, by product; empty:
    /// none; compared only if `compares`. Results and `expected` must remain valid until drain().
    /// Returns when the last operands are taken.
    void run(const Configuration& configuration, std::span<const Product> side_by_side,
             std::span<const std::vector<std::uint32_t>> expected = {}, bool compares = true);
    /// Waits for all outstanding results.
    void drain();
    void reset() override;
    [[nodiscard]] RtlPlace place() const override;

    /// Cycles from the first operands after begin() to the last result, inclusive.
    [[nodiscard]] std::uint64_t operation_cycles() const { return last_result_ - begun_; }

private:
    /// A result that an array has yet to deliver.
    struct Due {
        Beat::Target target;
        bool outer = false;
        const std::uint32_t* expected = nullptr;
        std::string where;
    };

    void compare_boundary(const Inputs& in, const Outputs& want, const Outputs& got) override;
    [[nodiscard]] const char* busy_signal(const Outputs& out) const override;
    [[nodiscard]] std::uint64_t pipeline_depth() const override;
    void expect(const Inputs& in, Outputs& out) const override;
    [[nodiscard]] std::optional<Difference> results_due() const override;

    bool step(const Beat* beat, bool take_result);
    void note_due(const Beat& beat, std::span<const std::vector<std::uint32_t>> expected);
    void collect(const Outputs& out);
    bool collect_array(const Outputs& out, std::size_t array);
    void compare(const Due& due, std::size_t array, const std::uint32_t* lane);
    [[nodiscard]] bool is_anything_due() const;
    [[nodiscard]] std::string group() const { return "group " + std::to_string(group_); }

    Beat beat_;
    std::vector<std::deque<Due>> due_;         ///< Due results by array.
    std::vector<bool> has_result_;             ///< results of the cycle, by lane
    mutable std::vector<std::uint32_t> shown_; ///< values of the cycle in waveforms, by lane
    std::uint64_t group_ = 0;                  ///< Groups since begin().
    bool compares_ = true;
    std::uint64_t begun_ = 0, last_result_ = 0;
};

} // namespace levee::veda
