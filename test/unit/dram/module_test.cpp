// SPDX-License-Identifier: Apache-2.0
#include "core/flow/flow_engine.hpp"
#include "ip/dram/module.hpp"
#include "test/unit/dram/support.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <numeric>

using namespace levee;

namespace {

struct Bench : sc_core::sc_module {
    SC_HAS_PROCESS(Bench);

    InitiatorSocket socket;
    dram::Dram memory;
    FlowEngine engine;
    std::function<void(Bench&)> body;

    Bench(const sc_core::sc_module_name& name, std::function<void(Bench&)> what,
          std::uint64_t addresses, dram::PriceMode prices)
        : sc_module(name), socket("socket"),
          memory("dram", dram::Config{with(prices), false, addresses}), engine("engine"),
          body(std::move(what))
    {
        socket.bind(memory.port);
        SC_THREAD(run);
    }
    static dram::Parameters with(dram::PriceMode prices)
    {
        dram::Parameters parameters = dram_test::standard("lpddr4");
        parameters.controller.prices = prices;
        return parameters;
    }
    void run() { body(*this); }

    Picoseconds plain(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data,
                      unsigned bytes, tlm::tlm_response_status expected = tlm::TLM_OK_RESPONSE)
    {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(data);
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(payload, delay);
        CHECK(payload.get_response_status() == expected);
        return delay.value();
    }
    std::map<std::string, std::uint64_t> figures() const
    {
        Stats stats;
        memory.report(stats);
        std::map<std::string, std::uint64_t> result;
        for (const auto& [name, value] : stats.figures())
            result[name] = std::get<std::uint64_t>(value);
        return result;
    }
};

void simulate(std::function<void(Bench&)> body, std::uint64_t addresses = 0,
              dram::PriceMode prices = dram::PriceMode::ByKind)
{
    bool finished = false;
    Bench bench(
        "bench",
        [&](Bench& b) {
            body(b);
            finished = true;
        },
        addresses, prices);
    sc_core::sc_start();
    CHECK(finished);
}

} // namespace

TEST_CASE("addresses beyond the capacity have separate bytes, and are counted", "[module]")
{
    const std::uint64_t capacity = dram_test::standard("lpddr4").organisation.capacity_bytes;
    simulate(
        [=](Bench& b) {
            std::uint8_t out = 7, in = 9;
            b.plain(tlm::TLM_WRITE_COMMAND, capacity - 1, &out, 1);
            CHECK(b.figures().at("overcommitted_bytes") == 0);
            b.plain(tlm::TLM_WRITE_COMMAND, capacity + 0x1000, &out, 1);
            b.plain(tlm::TLM_READ_COMMAND, 0x1000, &in, 1);
            CHECK(in == 0);
            b.plain(tlm::TLM_READ_COMMAND, capacity + 0x1000, &in, 1);
            CHECK(in == 7);
            CHECK(b.figures().at("overcommitted_bytes") == 0x1001);
            b.plain(tlm::TLM_READ_COMMAND, 2 * capacity, &in, 1, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        },
        2 * capacity);
}

TEST_CASE("a core reads back what it wrote, and waits for the DRAM", "[module]")
{
    simulate([](Bench& b) {
        std::uint32_t out = 0x12345678, in = 0;
        b.plain(tlm::TLM_WRITE_COMMAND, 0x1000, reinterpret_cast<std::uint8_t*>(&out), 4);
        const Picoseconds waited =
            b.plain(tlm::TLM_READ_COMMAND, 0x1000, reinterpret_cast<std::uint8_t*>(&in), 4);
        CHECK(in == out);
        // The first read finds its row closed, and the second one finds it open.
        const dram::Parameters& parameters = b.memory.timing().parameters();
        const dram::Clocks c = dram::clocks(parameters);
        const auto takes = [&](std::uint64_t clocks) {
            return parameters.controller.latency + clocks * parameters.timing.clock;
        };
        CHECK(waited == takes(c.rcd_read + c.read_latency + c.burst));
        sc_core::wait(100, sc_core::SC_NS);
        std::uint8_t byte[1];
        CHECK(b.plain(tlm::TLM_READ_COMMAND, 0x1004, byte, 1) == takes(c.read_latency + c.burst));
        const auto figures = b.figures();
        CHECK(figures.at("read_bytes") == 5);
        CHECK(figures.at("write_bytes") == 4);
    });
}

namespace {

/// Returns an address in the same bank as address 0 but in another row.
std::uint64_t other_row(const dram::Parameters& p)
{
    const dram::AddressMap map(p);
    const dram::Location zero = map.locate(0);
    for (std::uint64_t burst = 1;; ++burst) {
        const dram::Location at = map.locate(burst);
        if (at.channel == zero.channel && at.rank == zero.rank && at.bank == zero.bank &&
            at.row != zero.row)
            return burst * p.burst_bytes();
    }
}

} // namespace

TEST_CASE("consecutive writes of a core to one row open the row once", "[module]")
{
    simulate([](Bench& b) {
        const dram::Parameters& p = b.memory.timing().parameters();
        const std::uint64_t other = other_row(p);
        std::uint8_t byte = 0;
        const auto opened = [&](tlm::tlm_command command, std::uint64_t address) {
            const std::uint64_t before = b.memory.rows_opened();
            b.plain(command, address, &byte, 1);
            return b.memory.rows_opened() - before;
        };
        CHECK(opened(tlm::TLM_WRITE_COMMAND, 0) == 1);
        for (std::uint64_t address = 1; address < p.burst_bytes(); ++address)
            CHECK(opened(tlm::TLM_WRITE_COMMAND, address) == 0);
        CHECK(opened(tlm::TLM_READ_COMMAND, 4) == 0); // The row is still open.
        CHECK(opened(tlm::TLM_WRITE_COMMAND, other) == 1);
        CHECK(opened(tlm::TLM_READ_COMMAND, 0) == 1);
        CHECK(opened(tlm::TLM_READ_COMMAND, 4) == 0);
        sc_core::wait(sc_core::sc_time::from_value(2 * p.timing.refi * p.banks_per_rank()));
        CHECK(opened(tlm::TLM_WRITE_COMMAND, 0) == 1); // A refresh has closed the row.
    });
}

TEST_CASE("an access outside the DRAM is refused", "[module]")
{
    simulate([](Bench& b) {
        std::uint8_t byte = 0;
        const std::uint64_t end = b.memory.storage().size();
        b.plain(tlm::TLM_READ_COMMAND, end - 1, &byte, 1);
        b.plain(tlm::TLM_READ_COMMAND, end, &byte, 1, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        CHECK_THROWS_AS(b.memory.load(end, std::span<const std::uint8_t>(&byte, 1)),
                        std::out_of_range);
        tlm::tlm_generic_payload payload;
        tlm::tlm_dmi dmi;
        CHECK_FALSE(b.socket->get_direct_mem_ptr(payload, dmi));
    });
}

TEST_CASE("a stream takes its time, and a core waits longer meanwhile", "[module]")
{
    simulate([](Bench& b) {
        constexpr std::uint64_t bytes = 1 << 20;
        std::vector<std::uint8_t> data(bytes);
        std::iota(data.begin(), data.end(), std::uint8_t{0});
        AccessPattern pattern{0x10000, bytes, {1, 1, 1}, {0, 0, 0}, false};

        InitiatorSocket& socket = b.socket;
        BulkPort port(socket);
        REQUIRE(port.write(pattern, data.data()));
        std::vector<std::uint8_t> back(bytes);
        REQUIRE(port.read(pattern, back.data()));
        CHECK(back == data);

        Job job;
        Picoseconds latency = 0;
        REQUIRE(port.open(Direction::Read, pattern, bytes, job.activity.uses, latency));
        CHECK(latency == b.memory.timing().unloaded_latency(Direction::Read));
        const Picoseconds start = now_ps();
        b.engine.start(job);
        std::uint8_t word[4];
        const Picoseconds loaded = b.plain(tlm::TLM_READ_COMMAND, 0x4000'0000, word, 4);
        CHECK(loaded != b.memory.timing().unloaded_latency(Direction::Read));
        sc_core::wait(job.done);
        const auto took = static_cast<double>(now_ps() - start);
        const double achieved = dram_cycle::achieved_bytes_per_s(b.memory.timing().parameters(),
                                                                 pattern, Direction::Read);
        CHECK(took == Approx(bytes * 1e12 / achieved).epsilon(0.03));
        // No stream is running here.
        CHECK(b.plain(tlm::TLM_READ_COMMAND, 0x4000'0000, word, 4) ==
              b.memory.timing().unloaded_latency(Direction::Read));
        CHECK(b.figures().at("read_bytes") == bytes + 8);
        CHECK(b.figures().at("refreshes") > 0);

        pattern.address = b.memory.storage().size() - 16;
        CHECK_FALSE(port.open(Direction::Read, pattern, bytes, job.activity.uses, latency));
    });
}

TEST_CASE("scheduled streams end in simulated time as in the cycle-level model", "[module]")
{
    simulate(
        [](Bench& b) {
            b.memory.stream_activity().enable();
            const dram::Parameters& parameters = b.memory.timing().parameters();
            InitiatorSocket& socket = b.socket;
            BulkPort port(socket);
            // The controller accepts a write that fits its queues at once. Then another write runs
            // next to a read.
            const std::vector<dram_cycle::Stream> streams{
                dram_test::sequential(Direction::Write, 0, 4096),
                dram_test::sequential(Direction::Read, 0x40'0000, 16384),
                dram_test::sequential(Direction::Write, 0x80'0000, 32768)};
            const auto expected = dram_cycle::CycleDram(parameters).run(streams);
            std::vector<Job> jobs(streams.size());
            std::vector<Picoseconds> latencies(streams.size());
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                REQUIRE(port.open(streams[i].direction, streams[i].pattern, streams[i].bytes,
                                  jobs[i].activity.uses, latencies[i]));
                b.engine.start(jobs[i]);
            }
            sc_core::wait(jobs[0].done);
            for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
                sc_core::wait(jobs[i].done);
                CHECK(static_cast<double>(now_ps() + latencies[i]) ==
                      Approx(static_cast<double>(expected.completed[i])).epsilon(0.1));
            }
            CHECK(static_cast<double>(b.memory.rows_opened()) ==
                  Approx(static_cast<double>(expected.activates)).margin(8));
        },
        0, dram::PriceMode::BySchedule);
}
