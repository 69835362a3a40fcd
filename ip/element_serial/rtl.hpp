// SPDX-License-Identifier: Apache-2.0
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

/// Uses a Verilated design as a Core. It is clocked only in finish(). That function throws
/// LockstepDifference if design and reference differ; in RtlMode::Rtl only if results are missing.
class RtlCore final : public Core, public RtlTwin<Ports, Driver, Work> {
public:
    /// `block` is the block's path, for messages.
    RtlCore(std::string block, MakePins make, RtlMode mode);
    /// Defined in the .cpp file, so that users need not compile the whole twin.
    ~RtlCore() override;

    void begin(const Reduction& reduction) override;
    void begin(const Normalisation& normalisation) override;
    void run(const Incoming& vector) override;
    void run(const Outgoing& vector) override;
    [[nodiscard]] std::uint64_t finish() override;

private:
    /// Where a vector's results go.
    struct Destination {
        std::span<std::uint16_t> out;
        Statistics* statistics = nullptr; ///< Used by REDUCE.
    };

    void hand_out(const std::vector<VectorResult>& results);

    std::shared_ptr<Work> work_;
    std::vector<Destination> destinations_;
};

} // namespace levee::element_serial
