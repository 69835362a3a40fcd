#include "ip/veda/rtl.hpp"

#include "ip/veda/timing.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace levee::veda {

namespace {

/// Cycles in which nothing moves though nobody stalls, after which the design hangs: more than any
/// pipeline is deep.
constexpr std::uint64_t patience = 1000;

} // namespace

std::unique_ptr<Pins> make_pins(const ArrayShape& shape, const PinsOptions& options)
{
    if (shape == ArrayShape{2, 8, 8})
        return make_pins_8x8(options);
    if (shape == ArrayShape{2, 2, 2})
        return make_pins_2x2(options);
    return nullptr;
}

RtlCore::RtlCore(std::unique_ptr<Pins> pins, Stalls stalls)
    : pins_(std::move(pins)), stalls_(std::move(stalls)), expected_(pins_->shape().arrays)
{
}

void RtlCore::begin(const Configuration& configuration)
{
    configuration_ = configuration;
    begun_ = last_result_ = cycles_;
}

void RtlCore::run(std::span<const Product> side_by_side)
{
    BeatSource source(pins_->shape(), configuration_, side_by_side);
    while (source.next(beat_)) {
        while (stalls_.operands && stalls_.operands())
            cycle(nullptr);
        const std::uint64_t offered = cycles_;
        while (!cycle(&beat_))
            if (cycles_ - offered > patience)
                throw RtlFault("the arrays have not taken operands for " +
                               std::to_string(patience) + " cycles");
    }
}

std::uint64_t RtlCore::finish()
{
    const std::uint64_t waited = cycles_;
    while (outstanding() > 0) {
        cycle(nullptr);
        if (cycles_ - waited > patience)
            throw RtlFault(std::to_string(outstanding()) + " results are outstanding after " +
                           std::to_string(patience) + " cycles");
    }
    return last_result_ - begun_;
}

std::size_t RtlCore::outstanding() const
{
    std::size_t count = 0;
    for (const auto& array : expected_)
        count += array.size();
    return count;
}

/// True if `beat` has been taken.
bool RtlCore::cycle(const Beat* beat)
{
    const bool take_result = !(stalls_.results && stalls_.results());
    const Outputs outputs = pins_->settle({beat, take_result});
    ++cycles_;
    if (outputs.has_result && take_result)
        collect(outputs);
    const bool taken = beat != nullptr && outputs.takes_beat;
    if (taken)
        expect(*beat);
    pins_->edge();
    return taken;
}

/// Notes the results that `beat` will have.
void RtlCore::expect(const Beat& beat)
{
    const bool outer = beat.configuration.mode == Mode::Outer;
    for (std::size_t i = 0; i < expected_.size(); ++i) {
        // All arrays have results of outer, though the first array's target is for all.
        const bool in_this_array = outer || beat.configuration.split || i == 0;
        if (in_this_array && (beat.last >> i & 1u) != 0)
            expected_[i].push_back({beat.target[i], outer});
    }
}

void RtlCore::collect(const Outputs& result)
{
    last_result_ = cycles_;
    for (std::size_t i = 0; i < expected_.size(); ++i) {
        if ((result.enabled >> i & 1u) == 0)
            continue;
        if (expected_[i].empty())
            throw RtlFault("a result came that nobody waits for");
        const Expected expected = expected_[i].front();
        if (expected.outer != result.outer)
            throw RtlFault("a result came in the wrong mode");
        const std::uint32_t* first = result.lane + i * pins_->shape().array_lanes();
        std::copy_n(first, expected.target.count, expected.target.out);
        expected_[i].pop_front();
    }
}

} // namespace levee::veda
