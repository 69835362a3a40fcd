// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow_engine.hpp"
#include "ip/edram/module.hpp"
#include "test/unit/edram/support.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace levee::edram_test {

inline edram::Config kv_config(GroupTimes intervals)
{
    edram::Config kv;
    kv.array = {kv_cache(), {intervals, 4'000}, std::nullopt};
    kv.access = 2'000;
    kv.latency = 1'900;
    return kv;
}

/// An eDRAM with sockets, and a process that uses them.
struct Bench : sc_core::sc_module {
    SC_HAS_PROCESS(Bench);

    InitiatorSocket socket, control;
    Edram memory;
    FlowEngine engine;
    BulkPort bulk;
    std::function<void(Bench&)> body;

    Bench(const sc_core::sc_module_name& name, const edram::Config& config,
          std::function<void(Bench&)> what)
        : sc_module(name), socket("socket"), control("control"), memory("kv", config),
          engine("engine"), bulk(socket), body(std::move(what))
    {
        socket.bind(memory.port);
        control.bind(memory.registers);
        SC_THREAD(run);
    }
    void run() { body(*this); }

    template <typename Socket>
    tlm::tlm_response_status access(Socket& to, tlm::tlm_command command, std::uint64_t address,
                                    void* data, unsigned bytes)
    {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(static_cast<unsigned char*>(data));
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        to->b_transport(payload, delay);
        last_delay = delay.value();
        return payload.get_response_status();
    }
    std::uint32_t reg(std::uint32_t offset)
    {
        std::uint32_t word = 0;
        CHECK(access(control, tlm::TLM_READ_COMMAND, offset, &word, 4) == tlm::TLM_OK_RESPONSE);
        return word;
    }
    void set_reg(std::uint32_t offset, std::uint32_t word)
    {
        CHECK(access(control, tlm::TLM_WRITE_COMMAND, offset, &word, 4) == tlm::TLM_OK_RESPONSE);
    }
    std::uint64_t refreshes(unsigned group)
    {
        return reg(LEVEE_EDRAM_REFRESHES(group)) |
               std::uint64_t{reg(LEVEE_EDRAM_REFRESHES(group) + 4)} << 32;
    }
    void fill(std::uint64_t address, std::uint64_t bytes, std::uint8_t value = 0)
    {
        const std::vector<std::uint8_t> data(bytes, value);
        CHECK(bulk.write({address, bytes, {1, 1, 1}, {0, 0, 0}, false}, data.data()));
    }
    std::map<std::string, double> figures()
    {
        Stats stats;
        memory.report(stats);
        std::map<std::string, double> result;
        for (const auto& [name, value] : stats.figures())
            result[name] = std::visit([](auto v) { return static_cast<double>(v); }, value);
        return result;
    }

    Picoseconds last_delay = 0;
};

inline void simulate(const edram::Config& with, std::function<void(Bench&)> body)
{
    bool finished = false;
    Bench bench("bench", with, [&](Bench& b) {
        body(b);
        finished = true;
        sc_core::sc_stop();
    });
    sc_core::sc_start();
    CHECK(finished);
}

inline void wait_until(Picoseconds time)
{
    sc_core::wait(sc_core::sc_time::from_value(time - now_ps()));
}

} // namespace levee::edram_test
