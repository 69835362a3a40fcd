// SPDX-License-Identifier: Apache-2.0
// Tests tasks in separate processes, and what they pass to later tasks.
#include "platform/studies/sweep/forks.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <string>
#include <unistd.h>
#include <vector>

using namespace levee::sweep;

namespace {

const Handed nothing{[] { return std::string(); }, [](const std::string&) {}};

} // namespace

TEST_CASE("results of a task's process are available in processes that start after its end")
{
    std::string known;
    const Handed handed{[&known] { return known + "+"; },
                        [&known](const std::string& given) { known = given; }};
    std::vector<std::string> seen;
    run_forks(
        4, 1,
        [&known](std::size_t, unsigned, int output) {
            hand_over(known, output);
            return 0;
        },
        handed,
        [&seen](std::size_t, const Ended& ended) {
            seen.push_back(ended.output);
            return true;
        });
    CHECK(seen == std::vector<std::string>{"", "+", "++", "+++"});
}

TEST_CASE("more data than fit in a pipe are handed over, next to output and log")
{
    std::size_t taken = 0;
    const Handed handed{[] { return std::string(3'000'000, 'g'); },
                        [&taken](const std::string& given) { taken += given.size(); }};
    std::vector<Ended> all;
    run_forks(
        3, 2,
        [](std::size_t index, unsigned, int output) {
            std::printf("task %zu\n", index);
            hand_over(std::string(1'000'000, 'o'), output);
            return static_cast<int>(index);
        },
        handed,
        [&all](std::size_t, Ended ended) {
            all.push_back(std::move(ended));
            return true;
        });
    REQUIRE(all.size() == 3);
    for (const Ended& ended : all) {
        CHECK(ended.output.size() == 1'000'000);
        CHECK(ended.log == "task " + std::to_string(ended.code) + "\n");
    }
    CHECK(taken == 9'000'000);
}

TEST_CASE("a process that is killed hands nothing over and stops no other")
{
    std::vector<int> codes;
    run_forks(
        3, 1,
        [](std::size_t index, unsigned, int) {
            if (index == 1)
                ::raise(SIGKILL);
            return 0;
        },
        nothing,
        [&codes](std::size_t, const Ended& ended) {
            codes.push_back(ended.code);
            return true;
        });
    CHECK(codes == std::vector<int>{0, signal_base + SIGKILL, 0});
}

TEST_CASE("a task continues in a copy of its process, and itself after the copy's end")
{
    std::vector<std::size_t> given;
    std::string output;
    run_forks(
        1, 1,
        [](std::size_t, unsigned, int to) {
            const bool is_copy = go_on_in_copy();
            hand_over(is_copy ? "copy " : "itself", to);
            return is_copy ? 3 : 0;
        },
        {[] { return std::string("given"); },
         [&given](const std::string& text) { given.push_back(text.size()); }},
        [&output](std::size_t, const Ended& ended) {
            output = ended.output;
            CHECK(ended.code == 0);
            return true;
        });
    CHECK(output == "copy itself");
    CHECK(given == std::vector<std::size_t>{10}); // This is the length of both processes' texts.
}
