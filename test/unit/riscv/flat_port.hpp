// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/hart.hpp"

#include <cstring>
#include <utility>
#include <vector>

namespace levee::test {

/// The simplest environment of a hart: one memory, and everything else faults. Either the hart
/// accesses the memory by DMI, or each access takes 20 cycles on a bus.
class FlatPort : public riscv::HartPort {
public:
    FlatPort(std::uint32_t base, size_t size, bool dmi = true) : base_(base), dmi_(dmi), bytes(size)
    {
    }

    std::optional<riscv::DmiRegion> request_dmi(std::uint32_t address) override
    {
        if (!dmi_ || address < base_ || address - base_ >= bytes.size())
            return std::nullopt;
        return riscv::DmiRegion{base_, base_ + bytes.size() - 1, bytes.data(), true, true};
    }
    bool read(std::uint32_t address, std::span<std::uint8_t> data, std::uint64_t& cycle) override
    {
        if (!is_on_bus(address, data.size()))
            return false;
        std::memcpy(data.data(), &bytes[address - base_], data.size());
        cycle += 20;
        return true;
    }
    bool write(std::uint32_t address, std::span<const std::uint8_t> data,
               std::uint64_t& cycle) override
    {
        if (!is_on_bus(address, data.size()))
            return false;
        std::memcpy(&bytes[address - base_], data.data(), data.size());
        cycle += 20;
        return true;
    }
    std::uint64_t time(std::uint64_t cycle) override { return cycle; }
    void exited(std::uint32_t, std::uint64_t) override {}
    void htif_request(std::uint64_t, std::uint64_t) override {}
    void guarded(std::uint32_t address, std::uint32_t) override { guarded_at.push_back(address); }
    void fetched_stale(std::uint32_t pc) override { stale_at.push_back(pc); }
    void used_outdated(const riscv::Cache::Line&, std::uint32_t address, std::uint32_t,
                       riscv::OutdatedUse use) override
    {
        outdated.emplace_back(address, use);
    }

private:
    bool is_on_bus(std::uint32_t address, size_t size) const
    {
        return !dmi_ && address >= base_ && address - base_ + size <= bytes.size();
    }
    std::uint32_t base_;
    bool dmi_;

public:
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint32_t> guarded_at; ///< Addresses of stores to guarded pages.
    std::vector<std::uint32_t> stale_at;   ///< Addresses executed without the required fence.i.
    std::vector<std::pair<std::uint32_t, riscv::OutdatedUse>> outdated; ///< Uses of outdated
                                                                        ///< values, by address.
};

} // namespace levee::test
