// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/hart.hpp"

#include <cstring>
#include <vector>

namespace levee::test {

/// The simplest world: one memory, all DMI; anything else faults.
class FlatPort : public riscv::HartPort {
public:
    FlatPort(std::uint32_t base, size_t size) : base_(base), bytes(size) {}

    std::optional<riscv::DmiRegion> request_dmi(std::uint32_t address) override
    {
        if (address < base_ || address - base_ >= bytes.size())
            return std::nullopt;
        return riscv::DmiRegion{base_, base_ + bytes.size() - 1, bytes.data(), true, true};
    }
    bool read(std::uint32_t, std::span<std::uint8_t>, std::uint64_t&) override { return false; }
    bool write(std::uint32_t, std::span<const std::uint8_t>, std::uint64_t&) override
    {
        return false;
    }
    std::uint64_t time(std::uint64_t cycle) override { return cycle; }
    void exited(std::uint32_t, std::uint64_t) override {}
    void htif_request(std::uint32_t, std::uint64_t) override {}
    void guarded(std::uint32_t address, std::uint32_t) override { guarded_at.push_back(address); }
    void fetched_stale(std::uint32_t pc) override { stale_at.push_back(pc); }

private:
    std::uint32_t base_;

public:
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint32_t> guarded_at; ///< addresses of stores to guarded pages
    std::vector<std::uint32_t> stale_at;   ///< where code was executed without fence.i
};

} // namespace levee::test
