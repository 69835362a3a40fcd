// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/rtl_driver.hpp"
#include "ip/veda/boundary.hpp"
#include "ip/veda/pins.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee::veda {

/// Takes products through a design as fast as its readies and gates allow, one group after another
/// without a gap. After a difference in values it does nothing more. Channels: operands, results.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 2;

    Driver(Pins& pins, bool compare_cycles);

    void begin();
    /// Products side by side. `expected`: of each product, its results to compare with; empty: do
    /// not. Both results and `expected` are used until drain(). Leaves when the last operands are
    /// taken.
    void run(const Configuration& configuration, std::span<const Product> side_by_side,
             std::span<const std::vector<std::uint32_t>> expected = {});
    /// Waits for the results that are outstanding.
    void drain();
    void reset() override;

    /// From the first operands after begin() to the last result, both counted.
    [[nodiscard]] std::uint64_t operation_cycles() const { return last_result_ - begun_; }

private:
    /// Results that are to come in an array.
    struct Due {
        Beat::Target target;
        bool outer = false;
        const std::uint32_t* expected = nullptr;
        std::string where;
    };

    void compare_boundary(const Inputs& in, const Outputs& want, const Outputs& got) override;
    [[nodiscard]] const char* busy_signal(const Outputs& out) const override;
    [[nodiscard]] std::optional<Difference> results_due() const override;

    bool step(const Beat* beat, bool take_result);
    void note_due(const Beat& beat, std::span<const std::vector<std::uint32_t>> expected);
    void collect(const Outputs& out);
    bool collect_array(const Outputs& out, std::size_t array);
    void compare(const Due& due, std::size_t array, const std::uint32_t* lane);
    [[nodiscard]] bool is_anything_due() const;
    [[nodiscard]] std::string group() const { return "group " + std::to_string(group_); }

    Beat beat_;
    std::vector<std::deque<Due>> due_; ///< by array
    std::vector<bool> has_result_;     ///< of the cycle, by lane
    std::uint64_t group_ = 0;          ///< since begin()
    std::uint64_t begun_ = 0, last_result_ = 0;
};

} // namespace levee::veda
