// SPDX-License-Identifier: Apache-2.0
// Random operations of the inverter, each with up to 64 words. Two of three operations have
// back-pressure.
#include "core/rtl/bench.hpp"

#include "test/twin/driver.hpp"

namespace levee::inverter {

namespace {

cosim::Drawn<Work> draw_words(cosim::Draw& draw, std::uint64_t, std::uint32_t)
{
    cosim::Drawn<Work> drawn;
    drawn.work.words.resize(1 + draw.below(64));
    for (std::uint32_t& word : drawn.work.words)
        word = draw.word();
    drawn.text = std::to_string(drawn.work.words.size()) + " words";
    drawn.draw_gates(draw);
    return drawn;
}

} // namespace

std::unique_ptr<cosim::Bench> Ports::make_bench(MakePins make, const RtlPinsOptions& options)
{
    return std::make_unique<cosim::WorkBench<Ports, Driver, draw_words>>(make, options);
}

} // namespace levee::inverter
