// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <memory>

namespace levee::checks {

/// Shadow memory, which records which bytes were written. It is divided into granules of 16 bytes.
/// A granule counts as written once any of its bytes is written.
class Shadow {
public:
    static constexpr std::uint64_t granule = 16;

    void mark(std::uint64_t address, std::uint64_t bytes)
    {
        for (std::uint64_t i = address / granule;
             bytes != 0 && i <= (address + bytes - 1) / granule; ++i)
            chunk(i).set(i % chunk_granules);
    }

    /// Returns the first address in [address, address + bytes) that was never written; `address +
    /// bytes` if all were.
    [[nodiscard]] std::uint64_t first_unwritten(std::uint64_t address, std::uint64_t bytes)
    {
        for (std::uint64_t i = address / granule; i * granule < address + bytes; ++i)
            if (!chunk(i).test(i % chunk_granules))
                return i * granule > address ? i * granule : address;
        return address + bytes;
    }

private:
    static constexpr std::uint64_t chunk_granules = 65536;
    using Chunk = std::bitset<chunk_granules>;

    /// Returns the chunk that contains a granule. Most calls ask for the same chunk as the previous
    /// call.
    Chunk& chunk(std::uint64_t index)
    {
        const std::uint64_t number = index / chunk_granules;
        if (last_ == nullptr || number != last_number_) {
            std::unique_ptr<Chunk>& found = chunks_[number];
            if (!found)
                found = std::make_unique<Chunk>();
            last_ = found.get();
            last_number_ = number;
        }
        return *last_;
    }

    std::map<std::uint64_t, std::unique_ptr<Chunk>> chunks_;
    Chunk* last_ = nullptr;
    std::uint64_t last_number_ = 0;
};

} // namespace levee::checks
