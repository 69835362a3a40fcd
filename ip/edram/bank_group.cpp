// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/bank_group.hpp"

#include <utility>

namespace levee::edram {

BankGroup::BankGroup(const sc_core::sc_module_name& name, const Geometry& geometry, unsigned number,
                     Picoseconds access, std::string memory)
    : sc_module(name), refresh("refresh"), streams("streams"), geometry_(geometry), number_(number),
      access_(access), memory_(std::move(memory))
{
    SC_METHOD(publish);
    sensitive << changed_;
    dont_initialize();
}

void BankGroup::end_of_elaboration()
{
    banks_.emplace(*this, geometry_, number_, access_, refresh->refresh(), memory_);
}

void BankGroup::publish()
{
    streams->write(sharing_);
}

void BankGroup::Banks::price(std::span<const FlowUse* const> mix,
                             std::span<const StreamDemand> demand, std::span<double> ps_per_byte)
{
    group_.sharing_ = static_cast<unsigned>(mix.size());
    if (group_.streams.size() > 0)
        group_.changed_.notify(sc_core::SC_ZERO_TIME);
    Side::price(mix, demand, ps_per_byte);
}

} // namespace levee::edram
