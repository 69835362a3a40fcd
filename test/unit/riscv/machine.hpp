// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/clint.hpp"
#include "ip/riscv/core.hpp"
#include "ip/riscv/plic.hpp"
#include "platform/input/program/elf.hpp"

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace levee::test {

constexpr std::uint32_t ram_base = 0x8000'0000;
constexpr std::uint32_t slow_base = 0x4000'0000; ///< Memory without DMI, with 50 ns per access.
constexpr std::uint32_t slow_bytes = 0x10000;
constexpr std::uint32_t clint_base = 0x0200'0000;
constexpr std::uint32_t plic_base = 0x0C00'0000;

/// Memory of a test machine, which can refuse or invalidate DMI.
class Memory : public sc_core::sc_module {
public:
    TargetSocket socket;
    std::vector<std::uint8_t> bytes;
    bool grants_dmi;
    sc_core::sc_time latency;
    unsigned transactions = 0;
    /// The granted range of offsets, inclusive; if empty, everything.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> granted;

    Memory(const sc_core::sc_module_name& name, size_t size, bool dmi, sc_core::sc_time time)
        : sc_module(name), socket("socket"), bytes(size), grants_dmi(dmi), latency(time)
    {
        socket.register_b_transport(this, &Memory::b_transport);
        socket.register_transport_dbg(this, &Memory::transport_dbg);
        socket.register_get_direct_mem_ptr(this, &Memory::get_direct_mem_ptr);
    }

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
    {
        ++transactions;
        const bool inside = transport_dbg(payload) == payload.get_data_length();
        payload.set_response_status(inside ? tlm::TLM_OK_RESPONSE
                                           : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        payload.set_dmi_allowed(grants_dmi);
        delay += latency;
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload)
    {
        const std::uint64_t address = payload.get_address();
        if (address + payload.get_data_length() > bytes.size())
            return 0;
        if (payload.is_read())
            std::memcpy(payload.get_data_ptr(), &bytes[address], payload.get_data_length());
        else
            std::memcpy(&bytes[address], payload.get_data_ptr(), payload.get_data_length());
        return payload.get_data_length();
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
    {
        if (!grants_dmi)
            return false;
        const auto range =
            granted.value_or(std::pair<std::uint64_t, std::uint64_t>{0, bytes.size() - 1});
        dmi.set_start_address(range.first);
        dmi.set_end_address(range.second);
        dmi.set_dmi_ptr(&bytes[range.first]);
        dmi.allow_read_write();
        return true;
    }
};

// A device for tests, with a register at each multiple of 4. Callbacks handle the accesses.
class Device : public sc_core::sc_module {
public:
    TargetSocket socket;
    std::function<std::uint32_t(std::uint32_t offset)> on_read = [](std::uint32_t) { return 0u; };
    std::function<void(std::uint32_t offset, std::uint32_t value)> on_write = [](std::uint32_t,
                                                                                 std::uint32_t) {};

    explicit Device(const sc_core::sc_module_name& name) : sc_module(name), socket("socket")
    {
        socket.register_b_transport(this, &Device::b_transport);
    }

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
    {
        if (payload.get_data_length() != 4) {
            payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
            return;
        }
        const auto offset = static_cast<std::uint32_t>(payload.get_address());
        std::uint32_t word = 0;
        if (payload.is_read()) {
            word = on_read(offset);
            std::memcpy(payload.get_data_ptr(), &word, 4);
        } else {
            std::memcpy(&word, payload.get_data_ptr(), 4);
            on_write(offset, word);
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

// An address decoder between the core and everything else.
class Router : public sc_core::sc_module {
public:
    struct Window {
        std::uint64_t base;
        std::uint64_t size;
    };
    TargetSocket socket;
    tlm_utils::multi_passthrough_initiator_socket<Router, bus_width, BulkProtocol>
        targets; ///< One target for each window, in the same order.

    explicit Router(const sc_core::sc_module_name& name)
        : sc_module(name), socket("socket"), targets("targets")
    {
        targets.register_invalidate_direct_mem_ptr(this, &Router::invalidate);
        socket.register_b_transport(this, &Router::b_transport);
        socket.register_transport_dbg(this, &Router::transport_dbg);
        socket.register_get_direct_mem_ptr(this, &Router::get_direct_mem_ptr);
    }
    template <class Target> void map(std::uint64_t base, std::uint64_t size, Target& target)
    {
        targets.bind(target);
        windows_.push_back({base, size});
    }

private:
    // Returns the index of the window, or -1.
    int find(std::uint64_t address) const
    {
        for (size_t i = 0; i < windows_.size(); ++i)
            if (address >= windows_[i].base && address - windows_[i].base < windows_[i].size)
                return static_cast<int>(i);
        return -1;
    }
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
    {
        const std::uint64_t address = payload.get_address();
        const int window = find(address);
        if (window < 0) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        payload.set_address(address - windows_[static_cast<size_t>(window)].base);
        targets[window]->b_transport(payload, delay);
        payload.set_address(address);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload)
    {
        const std::uint64_t address = payload.get_address();
        const int window = find(address);
        if (window < 0)
            return 0;
        payload.set_address(address - windows_[static_cast<size_t>(window)].base);
        const unsigned done = targets[window]->transport_dbg(payload);
        payload.set_address(address);
        return done;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi)
    {
        const std::uint64_t address = payload.get_address();
        const int window = find(address);
        if (window < 0)
            return false;
        payload.set_address(address - windows_[static_cast<size_t>(window)].base);
        const bool granted = targets[window]->get_direct_mem_ptr(payload, dmi);
        payload.set_address(address);
        dmi.set_start_address(dmi.get_start_address() + windows_[static_cast<size_t>(window)].base);
        dmi.set_end_address(dmi.get_end_address() + windows_[static_cast<size_t>(window)].base);
        return granted;
    }
    void invalidate(int tag, sc_dt::uint64 start, sc_dt::uint64 end)
    {
        const Window& window = windows_[static_cast<size_t>(tag)];
        socket->invalidate_direct_mem_ptr(start + window.base, end + window.base);
    }

    std::vector<Window> windows_;
};

// A core with memory, CLINT, PLIC and a device, connected as in the platform.
struct Machine {
    static constexpr std::uint32_t device_base = 0x1000'0000;

    riscv::Core core;
    Router router{"router"};
    Memory ram;
    Memory slow{"slow", slow_bytes, false, sc_core::sc_time(50, sc_core::SC_NS)};
    riscv::Clint clint{"clint", 10'000'000};
    riscv::Plic plic{"plic"};
    Device device{"device"};
    std::optional<int> exit_code;
    std::string error;

    explicit Machine(const riscv::CoreConfig& config, size_t ram_bytes = 1 << 20)
        : core("core", config), ram("ram", ram_bytes, true, sc_core::SC_ZERO_TIME)
    {
        core.bus.bind(router.socket);
        router.map(ram_base, ram_bytes, ram.socket);
        router.map(slow_base, slow_bytes, slow.socket);
        router.map(clint_base, riscv::clint_register::bytes, clint.socket);
        router.map(plic_base, riscv::plic_register::bytes, plic.socket);
        router.map(device_base, 0x1000, device.socket);
        clint.connect(core);
        plic.connect(core);
        core.set_time_source(&clint);
        core.on_exit = [this](int code) {
            exit_code = code;
            sc_core::sc_stop();
        };
        core.on_error = [this](const std::string& message) {
            error = message;
            sc_core::sc_stop();
        };
    }
    void load(const ElfImage& image)
    {
        for (const auto& segment : image.segments)
            std::copy(segment.data.begin(), segment.data.end(),
                      ram.bytes.begin() + (segment.address - ram_base));
    }
    void load(const std::vector<std::uint32_t>& code, std::uint32_t offset = 0)
    {
        std::memcpy(&ram.bytes[offset], code.data(), code.size() * 4);
    }
    std::uint32_t word(std::uint32_t offset) const
    {
        std::uint32_t value = 0;
        std::memcpy(&value, &ram.bytes[offset], 4);
        return value;
    }
};

} // namespace levee::test
