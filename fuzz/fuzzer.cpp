// SPDX-License-Identifier: Apache-2.0
// Connects a harness to libFuzzer.
#include "fuzz/door.hpp"

#include <algorithm>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    (void)levee::fuzz::feed({data, size});
    return 0;
}

/// Mutates the input's content without its checksum, length and compression. One mutation in eight
/// instead changes the whole input.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed)
{
    if (seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, most);
    std::vector<std::uint8_t> part = levee::fuzz::opened({data, size});
    const std::size_t bytes = part.size();
    part.resize(std::max(bytes, most));
    part.resize(LLVMFuzzerMutate(part.data(), bytes, most));
    const std::vector<std::uint8_t> input = levee::fuzz::closed(part);
    const std::size_t fitting = std::min(input.size(), most);
    std::copy_n(input.begin(), fitting, data);
    return fitting;
}
