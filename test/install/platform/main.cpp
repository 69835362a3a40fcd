// SPDX-License-Identifier: Apache-2.0
// A SystemC platform with Levee's array and eDRAM, and a simple host instead of Levee's core,
// scenarios and firmware. It multiplies two matrices in the eDRAM.
#include "core/abi/element_type.h"
#include "ip/bus/module.hpp"
#include "ip/edram/module.hpp"
#include "ip/rsa/module.hpp"
#include "ip/sync/module.hpp"

#include <systemc>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr std::uint64_t memory_base = 0x2000'0000, memory_bytes = 64 << 10;
constexpr std::uint64_t edram_base = 0x1000'0000, sync_base = 0x1001'0000;
constexpr std::uint64_t array_base = 0x1002'0000, page = 0x1'0000;
constexpr unsigned m = 16, k = 32, n = 32;
// Addresses in the eDRAM: INT8 matrices, the FP32 product, and its descriptor.
constexpr std::uint64_t at_a = 0, at_b = 0x1000, at_out = 0x2000, at_work = 0x4000;

levee::edram::Config edram_config()
{
    levee::edram::Config config;
    config.array.geometry.size_bytes = memory_bytes;
    config.array.geometry.banks = 8;
    config.array.refresh.row = 2'000;                // time to refresh a row, in ps
    config.array.refresh.intervals.fill(45'000'000); // refresh intervals in ps
    config.access = 2'000;                           // access time in ps
    config.latency = 2'000;                          // latency in ps
    return config;
}

/// The array has 16 x 16 elements at 1 GHz. Its queue has 4 descriptors, each fetched in 10 ns.
const levee::rsa::Config array_config{{1'000'000'000}, {16, 16, 16, 64}, false, {4, 10'000, 0}};

std::int8_t element(unsigned row, unsigned column)
{
    return static_cast<std::int8_t>((row * 7 + column * 3) % 11) - 5;
}

std::vector<std::uint8_t> matrix(unsigned rows, unsigned columns)
{
    std::vector<std::uint8_t> bytes;
    for (unsigned i = 0; i < rows * columns; ++i)
        bytes.push_back(static_cast<std::uint8_t>(element(i / columns, i % columns)));
    return bytes;
}

/// Computes out = a times b, and adds 1 to counter 0 at the end.
levee_descriptor product()
{
    levee_rsa_operation op{};
    op.a = memory_base + at_a;
    op.b = memory_base + at_b;
    op.out = memory_base + at_out;
    op.a_type = op.b_type = LEVEE_TYPE_INT8;
    op.a_stride[2] = k;
    op.b_stride[2] = n;
    op.out_stride[2] = n * sizeof(float);
    op.outer[0] = op.outer[1] = op.m0 = 1;
    op.m1 = m;
    op.k = k;
    op.n = n;
    op.alpha = 1.0f;
    levee_descriptor work{};
    work.magic = LEVEE_DESCRIPTOR_MAGIC;
    work.opcode = LEVEE_RSA_GEMM;
    std::memset(work.wait_counter, LEVEE_NO_COUNTER, sizeof work.wait_counter);
    std::memset(work.signal_counter, LEVEE_NO_COUNTER, sizeof work.signal_counter);
    work.signal_counter[0] = 0;
    work.signal_add[0] = 1;
    std::memcpy(work.operation, &op, sizeof op);
    return work;
}

class Platform : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(Platform);

    explicit Platform(const sc_core::sc_module_name& name)
        : sc_module(name), host("host"), bus("bus", {1'000, 256'000'000'000}),
          memory("edram", edram_config()), sync("sync", {4}), flows("flows"), streams({}),
          array("rsa", array_config, {flows, sync, streams})
    {
        host.bind(bus.initiators);
        array.queue.memory.bind(bus.initiators);
        bus.targets.bind(memory.port);
        bus.targets.bind(memory.registers);
        bus.targets.bind(sync.registers);
        bus.targets.bind(array.queue.registers);
        bus.map({"edram", memory_base, memory_bytes, 0, 0});
        bus.map({"edram (registers)", edram_base, page, 1, 0});
        bus.map({"sync", sync_base, page, 2, 0});
        bus.map({"rsa", array_base, page, 3, 0});
        SC_THREAD(run);
    }

    /// Returns whether the eDRAM contains the right product.
    bool is_right()
    {
        for (unsigned i = 0; i < m * n; ++i) {
            int sum = 0;
            for (unsigned j = 0; j < k; ++j)
                sum += element(i / n, j) * element(j, i % n);
            float found = 0;
            std::memcpy(&found, memory.storage().data() + at_out + i * sizeof found, sizeof found);
            if (found != static_cast<float>(sum))
                return false;
        }
        return true;
    }

    levee::InitiatorSocket host;
    levee::bus::Bus bus;
    levee::edram::Edram memory;
    levee::sync::Sync sync;
    levee::FlowEngine flows;
    levee::StreamPorts streams;
    levee::rsa::Rsa array;
    std::uint64_t picoseconds = 0; ///< Time from the doorbell to the end of the product.

private:
    void write(std::uint64_t address, std::uint32_t word)
    {
        tlm::tlm_generic_payload payload;
        payload.set_write();
        payload.set_address(address);
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
        payload.set_data_length(sizeof word);
        payload.set_streaming_width(sizeof word);
        sc_core::sc_time delay;
        host->b_transport(payload, delay);
        sc_core::wait(delay);
        sc_assert(payload.is_response_ok());
    }

    void run()
    {
        memory.load(at_a, matrix(m, k));
        memory.load(at_b, matrix(k, n));
        const levee_descriptor work = product();
        memory.load(at_work, {reinterpret_cast<const std::uint8_t*>(&work), sizeof work});
        write(array_base + LEVEE_CMD_ADDRESS_LO, memory_base + at_work);
        write(array_base + LEVEE_CMD_ADDRESS_HI, 0);
        const std::uint64_t begun = levee::now_ps();
        write(array_base + LEVEE_CMD_SUBMIT, 1);
        while (sync.value(0) == 0)
            sc_core::wait(sync.changed(0));
        picoseconds = levee::now_ps() - begun;
    }
};

} // namespace

int sc_main(int, char*[])
{
    Platform platform("platform");
    sc_core::sc_start(100, sc_core::SC_US);
    levee::Stats stats;
    platform.memory.report(stats);
    for (const auto& [name, value] : stats.figures())
        if (name == "refresh.high_msb")
            std::printf("rows refreshed in 100 us: %llu\n",
                        static_cast<unsigned long long>(std::get<std::uint64_t>(value)));
    std::printf("product: %s, %llu ps\n", platform.is_right() ? "right" : "wrong",
                static_cast<unsigned long long>(platform.picoseconds));
    return platform.is_right() ? EXIT_SUCCESS : EXIT_FAILURE;
}
