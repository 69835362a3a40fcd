// SPDX-License-Identifier: Apache-2.0
// The arrays' RTL, instead of their reference or in lockstep with it.
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/veda/core.hpp"
#include "ip/veda/driver.hpp"

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace levee::veda {

/// Products side by side, with copies of their operands.
struct ProductGroup {
    Configuration configuration;
    std::vector<Product> products;
    std::vector<std::vector<std::uint16_t>> operands;
    bool begins = false; ///< an operation
    /// Results of a replay, which are compared when later groups are on their way.
    mutable std::vector<std::vector<std::uint32_t>> expected, results;
};

/// A Verilated design as a Core. It is clocked only during operations. run() and finish() throw
/// LockstepDifference; with RtlMode::Rtl, only if the design delivers no results or undefined ones.
class RtlCore final : public Core, public RtlTwin<Ports, Driver, ProductGroup> {
public:
    /// `block`: its path, for messages.
    RtlCore(std::string block, MakePins make, RtlMode mode);
    /// Defined elsewhere, so that users of the core need not compile the whole twin.
    ~RtlCore() override;

    void begin(const Configuration& configuration) override;
    void run(std::span<const Product> side_by_side) override;
    [[nodiscard]] std::uint64_t finish() override;

private:
    ReferenceCore reference_;
    Configuration configuration_;
    bool begins_ = true; ///< the next group begins an operation
    std::deque<std::vector<std::vector<std::uint32_t>>> expected_; ///< Results of the operation's
                                                                   ///< groups.
};

} // namespace levee::veda
