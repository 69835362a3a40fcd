// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/cim_macro/driver.hpp"
#include "ip/cim_macro/engine.hpp"

#include <string>
#include <vector>

namespace levee::cim_macro {

/// `given` is a job as the design received it; `whole` also contains all rows that were loaded
/// earlier.
struct RememberedJob {
    Job whole, given;
};

/// Uses a Verilated design as an Engine. It is clocked only while it loads or multiplies. Throws
/// LockstepDifference if design and reference differ; in RtlMode::Rtl only if results are missing.
class RtlEngine final : public Engine, public RtlTwin<Ports, Driver, RememberedJob> {
public:
    /// `block` is the block's path, for messages.
    RtlEngine(std::string block, MakePins make, RtlMode mode);
    /// Defined in the .cpp file, so that users need not compile the whole twin.
    ~RtlEngine() override;

    [[nodiscard]] Shape shape() const override { return size(); }
    void load(std::span<const std::int8_t> weights) override;
    std::vector<std::vector<std::int32_t>>
    multiply(const std::vector<std::vector<std::int16_t>>& vectors, InputType type) override;

private:
    std::vector<Row> resident_, to_load_;
};

} // namespace levee::cim_macro
