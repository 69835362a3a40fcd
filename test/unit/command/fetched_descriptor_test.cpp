// SPDX-License-Identifier: Apache-2.0
#include "test/unit/command/parts.hpp"

#include <cstddef>

using namespace levee;
using namespace levee::test;

namespace {

struct Work {
    std::uint64_t from = 0, to = 0;
    std::uint32_t bytes = 0, rest = 0;
};

/// The part that fetches descriptors, with a declaration of a given size.
struct Fetched {
    Fetched(Parts& system, std::size_t bytes)
        : parts(system), declaration{.type = "some", .operation_bytes = bytes},
          submissions({}, file, system.observers, none),
          descriptor(declaration, system.access, submissions, system.observers, fetch)
    {
    }

    /// Fetches and checks the descriptor. Returns "code@field" if it is refused.
    std::string take(const levee_descriptor& wanted)
    {
        const std::uint64_t at = parts.put(std::vector<levee_descriptor>{wanted});
        return fault_of([&] {
            descriptor.clear();
            descriptor.fetch(at);
            descriptor.check_head(parts.sync);
            descriptor.apply_indirect();
        });
    }

    Parts& parts;
    Declaration declaration;
    std::function<void(bool)> none;
    RegisterFile file;
    Submissions submissions;
    FetchedDescriptor descriptor;
};

using Head = levee_descriptor;

} // namespace

TEST_CASE("a descriptor's head is checked field by field")
{
    Parts parts;
    Fetched fetched(parts, sizeof(Work));
    parts.run([&] {
        const levee_descriptor good = describe(1, Work{1, 2, 3, 4});
        CHECK(fetched.take(good).empty());
        const auto with = [&](auto change) {
            levee_descriptor wrong = good;
            change(wrong);
            return fetched.take(wrong);
        };
        CHECK(with([](Head& d) { d.magic ^= 1; }) == fault(LEVEE_ERROR_MAGIC, 0));
        CHECK(with([](Head& d) { d.version = 9; }) ==
              fault(LEVEE_ERROR_VERSION, offsetof(Head, version)));
        CHECK(with([](Head& d) { d.flags = 0x80; }) ==
              fault(LEVEE_ERROR_FIELD, offsetof(Head, flags)));
        CHECK(with([](Head& d) { d.reserved0 = 1; }) ==
              fault(LEVEE_ERROR_FIELD, offsetof(Head, reserved0)));
        CHECK(with([](Head& d) { d.continuation_bytes = 8; }) ==
              fault(LEVEE_ERROR_FIELD, offsetof(Head, continuation_bytes)));
        CHECK(with([](Head& d) { d.wait_counter[2] = 16; }) ==
              fault(LEVEE_ERROR_COUNTER, offsetof(Head, wait_counter) + 2));
        CHECK(with([](Head& d) { d.signal_counter[1] = 16; }) ==
              fault(LEVEE_ERROR_COUNTER, offsetof(Head, signal_counter) + 1));
        CHECK(fault_of([&] { fetched.descriptor.fetch(memory_base + 4); }) ==
              fault(LEVEE_ERROR_FETCH, 0));
    });
}

TEST_CASE("indirect operands are added only to members of the operation")
{
    Parts parts;
    Fetched fetched(parts, sizeof(Work));
    parts.run([&] {
        const std::uint64_t word = parts.put<std::uint32_t>({5});
        levee_descriptor descriptor = describe(1, Work{100, 200, 3, 4});
        const auto at = [](std::size_t member) {
            return static_cast<std::uint16_t>(operation_field(member));
        };
        descriptor.indirect[0] = {word, -8, at(offsetof(Work, from)), 8};
        descriptor.indirect[1] = {word, 2, at(offsetof(Work, bytes)), 4};
        CHECK(fetched.take(descriptor).empty());
        Work work;
        std::memcpy(&work, fetched.descriptor.operation().data(), sizeof work);
        CHECK(work.from == 60);
        CHECK(work.bytes == 13);
        CHECK(work.rest == 4);
        const auto second = offsetof(Head, indirect) + sizeof(levee_indirect);
        const auto with = [&](const levee_indirect& wrong) {
            descriptor.indirect[1] = wrong;
            return fetched.take(descriptor);
        };
        CHECK(with({word, 1, at(0), 2}) == fault(LEVEE_ERROR_FIELD, second));
        // The field is in the descriptor's head.
        CHECK(with({word, 1, 8, 4}) == fault(LEVEE_ERROR_FIELD, second));
        CHECK(with({word, 1, LEVEE_DESCRIPTOR_BYTES - 4, 8}) == fault(LEVEE_ERROR_FIELD, second));
        CHECK(with({word + 2, 1, at(0), 8}) == fault(LEVEE_ERROR_ADDRESS, second));
        CHECK(with({0x7000'0000, 1, at(0), 8}) == fault(LEVEE_ERROR_ADDRESS, second));
    });
}

TEST_CASE("a long operation is assembled from the descriptor and its continuation")
{
    Parts parts;
    Fetched fetched(parts, 200);
    parts.run([&] {
        std::vector<std::uint8_t> whole(200);
        for (std::size_t i = 0; i < whole.size(); ++i)
            whole[i] = static_cast<std::uint8_t>(i);
        constexpr std::size_t first = LEVEE_DESCRIPTOR_INLINE_BYTES;
        const std::uint64_t rest =
            parts.put(std::vector<std::uint8_t>(whole.begin() + first, whole.end()));
        levee_descriptor descriptor = describe(1, std::uint8_t{0});
        descriptor.version = LEVEE_DESCRIPTOR_V2;
        descriptor.continuation_bytes = static_cast<std::uint32_t>(whole.size() - first);
        std::memcpy(descriptor.operation, whole.data(), first);
        std::memcpy(descriptor.operation + first, &rest, sizeof rest);
        const Picoseconds begin = now_ps();
        CHECK(fetched.take(descriptor).empty());
        CHECK(now_ps() == begin + fetch); // The continuation takes another fetch.
        const std::span<const std::uint8_t> got = fetched.descriptor.operation();
        CHECK(std::vector(got.begin(), got.end()) == whole);
        CHECK(fetched.descriptor.field_in_memory(operation_field(8)) == operation_field(8));
        CHECK(fetched.descriptor.field_in_memory(operation_field(first)) ==
              operation_field(first) + 8);
        const std::uint64_t hash = fetched.descriptor.hash();
        *parts.at(rest) ^= 1; // Corrupts a byte of the continuation.
        CHECK(fetched.take(descriptor).empty());
        CHECK(fetched.descriptor.hash() != hash);
        descriptor.continuation_bytes -= 1;
        CHECK(fetched.take(descriptor) ==
              fault(LEVEE_ERROR_FIELD, offsetof(Head, continuation_bytes)));
        descriptor.version = LEVEE_DESCRIPTOR_V1;
        CHECK(fetched.take(descriptor) == fault(LEVEE_ERROR_VERSION, offsetof(Head, version)));
    });
}
