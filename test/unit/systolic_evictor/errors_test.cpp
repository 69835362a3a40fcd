// SPDX-License-Identifier: Apache-2.0
// Tests wrong descriptors and tables: the block refuses each, names the faulty field, and writes
// nothing. Corrupted descriptors are executed or refused, and never write outside the tables.
#include "test/support/bad_operation.hpp"
#include "test/unit/systolic_evictor/producer.hpp"

#include <cstddef>
#include <functional>

namespace {

using namespace levee;
using namespace levee::test;
using Op = levee_se_operation;

constexpr std::uint64_t nowhere = 0x70'0000'0000;

using Bad = levee::test::BadOperation<Op>;

constexpr std::uint8_t accumulate = LEVEE_SE_ACCUMULATE, evict = LEVEE_SE_EVICT,
                       select = LEVEE_SE_SELECT, popular = LEVEE_SE_POPULAR,
                       forget = LEVEE_SE_FORGET;

const std::vector<Bad> bad_shapes{
    {evict, [](Op& o) { o.outer[0] = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, outer)},
    {evict, [](Op& o) { o.outer[0] = o.outer[1] = 0xFFFF; }, LEVEE_ERROR_FIELD,
     offsetof(Op, outer)},
    {accumulate, [](Op& o) { o.rows = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, rows)},
    {evict, [](Op& o) { o.rows = 2; }, LEVEE_ERROR_FIELD, offsetof(Op, rows)},
    {evict, [](Op& o) { o.group = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, group)},
    {evict, [](Op& o) { o.n = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, n)},
    {select, [](Op& o) { o.capacity = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, capacity)},
    {accumulate, [](Op& o) { o.score = 2; }, LEVEE_ERROR_FIELD, offsetof(Op, score)},
    {accumulate, [](Op& o) { o.flags = LEVEE_SE_RANDOM; }, LEVEE_ERROR_FIELD, offsetof(Op, flags)},
    {evict, [](Op& o) { o.flags = LEVEE_SE_CAUSAL; }, LEVEE_ERROR_FIELD, offsetof(Op, flags)},
    {select, [](Op& o) { o.flags = 0x10; }, LEVEE_ERROR_FIELD, offsetof(Op, flags)},
    {popular, [](Op& o) { o.flags = LEVEE_SE_RANDOM; }, LEVEE_ERROR_FIELD, offsetof(Op, flags)},
    {evict, [](Op& o) { o.view_bits = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, view_bits)},
    {select, [](Op& o) { o.view_bits = 8; }, LEVEE_ERROR_FIELD, offsetof(Op, view_bits)},
    {forget, [](Op& o) { o.kv_row_bytes = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, kv_row_bytes)},
    {forget, [](Op& o) { o.capacity = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, capacity)},
    {forget, [](Op& o) { o.flags = LEVEE_SE_RANDOM; }, LEVEE_ERROR_FIELD, offsetof(Op, flags)},
    {evict, [](Op& o) { o.n = 3; }, LEVEE_ERROR_FIELD, offsetof(Op, lengths)},
    {evict, [](Op& o) { o.window = 0xFFFF; }, LEVEE_ERROR_FIELD, offsetof(Op, capacity)},
    {select, [](Op& o) { o.capacity = 4, o.sinks = 3, o.window = 2; }, LEVEE_ERROR_FIELD,
     offsetof(Op, capacity)},
    {0, [](Op&) {}, LEVEE_ERROR_OPCODE, Bad::no_member},
    {6, [](Op&) {}, LEVEE_ERROR_OPCODE, Bad::no_member},
};

constexpr auto code = LEVEE_ERROR_ADDRESS;

const std::vector<Bad> bad_addresses{
    {evict, [](Op& o) { o.lengths = 0; }, code, offsetof(Op, lengths)},
    {accumulate, [](Op& o) { o.importance = 0; }, code, offsetof(Op, importance)},
    {evict, [](Op& o) { o.positions = 0; }, code, offsetof(Op, positions)},
    {evict, [](Op& o) { o.now = 0; }, code, offsetof(Op, now)},
    {evict, [](Op& o) { o.arrival = 0; }, code, offsetof(Op, arrival)},
    {select, [](Op& o) { o.next = 0; }, code, offsetof(Op, next)},
    {select, [](Op& o) { o.gather = 0; }, code, offsetof(Op, gather)},
    {popular, [](Op& o) { o.formats = 0; }, code, offsetof(Op, formats)},
    {evict, [](Op& o) { o.scores += 2; }, code, offsetof(Op, scores)},
    {select, [](Op& o) { o.scores += 1; }, code, offsetof(Op, scores)},
    {evict, [](Op& o) { o.scores_stride[1] += 2; }, code, offsetof(Op, scores_stride) + 4},
    {evict, [](Op& o) { o.importance += 1; }, code, offsetof(Op, importance)},
    {evict, [](Op& o) { o.importance_stride[0] += 1; }, code, offsetof(Op, importance_stride)},
    {evict, [](Op& o) { o.positions += 2; }, code, offsetof(Op, positions)},
    {evict, [](Op& o) { o.table_stride[1] = 2; }, code, offsetof(Op, table_stride) + 2},
    {evict, [](Op& o) { o.next += 1; }, code, offsetof(Op, next)},
    {popular, [](Op& o) { o.formats += 4; }, code, offsetof(Op, formats)},
    {evict, [](Op& o) { o.scores = nowhere; }, code, offsetof(Op, scores)},
    {evict, [](Op& o) { o.importance = nowhere; }, code, offsetof(Op, importance)},
    {evict, [](Op& o) { o.positions = nowhere; }, code, offsetof(Op, positions)},
    {evict, [](Op& o) { o.lengths = nowhere; }, code, offsetof(Op, lengths)},
    {evict, [](Op& o) { o.now = nowhere; }, code, offsetof(Op, now)},
    {evict, [](Op& o) { o.arrival = nowhere; }, code, offsetof(Op, arrival)},
    {evict, [](Op& o) { o.next = nowhere; }, code, offsetof(Op, next)},
    {evict, [](Op& o) { o.views = nowhere; }, code, offsetof(Op, views)},
    {forget, [](Op& o) { o.keys = nowhere; }, code, offsetof(Op, keys)},
    {forget, [](Op& o) { o.values = nowhere; }, code, offsetof(Op, values)},
    {forget, [](Op& o) { o.next = 0; }, code, offsetof(Op, next)},
    {forget, [](Op& o) { o.arrival = 0; }, code, offsetof(Op, arrival)},
    {popular, [](Op& o) { o.formats = nowhere; }, code, offsetof(Op, formats)},
    {select, [](Op& o) { o.gather = nowhere; }, code, offsetof(Op, gather)},
    {evict, [](Op& o) { o.scores = LEVEE_STREAM(9); }, LEVEE_ERROR_STREAM, offsetof(Op, scores)},
    {select, [](Op& o) { o.scores = LEVEE_STREAM(0); }, LEVEE_ERROR_STREAM, offsetof(Op, scores)},
};

/// Returns an operation of the given kind with all its optional tables.
Evictions complete(Bench& system, std::uint8_t opcode)
{
    const std::uint64_t mark = system.mark();
    for (std::uint32_t seed = 0;; ++seed) {
        system.release(mark);
        Evictions evictions(system, opcode, seed);
        const Op& op = evictions.op;
        if (op.views != 0 && op.keys != 0 && op.flags == 0 &&
            (op.scores != 0 || opcode == popular) &&
            (op.formats != 0) == (opcode == popular || opcode == evict || opcode == forget))
            return evictions;
    }
}

/// Limits the work of a corrupted operation, which could otherwise take hours.
void curb_work(levee_descriptor& descriptor)
{
    for (const std::size_t member :
         {offsetof(Op, outer), offsetof(Op, outer) + 2, offsetof(Op, rows), offsetof(Op, group)}) {
        std::uint16_t count = 0;
        std::memcpy(&count, descriptor.operation + member, sizeof count);
        count = count > 64 ? count % 64 : count;
        std::memcpy(descriptor.operation + member, &count, sizeof count);
    }
}

} // namespace

TEST_CASE("an error in a descriptor is reported by field, and nothing is written")
{
    EvictorSystem system;
    system.run([&] {
        for (const auto* list : {&bad_shapes, &bad_addresses})
            for (std::size_t i = 0; i < list->size(); ++i) {
                const Bad& bad = (*list)[i];
                INFO("bad operation " << i << " of opcode " << unsigned{bad.opcode});
                const std::uint64_t mark = system.mark();
                const bool known = bad.opcode >= accumulate && bad.opcode <= forget;
                Evictions evictions = complete(system, known ? bad.opcode : evict);
                Op op = evictions.op;
                bad.spoil(op);
                system.traffic.written.clear();
                CHECK(system.execute(evictor, describe(bad.opcode, op)) == bad.code);
                CHECK(system.reg(evictor, LEVEE_CMD_ERROR_FIELD) == bad.field());
                CHECK(system.traffic.written.empty());
                CHECK(system.traffic.discarded.empty());
                system.reset();
                system.release(mark);
            }
    });
}

namespace {

/// Checks that an operation with damaged tables is refused at `member` and writes nothing.
template <typename Damage>
void check_refused(EvictorSystem& system, std::uint8_t opcode, Damage damage, std::size_t member)
{
    const std::uint64_t mark = system.mark();
    Evictions evictions = complete(system, opcode);
    damage(evictions);
    system.traffic.written.clear();
    CHECK(system.execute(evictor, describe(opcode, evictions.op)) != LEVEE_ERROR_NONE);
    CHECK(system.error_field() == member);
    CHECK(system.traffic.written.empty());
    CHECK(system.traffic.discarded.empty());
    system.reset();
    system.release(mark);
}

} // namespace

TEST_CASE("an error in the tables is reported by field")
{
    EvictorSystem system;
    system.run([&] {
        const auto word = [&](std::uint64_t address, std::uint32_t value) {
            std::memcpy(system.at(address), &value, sizeof value);
        };
        const auto check = [&](std::uint8_t opcode, auto damage, std::size_t member) {
            check_refused(system, opcode, damage, member);
        };
        check(
            evict, [&](Evictions& e) { word(e.op.lengths, 0); }, offsetof(Op, lengths));
        check(
            evict, [&](Evictions& e) { word(e.op.lengths, e.op.n + 1); }, offsetof(Op, lengths));
        check(
            evict, [&](Evictions& e) { word(e.op.arrival, e.length); }, offsetof(Op, arrival));
        check(
            evict, [&](Evictions& e) { word(e.op.now, 0); }, offsetof(Op, capacity));
        check(
            popular, [&](Evictions& e) { word(e.op.next, 0); }, offsetof(Op, next));
        check(
            forget, [&](Evictions& e) { word(e.op.next, e.length); }, offsetof(Op, next));
        check(
            forget,
            [&](Evictions& e) {
                e.op.arrival = system.put(std::vector<std::uint32_t>(16, e.length));
            },
            offsetof(Op, arrival));
        check(
            popular, [&](Evictions& e) { word(e.op.positions, 1000000); }, offsetof(Op, positions));
        check(
            evict, [&](Evictions& e) { word(e.formats.current, 1); }, offsetof(Op, formats));
        check(
            evict, [&](Evictions& e) { word(e.formats.current, 1000); }, offsetof(Op, formats));
    });
}

TEST_CASE("an error in the formats is reported by field")
{
    EvictorSystem system;
    system.run([&] {
        const auto formats = [&](auto change) {
            check_refused(
                system, evict,
                [&](Evictions& e) {
                    change(e.formats);
                    std::memcpy(system.at(e.op.formats), &e.formats, sizeof e.formats);
                },
                offsetof(Op, formats));
        };
        formats([](levee_se_formats& f) { f.rows = 0; });
        formats([](levee_se_formats& f) { f.rows = 0xFFFFFFFF; });
        formats([](levee_se_formats& f) { f.x_row_bytes = 0; });
        formats([](levee_se_formats& f) { f.redirect = nowhere; });
        formats([](levee_se_formats& f) { f.slot_of = 0; });
        formats([](levee_se_formats& f) { f.holders += 2; });
        formats([](levee_se_formats& f) { f.used = nowhere; });
        formats([](levee_se_formats& f) { f.row_table_stride += 2; });
    });
}

namespace {

constexpr std::uint64_t guard = 4096; // Size of the guard areas around the tables, in bytes.

using Draw = std::function<std::uint32_t(std::uint32_t below)>;

std::uint32_t draw_wicked(const Draw& draw)
{
    const std::uint32_t wicked[] = {0,      1,          2,          0x80,       0xFFFF,
                                    0x8000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, draw(4096)};
    return wicked[draw(10)];
}

void check_guards(EvictorSystem& system, std::initializer_list<std::uint64_t> guards)
{
    for (const std::uint64_t at : guards)
        CHECK(std::all_of(system.at(at), system.at(at) + guard,
                          [](std::uint8_t byte) { return byte == 0xA5; }));
}

/// Returns whether the operation was executed; otherwise there must be an error.
bool execute(EvictorSystem& system, const levee_descriptor& descriptor)
{
    const std::uint32_t count = system.reg(evictor, LEVEE_CMD_DONE_COUNT);
    const std::uint32_t error = system.execute(evictor, descriptor);
    const bool is_done = system.reg(evictor, LEVEE_CMD_DONE_COUNT) == count + 1;
    CHECK(is_done == (error == LEVEE_ERROR_NONE));
    CHECK(error <= LEVEE_ERROR_FETCH);
    CHECK(system.reg(evictor, LEVEE_CMD_ERROR_FIELD) < LEVEE_DESCRIPTOR_BYTES);
    return is_done;
}

/// Overwrites a word of the tables between two addresses.
void garble_tables(EvictorSystem& system, std::uint64_t first, std::uint64_t last,
                   std::uint32_t value, const Draw& draw)
{
    const auto words = static_cast<std::uint32_t>((last - first) / sizeof value);
    std::memcpy(system.at(first + sizeof value * draw(words)), &value, sizeof value);
}

/// Overwrites a part of the operation.
void garble(levee_descriptor& descriptor, std::uint32_t value, const Draw& draw)
{
    const std::size_t size = std::size_t{1} << draw(3);
    const std::size_t at = size * draw(static_cast<std::uint32_t>(176 / size));
    std::memcpy(descriptor.operation + at, &value, size);
    curb_work(descriptor);
}

} // namespace

TEST_CASE(
    "corrupted descriptors and tables are executed or refused, and write only inside the tables")
{
    EvictorSystem system;
    system.run([&] {
        std::uint32_t done = 0, refused = 0;
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 6000; ++seed) {
            const Draw draw = [seed, drawn = std::uint64_t{0}](std::uint32_t below) mutable {
                return random_word(seed, 31, drawn++) % below;
            };
            INFO("seed " << seed);
            system.release(mark);
            const auto opcode = static_cast<std::uint8_t>(1 + draw(5));
            const std::uint64_t before = system.take(guard);
            Evictions evictions(system, opcode, seed);
            const std::uint64_t after = system.take(guard);
            for (const std::uint64_t at : {before, after})
                std::memset(system.at(at), 0xA5, guard);
            auto descriptor = describe(opcode, evictions.op);
            const std::uint32_t value = draw_wicked(draw);
            const bool in_tables = draw(3) == 0;
            if (in_tables)
                garble_tables(system, before + guard, after, value, draw);
            else
                garble(descriptor, value, draw);
            if (std::all_of(descriptor.operation, descriptor.operation + 8,
                            [](std::uint8_t byte) { return byte == 0xFF; }))
                continue; // The operation waits for a stream.
            const bool is_done = execute(system, descriptor);
            (is_done ? done : refused) += 1;
            if (!is_done)
                system.reset();
            if (in_tables && !is_done)
                check_guards(system, {before, after});
        }
        CHECK(done > 2000);
        CHECK(refused > 500);
    });
}
