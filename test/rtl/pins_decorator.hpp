// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_pins.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace levee::test {

/// A design whose pins a test makes faulty by overriding settle().
template <typename Ports> class PinsDecorator : public RtlPins<Ports> {
public:
    [[nodiscard]] const typename Ports::Size& size() const override { return pins_->size(); }
    void reset() override { pins_->reset(); }
    void edge() override
    {
        ++cycle_;
        pins_->edge();
    }
    [[nodiscard]] bool can_trace() const override { return pins_->can_trace(); }
    void trace(const WaveFile& file) override { pins_->trace(file); }
    void time(std::uint64_t begin_ps, std::uint64_t end_ps) override
    {
        pins_->time(begin_ps, end_ps);
    }
    void mark(std::uint64_t ps) override { pins_->mark(ps); }
    /// The fault's own state is saved with the design's.
    [[nodiscard]] std::vector<std::uint8_t> save() override
    {
        std::vector<std::uint8_t> state = pins_->save();
        if (state.empty())
            return state;
        state.resize(state.size() + sizeof cycle_);
        std::memcpy(state.data() + state.size() - sizeof cycle_, &cycle_, sizeof cycle_);
        return state;
    }
    void restore(const std::vector<std::uint8_t>& state) override
    {
        std::memcpy(&cycle_, state.data() + state.size() - sizeof cycle_, sizeof cycle_);
        pins_->restore({state.begin(), state.end() - sizeof cycle_});
    }
    [[nodiscard]] std::uint64_t failed_assertions() const override
    {
        return pins_->failed_assertions();
    }
    [[nodiscard]] std::map<std::string, std::uint64_t> coverage() const override
    {
        return pins_->coverage();
    }

protected:
    explicit PinsDecorator(std::unique_ptr<RtlPins<Ports>> pins) : pins_(std::move(pins)) {}
    [[nodiscard]] RtlPins<Ports>& pins() { return *pins_; }
    /// Number of cycles since creation, not counting reset cycles.
    [[nodiscard]] std::uint64_t cycle() const { return cycle_; }

private:
    std::unique_ptr<RtlPins<Ports>> pins_;
    std::uint64_t cycle_ = 0;
};

/// A design whose outputs are wrong from cycle `from` on. Either spoil(outputs) changes them, or
/// spoil(pins, inputs, cycle) returns them.
template <typename Ports, auto spoil> class SpoiledPins final : public PinsDecorator<Ports> {
public:
    using Outputs = typename Ports::Outputs;

    SpoiledPins(std::unique_ptr<RtlPins<Ports>> pins, std::uint64_t from)
        : PinsDecorator<Ports>(std::move(pins)), from_(from)
    {
    }
    Outputs settle(const typename Ports::Inputs& in) override
    {
        if (this->cycle() < from_)
            return this->pins().settle(in);
        if constexpr (std::is_invocable_v<decltype(spoil), Outputs&>) {
            Outputs out = this->pins().settle(in);
            spoil(out);
            return out;
        } else
            return spoil(this->pins(), in, this->cycle());
    }

private:
    std::uint64_t from_;
};

/// Makes these pins for a block's design, numbered as in the block's CMakeLists.txt.
template <typename Ports, std::size_t design, auto spoil, std::uint64_t from = 0>
std::unique_ptr<RtlPins<Ports>> make_spoiled(const RtlPinsOptions& options)
{
    return std::make_unique<SpoiledPins<Ports, spoil>>(Ports::designs()[design].make(options),
                                                       from);
}

/// A design that ignores all resets except the first.
template <typename Ports> class UnresetPins final : public PinsDecorator<Ports> {
public:
    explicit UnresetPins(std::unique_ptr<RtlPins<Ports>> pins)
        : PinsDecorator<Ports>(std::move(pins))
    {
    }
    void reset() override {}
    typename Ports::Outputs settle(const typename Ports::Inputs& in) override
    {
        return this->pins().settle(in);
    }
};

} // namespace levee::test
