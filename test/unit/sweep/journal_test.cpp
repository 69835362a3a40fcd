// SPDX-License-Identifier: Apache-2.0
// Tests which records a journal returns after an incomplete write.
#include "platform/studies/sweep/journal.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

using levee::sweep::Journal;
using levee::sweep::read_journal;

namespace {

namespace fs = std::filesystem;

struct Place {
    Place() : file(fs::temp_directory_path() / ("levee_journal." + std::to_string(::getpid())))
    {
        fs::remove(file);
    }
    ~Place() { fs::remove(file); }
    fs::path file;
};

std::string bytes(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

std::vector<int> numbers(const fs::path& file, std::size_t damaged = 0)
{
    std::vector<int> found;
    const std::size_t lines =
        read_journal(file, [&](const auto& record) { found.push_back(record.at("n")); });
    CHECK(lines == damaged);
    return found;
}

} // namespace

TEST_CASE("a journal cut anywhere keeps its whole records, and continues after them")
{
    const Place place;
    {
        Journal journal(place.file);
        for (int n = 0; n < 3; ++n)
            journal.append({{"n", n}, {"text", "a\nb"}});
    }
    const std::string whole = bytes(place.file);
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        write(place.file, whole.substr(0, cut));
        const auto before = static_cast<int>(
            std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut), '\n'));
        REQUIRE(numbers(place.file).size() == static_cast<std::size_t>(before));
        Journal(place.file).append({{"n", 7}});
        const std::vector<int> after = numbers(place.file);
        REQUIRE(after.size() == static_cast<std::size_t>(before) + 1);
        REQUIRE(after.back() == 7);
    }
}

TEST_CASE("a damaged record is left out and counted, and later ones are read")
{
    const Place place;
    {
        Journal journal(place.file);
        for (int n = 0; n < 3; ++n)
            journal.append({{"n", n}});
    }
    std::string text = bytes(place.file);
    text[text.find("\"n\":1") + 4] = '9';
    write(place.file, text);
    CHECK(numbers(place.file, 1) == std::vector<int>{0, 2});
}

TEST_CASE("a record that does not fit leaves the journal unchanged, with the reason")
{
    const Place place;
    Journal journal(place.file);
    journal.append({{"n", 1}});
    const std::string before = bytes(place.file);
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small{before.size() + 10, limit.rlim_max}; // The next record fits only in part.
    setrlimit(RLIMIT_FSIZE, &small);
    CHECK_THROWS_WITH(journal.append({{"n", 2}}),
                      Catch::Contains("cannot be written: File too large"));
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK(bytes(place.file) == before);
    journal.append({{"n", 3}});
    CHECK(numbers(place.file) == std::vector<int>{1, 3});
}

TEST_CASE("a journal or line larger than any valid one is not read whole")
{
    const Place place;
    {
        Journal journal(place.file);
        journal.append({{"n", 1}});
    }
    const std::string record = bytes(place.file);
    write(place.file, std::string(std::size_t{70} << 20, 'x') + '\n' + record);
    CHECK(numbers(place.file, 1) == std::vector{1});
    fs::resize_file(place.file, std::uintmax_t{40} << 30);
    CHECK_THROWS_WITH(numbers(place.file),
                      Catch::Contains("has 42949672960 bytes; expected at most 4294967296"));
}
