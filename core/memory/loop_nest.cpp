// SPDX-License-Identifier: Apache-2.0
#include "core/memory/loop_nest.hpp"

#include "core/numerics/tensor.hpp"

#include <array>
#include <span>

namespace levee {

namespace {

constexpr std::size_t pattern_levels = std::tuple_size_v<decltype(AccessPattern::count)>;

void unroll(AccessPattern pattern, std::span<const Loop> loops, std::size_t outer, PatternList& out)
{
    const std::size_t left = loops.size() - outer;
    if (left > pattern_levels) {
        for (std::uint64_t i = 0; i < loops[outer].count; ++i) {
            AccessPattern part = pattern;
            part.address = offset_by(pattern.address, loops[outer].stride, i);
            unroll(part, loops, outer + 1, out);
        }
        return;
    }
    for (std::size_t i = 0; i < left; ++i) {
        pattern.count[pattern_levels - left + i] = loops[outer + i].count;
        pattern.stride[pattern_levels - left + i] = loops[outer + i].stride;
    }
    out.add(pattern);
}

} // namespace

PatternList patterns_of(std::uint64_t address, std::uint64_t run_bytes,
                        std::initializer_list<Loop> loops)
{
    std::array<Loop, 8> real{};
    std::size_t count = 0;
    for (const Loop& loop : loops)
        if (loop.count != 1)
            real.at(count++) = loop;
    while (count > 0 && real[count - 1].stride == static_cast<std::int64_t>(run_bytes)) {
        run_bytes *= real[count - 1].count;
        --count;
    }
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = run_bytes;
    PatternList patterns;
    unroll(pattern, std::span(real).first(count), 0, patterns);
    return patterns;
}

} // namespace levee
