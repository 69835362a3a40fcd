// SPDX-License-Identifier: Apache-2.0
// Tests the profile, timeline and bus trace of a block's descriptors and streams.
#include "ip/dma/declaration.hpp"
#include "ip/dma/module.hpp"
#include "ip/rsa/declaration.hpp"
#include "ip/rsa/regs.h"
#include "ip/sfu/declaration.hpp"
#include "platform/observe/profile/profile.hpp"
#include "platform/observe/trace/bus_trace.hpp"
#include "platform/observe/trace/operation_text.hpp"
#include "platform/observe/trace/timeline.hpp"
#include "test/support/timeline_check.hpp"
#include "test/unit/blocks/bench.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <unistd.h>

namespace {

using namespace levee;
using namespace levee::test;
using profile::State;

constexpr std::uint32_t copied_bytes = 1 << 16;
constexpr std::uint8_t gate = 5; // number of the sync counter

struct System : Bench {
    dma::Dma dma{"dma", {Clock{1'000'000'000}, 24, queue_config}, fabric};
    System() : Bench("bench") { connect(dma.queue); }

    levee_descriptor descriptor(std::uint8_t opcode)
    {
        levee_dma_operation copy{};
        copy.source = memory_base + 0x10'0000;
        copy.destination = memory_base + 0x20'0000;
        copy.count[0] = copy.count[1] = copy.count[2] = 1;
        copy.run_bytes = copied_bytes;
        return describe(opcode, copy, 42);
    }
    trace::TimelinePlan timeline_plan()
    {
        return {{{"dma", &dma.queue}}, {"bench.memory"}, &sync, trace::Tags({{42, "OTHER"}})};
    }
    void open_gate() { write(sync_base + LEVEE_SYNC_ADD(gate), 1); }
};

levee_descriptor gated(levee_descriptor descriptor)
{
    descriptor.wait_counter[0] = gate;
    descriptor.wait_value[0] = 1;
    return descriptor;
}

struct File {
    std::filesystem::path path;
    explicit File(const std::string& name)
        : path(std::filesystem::temp_directory_path() /
               ("levee." + std::to_string(::getpid()) + name))
    {
    }
    ~File() { std::filesystem::remove(path); }
    [[nodiscard]] std::string text() const
    {
        std::ifstream stream(path);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
};

Picoseconds spent(const profile::BlockTimes& times, State state)
{
    return times.in[static_cast<std::size_t>(state)];
}

} // namespace

TEST_CASE("a block is always in exactly one state: busy, memory, dependency, fetch or idle")
{
    System system;
    profile::BlockProfile profile({{"dma", &system.dma.queue}});
    system.dma.queue.observe(profile);
    system.flows.observe(profile);
    Picoseconds end = 0, opened = 0, begun = 0;
    system.run([&] {
        begun = now_ps();
        system.submit(0, {system.descriptor(LEVEE_DMA_COPY), system.descriptor(LEVEE_DMA_FILL)});
        CHECK(system.settle(0));
        profile.core_was_in("first", 0, now_ps());
        const Picoseconds waits_from = now_ps();
        system.submit(0, {gated(system.descriptor(LEVEE_DMA_FILL))});
        sc_core::wait(7, sc_core::SC_US);
        opened = now_ps() - waits_from;
        system.open_gate();
        CHECK(system.settle(0));
        profile.core_was_in("second", waits_from, now_ps());
        end = now_ps();
    });
    profile.finish(end);
    const profile::BlockTimes times = profile.times()[0];
    CHECK(times.operations == 3);
    // The memory limits a copy (31.25 ps a byte, twice), and the engine limits a fill (24 B a
    // cycle).
    CHECK(spent(times, State::Memory) == 2 * 31'250ull * copied_bytes / 1000);
    constexpr Picoseconds fill_time = (copied_bytes + 23) / 24 * 1000;
    CHECK(spent(times, State::Busy) == 3 * (hop + memory_latency) + 2 * fill_time);
    CHECK(times.bound_by ==
          std::map<std::string, Picoseconds>{{"bench.memory", spent(times, State::Memory)}});
    // The second fetch was hidden behind the first operation.
    CHECK(spent(times, State::Fetch) == 2 * fetch);
    CHECK(spent(times, State::Dependency) > 6'900'000);
    CHECK(spent(times, State::Dependency) < opened);
    CHECK(spent(times, State::Idle) > 0);
    CHECK(std::accumulate(times.in.begin(), times.in.end(), Picoseconds{0}) == end);
    CHECK(times.idle_while_in.at("first") + times.idle_while_in.at("second") ==
          spent(times, State::Idle));
    CHECK(times.idle_while_in.at("second") > 0);
}

TEST_CASE("idle time is charged to the function that runs at that time")
{
    System system;
    profile::BlockProfile profile({{"dma", &system.dma.queue}});
    system.dma.queue.observe(profile);
    system.run([&] {
        sc_core::wait(10, sc_core::SC_US);
        profile.core_was_in("before", 0, 4'000'000);
        profile.core_was_in("later", 4'000'000, 9'000'000);
        system.submit(0, {system.descriptor(LEVEE_DMA_FILL)});
        sc_core::wait(20, sc_core::SC_US);
        profile.core_was_in("rest", 9'000'000, now_ps());
        profile.finish(now_ps());
    });
    const profile::BlockTimes times = profile.times()[0];
    CHECK(times.idle_while_in.at("before") == 4'000'000);
    CHECK(times.idle_while_in.at("later") == 5'000'000);
    CHECK(times.idle_while_in.at("rest") == spent(times, State::Idle) - 9'000'000);
}

TEST_CASE("the report's shares add up, and links have names")
{
    profile::BlockTimes times;
    times.name = "dma";
    times.operations = 3;
    times.in = {1, 1, 1, 0, 0};
    times.bound_by["bus.link3"] = 1;
    const std::string text = profile::blocks_text({times}, 3, {{"bus.link3", "the link to sram"}});
    CHECK(text.find("dma          33.4 %     33.3 %     33.3 %    0.0 %    0.0 %           3") !=
          std::string::npos);
    CHECK(text.find("the link to sram 33.3 %") != std::string::npos);
}

TEST_CASE(
    "a timeline shows operations in their parts, refusals, resets and operations that never ran")
{
    System system;
    const File file(".json.gz");
    const riscv::Clock clock(1'000'000'000'000);
    trace::Timeline timeline(clock, system.timeline_plan(), file.path);
    system.dma.queue.observe(timeline);
    system.flows.observe(timeline);
    const trace::Function software{"software", 0, 4};
    timeline.calls().enter(software, 0);
    system.run([&] {
        system.submit(
            0, {system.descriptor(LEVEE_DMA_COPY), gated(system.descriptor(LEVEE_DMA_FILL))});
        sc_core::wait(9, sc_core::SC_US);
        system.open_gate();
        CHECK(system.settle(0));
        system.submit(0, {system.descriptor(77), system.descriptor(LEVEE_DMA_FILL)});
        CHECK(system.settle(0));
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        system.submit(0, {system.descriptor(LEVEE_DMA_FILL), system.descriptor(LEVEE_DMA_FILL)});
        sc_core::wait(1, sc_core::SC_US);
    });
    timeline.calls().leave(now_ps());
    timeline.finish(now_ps());

    const TimelineCheck check(file.path);
    CHECK(check.content.arrows == 6);
    std::vector<std::string> names;
    for (const TimelineSpan& span : check.content.on("blocks", "dma"))
        names.push_back(span.name);
    CHECK(names == std::vector<std::string>{"COPY", "fetch", "executing",                //
                                            "FILL", "waiting for the core", "executing", //
                                            "opcode 77", "fetch",                        //
                                            "never executed",                            //
                                            "FILL", "fetch", "executing", "FILL", "executing"});
}

TEST_CASE("an operation's fields are a span's arguments, and queues and memories are counters")
{
    System system;
    const File file(".json.gz");
    const riscv::Clock clock(1'000'000'000'000);
    trace::Timeline timeline(clock, system.timeline_plan(), file.path);
    system.dma.queue.observe(timeline);
    system.flows.observe(timeline);
    const trace::Function software{"software", 0, 4};
    timeline.calls().enter(software, 0);
    system.run([&] {
        system.submit(0, {gated(system.descriptor(LEVEE_DMA_COPY)),
                          system.descriptor(LEVEE_DMA_COPY), system.descriptor(LEVEE_DMA_FILL)});
        sc_core::wait(1, sc_core::SC_US);
        system.open_gate();
        CHECK(system.settle(0));
    });
    timeline.calls().leave(now_ps());
    timeline.finish(now_ps());

    const TimelineCheck check(file.path);
    const TimelineSpan copy = check.content.on("blocks", "dma").at(0);
    CHECK(copy.args["tag"] == "42");
    CHECK(copy.args["run_bytes"] == "65536");
    CHECK(copy.args["source"] == "0x4000100000");
    CHECK(copy.args["count"] == "[1, 1, 1]");
    CHECK(copy.args["operation"] == "layer 0 OTHER");
    CHECK(copy.args["wait 0"].get<std::string>().starts_with("counter 5 >= 1, at "));
    CHECK(copy.args["wait 0"].get<std::string>().ends_with(" us by the core"));
    std::vector<double> queued, bandwidth;
    for (const auto& [at, value] : check.content.counters.at("dma queue"))
        queued.push_back(value);
    for (const auto& [at, value] : check.content.counters.at("bench.memory bandwidth"))
        bandwidth.push_back(value);
    CHECK(queued == std::vector<double>{0, 2, 1, 0});
    CHECK(bandwidth == std::vector<double>{0, 32, 0, 32, 0, 23.997, 0});
}

TEST_CASE("the bus trace has a line for each transaction, or only for the chosen sockets")
{
    System system;
    const File all(".all.txt"), chosen(".chosen.txt");
    trace::BusTrace everything({"core", "dma"}, {}, all.path);
    trace::BusTrace only_sync({"core", "dma"}, {"sync"}, chosen.path);
    system.bus.observe(everything);
    system.bus.observe(only_sync);
    system.run([&] {
        system.write(sync_base + LEVEE_SYNC_ADD(gate), 3);
        CHECK(system.counter(gate) == 3);
        system.submit(0, {system.descriptor(LEVEE_DMA_COPY)});
        CHECK(system.settle(0));
        std::uint32_t nothing = 0;
        CHECK(system.access(tlm::TLM_READ_COMMAND, 0x666, &nothing, 4) ==
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
    everything.finish();
    only_sync.finish();
    const std::string text = all.text();
    const auto has = [&](const std::string& part) {
        INFO(part);
        CHECK(text.find(part) != std::string::npos);
    };
    has("core       sync               plain write  ");
    has("4 =00000003  ok");
    has("dma        memory             bulk  read   4000100000  65536  ok");
    has("dma        memory             open  write  4000200000  65536  ok");
    has("core       (nothing)          plain read   0000000666  4  TLM_ADDRESS_ERROR_RESPONSE");
    std::size_t lines = 0;
    for (const char c : chosen.text())
        lines += c == '\n';
    CHECK(lines == 3); // The table has a heading and two lines.
    CHECK(chosen.text().find("sync") != std::string::npos);
}

TEST_CASE("fields are printed by their types, and reserved ones are not printed")
{
    const auto text = [](const Declaration& block, const auto& operation, const std::string& name) {
        std::vector<std::string> found;
        const levee_descriptor descriptor = describe(1, operation);
        for (const auto& [field, value] :
             trace::operation_fields(block, descriptor, descriptor.operation))
            if (field == name)
                found.push_back(value);
        return found.size() == 1 ? found.front() : std::to_string(found.size()) + " such fields";
    };
    levee_rsa_operation gemm{};
    gemm.alpha = 0.125f;
    gemm.a_stride[1] = -4;
    gemm.redirect = 0x40'0000'0010;
    gemm.outer[1] = 0xFFFF;
    gemm.tap = 0xFFFFFFFF;
    CHECK(text(rsa::declaration, gemm, "alpha") == "0.125");
    CHECK(text(rsa::declaration, gemm, "a_stride") == "[0, -4, 0, 0]");
    CHECK(text(rsa::declaration, gemm, "redirect") == "0x4000000010");
    CHECK(text(rsa::declaration, gemm, "outer") == "[0, 65535]");
    CHECK(text(rsa::declaration, gemm, "tap") == "4294967295");
    levee_dma_operation copy{};
    copy.source_stride[2] = -0x1'0000'0000;
    copy.destination_index_stride[0] = -8;
    CHECK(text(dma::declaration, copy, "source_stride") == "[0, 0, -4294967296]");
    CHECK(text(dma::declaration, copy, "destination_index_stride") == "[-8, 0, 0]");
    CHECK(text(dma::declaration, copy, "reserved") == "0 such fields");
    for (const Field& field : sfu::operation_fields)
        CHECK(field_at(sfu::operation_fields, field.offset).find(field.name) == 0);
}
