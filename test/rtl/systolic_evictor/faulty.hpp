// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/systolic_evictor/pins.hpp"
#include "test/rtl/pins_decorator.hpp"

#include <cstdint>
#include <memory>

namespace levee::test {

/// The evictor's design with one wrong bit at its pins, from the 100th cycle after it was made on.
class FaultyPins final : public PinsDecorator<systolic_evictor::Ports> {
public:
    enum class Fault {
        Score,  ///< the lowest bit of updated importance
        Index,  ///< of the result
        Silent, ///< there is no result
        Extra,  ///< there is an updated importance where there is none
        Wave    ///< no query enters in every seventh cycle
    };

    FaultyPins(Fault fault, const RtlPinsOptions& options)
        : PinsDecorator(systolic_evictor::designs()[0].make(options)), fault_(fault)
    {
    }

    systolic_evictor::Outputs settle(const systolic_evictor::Inputs& in) override
    {
        constexpr std::uint64_t good_cycles = 100;
        systolic_evictor::Outputs out = pins().settle(in);
        if (cycle() < good_cycles)
            return out;
        switch (fault_) {
        case Fault::Score:
            out.update_score ^= 1;
            break;
        case Fault::Index:
            out.result_index ^= 1;
            break;
        case Fault::Silent:
            out.result_valid = false;
            break;
        case Fault::Extra:
            out.update_valid = true;
            break;
        case Fault::Wave:
            out.wave_ready = out.wave_ready && cycle() % 7 != 0;
            break;
        }
        return out;
    }

private:
    Fault fault_;
};

template <FaultyPins::Fault fault>
std::unique_ptr<systolic_evictor::Pins> make_faulty(const RtlPinsOptions& options)
{
    return std::make_unique<FaultyPins>(fault, options);
}

} // namespace levee::test
