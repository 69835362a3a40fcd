// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "test/twin/driver.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace levee::inverter {

/// Runs the design in place of the reference. Throws LockstepDifference.
class RtlEngine final : public RtlTwin<Ports, Driver, Work> {
public:
    /// `block` is the block's path, for messages.
    RtlEngine(std::string block, MakePins make, RtlMode mode)
        : RtlTwin(std::move(block), make, mode)
    {
    }

    std::vector<std::uint32_t> invert(std::vector<std::uint32_t> words)
    {
        return perform(std::make_shared<const Work>(Work{std::move(words)}));
    }
};

} // namespace levee::inverter
