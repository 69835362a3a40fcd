// SPDX-License-Identifier: Apache-2.0
// The macro's RTL, instead of its reference or in lockstep with it.
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/cim_macro/driver.hpp"
#include "ip/cim_macro/engine.hpp"

#include <string>
#include <vector>

namespace levee::cim_macro {

/// A job as it was given to the design, and with all rows loaded by then.
struct RememberedJob {
    Job whole, given;
};

/// A Verilated design as an Engine. It is clocked only while it loads or multiplies. Throws
/// LockstepDifference; with RtlMode::Rtl, only if the design delivers no results.
class RtlEngine final : public Engine, public RtlTwin<Ports, Driver, RememberedJob> {
public:
    /// `block`: its path, for messages.
    RtlEngine(std::string block, MakePins make, RtlMode mode);
    /// Defined elsewhere, so that users of the engine need not compile the whole twin.
    ~RtlEngine() override;

    [[nodiscard]] Shape shape() const override { return size(); }
    void load(std::span<const std::int8_t> weights) override;
    std::vector<std::vector<std::int32_t>>
    multiply(const std::vector<std::vector<std::int16_t>>& vectors, InputType type) override;

private:
    std::vector<Row> resident_, to_load_;
};

} // namespace levee::cim_macro
