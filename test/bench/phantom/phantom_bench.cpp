// SPDX-License-Identifier: Apache-2.0
// Host time of a descriptor in phantom runs, from its submission to its signal: operations of one
// decode step of a layer of Llama2-7B with 16 entries and 2048 slots each. CPU time, so that other
// load does not count.
#include "ip/bus/module.hpp"
#include "ip/common/decision_statistics.hpp"
#include "ip/dma/module.hpp"
#include "ip/rsa/module.hpp"
#include "ip/sfu/module.hpp"
#include "ip/sram/module.hpp"
#include "ip/sync/module.hpp"
#include "ip/systolic_evictor/module.hpp"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

using namespace levee;

namespace {

constexpr std::uint64_t near = 0x40'0000'0000, far = 0x80'0000'0000; // memories
constexpr std::uint64_t near_bytes = 64 << 20, far_bytes = 1ull << 34;
constexpr std::uint64_t registers = 0x1000, page = 0x1000;
constexpr CommandQueueConfig queue_config{64, 10'000, 0};
constexpr std::uint16_t entries = 16, heads = 32, head_dim = 128;
constexpr std::uint32_t slots = 2048, dim = 4096;
constexpr std::uint32_t at_once = 50, rounds = 200; // descriptors

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

    tlm_utils::simple_initiator_socket<System> core;
    bus::Bus bus{"bus", {1'000, 64'000'000'000}};
    sram::Sram near_memory{"near", {near_bytes, 128'000'000'000, 2'000, false, false}};
    sram::Sram far_memory{"far", {far_bytes, 64'000'000'000, 50'000, false, false}};
    sync::Sync sync{"sync", {16}};
    FlowEngine flows{"flows"};
    StreamPorts streams{{}};
    DecisionStatistics statistics{0.9, 0.7, 0.1, 0.8, 0.5, 0.01, 0.001};
    Fabric fabric{flows, sync, streams, DataMode::Phantom, {nullptr, nullptr, &statistics}};
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

/// Puts descriptors where `block` finds them and rings its bell.
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

/// Until counter 1 has been signalled so often; false if a queue has stopped.
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

/// Two queues, each descriptor waiting for the other queue's last.
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
    constexpr std::uint8_t copied = 2, computed = 3; // counters
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
    levee_dma_operation copy{};
    copy.count[0] = copy.count[1] = copy.count[2] = 1;
    copy.run_bytes = 1 << 20;
    copy.source = far;
    copy.destination = far + (1 << 24);
    measure("dma: 1 MiB", 0, LEVEE_DMA_COPY, copy);

    copy.count[0] = entries;
    copy.count[1] = heads;
    copy.run_bytes = 2 * head_dim;
    copy.source_stride[0] = heads * 2 * head_dim;
    copy.source_stride[1] = 2 * head_dim;
    copy.destination_stride[2] = 2 * head_dim;
    copy.destination_stride[1] = 2 * head_dim * slots;
    copy.destination_stride[0] = copy.destination_stride[1] * heads;
    copy.destination_index = near + (1 << 20);
    copy.destination_index_stride[0] = 4;
    copy.destination_index_stride[1] = 4 * entries;
    measure("dma: 512 vectors into slots", 0, LEVEE_DMA_COPY, copy);

    copy.flags = LEVEE_DMA_CONTROL;
    copy.run_bytes = 4;
    copy.source_stride[0] = copy.source_stride[1] = 0;
    copy.source = copy.destination = near + (2 << 20);
    copy.destination_stride[2] = 4;
    copy.destination_stride[1] = 4 * slots;
    copy.destination_stride[0] = 4 * slots * heads;
    measure("dma: a word into 512 slots, control", 0, LEVEE_DMA_COPY, copy);

    levee_dma_operation words{};
    words.flags = LEVEE_DMA_CONTROL;
    words.count[0] = entries;
    words.count[1] = heads;
    words.count[2] = 1;
    words.run_bytes = 4;
    words.source = near + (2 << 20);
    words.destination = near + (3 << 20);
    words.source_stride[0] = words.destination_stride[0] = 4;
    words.source_stride[1] = words.destination_stride[1] = 4 * entries;
    measure("dma: 512 words, control", 0, LEVEE_DMA_COPY, words);
}

void System::vectors()
{
    levee_sfu_operation norm{};
    norm.outer[0] = norm.outer[1] = 1;
    norm.rows = entries;
    norm.n = dim;
    norm.x_type = LEVEE_TYPE_FP32;
    norm.out_type = LEVEE_TYPE_INT16;
    norm.x = near + (4 << 20);
    norm.x_stride[2] = 4 * dim;
    norm.gain = far;
    norm.out = near + (8 << 20);
    norm.out_stride[2] = 2 * dim;
    norm.out_scale = near + (9 << 20);
    norm.out_scale_stride[2] = 4;
    measure("sfu: norm of 16 vectors", 1, LEVEE_SFU_RMS_NORM, norm);

    levee_sfu_operation store = norm;
    store.gain = 0;
    store.outer[0] = entries;
    store.outer[1] = heads;
    store.rows = 1;
    store.n = head_dim;
    store.x_stride[0] = 4 * dim;
    store.x_stride[1] = 4 * head_dim;
    store.flags = LEVEE_SFU_SCATTER;
    store.indices = near + (1 << 20);
    store.indices_stride[0] = 4;
    store.indices_stride[1] = 4 * entries;
    store.out = far;
    store.out_stride[2] = 2 * head_dim;
    store.out_stride[1] = store.out_stride[2] * static_cast<std::int32_t>(slots);
    store.out_stride[0] = store.out_stride[1] * heads;
    store.out_scale_stride[1] = 4 * slots;
    store.out_scale_stride[0] = 4 * slots * heads;
    store.y = far + (1 << 28);
    store.positions = near + (1 << 20);
    measure("sfu: rotate and store 512 keys", 1, LEVEE_SFU_ROPE, store);

    levee_sfu_operation softmax{};
    softmax.outer[0] = entries;
    softmax.outer[1] = heads;
    softmax.rows = 1;
    softmax.n = slots;
    softmax.x_type = LEVEE_TYPE_FP32;
    softmax.out_type = LEVEE_TYPE_INT16;
    softmax.x = near + (16 << 20);
    softmax.x_stride[1] = 4 * slots;
    softmax.x_stride[0] = 4 * slots * heads;
    softmax.y = far;
    softmax.y_stride[2] = 4;
    softmax.y_stride[1] = 4 * slots;
    softmax.y_stride[0] = 4 * slots * heads;
    softmax.out = near + (24 << 20);
    softmax.out_stride[1] = 2 * slots;
    softmax.out_stride[0] = 2 * slots * heads;
    softmax.out_scale = near + (9 << 20);
    softmax.out_scale_stride[1] = 4;
    softmax.out_scale_stride[0] = 4 * heads;
    softmax.lengths = near + (12 << 20);
    for (std::uint32_t i = 0; i < entries; ++i)
        std::memcpy(near_memory.storage().data() + (12 << 20) + 4 * i, &slots, sizeof slots);
    softmax.lengths_stride[0] = 4;
    measure("sfu: softmax of 512 x 2048", 1, LEVEE_SFU_SOFTMAX, softmax);
}

void System::products()
{
    levee_rsa_operation product{};
    product.outer[0] = product.outer[1] = product.m1 = 1;
    product.m0 = entries;
    product.k = product.n = dim;
    product.a_type = LEVEE_TYPE_INT16;
    product.b_type = LEVEE_TYPE_INT8;
    product.alpha = 1.0f;
    product.a = near + (4 << 20);
    product.a_stride[3] = 2 * dim;
    product.b = far;
    product.b_stride[2] = dim;
    product.b_scale = far + (1 << 28);
    product.b_scale_stride[2] = 4;
    product.out = near + (8 << 20);
    product.out_stride[3] = 4 * dim;
    measure("rsa: 16 x 4096 x 4096", 2, LEVEE_RSA_GEMM, product);
}

/// A full cache, each step on its own: who arrives takes the place of who has just left.
void System::evictions()
{
    const auto put = [&](std::uint64_t offset, std::size_t count, std::uint32_t word) {
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(near_memory.storage().data() + offset + 4 * i, &word, sizeof word);
    };
    constexpr std::uint64_t lengths = 13 << 20, now = lengths + 4096, next = now + 4096;
    constexpr std::int32_t row = slots + 1;
    put(lengths, entries, slots + 1);
    put(now, entries, 1'000'000);
    put(next, std::size_t{entries} * heads, slots);
    levee_se_operation op{};
    op.outer[0] = entries;
    op.outer[1] = heads;
    op.rows = op.group = 1;
    op.n = slots + 1;
    op.capacity = slots;
    op.sinks = 10;
    op.importance = far;
    op.importance_stride[1] = 2 * row;
    op.importance_stride[0] = 2 * row * heads;
    op.positions = far + (1 << 26);
    op.positions_stride[1] = 4 * row;
    op.positions_stride[0] = 4 * row * heads;
    op.lengths = near + lengths;
    op.now = near + now;
    op.arrival = op.next = near + next;
    op.table_stride[0] = 4;
    op.table_stride[1] = 4 * entries;
    levee_se_operation select = op;
    select.gather = far + (1ull << 32);
    measure("evictor: select from 512 x 2049", 3, LEVEE_SE_SELECT, select, 1);
    measure("evictor: evict from 512 x 2048", 3, LEVEE_SE_EVICT, op);
    levee_se_operation forget = op;
    forget.keys = far + (1 << 28);
    forget.values = far + (1ull << 33);
    forget.kv_row_bytes = 2 * head_dim;
    forget.kv_stride[1] = 2 * head_dim * row;
    forget.kv_stride[0] = forget.kv_stride[1] * heads;
    measure("evictor: forget 512 slots", 3, LEVEE_SE_FORGET, forget);
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
