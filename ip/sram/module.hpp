// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/bulk.hpp"
#include "ip/common/sockets.hpp"
#include "ip/common/stats.hpp"
#include "ip/common/storage.hpp"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <span>
#include <string>

namespace levee::sram {

struct Config {
    std::uint64_t size_bytes = 0;
    std::uint64_t bytes_per_second = 0; ///< of the port, reads and writes together
    Picoseconds latency = 0;            ///< of one access
    bool allow_dmi = false;             ///< direct access for the core: tightly coupled memory
    bool read_only = false;
};

/// On-chip memory with one port, whose bandwidth all accesses share. Also serves as tightly coupled
/// memory and, read-only, as ROM.
class Sram : public sc_core::sc_module, private FlowResource {
public:
    TargetSocket port;

    Sram(const sc_core::sc_module_name& name, const Config& config);

    /// Places `bytes` at `offset` before the run, also in read-only memory. The range must lie
    /// inside.
    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    [[nodiscard]] Storage& storage() { return storage_; }

    void report(Stats& stats) const;

private:
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);

    void price(std::span<const FlowUse* const> mix, std::span<const double> demand,
               std::span<double> ps_per_byte) override;

    Config config_;
    Storage storage_;
    std::uint64_t read_bytes_ = 0;
    std::uint64_t written_bytes_ = 0;
};

} // namespace levee::sram
