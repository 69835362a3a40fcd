// SPDX-License-Identifier: Apache-2.0
// Adapters for modules that use the TLM-2.0 base protocol and do not know BulkProtocol.
#pragma once

#include "core/flow/bulk.hpp"
#include "core/flow/sockets.hpp"
#include "core/units/data_mode.hpp"
#include "core/units/stats.hpp"

#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_get.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// Connects an initiator of the base protocol to a system. The adapter supports b_transport,
/// nb_transport, debug access and direct access. With nb_transport, a request is accepted at once,
/// and the response follows when the access is complete. Use FromBaseProtocol.
class BaseInitiatorBorder : public sc_core::sc_module, protected tlm::tlm_fw_transport_if<> {
public:
    SC_HAS_PROCESS(BaseInitiatorBorder);
    InitiatorSocket bus; ///< Socket for a bus or a module of Levee.

protected:
    explicit BaseInitiatorBorder(const sc_core::sc_module_name& name);

private:
    [[nodiscard]] virtual tlm::tlm_bw_transport_if<>& initiator() = 0;

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
    void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);
    void serve();
    void respond();
    void send_response(tlm::tlm_generic_payload& payload);

    tlm_utils::peq_with_get<tlm::tlm_generic_payload> requests_, responses_;
    std::optional<sc_core::sc_time> response_ends_at_; ///< End of the current response.
    sc_core::sc_event response_ended_;
};

/// Adapter with a socket for the initiator, whose width is `BusWidth`.
template <unsigned BusWidth = 32> class FromBaseProtocol : public BaseInitiatorBorder {
public:
    tlm::tlm_target_socket<BusWidth> port; ///< For the initiator of the base protocol.

    explicit FromBaseProtocol(const sc_core::sc_module_name& name)
        : BaseInitiatorBorder(name), port("port")
    {
        port.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    }

private:
    [[nodiscard]] tlm::tlm_bw_transport_if<>& initiator() override { return *port.operator->(); }
};

struct BaseTargetConfig {
    std::uint64_t bytes = 0;       ///< Size of the target, from its address 0.
    std::uint32_t burst_bytes = 0; ///< Maximum number of bytes in one transaction of a stream.
    bool read_only = false;
    DataMode data = DataMode::Functional;
    std::string component{}; ///< Component whose account counts the bytes; empty: the adapter's
                             ///< name.
};

/// Lets blocks use a target of the TLM-2.0 base protocol. Streams are converted to consecutive
/// plain transactions, whose time they take. Reads happen before an operation begins; writes happen
/// at its end, before it signals. A stream that reads its data several times takes proportionally
/// longer. Timing-only runs make one read transaction for each stream; the whole stream's time is
/// proportional to that of this read. Direct access to the target is not supported. Use
/// ToBaseProtocol.
class BaseTargetBorder : public sc_core::sc_module,
                         protected tlm::tlm_bw_transport_if<>,
                         private FlowResource,
                         private PostedWrites {
public:
    SC_HAS_PROCESS(BaseTargetBorder);
    TargetSocket port; ///< Socket for a bus or a module of Levee.

    /// Reports the requested bytes, as memories do.
    void report(Stats& stats) const;
    /// Caveat about bottlenecks (Component::caveat); empty if no block has used the adapter.
    [[nodiscard]] std::string caveat() const;

protected:
    /// Throws std::invalid_argument for an invalid configuration.
    BaseTargetBorder(const sc_core::sc_module_name& name, const BaseTargetConfig& config);

private:
    struct Posted {
        AccessPattern pattern;
        std::vector<std::uint8_t> bytes;
    };

    [[nodiscard]] virtual tlm::tlm_fw_transport_if<>& target() = 0;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
               std::span<double> ps_per_byte) override;
    [[nodiscard]] std::uint64_t price_state() const override { return measured_; }
    void await() override;

    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    [[nodiscard]] tlm::tlm_response_status transport_bulk(const tlm::tlm_generic_payload& payload,
                                                          BulkExtension& access);
    [[nodiscard]] tlm::tlm_response_status open(BulkExtension& access);
    [[nodiscard]] tlm::tlm_response_status read(const AccessPattern& pattern, std::uint8_t* packed);
    [[nodiscard]] tlm::tlm_response_status move(tlm::tlm_command command,
                                                const AccessPattern& pattern, std::uint8_t* packed);
    [[nodiscard]] tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                                  std::uint8_t* data, unsigned bytes,
                                                  sc_core::sc_time& delay);
    void write_posted();
    unsigned transport_debug(tlm::tlm_generic_payload& payload);
    void require_thread() const;

    BaseTargetConfig config_;
    std::deque<Posted> posted_;
    sc_core::sc_event posting_, all_written_;
    double ps_per_byte_ = 0;     ///< Price of the latest transactions.
    std::uint64_t measured_ = 0; ///< Number of changes of the price.
    std::uint64_t read_bytes_ = 0, written_bytes_ = 0;
    Picoseconds taken_ = 0; ///< Time that the blocks' transactions have taken.
};

/// Adapter with a socket for the target, whose width is `BusWidth`.
template <unsigned BusWidth = 32> class ToBaseProtocol : public BaseTargetBorder {
public:
    tlm::tlm_initiator_socket<BusWidth> memory; ///< For the target of the base protocol.

    ToBaseProtocol(const sc_core::sc_module_name& name, const BaseTargetConfig& config)
        : BaseTargetBorder(name, config), memory("memory")
    {
        memory.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    }

private:
    [[nodiscard]] tlm::tlm_fw_transport_if<>& target() override { return *memory.operator->(); }
};

} // namespace levee
