// SPDX-License-Identifier: Apache-2.0
// ELF files of programs.
#include "ip/riscv/elf.hpp"

#include "fuzz/door.hpp"

std::string levee::fuzz::feed(Bytes input)
{
    return refusal<riscv::ElfError>("input.elf",
                                    [&] { (void)riscv::load_elf(input, "input.elf"); });
}
