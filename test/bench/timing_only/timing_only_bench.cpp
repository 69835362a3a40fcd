// SPDX-License-Identifier: Apache-2.0
// Measures the host time of a descriptor in timing-only runs, from its submission to its signal.
// The operations are those of one decode step of a layer of Llama2-7B with 16 sequences and 2048
// slots each. The time is CPU time, so that other load does not count.
#include "core/command/decision_statistics.hpp"
#include "ip/bus/module.hpp"
#include "ip/dma/module.hpp"
#include "ip/rsa/module.hpp"
#include "ip/sfu/module.hpp"
#include "ip/sram/module.hpp"
#include "ip/sync/module.hpp"
#include "ip/systolic_evictor/module.hpp"
#include "test/bench/timing_only/operations.hpp"

#include <systemc>
#include <tlm>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

using namespace levee;
using namespace levee::timing_only_bench;

namespace {

constexpr std::uint64_t registers = 0x1000, page = 0x1000;
constexpr CommandQueueConfig queue_config{64, 10'000, 0};
// descriptors per submission, and number of submissions
constexpr std::uint32_t at_once = 50, rounds = 200;

double cpu_us()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

class System : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(System);
    explicit System(const sc_core::sc_module_name& name) : sc_module(name), core("core")
    {
        core.bind(bus.initiators);
        bus.targets.bind(near_memory.port);
        bus.targets.bind(far_memory.port);
        bus.targets.bind(sync.registers);
        bus.map({"near", near, near_bytes, 0, 0});
        bus.map({"far", far, far_bytes, 1, 0});
        CommandQueue* const queues[] = {&dma.queue, &sfu.queue, &rsa.queue, &evictor.queue};
        for (unsigned i = 0; i < std::size(queues); ++i) {
            queues[i]->memory.bind(bus.initiators);
            bus.targets.bind(queues[i]->registers);
            bus.map({queues[i]->name(), registers + i * page, page, 3 + i, 0});
        }
        SC_THREAD(software);
    }

private:
    void software();
    void write(std::uint64_t address, std::uint32_t word);
    std::uint32_t read(std::uint64_t address);
    void access(tlm::tlm_command command, std::uint64_t address, std::uint32_t& word);
    template <typename Operation>
    void measure(const char* name, unsigned block, std::uint8_t opcode, const Operation& operation,
                 std::uint32_t times = rounds);
    void submit(unsigned block, const std::vector<levee_descriptor>& descriptors);
    bool await(std::uint32_t count);
    void measure_turns();
    void copies();
    void vectors();
    void products();
    void evictions();
    void put(std::uint64_t offset, std::size_t count, std::uint32_t word);

    InitiatorSocket core;
    bus::Bus bus{"bus", {1'000, 64'000'000'000}};
    sram::Sram near_memory{"near", {near_bytes, 128'000'000'000, 2'000, false, false}};
    sram::Sram far_memory{"far", {far_bytes, 64'000'000'000, 50'000, false, false}};
    sync::Sync sync{"sync", {16}};
    FlowEngine flows{"flows"};
    StreamPorts streams{{}};
    DecisionStatistics statistics{0.9, 0.7, 0.1, 0.8, 0.5, 0.01, 0.001};
    Fabric fabric{flows, sync, streams, DataMode::TimingOnly, {nullptr, nullptr, &statistics}};
    dma::Dma dma{"dma", {Clock{1'000'000'000}, 64, queue_config}, fabric};
    sfu::Sfu sfu{"sfu", {Clock{1'000'000'000}, 32, 10, queue_config}, fabric};
    rsa::Rsa rsa{
        "rsa", {Clock{1'000'000'000}, {32, 32, 128, 1024, true}, false, queue_config}, fabric};
    systolic_evictor::SystolicEvictor evictor{
        "evictor", {Clock{1'000'000'000}, 32, 1, queue_config}, fabric};
};

void System::access(tlm::tlm_command command, std::uint64_t address, std::uint32_t& word)
{
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(sizeof word);
    payload.set_streaming_width(sizeof word);
    sc_core::sc_time delay;
    core->b_transport(payload, delay);
}

void System::write(std::uint64_t address, std::uint32_t word)
{
    access(tlm::TLM_WRITE_COMMAND, address, word);
}

std::uint32_t System::read(std::uint64_t address)
{
    std::uint32_t word = 0;
    access(tlm::TLM_READ_COMMAND, address, word);
    return word;
}

template <typename Operation>
levee_descriptor describe(std::uint8_t opcode, const Operation& operation)
{
    levee_descriptor descriptor{};
    descriptor.magic = LEVEE_DESCRIPTOR_MAGIC;
    descriptor.opcode = opcode;
    std::memset(descriptor.wait_counter, LEVEE_NO_COUNTER, sizeof descriptor.wait_counter);
    std::memset(descriptor.signal_counter, LEVEE_NO_COUNTER, sizeof descriptor.signal_counter);
    descriptor.signal_counter[0] = 1;
    descriptor.signal_add[0] = 1;
    std::memcpy(descriptor.operation, &operation, sizeof operation);
    return descriptor;
}

/// Writes descriptors to memory for `block` and rings its doorbell.
void System::submit(unsigned block, const std::vector<levee_descriptor>& descriptors)
{
    const std::uint64_t offset = block * (1 << 16);
    const std::uint64_t base = registers + block * page;
    std::memcpy(near_memory.storage().data() + offset, descriptors.data(),
                descriptors.size() * sizeof descriptors[0]);
    write(base + LEVEE_CMD_ADDRESS_LO, static_cast<std::uint32_t>(near + offset));
    write(base + LEVEE_CMD_ADDRESS_HI, static_cast<std::uint32_t>((near + offset) >> 32));
    write(base + LEVEE_CMD_SUBMIT, static_cast<std::uint32_t>(descriptors.size()));
}

/// Waits until counter 1 has been signalled `count` times; returns false if a queue has stopped.
bool System::await(std::uint32_t count)
{
    while (sync.value(1) != count) {
        sc_core::wait(sync.changed(1));
        for (unsigned block = 0; block < 4; ++block)
            if (read(registers + block * page + LEVEE_CMD_ERROR_CODE) != 0)
                return false;
    }
    return true;
}

template <typename Operation>
void System::measure(const char* name, unsigned block, std::uint8_t opcode,
                     const Operation& operation, std::uint32_t times)
{
    const std::vector<levee_descriptor> descriptors(at_once, describe(opcode, operation));
    const std::uint32_t first = sync.value(1);
    bool good = true;
    const double begun = cpu_us();
    for (std::uint32_t round = 1; round <= times && good; ++round) {
        submit(block, descriptors);
        good = await(first + round * at_once);
    }
    std::printf("%-40s %6.2f us%s\n", name, (cpu_us() - begun) / (times * at_once),
                good ? "" : " (stopped)");
}

/// Fills two queues. Each descriptor waits for the descriptor submitted before it to the other
/// queue.
void System::measure_turns()
{
    levee_dma_operation copy{};
    copy.count[0] = copy.count[1] = copy.count[2] = 1;
    copy.run_bytes = 1 << 12;
    copy.source = far;
    copy.destination = far + (1 << 24);
    levee_sfu_operation relu{};
    relu.outer[0] = relu.outer[1] = relu.rows = 1;
    relu.n = 64;
    relu.x_type = relu.out_type = LEVEE_TYPE_FP32;
    relu.x = near + (4 << 20);
    relu.out = near + (8 << 20);
    constexpr std::uint8_t copied = 2, computed = 3; // numbers of the sync counters
    std::vector<levee_descriptor> copies(at_once, describe(LEVEE_DMA_COPY, copy));
    std::vector<levee_descriptor> vectors(at_once, describe(LEVEE_SFU_RELU, relu));
    const std::uint32_t first = sync.value(1);
    bool good = true;
    const double begun = cpu_us();
    for (std::uint32_t round = 1; round <= rounds && good; ++round) {
        for (std::uint32_t i = 0; i < at_once; ++i) {
            copies[i].wait_counter[0] = computed;
            copies[i].wait_value[0] = sync.value(computed) + i;
            copies[i].signal_counter[1] = copied;
            copies[i].signal_add[1] = 1;
            vectors[i].wait_counter[0] = copied;
            vectors[i].wait_value[0] = sync.value(copied) + i + 1;
            vectors[i].signal_counter[1] = computed;
            vectors[i].signal_add[1] = 1;
        }
        submit(0, copies);
        submit(1, vectors);
        good = await(first + round * 2 * at_once);
    }
    std::printf("%-40s %6.2f us%s\n", "dma and sfu in turns",
                (cpu_us() - begun) / (rounds * 2 * at_once), good ? "" : " (stopped)");
}

void System::copies()
{
    measure("dma: 1 MiB", 0, LEVEE_DMA_COPY, mebibyte());
    measure("dma: 512 vectors into slots", 0, LEVEE_DMA_COPY, vectors_into_slots());
    measure("dma: a word into 512 slots, control", 0, LEVEE_DMA_COPY, word_into_slots());
    measure("dma: 512 words, control", 0, LEVEE_DMA_COPY, words());
}

void System::vectors()
{
    measure("sfu: norm of 16 vectors", 1, LEVEE_SFU_RMS_NORM, norm());
    measure("sfu: rotate and store 512 keys", 1, LEVEE_SFU_ROPE, store_keys());
    put(lengths, entries, slots);
    measure("sfu: softmax of 512 x 2048", 1, LEVEE_SFU_SOFTMAX, softmax());
}

void System::products()
{
    measure("rsa: 16 x 4096 x 4096", 2, LEVEE_RSA_GEMM, product());
}

/// The cache is full, and each step runs alone. An arriving token takes the slot of the last
/// victim.
void System::evictions()
{
    put(cache_lengths, entries, slots + 1);
    put(cache_now, entries, 1'000'000);
    put(cache_next, std::size_t{entries} * heads, slots);
    measure("evictor: select from 512 x 2049", 3, LEVEE_SE_SELECT, selection(), 1);
    measure("evictor: evict from 512 x 2048", 3, LEVEE_SE_EVICT, eviction());
    measure("evictor: forget 512 slots", 3, LEVEE_SE_FORGET, discards());
}

/// Writes `count` words of the same value into the near memory.
void System::put(std::uint64_t offset, std::size_t count, std::uint32_t word)
{
    for (std::size_t i = 0; i < count; ++i)
        std::memcpy(near_memory.storage().data() + offset + 4 * i, &word, sizeof word);
}

void System::software()
{
    std::vector<std::uint32_t> next(std::size_t{entries} * heads);
    std::iota(next.begin(), next.end(), 100);
    std::memcpy(near_memory.storage().data() + (1 << 20), next.data(), 4 * next.size());
    measure_turns();
    copies();
    vectors();
    products();
    evictions();
}

} // namespace

int sc_main(int, char**)
{
    System system("system");
    sc_core::sc_start();
    return 0;
}
