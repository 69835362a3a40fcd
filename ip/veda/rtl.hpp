// SPDX-License-Identifier: Apache-2.0
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

/// Products that run in parallel, with copies of their operands.
struct ProductGroup {
    Configuration configuration;
    std::vector<Product> products;
    std::vector<std::vector<std::uint16_t>> operands;
    bool begins = false; ///< The group begins an operation.
    /// Results of a replay, which are compared while later groups are already running.
    mutable std::vector<std::vector<std::uint32_t>> expected, results;
};

/// Uses a Verilated design as a Core. The design is clocked only during operations. run() and
/// finish() throw LockstepDifference if design and reference differ; in RtlMode::Rtl only if
/// results are missing or undefined.
class RtlCore final : public Core, public RtlTwin<Ports, Driver, ProductGroup> {
public:
    /// `block` is the block's path, for messages.
    RtlCore(std::string block, MakePins make, RtlMode mode);
    /// Defined in the .cpp file, so that users need not compile the whole twin.
    ~RtlCore() override;

    void begin(const Configuration& configuration) override;
    void run(std::span<const Product> side_by_side) override;
    [[nodiscard]] std::uint64_t finish() override;

private:
    ReferenceCore reference_;
    Configuration configuration_;
    bool begins_ = true; ///< The next group begins an operation.
    std::deque<std::vector<std::vector<std::uint32_t>>> expected_; ///< Results of the operation's
                                                                   ///< groups.
};

} // namespace levee::veda
