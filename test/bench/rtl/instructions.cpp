// SPDX-License-Identifier: Apache-2.0
// instructions bare|none|rtl|lockstep CYCLES: searches in 2048 tokens with the evictor's RTL.
// `bare` runs only the Verilator model with recorded inputs, and `none` only records them. `rtl`
// runs the RTL in place of the block's reference, `lockstep` next to it.
#include "ip/systolic_evictor/pins.hpp"
#include "ip/systolic_evictor/rtl.hpp"
#include "test/bench/rtl/bare_evictor.hpp"
#include "test/rtl/pins_decorator.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace levee;
using systolic_evictor::RtlEngine;

std::vector<systolic_evictor::Inputs>& recorded()
{
    static std::vector<systolic_evictor::Inputs> inputs;
    return inputs;
}

class RecordingPins final : public test::PinsDecorator<systolic_evictor::Ports> {
public:
    explicit RecordingPins(const RtlPinsOptions& options)
        : PinsDecorator(systolic_evictor::designs()[0].make(options))
    {
    }
    systolic_evictor::Outputs settle(const systolic_evictor::Inputs& in) override
    {
        recorded().push_back(in);
        return pins().settle(in);
    }
};

std::unique_ptr<systolic_evictor::Pins> make_recording(const RtlPinsOptions& options)
{
    return std::make_unique<RecordingPins>(options);
}

void search(systolic_evictor::MakePins make, RtlMode mode, std::uint64_t cycles)
{
    constexpr std::size_t tokens = 2048;
    RtlEngine engine("evictor", make, mode);
    std::vector<std::uint16_t> importance(tokens), scores(tokens);
    std::vector<std::uint8_t> is_protected(tokens);
    std::uint32_t random = 1;
    for (std::size_t i = 0; i < tokens; ++i) {
        random = random * 1664525 + 1013904223;
        scores[i] = static_cast<std::uint16_t>(random >> 24);
        is_protected[i] = i < 10 || i >= tokens / 2 ? 1 : 0;
    }
    while (engine.rtl_cycles() < cycles)
        (void)engine.pass({LEVEE_SE_SOFTMAX, importance, is_protected, scores});
    std::printf("%llu cycles\n", static_cast<unsigned long long>(engine.rtl_cycles()));
}

} // namespace

int main(int count, char** arguments)
{
    if (count != 3)
        return 2;
    const std::string what = arguments[1];
    const std::uint64_t cycles = std::strtoull(arguments[2], nullptr, 10);
    const auto own = systolic_evictor::designs()[0].make;
    if (what == "rtl" || what == "lockstep") {
        search(own, what == "rtl" ? RtlMode::Rtl : RtlMode::Lockstep, cycles);
        return 0;
    }
    recorded().reserve(cycles + 10'000);
    search(make_recording, RtlMode::Rtl, cycles);
    if (what == "bare")
        std::printf("sum %llu\n", static_cast<unsigned long long>(run_bare(recorded())));
    return what == "bare" || what == "none" ? 0 : 2;
}
