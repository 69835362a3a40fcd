// SPDX-License-Identifier: Apache-2.0
#include "ip/cim_macro/designs.hpp"
#include "ip/cpq/designs.hpp"
#include "ip/element_serial/designs.hpp"
#include "ip/flash/ecu/designs.hpp"
#include "ip/rsa/designs.hpp"
#include "ip/rsa/output/designs.hpp"
#include "ip/systolic_evictor/designs.hpp"
#include "ip/veda/designs.hpp"
#include "ip/voting_engine/designs.hpp"
#include "platform/studies/cosim/bench.hpp"
#include "platform/studies/cosim/cim_macro.hpp"
#include "platform/studies/cosim/cpq.hpp"
#include "platform/studies/cosim/element_serial.hpp"
#include "platform/studies/cosim/flash_ecu.hpp"
#include "platform/studies/cosim/rsa.hpp"
#include "platform/studies/cosim/rsa_output.hpp"
#include "platform/studies/cosim/systolic_evictor.hpp"
#include "platform/studies/cosim/veda.hpp"
#include "platform/studies/cosim/voting_engine.hpp"

#include <algorithm>
#include <vector>

namespace levee::cosim {

namespace {

template <typename Ports>
using MakeBench = std::unique_ptr<Bench> (*)(MakeRtlPins<Ports>, const RtlPinsOptions&);

/// A block's designs, with their assertions and cover points.
template <typename Ports>
void add(std::vector<Target>& targets, std::span<const RtlChoice<Ports>> designs,
         MakeBench<Ports> make_bench, const std::string& block)
{
    std::string bench = block;
    std::ranges::replace(bench, '/', '_');
    for (const RtlChoice<Ports>& design : designs) {
        RtlSource boundary = *designs.front().source;
        boundary.parameters = design.source->parameters;
        targets.push_back(
            {design.name, "behind the pins of ip/" + block + "/pins.hpp",
             [make_bench, make = design.make_checked](std::uint32_t seed) {
                 return make_bench(make, {seed, ""});
             },
             [make_bench](const void* model, std::uint32_t seed) {
                 return make_bench(static_cast<const RtlModel<Ports>*>(model)->make, {seed, ""});
             },
             design.source, boundary, bench});
    }
}

std::vector<Target> all_targets()
{
    std::vector<Target> all;
    add(all, systolic_evictor::designs(), make_evictor_bench, "systolic_evictor");
    add(all, veda::designs(), make_veda_bench, "veda");
    add(all, flash::ecu::designs(), make_flash_ecu_bench, "flash/ecu");
    add(all, element_serial::designs(), make_element_serial_bench, "element_serial");
    add(all, voting_engine::designs(), make_voting_bench, "voting_engine");
    add(all, cim_macro::designs(), make_cim_macro_bench, "cim_macro");
    add(all, cpq::designs(), make_cpq_bench, "cpq");
    add(all, rsa::designs(), make_rsa_bench, "rsa");
    add(all, rsa::output::designs(), make_rsa_output_bench, "rsa/output");
    return all;
}

} // namespace

std::span<const Target> targets()
{
    static const std::vector<Target> all = all_targets();
    return all;
}

} // namespace levee::cosim
