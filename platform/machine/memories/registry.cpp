// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/memories/memory.hpp"

namespace levee {

const std::vector<MemoryType>& memory_types()
{
    static const std::vector<MemoryType> types{tcm_type(), sram_type(), dram_type(), edram_type()};
    return types;
}

} // namespace levee
