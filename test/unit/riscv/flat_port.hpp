// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/hart.hpp"

#include <cstring>
#include <vector>

namespace levee::test {

// The simplest world: one memory, all DMI; anything else faults.
class FlatPort : public riscv::HartPort {
public:
    FlatPort(uint32_t base, size_t size) : base_(base), bytes(size) {}

    std::optional<riscv::DmiRegion> request_dmi(uint32_t address) override
    {
        if (address < base_ || address - base_ >= bytes.size())
            return std::nullopt;
        return riscv::DmiRegion{base_, base_ + bytes.size() - 1, bytes.data(), true, true};
    }
    bool read(uint32_t, std::span<uint8_t>, uint64_t&) override { return false; }
    bool write(uint32_t, std::span<const uint8_t>, uint64_t&) override { return false; }
    uint64_t time(uint64_t cycle) override { return cycle; }
    void exited(uint32_t, uint64_t) override {}
    void htif_request(uint32_t, uint64_t) override {}

private:
    uint32_t base_;

public:
    std::vector<uint8_t> bytes;
};

} // namespace levee::test
