// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/storage_module.hpp"
#include "core/units/stats.hpp"

#include <cstdint>
#include <span>

namespace levee::sram {

struct Config {
    std::uint64_t size_bytes = 0;
    std::uint64_t bytes_per_second = 0; ///< Bandwidth of the port, for reads and writes together.
    Picoseconds latency = 0;            ///< Latency of an access.
    bool allow_dmi = false;             ///< The core may access it directly, as tightly coupled
                                        ///< memory.
    bool read_only = false;
};

/// On-chip memory with one port, whose bandwidth all accesses share. The module also serves as
/// tightly coupled memory and, read-only, as ROM.
class Sram : public StorageModule, private FlowResource {
public:
    Sram(const sc_core::sc_module_name& name, const Config& config);

    void report(Stats& stats) const;

private:
    Picoseconds accessed(Direction direction, std::uint64_t address, unsigned bytes,
                         Picoseconds now) override;
    Picoseconds begun(const BulkExtension& stream, std::uint64_t last) override;
    FlowResource& resource() override { return *this; }
    void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
               std::span<double> ps_per_byte) override;

    Config config_;
    std::uint64_t read_bytes_ = 0;
    std::uint64_t written_bytes_ = 0;
};

} // namespace levee::sram
