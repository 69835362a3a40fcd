// SPDX-License-Identifier: Apache-2.0
// Tests that the DMA engine and the function unit do the same in timing-only runs as in functional
// runs. Only the data that they move differ.
#include "test/unit/blocks/random_vectors.hpp"
#include "test/unit/blocks/twins.hpp"

namespace {

using namespace levee;
using namespace levee::test;

using Copy = levee_dma_operation;
using Op = levee_sfu_operation;

constexpr std::uint64_t region = 1 << 14;

constexpr std::uint32_t rows = 8; // number of rows that a word of k's table may select

/// Returns a random copy between two regions in both memories, with or without tables.
levee_descriptor random_copy(Twins& system, std::uint32_t seed, std::uint8_t flags)
{
    std::uint64_t drawn = 0;
    const auto draw = [&](std::uint32_t below) { return random_word(seed, 3, drawn++) % below; };
    Copy copy{};
    copy.source = system.take(region);
    copy.destination = system.take(region);
    copy.flags = flags;
    copy.fill = static_cast<std::uint8_t>(seed);
    copy.run_bytes = 1 + draw(40);
    for (std::uint32_t& count : copy.count)
        count = 1 + draw(5);
    for (auto* const stride : {copy.source_stride, copy.destination_stride}) {
        stride[2] = copy.run_bytes + draw(4);
        stride[1] = rows * stride[2];
        stride[0] = copy.count[1] * stride[1];
    }
    const bool fills = draw(4) == 0;
    if (draw(3) == 0 && !fills)
        copy.source_index = system.put_table(rows, draw);
    if (draw(3) == 0)
        copy.destination_index = system.put_table(rows, draw);
    for (auto* const stride : {copy.source_index_stride, copy.destination_index_stride}) {
        stride[2] = 4 * static_cast<std::int32_t>(draw(2));
        stride[1] = 20;
        stride[0] = 100;
    }
    if (draw(2) == 0)
        Twins::move_there(copy.source);
    if (draw(2) == 0)
        Twins::move_there(copy.destination);
    levee_descriptor descriptor = describe(fills ? LEVEE_DMA_FILL : LEVEE_DMA_COPY, copy);
    descriptor.signal_every[0] = draw(3);
    descriptor.flags = draw(2) == 0 ? LEVEE_DESC_LAST_READ_0 : 0;
    return descriptor;
}

/// Moves some tensors, selected by the bits of `which`, to the memory that tracks its rows.
void spread(Op& op, std::uint32_t which)
{
    std::uint64_t* const tensors[] = {&op.x, &op.y, &op.gain, &op.bias, &op.out, &op.out_scale};
    for (std::size_t i = 0; i < std::size(tensors); ++i)
        if ((which >> i & 1) != 0)
            Twins::move_there(*tensors[i]);
}

/// Uses a word for each row instead of one for each (o0, o1). Some words are SKIP.
void place_rows(Twins& system, Op& op, std::uint32_t seed)
{
    op.flags |= LEVEE_SFU_ROW_WORDS;
    op.indices_stride[1] = static_cast<std::uint16_t>(4 * op.rows);
    op.indices_stride[0] = static_cast<std::uint16_t>(op.indices_stride[1] * op.outer[1]);
    std::vector<std::uint32_t> words(std::size_t{op.outer[0]} * op.outer[1] * op.rows);
    for (std::uint32_t i = 0; i < words.size(); ++i)
        words[i] = random_word(seed, 9, i) % 4 == 0 ? LEVEE_SFU_SKIP : random_word(seed, 8, i) % 9;
    op.indices = system.put(words);
}

Op random_operation(Twins& system, Vectors& vectors, std::uint32_t seed)
{
    Op op = vectors.op;
    const std::uint32_t draw = random_word(seed, 7, 0);
    spread(op, draw);
    const bool scatters = (op.flags & LEVEE_SFU_SCATTER) != 0;
    if (scatters && (draw >> 8) % 2 == 0)
        place_rows(system, op, seed);
    if (scatters && op.out_scale != 0 && !vectors.is_pick() && (draw >> 9) % 3 == 0)
        op.flags |= LEVEE_SFU_SCATTER_SCALE;
    return op;
}

std::uint8_t opcode_of(std::uint32_t seed)
{
    return static_cast<std::uint8_t>(1 + seed % LEVEE_SFU_SOFTMAX_KNOWN);
}

/// Two function units of each kind, with a port between each pair.
struct Chains : Bench {
    static constexpr sfu::Config unit{Clock{1'000'000'000}, 8, 10, queue_config};
    Fabric shapes{flows, sync, streams, DataMode::TimingOnly, {}};
    sfu::Sfu real_from{"real_from", unit, fabric}, real_to{"real_to", unit, fabric};
    sfu::Sfu shape_from{"shape_from", unit, shapes}, shape_to{"shape_to", unit, shapes};
    Asked asked[4];

    Chains() : Bench("bench", {{"port", 1'000'000'000, 7'000}})
    {
        CommandQueue* const queues[] = {&real_from.queue, &real_to.queue, &shape_from.queue,
                                        &shape_to.queue};
        for (std::size_t i = 0; i < std::size(queues); ++i) {
            connect(*queues[i]);
            queues[i]->observe(asked[i]);
        }
    }
    struct Result {
        std::uint32_t errors[2];
        Picoseconds took;
    };
    Result execute_on(unsigned from, const levee_descriptor& producer,
                      const levee_descriptor& consumer)
    {
        const Picoseconds begun = now_ps();
        submit(from, {producer});
        submit(from + 1, {consumer});
        CHECK((settle(from) && settle(from + 1)));
        Result result{{}, now_ps() - begun};
        for (unsigned i = 0; i < 2; ++i) {
            result.errors[i] = reg(from + i, LEVEE_CMD_ERROR_CODE);
            set_reg(from + i, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        }
        return result;
    }
};

} // namespace

TEST_CASE("a timing-only copy has the functional copy's accesses and times, but moves no data")
{
    Twins system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        std::uint32_t accounted = 0, executed = 0;
        for (std::uint32_t seed = 0; seed < 600; ++seed) {
            system.release(mark);
            const levee_descriptor descriptor = random_copy(system, seed, 0);
            std::vector<std::uint8_t> before;
            INFO("seed " << seed);
            const std::uint32_t error = system.compare(Twins::RealDma, descriptor, [&] {
                Copy copy;
                std::memcpy(&copy, descriptor.operation, sizeof copy);
                const bool there = copy.destination >= more_base;
                std::memset(there ? system.more.storage().data() + (copy.destination - more_base)
                                  : system.at(copy.destination),
                            0x5A, region);
                before = system.bytes();
            });
            CHECK(system.bytes() == before);
            accounted += system.more.account.empty() ? 0 : 1;
            executed += error == LEVEE_ERROR_NONE ? 1 : 0;
        }
        CHECK(accounted > 350);
        CHECK(executed > 500);
    });
}

TEST_CASE("a copy of control words moves them in a timing-only run, too")
{
    Twins system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 300; ++seed) {
            system.release(mark);
            const levee_descriptor descriptor = random_copy(system, seed, LEVEE_DMA_CONTROL);
            std::vector<std::uint8_t> clean(2 * region), functional;
            for (std::size_t i = 0; i < clean.size(); ++i)
                clean[i] = static_cast<std::uint8_t>(random_word(seed, 2, i));
            const auto place = [&] { // Copies go between two regions.
                std::copy(clean.begin(), clean.end(), system.at(memory_base + mark));
                std::copy(clean.begin(), clean.end(), system.more.storage().data() + mark);
            };
            place();
            INFO("seed " << seed);
            system.compare(Twins::RealDma, descriptor, [&] {
                functional = system.bytes();
                place();
            });
            CHECK(system.bytes() == functional);
        }
        Copy copy{};
        copy.count[0] = copy.count[1] = copy.count[2] = copy.run_bytes = 1;
        copy.source = copy.destination = system.take(64);
        copy.flags = 2;
        CHECK(system.compare(Twins::RealDma, describe(LEVEE_DMA_COPY, copy), [] {}) ==
              LEVEE_ERROR_FIELD);
    });
}

TEST_CASE("timing-only vector operations have the functional ones' accesses and times, and write "
          "only picks")
{
    Twins system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        std::uint32_t accounted = 0, executed = 0;
        for (std::uint32_t seed = 0; seed < 1300; ++seed) {
            system.release(mark);
            Vectors vectors(system, opcode_of(seed), seed);
            const Op op = random_operation(system, vectors, seed);
            levee_descriptor descriptor = describe(vectors.opcode, op);
            const std::uint32_t draw = random_word(seed, 7, 1);
            descriptor.signal_every[0] = draw % 3;
            if ((draw >> 8) % 2 == 0)
                descriptor.flags = LEVEE_DESC_LAST_READ_0 | LEVEE_DESC_LAST_READ_1;
            vectors.fill_output();
            std::memset(system.more.storage().data(), 0, system.mark());
            std::vector<std::uint8_t> expected;
            INFO("seed " << seed << " opcode " << unsigned{vectors.opcode});
            const std::uint32_t error = system.compare(Twins::RealSfu, descriptor, [&] {
                if (vectors.is_pick())
                    expected = system.bytes();
                vectors.fill_output();
                std::memset(system.more.storage().data(), 0, system.mark());
                if (!vectors.is_pick())
                    expected = system.bytes();
            });
            CHECK(system.bytes() == expected);
            accounted += system.more.account.empty() ? 0 : 1;
            executed += error == LEVEE_ERROR_NONE ? 1 : 0;
        }
        CHECK(accounted > 900);
        CHECK(executed > 1100);
    });
}

TEST_CASE("timing-only blocks refuse the same fields as functional blocks")
{
    Twins system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        std::uint32_t refused = 0;
        constexpr std::uint32_t descriptors = 1200;
        for (std::uint32_t seed = 0; seed < descriptors; ++seed) {
            system.release(mark);
            const bool copies = seed % 3 == 0;
            levee_descriptor descriptor = random_copy(system, seed, 0);
            std::size_t last = offsetof(Copy, count), from = 0;
            if (!copies) {
                Vectors vectors(system, opcode_of(seed / 3), seed);
                const Op op = random_operation(system, vectors, seed);
                descriptor = describe(vectors.opcode, op);
                // This range of bytes excludes the members that set sizes.
                from = seed % 2 == 0 ? 0 : offsetof(Op, length_add);
                last = seed % 2 == 0 ? offsetof(Op, outer) : sizeof op;
            }
            descriptor.operation[from + random_word(seed, 6, 0) % (last - from)] ^=
                static_cast<std::uint8_t>(1 + random_word(seed, 6, 1) % 255);
            Op op;
            std::memcpy(&op, descriptor.operation, sizeof op);
            if (!copies && op.tap != 0)
                continue; // No unit reads from the tap, so the operation is omitted.
            INFO("seed " << seed << " opcode " << unsigned{descriptor.opcode});
            const unsigned real = copies ? Twins::RealDma : Twins::RealSfu;
            refused += system.compare(real, descriptor, [] {}) != LEVEE_ERROR_NONE ? 1 : 0;
        }
        CHECK(refused > 300);
        CHECK(refused < descriptors - 300);
    });
}

TEST_CASE(
    "timing-only chains take as long as functional ones, and their ends must agree on the shape")
{
    Chains system;
    system.run([&] {
        Op softmax{};
        softmax.outer[0] = softmax.outer[1] = 2;
        softmax.rows = 1;
        softmax.n = 24;
        softmax.x_type = softmax.out_type = LEVEE_TYPE_FP32;
        softmax.x = system.take(1024);
        softmax.out = system.take(1024);
        for (auto* const stride : {softmax.x_stride, softmax.out_stride}) {
            stride[1] = 96;
            stride[0] = 192;
        }
        softmax.tap = 1;
        Op relu = softmax;
        relu.x = LEVEE_STREAM(0);
        relu.out = system.take(1024);
        relu.tap = 0;
        for (const std::uint32_t n : {24u, 23u}) {
            relu.n = n;
            INFO("elements " << n);
            const auto from = describe(LEVEE_SFU_SOFTMAX, softmax);
            const auto to = describe(LEVEE_SFU_RELU, relu);
            const auto real = system.execute_on(0, from, to);
            const auto shape = system.execute_on(2, from, to);
            const std::uint32_t error = n == 24 ? LEVEE_ERROR_NONE : LEVEE_ERROR_STREAM;
            for (unsigned i = 0; i < 2; ++i) {
                CHECK(real.errors[i] == error);
                CHECK(shape.errors[i] == error);
            }
            CHECK(shape.took == real.took);
            CHECK(system.asked[0].same_as(system.asked[2]));
            CHECK(system.asked[1].same_as(system.asked[3]));
        }
    });
}

TEST_CASE("runs from statistics pick token 0, and without a table place the expected share of rows")
{
    Twins system(true);
    system.statistics.holders = 0.6;
    system.run([&] {
        Op op{};
        op.outer[0] = 2;
        op.outer[1] = 1;
        op.rows = 1;
        op.n = 16;
        op.x_type = LEVEE_TYPE_FP32;
        op.x = system.put(std::vector<float>(32, 1.0f));
        op.x_stride[0] = 64;
        op.out = system.put(std::vector<std::uint32_t>(8, 77));
        op.out_stride[0] = sizeof(levee_sfu_pick);
        CHECK(system.execute_on(Twins::ShapeSfu, describe(LEVEE_SFU_ARGMAX, op)).error ==
              LEVEE_ERROR_NONE);
        CHECK(system.get<std::uint32_t>(op.out, 8) == std::vector<std::uint32_t>(8, 0));

        op.outer[1] = 5;
        op.rows = 4;
        op.x = system.take(1 << 12);
        op.x_stride[2] = 64;
        op.out = system.take(1 << 12);
        op.out_type = LEVEE_TYPE_INT16;
        op.out_stride[2] = 32;
        op.out_stride[1] = 128;
        op.out_stride[0] = 640;
        op.flags = LEVEE_SFU_SCATTER | LEVEE_SFU_SCATTER_SCALE | LEVEE_SFU_ROW_WORDS;
        op.indices = memory_base + 4; // Statistical runs never read this table.
        op.out_scale = more_base;
        op.out_scale_stride[2] = 4;
        op.out_scale_stride[1] = 400;
        op.out_scale_stride[0] = 2000;
        CHECK(system.execute_on(Twins::ShapeSfu, describe(LEVEE_SFU_QUANTISE, op)).error ==
              LEVEE_ERROR_NONE);
        CHECK(system.more.streamed[1] == 24 * 4); // 0.6 of the 40 rows are stored.
    });
}
