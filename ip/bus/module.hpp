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
    Picoseconds latency = 0;                 ///< latency of one hop through the bus
    std::uint64_t port_bytes_per_second = 0; ///< bandwidth of the link to each target
};

/// One window of the address map.
struct Mapping {
    std::string name;              ///< Name for errors and `describe`.
    std::uint64_t base = 0;        ///< Address as initiators see it.
    std::uint64_t size = 0;        ///< bytes
    unsigned target = 0;           ///< index of the target, in the order `targets` was bound
    std::uint64_t target_base = 0; ///< address in the target that `base` corresponds to
    std::string component{};       ///< component of the window; empty: `name`
    bool shows_data = false;       ///< the window shows data that the component stores
    bool one_link = true;          ///< The target has one link; false: it has its own links
                                   ///< (make_link).

    [[nodiscard]] const std::string& owner() const { return component.empty() ? name : component; }
};

/// A transaction after its passage through the bus.
struct Transaction {
    int initiator = 0;               ///< index, in the order `initiators` was bound
    const Mapping* window = nullptr; ///< null: outside all windows
    /// The answered transaction; its address is as the initiator sees it.
    const tlm::tlm_generic_payload* payload = nullptr;
    const BulkExtension* bulk = nullptr; ///< null: a plain access
    sc_core::sc_time delay;              ///< Delay from the report to the completion.
};

/// Sees accesses by b_transport; direct memory accesses do not pass the bus.
class BusObserver {
public:
    /// Bulk accesses that must be visible on the bus, and may not bypass it
    /// (BulkExtension::Region).
    enum class Sight { Nothing, Stores, Everything }; ///< Stores: writes that move bytes

    virtual ~BusObserver() = default;
    /// Sees every plain access and every opening, and at least the data accesses that it needs.
    virtual void passed(const Transaction& transaction) = 0;
    /// The bulk accesses to the window's data that the observer must see; constant throughout the
    /// simulation.
    [[nodiscard]] virtual Sight needs(const Mapping& /*window*/) const { return Sight::Everything; }
    /// A debug access, by a debugger or by semihosting, has written these bytes.
    virtual void debug_wrote(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
};

/// Called before an access by b_transport reaches its target; it must not let time pass.
class BusSnooper {
public:
    virtual ~BusSnooper() = default;
    /// Addresses are the initiator's.
    virtual void passing(int initiator, const tlm::tlm_generic_payload& payload,
                         const BulkExtension* bulk) = 0;
    /// Whether this initiator may access memory directly, without the bus.
    [[nodiscard]] virtual bool may_pass_by(int initiator) const = 0;
};

/// A crossbar: any initiator reaches any target; each target has one link that streams share.
/// Passes bulk accesses, direct memory pointers, their invalidation and debug accesses.
class Bus : public sc_core::sc_module {
public:
    tlm_utils::multi_passthrough_target_socket<Bus, bus_width, BulkProtocol> initiators;
    tlm_utils::multi_passthrough_initiator_socket<Bus, bus_width, BulkProtocol> targets;

    Bus(const sc_core::sc_module_name& name, const Config& config);

    /// Adds a window; throws std::invalid_argument if it is empty or overlaps another. Several
    /// windows may show the same target.
    void map(const Mapping& mapping);
    [[nodiscard]] const std::vector<Mapping>& mappings() const { return mappings_; }

    /// A link to one of several components behind a target that passes streams on to them.
    [[nodiscard]] FlowResource& make_link(const std::string& component);

    /// Adds an observer, which outlives the simulation.
    void observe(BusObserver& observer) { observers_.push_back(&observer); }
    /// Sets the only snooper, which must outlive the simulation.
    void set_snooper(BusSnooper& snooper) { snooper_ = &snooper; }

private:
    /// The link to one target.
    class Link : public FlowResource {
    public:
        Link(FlowAccount account, std::string name, std::uint64_t bytes_per_second)
            : FlowResource(std::move(account), std::move(name)), bytes_per_second_(bytes_per_second)
        {
        }
        void price(std::span<const FlowUse* const> mix, std::span<const double> demand,
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
    std::vector<Mapping> mappings_; // sorted by base
    /// Links by target, made on first use; their addresses must stay valid.
    std::deque<std::optional<Link>> links_;
    std::deque<Link> further_links_; // Links made by make_link.
};

} // namespace levee::bus
