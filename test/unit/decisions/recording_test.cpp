// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/decisions/recording.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace levee;

namespace fs = std::filesystem;

namespace {

const Fingerprint fingerprint{{"model.layers", "3"}, {"prompts", "5/5 60/60"}};

class File {
public:
    File() : path(fs::temp_directory_path() / ("levee_recording." + std::to_string(::getpid()))) {}
    ~File() { fs::remove(path); }
    [[nodiscard]] std::string bytes() const
    {
        std::ifstream stream(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
    [[nodiscard]] std::string read() const
    {
        std::ifstream stream(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    fs::path path;
};

/// Returns a different decision for each operation; together they cover every shape of a write.
Decision decision_of(std::uint64_t operation)
{
    Decision decision;
    decision.descriptor = operation * 0x9E3779B97F4A7C15u;
    for (std::uint32_t i = 0; i < operation % 4; ++i) {
        Decision::Write write;
        write.iteration = i;
        write.what = static_cast<std::uint8_t>(i + 1);
        write.pattern.address = 0x1'2000'0000 + 64 * operation + i;
        write.pattern.run_bytes = 4 + i;
        if (i == 1) {
            write.pattern.count = {2, 1, 3};
            write.pattern.stride = {-64, 0, 16};
            write.pattern.scattered = true;
        }
        if (i != 2)
            write.bytes.assign(write.pattern.bytes(), static_cast<std::uint8_t>(operation + i));
        decision.writes.push_back(write);
    }
    return decision;
}

bool equal(const Decision& a, const Decision& b)
{
    const auto same = [](const Decision::Write& x, const Decision::Write& y) {
        return x.iteration == y.iteration && x.what == y.what && x.bytes == y.bytes &&
               x.pattern.address == y.pattern.address &&
               x.pattern.run_bytes == y.pattern.run_bytes && x.pattern.count == y.pattern.count &&
               x.pattern.stride == y.pattern.stride && x.pattern.scattered == y.pattern.scattered;
    };
    return a.descriptor == b.descriptor &&
           std::equal(a.writes.begin(), a.writes.end(), b.writes.begin(), b.writes.end(), same);
}

/// Records decisions of two blocks. The second block decides at every seventh operation of the
/// first.
void record(const File& file, std::uint64_t operations)
{
    RecordingWriter writer(file.path, fingerprint);
    for (std::uint64_t i = 0; i < operations; ++i) {
        writer.decided("evictor.queue", 3 * i, decision_of(i));
        if (i % 7 == 0)
            writer.decided("sfu.queue", i, decision_of(i + 1));
    }
    writer.close();
}

std::string refusal(const File& file)
{
    try {
        Recording recording(file.path);
        Recording::Record record;
        while (recording.next(record)) {
        }
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("recording: decisions are returned by block and operation, as often as requested")
{
    const File file;
    record(file, 5000);
    Recording recording(file.path);
    recording.check(fingerprint);
    for (std::uint64_t i = 0; i < 5000; ++i) {
        // The decisions are read in a different order than they were made.
        if (i % 7 == 0)
            REQUIRE(equal(recording.decision("sfu.queue", i), decision_of(i + 1)));
        for (int again = 0; again < 2; ++again)
            REQUIRE(equal(recording.decision("evictor.queue", 3 * i), decision_of(i)));
    }
}

TEST_CASE("recording: separately decided iterations of one operation are one decision")
{
    const File file;
    Decision first = decision_of(1), second = decision_of(2), whole = first;
    second.descriptor = first.descriptor;
    whole.writes.insert(whole.writes.end(), second.writes.begin(), second.writes.end());
    RecordingWriter writer(file.path, fingerprint);
    writer.decided("evictor.queue", 8, first);
    writer.decided("evictor.queue", 8, second);
    writer.close();
    Recording recording(file.path);
    CHECK(equal(recording.decision("evictor.queue", 8), whole));
}

TEST_CASE("recording: an error names an operation that was not recorded")
{
    const File file;
    record(file, 10);
    Recording recording(file.path);
    using Catch::Contains;
    CHECK_THROWS_WITH(recording.decision("evictor.queue", 4),
                      Contains("no decision of evictor.queue's operation 4, but one of its "
                               "operation 6"));
    CHECK_THROWS_WITH(recording.decision("evictor.queue", 100),
                      Contains("no decision of evictor.queue's operation 100"));
    CHECK_THROWS_WITH(recording.decision("se.queue", 0), Contains("se.queue's operation 0"));
}

TEST_CASE("recording: an error names the first difference from another run")
{
    const File file;
    record(file, 10);
    const Recording recording(file.path);
    Fingerprint other = fingerprint;
    other[1].value = "5/5";
    using Catch::Contains;
    CHECK_THROWS_WITH(recording.check(other),
                      Contains("prompts is 5/5 60/60 in the recording, but 5/5 in this run"));
    CHECK_THROWS_WITH(recording.check({fingerprint[0]}),
                      Contains("prompts is 5/5 60/60 in the recording, but absent in this run"));
    other = fingerprint;
    other.push_back({"seed", "1"});
    CHECK_THROWS_WITH(recording.check(other),
                      Contains("seed is absent in the recording, but 1 in this run"));
}

TEST_CASE("recording: a missing line counts as its default")
{
    const File file;
    record(file, 10);
    const Recording recording(file.path);
    Fingerprint later = fingerprint;
    later.push_back({"kv_cache.new_key", "0", "0"});
    CHECK_NOTHROW(recording.check(later));
    later.back().value = "1";
    CHECK_THROWS_WITH(recording.check(later),
                      Catch::Contains("kv_cache.new_key is 0 in the recording, but 1 in this run"));
}

TEST_CASE("recording: damaged or cut files, other versions and other files are refused")
{
    const File file;
    record(file, 3000);
    const std::string good = file.bytes();
    REQUIRE(good.size() > 2000);
    CHECK(refusal(file) == "");
    using Catch::Contains;
    for (std::size_t at = 12; at < good.size(); at += 97) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        file.write(bad);
        INFO("byte " << at);
        if (at != 16 && at / 97 != 0) // The timestamp in the gzip header is irrelevant.
            CHECK_THAT(refusal(file), Contains("is damaged"));
    }
    for (const std::size_t bytes :
         {std::size_t{12}, std::size_t{40}, good.size() / 2, good.size() - 1}) {
        file.write(good.substr(0, bytes));
        INFO(bytes << " bytes");
        CHECK_THAT(refusal(file), Contains("damaged or incomplete"));
    }
    std::string newer = good;
    newer[8] = 9;
    file.write(newer);
    CHECK_THAT(refusal(file), Contains("version 9; expected version 1"));
    file.write("kv_cache: {policy: full}\n");
    CHECK_THAT(refusal(file), Contains("is not a recording of decisions"));
    file.write("");
    CHECK_THAT(refusal(file), Contains("is not a recording of decisions"));
    fs::remove(file.path);
    CHECK_THAT(refusal(file), Contains("cannot be read"));
}

TEST_CASE("recording: until it is closed the earlier file stays")
{
    const File file;
    file.write("dear to somebody");
    {
        RecordingWriter writer(file.path, fingerprint);
        for (std::uint64_t i = 0; i < 100; ++i)
            writer.decided("evictor.queue", i, decision_of(i));
    }
    CHECK(file.read() == "dear to somebody");
    CHECK_FALSE(fs::exists(file.path.string() + ".unfinished"));
    CHECK_THROWS_WITH(RecordingWriter("/nowhere/decisions", fingerprint),
                      Catch::Contains("cannot be written"));
    CHECK_THROWS_WITH(RecordingWriter("/dev/null", fingerprint),
                      Catch::Contains("expected a regular file"));
}
