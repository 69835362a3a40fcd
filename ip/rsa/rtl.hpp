// SPDX-License-Identifier: Apache-2.0
// The array's RTL, instead of its reference or in lockstep with it.
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/rsa/driver.hpp"
#include "ip/rsa/engine.hpp"

#include <string>
#include <vector>

namespace levee::rsa {

/// A Verilated design as an Engine. It is clocked only while it multiplies. Throws
/// LockstepDifference; with RtlMode::Rtl, only if the design delivers no results.
class RtlEngine final : public Engine, public RtlTwin<Ports, Driver, Work> {
public:
    /// `block`: its path, for messages.
    RtlEngine(std::string block, MakePins make, RtlMode mode);
    /// Defined elsewhere, so that users of the engine need not compile the whole twin.
    ~RtlEngine() override;

    std::vector<std::vector<std::int64_t>>
    multiply(std::vector<Product> products, std::uint32_t block, std::uint32_t heads = 1) override;
};

} // namespace levee::rsa
