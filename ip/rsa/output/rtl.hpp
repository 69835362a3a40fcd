// SPDX-License-Identifier: Apache-2.0
// The output-stationary array's RTL, instead of its reference or in lockstep with it.
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/rsa/engine.hpp"
#include "ip/rsa/output/driver.hpp"

#include <string>
#include <vector>

namespace levee::rsa::output {

/// A Verilated design as an Engine. It is clocked only while it multiplies. Throws
/// LockstepDifference; with RtlMode::Rtl, only if the design delivers no results.
class RtlEngine final : public Engine, public RtlTwin<Ports, Driver, Work> {
public:
    /// `block`: its path, for messages.
    RtlEngine(std::string block, MakePins make, RtlMode mode);
    /// Defined elsewhere, so that users of the engine need not compile the whole twin.
    ~RtlEngine() override;

    /// `block` is ignored, since sums stay in the array.
    std::vector<Sums> multiply(std::vector<Product> products, std::uint32_t block,
                               std::uint32_t heads = 1) override;
};

} // namespace levee::rsa::output
