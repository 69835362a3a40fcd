// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/ecu/pins.hpp"
#include "test/rtl/pins_decorator.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace levee::test {

/// The error correction unit's design of this name.
inline const flash::ecu::Design& ecu_design(const std::string& name)
{
    const auto designs = flash::ecu::designs();
    const auto found = std::find_if(designs.begin(), designs.end(),
                                    [&](const auto& design) { return design.name == name; });
    if (found == designs.end())
        throw std::logic_error("there is no design " + name);
    return *found;
}

/// The design for small pages with one wrong signal at its pins, from the 100th cycle after it was
/// made on.
class FaultyEcu final : public PinsDecorator<flash::ecu::Ports> {
public:
    enum class Fault {
        Data,   ///< one bit of a beat
        Last,   ///< no beat is the last
        Count,  ///< one value more is corrected
        Silent, ///< nothing comes out
        Late,   ///< no beat goes in in every seventh cycle
        Extra   ///< counts are offered all the time
    };

    FaultyEcu(Fault fault, const RtlPinsOptions& options)
        : PinsDecorator(ecu_design("flash_ecu_1k").make(options)), fault_(fault)
    {
    }

    flash::ecu::Outputs settle(const flash::ecu::Inputs& in) override
    {
        constexpr std::uint64_t good_cycles = 100;
        flash::ecu::Inputs seen = in;
        const bool is_faulty = cycle() >= good_cycles;
        const bool is_late = is_faulty && fault_ == Fault::Late && cycle() % 7 == 0;
        seen.in_valid = in.in_valid && !is_late;
        flash::ecu::Outputs out = pins().settle(seen);
        if (!is_faulty)
            return out;
        out.in_ready = out.in_ready && !is_late;
        out.out_data[5] ^= fault_ == Fault::Data ? 4 : 0;
        out.out_last = out.out_last && fault_ != Fault::Last;
        out.counts.corrected_values += fault_ == Fault::Count;
        out.out_valid = out.out_valid && fault_ != Fault::Silent;
        out.done_valid = (out.done_valid && fault_ != Fault::Silent) || fault_ == Fault::Extra;
        return out;
    }

private:
    Fault fault_;
};

template <FaultyEcu::Fault fault>
std::unique_ptr<flash::ecu::Pins> make_faulty_ecu(const RtlPinsOptions& options)
{
    return std::make_unique<FaultyEcu>(fault, options);
}

} // namespace levee::test
