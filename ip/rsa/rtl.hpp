// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/rsa/driver.hpp"
#include "ip/rsa/engine.hpp"

#include <string>
#include <vector>

namespace levee::rsa {

/// Uses a Verilated design as an Engine. The design is clocked only while it multiplies. Throws
/// LockstepDifference if design and reference differ; in RtlMode::Rtl only if results are missing.
class RtlEngine final : public Engine, public RtlTwin<Ports, Driver, Work> {
public:
    /// `block` is the block's path, for messages.
    RtlEngine(std::string block, MakePins make, RtlMode mode);
    /// Defined in the .cpp file, so that users need not compile the whole twin.
    ~RtlEngine() override;

    std::vector<std::vector<std::int64_t>>
    multiply(std::vector<Product> products, std::uint32_t block, std::uint32_t heads = 1) override;
};

} // namespace levee::rsa
