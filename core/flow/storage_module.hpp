// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/bulk.hpp"
#include "core/flow/sockets.hpp"
#include "core/memory/storage.hpp"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <span>

namespace levee {

/// TLM interface of a memory, with single accesses, streams, debug accesses and DMI at one port.
/// Derived classes define the cost of accesses and count them.
class StorageModule : public sc_core::sc_module {
public:
    TargetSocket port;

    /// Stores `bytes` at `offset` before the run, even in read-only memory. Throws
    /// std::out_of_range if they do not fit.
    virtual void load(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    [[nodiscard]] Storage& storage() { return storage_; }
    [[nodiscard]] const Storage& storage() const { return storage_; }

protected:
    struct Rights {
        bool read_only = false;
        bool dmi = false;            ///< A core may access it directly, without the bus.
        Picoseconds dmi_latency = 0; ///< Latency of a direct access.
    };
    StorageModule(const sc_core::sc_module_name& name, std::uint64_t bytes, const Rights& rights);

    /// Called for a single access to these bytes, which starts at `now` or later. Returns its
    /// duration.
    virtual Picoseconds accessed(Direction direction, std::uint64_t address, unsigned bytes,
                                 Picoseconds now) = 0;
    /// Called when a stream begins. `last` is the address of its last byte. Returns its latency.
    virtual Picoseconds begun(const BulkExtension& stream, std::uint64_t last) = 0;
    /// The resource that divides the memory's time among streams.
    virtual FlowResource& resource() = 0;

private:
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access);
    void open(BulkExtension& access, std::uint64_t last);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);

    Rights rights_;
    Storage storage_;
};

} // namespace levee
