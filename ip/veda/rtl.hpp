// SPDX-License-Identifier: Apache-2.0
// The arrays' RTL in the place of their reference, and beside it.
#pragma once

#include "ip/common/lockstep.hpp"
#include "ip/veda/core.hpp"
#include "ip/veda/driver.hpp"
#include "ip/veda/pins.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee::veda {

/// A Verilated design as a Core. It is clocked only during operations.
class RtlCore final : public Core, public RtlStatus {
public:
    enum class Mode {
        Rtl,     ///< what the design says goes
        Lockstep ///< and must be what the reference says, in the cycles of Boundary
    };

    /// `block`: its path, for messages.
    RtlCore(std::string block, MakePins make, Mode mode);

    void begin(const Configuration& configuration) override;
    /// As finish, throws LockstepDifference, with Mode::Rtl only for a design from which nothing
    /// or nonsense comes.
    void run(std::span<const Product> side_by_side) override;
    [[nodiscard]] std::uint64_t finish() override;

    [[nodiscard]] std::uint64_t rtl_cycles() const override { return driver_.cycles(); }
    [[nodiscard]] bool in_lockstep() const override { return mode_ == Mode::Lockstep; }
    [[nodiscard]] std::uint64_t comparisons() const override
    {
        return driver_.comparisons() + comparisons_;
    }
    [[nodiscard]] const std::optional<LockstepDifference>& failure() const override
    {
        return failure_;
    }
    [[nodiscard]] std::optional<Difference> outstanding() override { return driver_.outstanding(); }

    /// Products side by side, with their operands: what waves are made from.
    struct Remembered {
        Configuration configuration;
        std::vector<Product> products;
        std::vector<std::vector<std::uint16_t>> operands;
    };

private:
    void remember(std::span<const Product> side_by_side);
    void fail_if_different();
    [[noreturn]] void fail(const Difference& difference);

    std::string block_;
    MakePins make_;
    Mode mode_;
    std::unique_ptr<Pins> pins_;
    Driver driver_;
    ReferenceCore reference_;
    Configuration configuration_;
    std::deque<std::vector<std::vector<std::uint32_t>>> expected_; ///< of the operation's groups
    std::deque<std::shared_ptr<const Remembered>> recent_;
    std::uint64_t comparisons_ = 0; ///< besides the driver's
    std::optional<LockstepDifference> failure_;
};

} // namespace levee::veda
