// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test/rtl/pins_decorator.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace levee::test {

/// A design whose outputs become wrong after its stored state has been used 200 times. `Rule` has
/// three static functions. loads(in, out) and uses(in, out) return whether a cycle loads or uses
/// the state. spoil(out) makes the outputs wrong.
template <typename Ports, typename Rule> class LateFault final : public PinsDecorator<Ports> {
public:
    explicit LateFault(std::unique_ptr<RtlPins<Ports>> pins) : PinsDecorator<Ports>(std::move(pins))
    {
    }
    void reset() override
    {
        uses_ = 0;
        PinsDecorator<Ports>::reset();
    }
    typename Ports::Outputs settle(const typename Ports::Inputs& in) override
    {
        constexpr std::uint32_t late = 200;
        typename Ports::Outputs out = this->pins().settle(in);
        next_ = (Rule::loads(in, out) ? 0 : uses_) + (Rule::uses(in, out) ? 1 : 0);
        if (uses_ >= late)
            Rule::spoil(out);
        return out;
    }
    void edge() override
    {
        uses_ = next_;
        PinsDecorator<Ports>::edge();
    }

private:
    std::uint32_t uses_ = 0, next_ = 0;
};

template <typename Ports, std::size_t design, typename Rule>
std::unique_ptr<RtlPins<Ports>> make_late(const RtlPinsOptions& options)
{
    return std::make_unique<LateFault<Ports, Rule>>(Ports::designs()[design].make(options));
}

} // namespace levee::test
