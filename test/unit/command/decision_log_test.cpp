// SPDX-License-Identifier: Apache-2.0
#include "test/unit/command/parts.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::test;

namespace {

struct Log : DecisionLog {
    using DecisionLog::count_operation;
    using DecisionLog::DecisionLog;
};

/// Stores the last decision and plays it back.
struct Recording : DecisionRecorder, DecisionSource {
    std::string place; ///< names the block and the operation
    Decision last;

    void decided(const std::string& block, std::uint64_t operation,
                 const Decision& decision) override
    {
        place = block + " " + std::to_string(operation);
        last = decision;
    }
    const Decision& decision(const std::string& block, std::uint64_t operation) override
    {
        place = block + " " + std::to_string(operation);
        return last;
    }
};

struct Logged {
    Logged(Parts& parts, const Decisions& decisions)
        : submissions({}, file, parts.observers, none),
          descriptor(idle_declaration, parts.access, submissions, parts.observers, 0),
          log("block", decisions, parts.access, descriptor)
    {
    }
    void fetch(Parts& parts, std::uint64_t operation)
    {
        descriptor.clear();
        descriptor.fetch(parts.put(std::vector{describe(1, operation)}));
    }

    std::function<void(bool)> none;
    RegisterFile file;
    Submissions submissions;
    FetchedDescriptor descriptor;
    Log log;
};

Decision two_words(std::uint64_t at)
{
    Decision decision;
    decision.writes.push_back({bytes_at(at, 4), {1, 0, 0, 0}, 0, 0});
    decision.writes.push_back({bytes_at(at + 4, 4), {2, 0, 0, 0}, 1, 0});
    return decision;
}

} // namespace

TEST_CASE("a decision is executed and recorded, and replayed iteration by iteration")
{
    Parts parts;
    Recording recording;
    Logged one(parts, {&recording, nullptr, nullptr}), other(parts, {nullptr, &recording, nullptr});
    parts.run([&] {
        const std::uint64_t at = parts.put<std::uint32_t>({0, 0});
        const auto words = [&] { return parts.get<std::uint32_t>(at, 2); };
        one.fetch(parts, 77);
        one.log.count_operation();
        one.log.decide(two_words(at));
        CHECK(words() == std::vector<std::uint32_t>{1, 2});
        CHECK(recording.place == "block 1");
        CHECK(recording.last.descriptor == one.descriptor.hash());

        std::memset(parts.at(at), 0, 8);
        other.fetch(parts, 77);
        other.log.replay(1, 2);
        CHECK(recording.place == "block 0");
        CHECK(words() == std::vector<std::uint32_t>{0, 2});
        other.log.replay(0, 1);
        CHECK(words() == std::vector<std::uint32_t>{1, 2});
    });
}

TEST_CASE("a missing recording, or one of another operation, is refused")
{
    Parts parts;
    Recording recording;
    Logged other(parts, {nullptr, &recording, nullptr}), without(parts, {});
    parts.run([&] {
        other.fetch(parts, 78);
        recording.last.descriptor = other.descriptor.hash() + 1;
        CHECK_THROWS_WITH(other.log.replay(0, 1),
                          "block: operation 0 differs from the recorded run; record it again");
        without.fetch(parts, 78);
        CHECK_THROWS_AS(without.log.replay(0, 1), std::logic_error);
    });
}
