// SPDX-License-Identifier: Apache-2.0
// Price lists of energy and area, with types of components of each kind.
#include "fuzz/door.hpp"
#include "ip/bus/declaration.hpp"
#include "ip/dram/declaration.hpp"
#include "ip/edram/declaration.hpp"
#include "ip/flash/declaration.hpp"
#include "ip/riscv/declaration.hpp"
#include "ip/rsa/declaration.hpp"
#include "ip/sfu/declaration.hpp"
#include "ip/sram/declaration.hpp"
#include "platform/input/config/compose.hpp"
#include "platform/observe/energy/price_list.hpp"

namespace {

const std::vector<const levee::Declaration*> types{
    &levee::riscv::declaration, &levee::bus::declaration,   &levee::commands_declaration,
    &levee::sram::declaration,  &levee::edram::declaration, &levee::dram::declaration,
    &levee::rsa::declaration,   &levee::sfu::declaration,   &levee::flash::declaration};

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
