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

/// The design in the place of the reference. Throws LockstepDifference.
class RtlEngine final : public RtlTwin<Ports, Driver, std::vector<std::uint32_t>> {
public:
    /// `block`: its path, for messages.
    RtlEngine(std::string block, MakePins make, RtlMode mode)
        : RtlTwin(std::move(block), make, mode, replay)
    {
    }

    std::vector<std::uint32_t> invert(std::vector<std::uint32_t> words)
    {
        const auto work = std::make_shared<const std::vector<std::uint32_t>>(std::move(words));
        remember(work);
        std::vector<std::uint32_t> results = run(driver(), size(), *work, in_lockstep());
        fail_if_different();
        return results;
    }

private:
    static std::vector<std::uint32_t> run(Driver& driver, std::uint32_t width,
                                          const std::vector<std::uint32_t>& words, bool compares)
    {
        const std::vector<std::uint32_t> expected = inverted(words, width);
        Driver::Options options;
        if (compares)
            options.expected = expected;
        options.stop_at_cycle_difference = compares;
        return driver.run(words, options);
    }
    /// For waveforms: the same work again.
    static void replay(Driver& driver, const std::uint32_t& width,
                       const std::vector<std::uint32_t>& words)
    {
        (void)run(driver, width, words, true);
    }
};

} // namespace levee::inverter
