// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/bulk.hpp"
#include "core/flow/flow.hpp"

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace levee::bus {

struct Config {
    Picoseconds latency = 0;                 ///< Latency of one hop through the bus.
    std::uint64_t port_bytes_per_second = 0; ///< Bandwidth of the link to each target.
};

/// A window of the address map.
struct Mapping {
    std::string name;              ///< Name in error messages and in `describe`.
    std::uint64_t base = 0;        ///< Address that initiators use.
    std::uint64_t size = 0;        ///< bytes
    unsigned target = 0;           ///< Index of the target, in the order in which `targets` was
                                   ///< bound.
    std::uint64_t target_base = 0; ///< Address in the target that corresponds to `base`.
    std::string component{};       ///< Component that the window belongs to; empty: `name`.
    bool shows_data = false;       ///< Accesses to the window reach data that the component stores.
    bool one_link = true;          ///< All accesses to the target share one link. False: the target
                                   ///< creates its own links (make_link()).

    [[nodiscard]] const std::string& owner() const { return component.empty() ? name : component; }
};

/// A completed transaction on the bus.
struct Transaction {
    int initiator = 0;               ///< Index of the initiator, in the order in which `initiators`
                                     ///< was bound.
    const Mapping* window = nullptr; ///< Null: the address is outside all windows.
    /// The payload with its response. The address is the initiator's.
    const tlm::tlm_generic_payload* payload = nullptr;
    const BulkExtension* bulk = nullptr; ///< Null: a plain access.
    sc_core::sc_time delay;              ///< Time from this call until the access completes.
};

/// Observes accesses by b_transport. Direct memory accesses do not use the bus.
class BusObserver {
public:
    /// Which bulk accesses must go through the bus so that an observer sees them
    /// (BulkExtension::Region).
    enum class Sight { Nothing, Stores, Everything }; ///< Stores: only writes that move bytes.

    virtual ~BusObserver() = default;
    /// Called for every plain access and every Open of a stream. Also called for the Data accesses
    /// that needs() names, and perhaps for others.
    virtual void passed(const Transaction& transaction) = 0;
    /// Returns which bulk accesses to the window's data the observer must see. The result is
    /// constant during the simulation.
    [[nodiscard]] virtual Sight needs(const Mapping& /*window*/) const { return Sight::Everything; }
    /// Called when a debugger or semihosting has written these bytes by a debug access.
    virtual void debug_wrote(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
};

/// Called before an access by b_transport reaches its target. It must not advance time.
class BusSnooper {
public:
    virtual ~BusSnooper() = default;
    /// `payload` has the initiator's address.
    virtual void passing(int initiator, const tlm::tlm_generic_payload& payload,
                         const BulkExtension* bulk) = 0;
    /// Whether this initiator may access memory directly, without the bus.
    [[nodiscard]] virtual bool may_pass_by(int initiator) const = 0;
};

/// A crossbar that connects all initiators to all targets. Streams to a target share its link. The
/// bus forwards bulk accesses, direct memory pointers and their invalidation, and debug accesses.
class Bus : public sc_core::sc_module {
public:
    tlm_utils::multi_passthrough_target_socket<Bus, bus_width, BulkProtocol> initiators;
    tlm_utils::multi_passthrough_initiator_socket<Bus, bus_width, BulkProtocol> targets;

    Bus(const sc_core::sc_module_name& name, const Config& config);

    /// Adds a window. Throws std::invalid_argument if it is empty or overlaps another. Several
    /// windows may lead to the same target.
    void map(const Mapping& mapping);
    [[nodiscard]] const std::vector<Mapping>& mappings() const { return mappings_; }

    /// Creates a link to one of several components behind a target, for an interleaver, which
    /// distributes streams over several memories.
    [[nodiscard]] FlowResource& make_link(const std::string& component);

    /// Adds an observer. It must outlive the simulation.
    void observe(BusObserver& observer) { observers_.push_back(&observer); }
    /// Sets the only snooper. It must outlive the simulation.
    void set_snooper(BusSnooper& snooper) { snooper_ = &snooper; }

private:
    /// The link to one target.
    class Link : public FlowResource {
    public:
        Link(FlowAccount account, std::string name, std::uint64_t bytes_per_second)
            : FlowResource(std::move(account), std::move(name)), bytes_per_second_(bytes_per_second)
        {
        }
        void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
                   std::span<double> ps_per_byte) override;

    private:
        std::uint64_t bytes_per_second_;
    };

    [[nodiscard]] const Mapping* find(std::uint64_t address) const;
    void transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    const Mapping* transport_plain(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    const Mapping* transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access,
                                  sc_core::sc_time& delay);
    [[nodiscard]] BusObserver::Sight sight(const Mapping& window) const;
    void show_region(const Mapping& window, BulkExtension::Region& region) const;
    bool get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
    unsigned transport_debug(int initiator, tlm::tlm_generic_payload& payload);
    void invalidate(int target, sc_dt::uint64 start, sc_dt::uint64 end);
    Link& link(const Mapping& window);

    Config config_;
    std::vector<BusObserver*> observers_;
    BusSnooper* snooper_ = nullptr;
    std::vector<Mapping> mappings_; // Sorted by base.
    /// Links by target, created at first use. A deque keeps their addresses valid.
    std::deque<std::optional<Link>> links_;
    std::deque<Link> further_links_; // Created by make_link().
};

} // namespace levee::bus
