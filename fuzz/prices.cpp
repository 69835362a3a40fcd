// SPDX-License-Identifier: Apache-2.0
// Price lists of energy and area, with all types of components.
#include "fuzz/door.hpp"
#include "ip/bus/declaration.hpp"
#include "ip/cam/declaration.hpp"
#include "ip/cim/declaration.hpp"
#include "ip/cim_macro/declaration.hpp"
#include "ip/cpq/declaration.hpp"
#include "ip/dma/declaration.hpp"
#include "ip/dram/declaration.hpp"
#include "ip/edram/declaration.hpp"
#include "ip/element_serial/declaration.hpp"
#include "ip/expert_cache/declaration.hpp"
#include "ip/flash/declaration.hpp"
#include "ip/reram/declaration.hpp"
#include "ip/riscv/declaration.hpp"
#include "ip/rsa/declaration.hpp"
#include "ip/sfu/declaration.hpp"
#include "ip/sram/declaration.hpp"
#include "ip/sync/declaration.hpp"
#include "ip/systolic_evictor/declaration.hpp"
#include "ip/veda/declaration.hpp"
#include "ip/voting_engine/declaration.hpp"
#include "platform/input/config/compose.hpp"
#include "platform/observe/energy/price_list.hpp"

namespace {

const std::vector<const levee::Declaration*> types{&levee::bus::declaration,
                                                   &levee::cam::declaration,
                                                   &levee::cim::declaration,
                                                   &levee::cim_macro::declaration,
                                                   &levee::cpq::declaration,
                                                   &levee::dma::declaration,
                                                   &levee::dram::declaration,
                                                   &levee::edram::declaration,
                                                   &levee::element_serial::declaration,
                                                   &levee::expert_cache::declaration,
                                                   &levee::flash::declaration,
                                                   &levee::reram::declaration,
                                                   &levee::riscv::declaration,
                                                   &levee::rsa::declaration,
                                                   &levee::sfu::declaration,
                                                   &levee::sram::declaration,
                                                   &levee::sync::declaration,
                                                   &levee::systolic_evictor::declaration,
                                                   &levee::veda::declaration,
                                                   &levee::voting_engine::declaration,
                                                   &levee::commands_declaration,
                                                   &levee::sram::tcm_declaration};

} // namespace

std::string levee::fuzz::feed(Bytes input)
{
    static const Folder folder;
    static const config::FileFinder finder(LEVEE_SCENARIOS);
    const std::filesystem::path file = folder.write("input.yaml", input);
    return refusal<config::Error>("", [&] {
        const config::Node node = config::compose(file, finder, {});
        for (const energy::Bound bound :
             {energy::Bound::Stated, energy::Bound::Low, energy::Bound::High})
            (void)energy::PriceList(node, "tech.energy", types, bound);
    });
}
