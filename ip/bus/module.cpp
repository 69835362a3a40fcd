// SPDX-License-Identifier: Apache-2.0
#include "ip/bus/module.hpp"

#include <algorithm>
#include <stdexcept>

namespace levee::bus {

Bus::Bus(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name), initiators("initiators"), targets("targets"), config_(config)
{
    initiators.register_b_transport(this, &Bus::transport);
    initiators.register_get_direct_mem_ptr(this, &Bus::get_direct_mem_ptr);
    initiators.register_transport_dbg(this, &Bus::transport_debug);
    targets.register_invalidate_direct_mem_ptr(this, &Bus::invalidate);
}

void Bus::map(const Mapping& mapping)
{
    if (mapping.size == 0 || mapping.size - 1 > UINT64_MAX - mapping.base ||
        mapping.size - 1 > UINT64_MAX - mapping.target_base)
        throw std::invalid_argument("address window '" + mapping.name +
                                    "' is empty or extends beyond the 64-bit address space");
    const std::uint64_t last = mapping.base + (mapping.size - 1);
    for (const Mapping& other : mappings_)
        if (mapping.base <= other.base + (other.size - 1) && other.base <= last)
            throw std::invalid_argument("address window '" + mapping.name + "' overlaps '" +
                                        other.name + "'");
    const auto at =
        std::upper_bound(mappings_.begin(), mappings_.end(), mapping,
                         [](const Mapping& a, const Mapping& b) { return a.base < b.base; });
    mappings_.insert(at, mapping);
}

const Mapping* Bus::find(std::uint64_t address) const
{
    auto after = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                                  [](std::uint64_t a, const Mapping& m) { return a < m.base; });
    if (after == mappings_.begin())
        return nullptr;
    const Mapping& candidate = *--after;
    return address - candidate.base < candidate.size ? &candidate : nullptr;
}

void Bus::transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    auto* const bulk = payload.get_extension<BulkExtension>();
    if (snooper_ != nullptr)
        snooper_->passing(initiator, payload, bulk);
    const Mapping* const window =
        bulk != nullptr ? transport_bulk(payload, *bulk, delay) : transport_plain(payload, delay);
    const Transaction transaction{initiator, window, &payload, bulk, delay};
    for (BusObserver* observer : observers_)
        observer->passed(transaction);
}

const Mapping* Bus::transport_plain(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    const std::uint64_t address = payload.get_address();
    const Mapping* const window = find(address);
    if (window == nullptr || payload.get_data_length() > window->size - (address - window->base)) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return nullptr;
    }
    delay += sc_core::sc_time::from_value(config_.latency);
    payload.set_address(address - window->base + window->target_base);
    targets[static_cast<int>(window->target)]->b_transport(payload, delay);
    payload.set_address(address);
    return window;
}

/// Returns the accesses to the window's data that at least one observer must see.
BusObserver::Sight Bus::sight(const Mapping& window) const
{
    BusObserver::Sight most =
        snooper_ != nullptr ? BusObserver::Sight::Everything : BusObserver::Sight::Nothing;
    for (const BusObserver* observer : observers_)
        most = std::max(most, observer->needs(window));
    return most;
}

/// Translates a region from the addresses of a window's target to those of the initiators. Accesses
/// that an observer needs must still go through the bus.
void Bus::show_region(const Mapping& window, BulkExtension::Region& region) const
{
    const std::uint64_t window_last = window.target_base + (window.size - 1);
    const std::uint64_t first = std::max(region.first, window.target_base);
    const BusObserver::Sight sight = this->sight(window);
    if (sight == BusObserver::Sight::Everything) {
        region.data = nullptr;
        region.tracker = nullptr;
        region.ignores_reads = false;
    }
    region.read_only |= sight == BusObserver::Sight::Stores;
    if (region.data != nullptr)
        region.data += first - region.first;
    region.tracked_first += first - region.first;
    region.first = first - window.target_base + window.base;
    region.last = std::min(region.last, window_last) - window.target_base + window.base;
}

const Mapping* Bus::transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access,
                                   sc_core::sc_time& delay)
{
    const auto extent = access.pattern.extent();
    const Mapping* const window = extent ? find(extent->first) : nullptr;
    if (window == nullptr || extent->last - window->base >= window->size) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return nullptr;
    }
    const std::uint64_t address = access.pattern.address;
    access.pattern.address = address - window->base + window->target_base;
    payload.set_address(access.pattern.address);
    if (access.phase == BulkExtension::Phase::Open && window->one_link)
        access.pass_through(link(*window), config_.latency);
    else if (access.phase == BulkExtension::Phase::Open)
        access.latency += config_.latency;
    targets[static_cast<int>(window->target)]->b_transport(payload, delay);
    if (access.phase == BulkExtension::Phase::Open && access.uses == nullptr)
        show_region(*window, access.region);
    access.pattern.address = address;
    payload.set_address(address);
    return window;
}

bool Bus::get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi)
{
    const std::uint64_t address = payload.get_address();
    const bool allowed = snooper_ == nullptr || snooper_->may_pass_by(initiator);
    const Mapping* const window = allowed ? find(address) : nullptr;
    if (window == nullptr) {
        dmi.allow_none();
        dmi.set_start_address(address); // Direct access is refused for this address only. Its
                                        // neighbours may still allow it.
        dmi.set_end_address(address);
        return false;
    }
    payload.set_address(address - window->base + window->target_base);
    const bool granted =
        targets[static_cast<int>(window->target)]->get_direct_mem_ptr(payload, dmi);
    payload.set_address(address);

    // The target reports a range of its own addresses, which may extend beyond the window.
    const std::uint64_t window_last = window->target_base + (window->size - 1);
    const std::uint64_t first =
        std::max<std::uint64_t>(dmi.get_start_address(), window->target_base);
    const std::uint64_t last = std::min<std::uint64_t>(dmi.get_end_address(), window_last);
    if (granted)
        dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (first - dmi.get_start_address()));
    dmi.set_start_address(first - window->target_base + window->base);
    dmi.set_end_address(last - window->target_base + window->base);
    const sc_core::sc_time hop = sc_core::sc_time::from_value(config_.latency);
    dmi.set_read_latency(dmi.get_read_latency() + hop);
    dmi.set_write_latency(dmi.get_write_latency() + hop);
    return granted;
}

unsigned Bus::transport_debug(int, tlm::tlm_generic_payload& payload)
{
    const std::uint64_t address = payload.get_address();
    const Mapping* const window = find(address);
    if (window == nullptr)
        return 0;
    const unsigned length = payload.get_data_length();
    const auto inside = std::min<std::uint64_t>(length, window->size - (address - window->base));
    payload.set_address(address - window->base + window->target_base);
    payload.set_data_length(static_cast<unsigned>(inside));
    const unsigned moved = targets[static_cast<int>(window->target)]->transport_dbg(payload);
    payload.set_address(address);
    payload.set_data_length(length);
    if (payload.is_write())
        for (BusObserver* observer : observers_)
            observer->debug_wrote(address, moved);
    return moved;
}

void Bus::invalidate(int target, sc_dt::uint64 start, sc_dt::uint64 end)
{
    for (const Mapping& window : mappings_) {
        const std::uint64_t window_last = window.target_base + (window.size - 1);
        if (window.target != static_cast<unsigned>(target) || start > window_last ||
            end < window.target_base)
            continue;
        const std::uint64_t first = std::max<std::uint64_t>(start, window.target_base);
        const std::uint64_t last = std::min<std::uint64_t>(end, window_last);
        for (unsigned i = 0; i < initiators.size(); ++i)
            initiators[static_cast<int>(i)]->invalidate_direct_mem_ptr(
                first - window.target_base + window.base, last - window.target_base + window.base);
    }
}

Bus::Link& Bus::link(const Mapping& window)
{
    if (links_.size() <= window.target)
        links_.resize(window.target + 1);
    std::optional<Link>& link = links_[window.target];
    if (!link)
        link.emplace(FlowAccount{FlowAccount::Kind::Link, name(), window.owner()},
                     std::string(name()) + ".link" + std::to_string(window.target),
                     config_.port_bytes_per_second);
    return *link;
}

FlowResource& Bus::make_link(const std::string& component)
{
    return further_links_.emplace_back(FlowAccount{FlowAccount::Kind::Link, name(), component},
                                       std::string(name()) + ".link_" + component,
                                       config_.port_bytes_per_second);
}

void Bus::Link::price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
                      std::span<double> ps_per_byte)
{
    std::fill_n(ps_per_byte.begin(), mix.size(), ps_per_byte_at(bytes_per_second_));
}

} // namespace levee::bus
