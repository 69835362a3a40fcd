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

/// Drives a design with products as fast as its ready signals and back-pressure (gates) allow.
/// Groups follow back to back. The driver stops at the first wrong value. The channels are operands
/// and results.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 2;

    Driver(Pins& pins, bool compare_cycles);

    void begin();
    /// Drives products in parallel and returns when the last operands are taken. `expected` has the
    /// correct results of each product, or is empty; it is compared only if `compares` is set.
    /// Results and `expected` must remain valid until drain().
    void run(const Configuration& configuration, std::span<const Product> side_by_side,
             std::span<const std::vector<std::uint32_t>> expected = {}, bool compares = true);
    /// Waits until all results have arrived.
    void drain();
    void reset() override;
    [[nodiscard]] RtlPlace place() const override;

    /// Returns the cycles from the first operands after begin() to the last result, inclusive.
    [[nodiscard]] std::uint64_t operation_cycles() const { return last_result_ - begun_; }

private:
    /// A result that an array still has to output.
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
    std::vector<std::deque<Due>> due_;         ///< One queue for each array.
    std::vector<bool> has_result_;             ///< Lanes with a result in this cycle.
    mutable std::vector<std::uint32_t> shown_; ///< Values of this cycle for waveforms, by lane.
    std::uint64_t group_ = 0;
    bool compares_ = true;
    std::uint64_t begun_ = 0, last_result_ = 0;
};

} // namespace levee::veda
