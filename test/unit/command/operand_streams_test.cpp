// SPDX-License-Identifier: Apache-2.0
#include "test/unit/command/parts.hpp"

using namespace levee;
using namespace levee::test;

namespace {

constexpr std::uint32_t field = Idle::operand_field, other_field = field + 8;

struct Streams : OperandStreams {
    using OperandStreams::begin_streams;
    using OperandStreams::discard_last_read;
    using OperandStreams::OperandStreams;
};

struct Discards : bus::BusObserver {
    std::vector<std::uint64_t> addresses;

    void passed(const bus::Transaction& transaction) override
    {
        const BulkExtension* const bulk = transaction.bulk;
        if (bulk != nullptr && bulk->phase == BulkExtension::Phase::Discard)
            addresses.push_back(bulk->pattern.address);
    }
};

} // namespace

TEST_CASE("a stream adds the resources that it uses, and an invalid one names its field")
{
    Parts parts;
    Streams streams(parts.access, parts.idle);
    parts.run([&] {
        Operation operation;
        const std::uint64_t at = parts.take(256);
        streams.begin_streams(0);
        streams.add_stream(operation, Direction::Read, bytes_at(at, 64), 64, field);
        CHECK(operation.job.activity.uses.size() == 2); // The stream uses the link and the memory.
        CHECK(operation.lead == hop + memory_latency);
        AccessPattern overlap = bytes_at(at, 32);
        overlap.count[2] = 4;
        overlap.stride[2] = 8;
        CHECK(fault_of([&] {
                  streams.add_stream(operation, Direction::Write, overlap, 128, field);
              }) == fault(LEVEE_ERROR_FIELD, field));
        CHECK(fault_of([&] {
                  streams.add_stream(operation, Direction::Read, overlap, 128, field);
              }).empty());
        AccessPattern vast = bytes_at(at, 1 << 20);
        vast.count = {1 << 10, 1 << 10, 1};
        CHECK(fault_of([&] {
                  streams.add_stream(operation, Direction::Read, vast, vast.bytes(), field);
              }) == fault(LEVEE_ERROR_FIELD, field));
        CHECK(fault_of([&] {
                  const AccessPattern none = bytes_at(0x7000'0000, 64);
                  streams.add_stream(operation, Direction::Read, none, 64, other_field);
              }) == fault(LEVEE_ERROR_ADDRESS, other_field));
    });
}

TEST_CASE("rows of a table are one scattered stream, and each written row is checked")
{
    Parts parts;
    Streams streams(parts.access, parts.idle);
    parts.run([&] {
        Operation operation;
        const std::uint64_t at = parts.take(1024);
        streams.begin_streams(0);
        const RowList rows{{at + 512, at, at + 96}, 32};
        streams.add_rows(operation, Direction::Write, rows, 96, field);
        CHECK(operation.job.activity.uses.size() == 2);
        CHECK(operation.job.activity.uses.back().bytes == 96);
        CHECK(operation.job.activity.uses.back().pattern.scattered);
        streams.add_rows(operation, Direction::Write, {{}, 32}, 0, field);
        CHECK(operation.job.activity.uses.size() == 2);
        CHECK(fault_of([&] {
                  const RowList outside{{at, 0x7000'0000, at + 32}, 32};
                  streams.add_rows(operation, Direction::Write, outside, 96, other_field);
              }) == fault(LEVEE_ERROR_ADDRESS, other_field));
    });
}

TEST_CASE("the last reader of an operand discards the bytes that it has read")
{
    Parts parts;
    Discards discards;
    parts.bus.observe(discards);
    Streams streams(parts.access, parts.idle);
    parts.run([&] {
        Operation operation;
        const std::uint64_t at = parts.take(1024);
        const auto read_all = [&](unsigned flags) {
            discards.addresses.clear();
            streams.begin_streams(flags);
            streams.add_stream(operation, Direction::Read, bytes_at(at, 64), 64, field);
            streams.add_stream(operation, Direction::Read, bytes_at(at + 64, 64), 64, other_field);
            streams.add_stream(operation, Direction::Write, bytes_at(at + 128, 64), 64, field);
            const RowList rows{{at + 512, at + 256}, 32};
            streams.add_rows(operation, Direction::Read, rows, 64, field);
            streams.discard_last_read();
            return discards.addresses;
        };
        using Addresses = std::vector<std::uint64_t>;
        CHECK(read_all(LEVEE_DESC_LAST_READ_0) == Addresses{at, at + 512, at + 256});
        CHECK(read_all(0).empty());
        CHECK(read_all(LEVEE_DESC_LAST_READ_1).empty());
    });
}
