// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/lockstep.hpp"
#include "ip/veda/boundary.hpp"
#include "ip/veda/pins.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee::veda {

/// Who is on the other side of the two channels lets each of them move in a cycle, or not: operands
/// bit 0, results bit 1. What has been offered stays offered.
using Gates = std::function<unsigned()>;

/// Takes products through a design as fast as its readies and gates allow, one group after another
/// without a gap. After a difference in values it does nothing more.
class Driver {
public:
    /// `compare_cycles`: with Boundary.
    Driver(Pins& pins, bool compare_cycles);

    void set_gates(Gates gates) { gates_ = std::move(gates); }
    /// Cycles are counted from here.
    void begin();
    /// Products side by side. `expected`: of each product, its results to compare with; empty: do
    /// not. Both results and `expected` are used until drain(). Leaves when the last operands are
    /// taken.
    void run(const Configuration& configuration, std::span<const Product> side_by_side,
             std::span<const std::vector<std::uint32_t>> expected = {});
    /// Waits for the results that are outstanding.
    void drain();
    /// Whatever is under way is lost.
    void reset();

    /// From the first operands after begin() to the last result, both counted.
    [[nodiscard]] std::uint64_t operation_cycles() const { return last_result_ - begun_; }
    [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
    [[nodiscard]] std::uint64_t comparisons() const { return comparisons_; }
    /// The first of each kind. A design from which nothing comes any more is one in values.
    [[nodiscard]] const std::optional<Difference>& value() const { return value_; }
    [[nodiscard]] const std::optional<Difference>& cycle() const { return cycle_; }
    /// Clocks a design that should be idle: a signal that says otherwise, or none.
    [[nodiscard]] std::optional<Difference> outstanding();

private:
    /// Results that are to come in an array.
    struct Due {
        Beat::Target target;
        bool outer = false;
        const std::uint32_t* expected = nullptr;
        std::string where;
    };

    [[nodiscard]] unsigned gates() { return gates_ ? gates_() : 3; }
    bool step(const Beat* beat, bool take_result);
    void note_due(const Beat& beat, std::span<const std::vector<std::uint32_t>> expected);
    void compare_boundary(const Inputs& in, const Outputs& out);
    void collect(const Outputs& out);
    void compare(const Due& due, std::size_t array, const std::uint32_t* lane);
    void differ(std::optional<Difference>& difference, Difference::Kind kind, std::string signal,
                std::string where, std::string expected, std::string got);
    [[nodiscard]] bool is_anything_due() const;
    void give_up(const char* signal);

    Pins& pins_;
    Boundary boundary_;
    bool follows_; ///< the boundary, until the first difference
    Gates gates_;
    Beat beat_;
    std::vector<std::deque<Due>> due_; ///< by array
    std::vector<bool> has_result_;     ///< of the cycle, by lane
    std::uint64_t product_ = 0;        ///< groups since begin()
    std::uint64_t cycles_ = 0, begun_ = 0, last_result_ = 0, comparisons_ = 0;
    std::optional<Difference> value_, cycle_;
};

} // namespace levee::veda
