// SPDX-License-Identifier: Apache-2.0
// The unit's RTL, instead of its reference or in lockstep with it.
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/element_serial/core.hpp"
#include "ip/element_serial/driver.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace levee::element_serial {

/// A Verilated design as a Core. It is clocked only in finish(), which throws LockstepDifference;
/// with RtlMode::Rtl, only if the design delivers no results.
class RtlCore final : public Core, public RtlTwin<Ports, Driver, Work> {
public:
    /// `block`: its path, for messages.
    RtlCore(std::string block, MakePins make, RtlMode mode);
    /// Defined elsewhere, so that users of the core need not compile the whole twin.
    ~RtlCore() override;

    void begin(const Reduction& reduction) override;
    void begin(const Normalisation& normalisation) override;
    void run(const Incoming& vector) override;
    void run(const Outgoing& vector) override;
    [[nodiscard]] std::uint64_t finish() override;

private:
    /// Destination of a vector's results.
    struct Destination {
        std::span<std::uint16_t> out;
        Statistics* statistics = nullptr; ///< REDUCE
    };

    void hand_out(const std::vector<VectorResult>& results);

    std::shared_ptr<Work> work_; ///< Work of the operation.
    std::vector<Destination> destinations_;
};

} // namespace levee::element_serial
