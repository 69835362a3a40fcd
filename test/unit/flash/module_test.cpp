// SPDX-License-Identifier: Apache-2.0
// Tests the flash as firmware uses it: products, pages that are read and programmed, errors,
// refusals and times.
#include "test/unit/flash/flash_bench.hpp"

#include <set>

using namespace levee;
using namespace levee::test;
using flash::RequestKind;

namespace {

using Op = levee_flash_operation;

/// Returns a product of 40 x 50 weights in tiles of 32 x 32, with pages of 16 x 16. Some of its
/// four tiles are only partly filled.
Op ragged(std::uint8_t weight_bits = 8, std::uint8_t input_bytes = 1)
{
    Op op{};
    op.rows = 40;
    op.columns = 50;
    op.core_rows = op.core_columns = 16;
    op.page = 2;
    op.plane = 1;
    op.weight_bits = weight_bits;
    op.input_bytes = input_bytes;
    op.result_bytes = 4;
    return op;
}

std::vector<std::int64_t> results_of(Bench& bench, const Op& op)
{
    if (op.input_bytes == 2)
        return bench.get<std::int64_t>(op.result, op.rows);
    const std::vector<std::int32_t> words = bench.get<std::int32_t>(op.result, op.rows);
    return {words.begin(), words.end()};
}

struct Wrong {
    std::size_t member;
    void (*spoil)(Op&);
};
/// Each descriptor has one fault.
const Wrong wrongs[] = {
    {offsetof(Op, columns), [](Op& op) { op.columns = 0; }},
    {offsetof(Op, weight_bits), [](Op& op) { op.weight_bits = 5; }},
    {offsetof(Op, input_bytes), [](Op& op) { op.input_bytes = 3; }},
    {offsetof(Op, result_bytes), [](Op& op) { op.result_bytes = 3; }},
    {offsetof(Op, result_shift), [](Op& op) { op.result_shift = 1; }},
    {offsetof(Op, split), [](Op& op) { op.split = 2; }},
    {offsetof(Op, core_rows), [](Op& op) { op.core_rows = 17; }},
    {offsetof(Op, core_columns), [](Op& op) { op.core_columns = 257; }},
    {offsetof(Op, page), [](Op& op) { op.page = 13; }}, // The four tiles need 16 pages.
    {offsetof(Op, page), [](Op& op) { op.page = 17; }},
    {offsetof(Op, plane), [](Op& op) { op.plane = 2; }},
    {offsetof(Op, data_page), [](Op& op) { op.data_page = 15, op.data_pages = 5; }},
    {offsetof(Op, data_plane), [](Op& op) { op.data_plane = 2, op.data_pages = 1; }},
    {offsetof(Op, rest_shift), [](Op& op) { op.rest_shift = 5; }}, // This value makes tiles of 16
                                                                   // columns.
    {offsetof(Op, rest_shift), [](Op& op) { op.rest_shift = 64; }},
};

} // namespace

TEST_CASE("a product in the cores equals a plain one bit for bit, in every format and division")
{
    FlashBench bench({small_flash()});
    bench.run([&] {
        for (unsigned i = 0; i < 8; ++i) { // Each product has four tiles, so both planes are full.
            Op shape = ragged((i & 1) != 0 ? 8 : 4, (i & 2) != 0 ? 1 : 2);
            shape.split = static_cast<std::uint8_t>(i >> 2);
            shape.plane = i & 1;
            shape.page = i / 2 * 4;
            const PlacedMatrix placed = place_matrix(bench, shape, 7 + i);
            const std::uint64_t before = bench.count("vector_bytes");
            Picoseconds took = 0;
            CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
            CHECK(results_of(bench, placed.op) == placed.product());
            // With this division, an input passes the channel once for each row of tiles, or of
            // parts. Results pass once for each part.
            const std::uint64_t inputs = std::uint64_t{50} * (shape.split == 0 ? 2 : 3);
            CHECK(bench.count("vector_bytes") - before == inputs * shape.input_bytes + 4 * 40 * 4);
        }
    });
    // A product has 3 rows of parts by 4 columns of parts, one page each.
    CHECK(bench.count("computed_pages") == 8 * 12);
    // A page has 256 bytes. A tile of 16 x 16 weights of 4 bits fills half of it.
    CHECK(bench.count("padding_weights") == 4 * 12 * (256 + 512) - 8 * 40 * 50);
}

TEST_CASE("partial results of one byte are rounded by a stated scale, and saturations counted")
{
    FlashBench bench({small_flash()});
    Op shape = ragged();
    shape.result_bytes = 1;
    shape.result_shift = 9;
    const PlacedMatrix placed = place_matrix(bench, shape, 8);
    bench.run([&] {
        Picoseconds took = 0;
        CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
        const std::vector<std::int64_t> exact = placed.product(),
                                        sent = results_of(bench, placed.op);
        for (std::size_t i = 0; i < exact.size(); ++i) {
            CHECK(sent[i] % 512 == 0);
            // The result is the sum of four partial results.
            CHECK(std::abs(sent[i] - exact[i]) <= 4 * 256);
        }
    });
    CHECK(bench.count("saturated_results") == 0);
    CHECK(bench.count("vector_bytes") == 100 + 4 * 40);
}

TEST_CASE("the time of one tile by hand, during which the NPU's pages arrive")
{
    FlashBench bench({small_flash()});
    Op shape = ragged();
    shape.rows = shape.columns = 32;
    shape.page = 0;
    const PlacedMatrix placed = place_matrix(bench, shape, 9);
    Op with_pages = placed.op;
    with_pages.data_pages = 8;
    with_pages.data = bench.take(8 * 256);
    bench.run([&] {
        Picoseconds alone = 0, both = 0;
        CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, alone) == LEVEE_ERROR_NONE);
        // The time is the sum of the input (16 ns), tR, 256 MACs at 10 MHz, and two results of 64
        // bytes on each channel.
        const Picoseconds by_hand = 16'000 + 30'000'000 + 25'600'000 + 2 * 64'000;
        CHECK(alone >= by_hand);
        CHECK(alone < by_hand + 200'000); // The remaining time is fetch, bus and polling.
        CHECK(bench.timed(LEVEE_FLASH_COMPUTE, with_pages, both) == LEVEE_ERROR_NONE);
        // Each plane has two pages. Both are sensed within 60 us, and all but the last are
        // transferred by then.
        CHECK(both > 60'000'000);
        CHECK(both < 60'000'000 + 2 * 256'000 + 200'000);
    });
    CHECK(bench.count("read_pages") == 8);
}

TEST_CASE("every step of every request is shown, in order, on tracks of buses, planes and cores")
{
    FlashBench bench({small_flash()}, 0); // Block 0 runs without data.
    Op shape = ragged();
    shape.rows = shape.columns = 32;
    const PlacedMatrix placed = place_matrix(bench, shape, 9);
    const InnerSpans inside = bench.flashes[0]->inside();
    REQUIRE(inside.tracks.size() == 2 * (1 + 2 * 5));
    std::vector<InnerSpan> spans;
    inside.observe([&](const InnerSpan& span) {
        if (inside.tracks[span.track].starts_with("channel 1 "))
            spans.push_back(span);
    });
    std::set<std::uint64_t> chains;
    bench.run([&] {
        Picoseconds took = 0;
        for (std::size_t times = 1; times < 3; ++times) {
            spans.clear();
            CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
            // One input span comes first, then sense, compute, register and result spans of two
            // dies.
            REQUIRE(spans.size() == 9);
            CHECK(spans.front().name == std::string("input"));
            CHECK(spans.front().chains.size() == 2);
            CHECK(inside.tracks[spans[1].track] == "channel 1 die 0 plane 1");
            CHECK(inside.tracks[spans[3].track] == "channel 1 die 0 core");
            CHECK(inside.tracks[spans[4].track] == "channel 1 die 0 plane 1 cache");
            CHECK(inside.tracks[spans[8].track] == "channel 1 bus");
            CHECK(spans.back().name == std::string("result"));
            CHECK(spans.back().to - spans.front().from ==
                  16'000 + 30'000'000 + 25'600'000 + 2 * 64'000);
            CHECK(spans.back().to <= now_ps());
            for (const InnerSpan& span : spans)
                chains.insert(span.chains.begin(), span.chains.end());
            CHECK(chains.size() == 2 * times); // Each operation has its own requests.
        }
    });
}

TEST_CASE("reads, programs and erases are shown step by step")
{
    flash::Config config = small_flash();
    for (flash::TimingConfig& timing : config.channels)
        timing.command = 100'000;
    FlashBench bench({config});
    std::vector<std::string> steps;
    bench.flashes[0]->inside().observe([&](const InnerSpan& span) {
        steps.push_back(span.details[0].second + " " + span.name + " " +
                        std::to_string((span.to - span.from) / 1000));
    });
    using Texts = std::vector<std::string>;
    Op op{};
    op.data_pages = 1;
    op.data = bench.take(256);
    bench.run([&] {
        Picoseconds took = 0;
        CHECK(bench.timed(LEVEE_FLASH_PROGRAM, op, took) == LEVEE_ERROR_NONE);
        const std::string in = std::to_string(100 + config.sent_bytes(true));
        CHECK(steps == Texts{"program data_in " + in, "program program 600000"});
        steps.clear();
        CHECK(bench.timed(LEVEE_FLASH_READ, op, took) == LEVEE_ERROR_NONE);
        CHECK(steps == Texts{"read command 100", "read sense 30000", "read data_out 64",
                             "read hold 256", "read data_out 64", "read data_out 64",
                             "read data_out 64"});
        steps.clear();
        CHECK(bench.timed(LEVEE_FLASH_ERASE, op, took) == LEVEE_ERROR_NONE);
        CHECK(steps == Texts{"erase command 100", "erase erase 3000000"});
    });
}

TEST_CASE("pages are programmed, read back, refused while programmed, and erased")
{
    flash::Config config = small_flash();
    config.npu_ecc = true;
    FlashBench bench({config});
    Op op{};
    op.data_pages = 10; // The data fill two rows of pages on 4 dies, and half of a third row.
    op.data_page = 4;
    op.data_plane = 1;
    flash::test::Random random(3);
    std::vector<std::uint8_t> bytes(10 * 256);
    for (std::uint8_t& byte : bytes)
        byte = static_cast<std::uint8_t>(random.below(256));
    op.data = bench.put(bytes);
    bench.run([&] {
        Picoseconds took = 0;
        CHECK(bench.timed(LEVEE_FLASH_PROGRAM, op, took) == LEVEE_ERROR_NONE);
        // Three pages follow one another in planes of the first dies. Each transfers its data, then
        // takes tPROG.
        CHECK(took > 3 * 600'000'000ull);
        CHECK(took < 3 * 601'000'000ull + 1'000'000);
        Op read = op;
        read.data = bench.take(10 * 256);
        CHECK(bench.timed(LEVEE_FLASH_READ, read, took) == LEVEE_ERROR_NONE);
        CHECK(bench.get<std::uint8_t>(read.data, bytes.size()) == bytes);
        CHECK(bench.timed(LEVEE_FLASH_PROGRAM, op, took) == LEVEE_ERROR_FIELD);
        CHECK(bench.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, data_page)));
        bench.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        CHECK(bench.timed(LEVEE_FLASH_ERASE, op, took) == LEVEE_ERROR_NONE);
        CHECK(bench.timed(LEVEE_FLASH_PROGRAM, op, took) == LEVEE_ERROR_NONE);
    });
    CHECK(bench.count("programmed_pages") == 20);
    CHECK(bench.count("erased_blocks") == 4);
    CHECK(bench.count("worst_cycles") == 1);
}

TEST_CASE("errors pass through the decoder into results, the same at each read")
{
    flash::Config with = small_flash();
    with.cells.errors = flash::ErrorCurve{{{0, 1e-2}}, {}, 0};
    flash::Config without = with;
    without.die_ecc = false;
    FlashBench bench({with, without});
    bench.run([&] {
        for (unsigned i = 0; i < 2; ++i) {
            const PlacedMatrix placed = place_matrix(bench, ragged(), 11, i);
            Picoseconds took = 0;
            CHECK(bench.timed(i, LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
            const std::vector<std::int64_t> sums = results_of(bench, placed.op);
            CHECK(sums != placed.product());
            CHECK(bench.timed(i, LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
            CHECK(results_of(bench, placed.op) == sums);
        }
    });
    CHECK(bench.count("raw_bit_errors", 1) > 2 * 12 * 256 * 8 / 200);
    CHECK(bench.count("corrected_values", 0) > 0);
    CHECK(bench.count("corrected_values", 1) == 0);
    CHECK(bench.count("clamped_values", 1) == 0);
}

TEST_CASE("an invalid descriptor is refused by its field, and nothing changes")
{
    FlashBench bench({small_flash()});
    const PlacedMatrix placed = place_matrix(bench, ragged(), 7);
    bench.run([&] {
        for (const Wrong& wrong : wrongs) {
            Op op = placed.op;
            wrong.spoil(op);
            Picoseconds took = 0;
            CHECK(bench.timed(LEVEE_FLASH_COMPUTE, op, took) == LEVEE_ERROR_FIELD);
            CHECK(bench.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(wrong.member));
            bench.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        }
        Op op = placed.op;
        op.input = 0x123;
        Picoseconds took = 0;
        CHECK(bench.timed(LEVEE_FLASH_COMPUTE, op, took) == LEVEE_ERROR_ADDRESS);
        bench.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        CHECK(bench.timed(9, placed.op, took) == LEVEE_ERROR_OPCODE);
    });
    CHECK(bench.count("computed_pages") == 0);
}

TEST_CASE("a core's buffer must hold input and result, or the shape is refused")
{
    flash::Config config = small_flash();
    config.timing.buffer_bytes = 16 + 16 * 4 - 1;
    config.channels.assign(config.channels.size(), config.timing);
    FlashBench bench({config});
    const PlacedMatrix placed = place_matrix(bench, ragged(), 7);
    bench.run([&] {
        Picoseconds took = 0;
        CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_FIELD);
        CHECK(bench.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, core_columns)));
    });
}

TEST_CASE("a timing-only run has the functional run's time and figures")
{
    FlashBench bench({small_flash(), small_flash()}, 1);
    Picoseconds took[2] = {};
    bench.run([&] {
        for (unsigned i = 0; i < 2; ++i) {
            PlacedMatrix placed = place_matrix(bench, ragged(), 7, i);
            placed.op.data_pages = 5;
            placed.op.data = bench.take(std::uint64_t{5} * 256);
            CHECK(bench.timed(i, LEVEE_FLASH_COMPUTE, placed.op, took[i]) == LEVEE_ERROR_NONE);
        }
    });
    CHECK(took[0] == took[1]);
    for (const char* name :
         {"computed_pages", "read_pages", "channel_bytes", "vector_bytes", "link_bytes",
          "padding_weights", "tiles", "idle_channels", "idle_cores"})
        CHECK(bench.count(name, 0) == bench.count(name, 1));
}

TEST_CASE("pages read by address have the NPU's view of the data, and cannot be written")
{
    flash::Config with_unit = small_flash();
    with_unit.npu_ecc = true;
    with_unit.cells.errors = flash::ErrorCurve{{{0, 2e-3}}, {}, 0};
    FlashBench bench({small_flash(), with_unit});
    std::vector<std::uint8_t> bytes(600, 1);
    bytes[300] = 100;
    for (const auto& one : bench.flashes)
        one->load(1000, bytes);
    bench.run([&] {
        std::vector<std::uint8_t> read(600);
        CHECK(bench.access(tlm::TLM_READ_COMMAND, FlashBench::data_base(0) + 1000, read.data(),
                           600) == tlm::TLM_OK_RESPONSE);
        CHECK(read == bytes);
        CHECK(bench.access(tlm::TLM_READ_COMMAND, FlashBench::data_base(1) + 1000, read.data(),
                           600) == tlm::TLM_OK_RESPONSE);
        CHECK(read[300] == 100);
        CHECK(bench.access(tlm::TLM_WRITE_COMMAND, FlashBench::data_base(0), read.data(), 4) ==
              tlm::TLM_COMMAND_ERROR_RESPONSE);
    });
    CHECK(bench.count("raw_bit_errors", 1) > 0);
    CHECK(bench.count("clamped_values", 1) > 0);
}

TEST_CASE("reads by address of decoded pages also move the codes over channel and link")
{
    flash::Config with_unit = small_flash();
    with_unit.npu_ecc = true;
    const std::uint64_t code = with_unit.cells.code->code_bytes(); // This is the code of 256 bytes.
    FlashBench bench({small_flash(), with_unit, small_flash()});
    for (const auto& one : bench.flashes)
        one->load(0, std::vector<std::uint8_t>(4 * 256, 9));
    bench.run([&] {
        Picoseconds took[2] = {};
        for (unsigned i = 0; i < 2; ++i) {
            std::uint32_t word = 0;
            const Picoseconds begun = now_ps();
            CHECK(bench.access(tlm::TLM_READ_COMMAND, FlashBench::data_base(i) + 254, &word, 4) ==
                  tlm::TLM_OK_RESPONSE);
            took[i] = now_ps() - begun;
        }
        // The difference is the time to transfer the codes of two pages, at 1 GB/s.
        CHECK(took[1] - took[0] == 2 * code * 1000);
        Op op{};
        op.data_pages = 4;
        for (unsigned i = 0; i < 2; ++i) {
            op.data_page = 4 * i;
            op.data = FlashBench::data_base(i);
            Picoseconds programmed = 0;
            CHECK(bench.timed(2, LEVEE_FLASH_ERASE, op, programmed) == LEVEE_ERROR_NONE);
            CHECK(bench.timed(2, LEVEE_FLASH_PROGRAM, op, programmed) == LEVEE_ERROR_NONE);
        }
    });
    CHECK(bench.count("link_bytes", 0) == 4 * 256);
    CHECK(bench.count("link_bytes", 1) == 4 * (256 + code));
    // The rate is the peak of the channels, or of the link if that is lower. Pages with a code are
    // not sensed faster.
    CHECK(with_unit.read_bytes_per_second() == small_flash().read_bytes_per_second());
    for (flash::TimingConfig& channel : with_unit.channels)
        channel.channel_bytes_per_second = 10'000'000;
    CHECK(with_unit.read_bytes_per_second() ==
          2 * (std::uint64_t{10'000'000} * 256 / (256 + code)));
    with_unit.link_bytes_per_second = 1'000'000;
    CHECK(with_unit.read_bytes_per_second() == std::uint64_t{1'000'000} * 256 / (256 + code));
}
