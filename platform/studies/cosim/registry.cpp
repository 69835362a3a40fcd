// SPDX-License-Identifier: Apache-2.0
#include "ip/systolic_evictor/designs.hpp"
#include "ip/veda/designs.hpp"
#include "platform/studies/cosim/bench.hpp"
#include "platform/studies/cosim/systolic_evictor.hpp"
#include "platform/studies/cosim/veda.hpp"

#include <vector>

namespace levee::cosim {

namespace {

std::vector<Target> all_targets()
{
    std::vector<Target> all;
    for (const systolic_evictor::Design& design : systolic_evictor::designs())
        all.push_back({design.name, "behind the pins of ip/systolic_evictor/pins.hpp",
                       [make = design.make_checked](std::uint32_t seed) {
                           return make_evictor_bench(make, {seed, ""});
                       }});
    for (const veda::Design& design : veda::designs())
        all.push_back({design.name, "behind the pins of ip/veda/pins.hpp",
                       [make = design.make](std::uint32_t seed) {
                           return make_veda_bench(make, {seed, ""});
                       }});
    return all;
}

} // namespace

std::span<const Target> targets()
{
    static const std::vector<Target> all = all_targets();
    return all;
}

} // namespace levee::cosim
