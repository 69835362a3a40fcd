// SPDX-License-Identifier: Apache-2.0
// Programs as ELF files.
#include "platform/input/program/elf.hpp"

#include "fuzz/door.hpp"

std::string levee::fuzz::feed(Bytes input)
{
    return refusal<ElfError>("input.elf", [&] { (void)load_elf(input, "input.elf"); });
}
