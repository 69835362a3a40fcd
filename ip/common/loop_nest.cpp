#include "ip/common/loop_nest.hpp"

#include "ip/common/tensor.hpp"

#include <array>

namespace levee {

namespace {

constexpr std::size_t pattern_levels = std::tuple_size_v<decltype(AccessPattern::count)>;

void unroll(AccessPattern pattern, const std::vector<Loop>& loops, std::size_t outer,
            std::vector<AccessPattern>& out)
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
    out.push_back(pattern);
}

} // namespace

std::vector<AccessPattern> patterns_of(std::uint64_t address, std::uint64_t run_bytes,
                                       std::initializer_list<Loop> loops)
{
    std::vector<Loop> real;
    for (const Loop& loop : loops)
        if (loop.count != 1)
            real.push_back(loop);
    while (!real.empty() && real.back().stride == static_cast<std::int64_t>(run_bytes)) {
        run_bytes *= real.back().count;
        real.pop_back();
    }
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = run_bytes;
    std::vector<AccessPattern> patterns;
    unroll(pattern, real, 0, patterns);
    return patterns;
}

} // namespace levee
