// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/faults/fault.hpp"

#include "platform/observe/debug/machine_view.hpp"

#include <cinttypes>

namespace levee::faults {

namespace {

std::string place_of(const RegisterBit& at)
{
    return at.name + " bit " + std::to_string(at.bit);
}

std::string place_of(const BitAt& at)
{
    return debug::format("memory 0x%" PRIx64 " bit %u", at.address, at.bit);
}

std::string place_of(const DescriptorBit& at)
{
    return "descriptor " + std::to_string(at.choice) + " of " + at.block + " bit " +
           std::to_string(at.bit);
}

std::string place_of(const StateBit& at)
{
    return at.component + "." + at.state + " bit " + std::to_string(at.bit);
}

} // namespace

std::string text_of(const Flip& flip)
{
    return std::visit([](const auto& at) { return place_of(at); }, flip);
}

} // namespace levee::faults
