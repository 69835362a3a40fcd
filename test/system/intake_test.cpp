// SPDX-License-Identifier: Apache-2.0
// Checks the cost of writing a model into a flash against a hand calculation (`levee import ...
// --to flash`).
#include "test/system/program.hpp"

#include <cstdint>
#include <cstring>
#include <set>

using namespace levee::test;

namespace {

/// The matrices have 3072, 1024, 2048 and 1024 rows by 1024 columns, 7 Mi weights.
const std::vector<std::string> model{
    "import",  "synthetic", "--dim",   "1024", "--hidden",  "1024", "--layers", "1",
    "--heads", "8",         "--vocab", "64",   "--context", "64",   "-o",       "m.levee"};
/// A page has 128 x 128 weights, and all matrices are for the cores. So there are 14 tiles for 8
/// channels x 4 dies, and no ragged pages.
const std::vector<std::string> whole_pages{
    "--to", "flash", "--set", "system.memories.flash.placing={alpha: 1, core_columns: 128}"};

Outcome import_with(const Workplace& place, const std::vector<std::string>& more)
{
    std::vector<std::string> arguments = model;
    arguments.insert(arguments.end(), whole_pages.begin(), whole_pages.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return place.levee(arguments);
}

void says(const Outcome& outcome, const std::string& words)
{
    INFO(words);
    CHECK(outcome.text.find(words) != std::string::npos);
}

} // namespace

TEST_CASE("pages, fill, protected share, blocks, wear, times and energy of a model, by hand")
{
    const Workplace place;
    const Outcome outcome =
        import_with(place, {"--set", "tech.energy=tech/energy/cambricon_events.yaml"});
    CHECK(outcome.code == 0);
    says(outcome, "pages       448 for cores, 0 for the NPU; 0.0107 % of all");
    says(outcome, "fill        100 % of their bytes are weights");
    says(outcome,
         "protected   0.995 % of the weights, at most 163 values a page; codes take 723 of 1664");
    says(outcome, "blocks      64 erased, of 32768"); // One block of each plane is erased.
    says(outcome, "wear        1 cycle of each erased block (rated for 3000)");
    says(outcome, "erase       3 ms");
    // Matrices 0 and 2 are in plane 0 of each die, which thus receives ten pages. Each page takes
    // 17.107 us of data input and 600 us of programming. The last die of a channel begins three
    // data inputs later than the first.
    says(outcome, "program     6.222 ms");
    // Energy by hand: 448 x 25.8 uJ + 64 x 129 uJ + 448 x 17107 B x 8 x (7.2 + 0.5) pJ.
    says(outcome, "energy      20.29 mJ by cambricon_events");
    CHECK(std::filesystem::exists(place.path("m.levee")));
}

TEST_CASE("the costs include earlier wear, slower dies and failed dies")
{
    const Workplace place;
    const std::string key = "system.memories.flash.";
    const Outcome worn =
        import_with(place, {"--set", key + "errors.cycles=2999", "--set", key + "program=1 ms",
                            "--set", key + "failed_dies=[{channel: 1, die: 0}]"});
    says(worn, "wear        3000 cycles of each erased block (rated for 3000)");
    says(worn, "program     10.22 ms");
    says(worn, "lost        14 pages: their dies have failed");
    says(worn, "blocks      62 erased");
    // The die that receives the pages of the failed die programs twice as many pages in a plane.
    says(import_with(place, {"--set", key + "failed_dies=[{channel: 1, die: 0, moved_to: 1}]"}),
         "program     12.3");
}

TEST_CASE("weights of 4 bits take half the pages, and the code protects values of their width")
{
    const Workplace place;
    const Outcome bytes = import_with(place, {"--weights", "int4"});
    says(bytes, "pages       224 for cores");
    says(bytes, "fill        100 %");
    says(bytes, "protected   0.995 %"); // 163 protected bytes hold two weights each.
    const Outcome nibbles = import_with(
        place, {"--weights", "int4", "--set", "system.memories.flash.ecc.value_bits=4"});
    says(nibbles, "protected   0.497 %");
    const Outcome halves = import_with(place, {"--weights", "fp16"});
    CHECK(halves.code == 2);
    says(halves, "'system.memories.flash' computes with INT8 and INT4 weights");
}

TEST_CASE("pages are written with their error-correcting codes")
{
    const Workplace place;
    CHECK(import_with(place, {"--pages", "pages.bin"}).code == 0);
    const std::string bytes = place.read("pages.bin");
    constexpr std::size_t page = 16384, spare = 1664, record = 8 + page + spare;
    REQUIRE(bytes.size() == 448 * record);
    std::set<std::uint64_t> numbers;
    for (std::size_t at = 0; at < bytes.size(); at += record) {
        std::uint64_t number = 0;
        std::memcpy(&number, bytes.data() + at, 8);
        numbers.insert(number);
        const std::string code = bytes.substr(at + 8 + page, spare);
        // The code begins with the copies of the threshold.
        CHECK(code.substr(0, 9) == std::string(9, code[0]));
        CHECK(code[0] > 0);
        CHECK(code.substr(723) == std::string(spare - 723, '\xFF'));
    }
    CHECK(numbers.size() == 448);
    CHECK(*numbers.rbegin() < std::uint64_t{32} * 2 * 10); // The placement uses at most ten pages
                                                           // per plane.
}

TEST_CASE("writing pages does not overwrite the model that they come from")
{
    const Workplace place;
    REQUIRE(import_with(place, {}).code == 0);
    const std::string before = place.read("m.levee");
    std::vector<std::string> arguments{"import", "place", "m.levee", "--pages", "m.levee"};
    arguments.insert(arguments.end(), whole_pages.begin(), whole_pages.end());
    const Outcome outcome = place.levee(arguments);
    CHECK(outcome.code == 2);
    says(outcome, "m.levee: is an input file, expected another name for the output");
    CHECK(place.read("m.levee") == before);
}

TEST_CASE("a shape is placed without weights")
{
    const Workplace place;
    const Outcome outcome = place.levee({"import", "place", "llama2-7b", "--to", "flash"});
    CHECK(outcome.code == 0);
    says(outcome, "matrices of 'llama2-7b'");
    says(outcome, "0.995 % of the weights");
    // 6.48 G weights do not fit into 4 GiB.
    const Outcome full = place.levee({"import", "place", "llama2-7b", "--to", "flash", "--set",
                                      "system.memories.flash.blocks=32"});
    CHECK(full.code == 2);
    says(full, "'system.memories.flash' has 4096 pages per plane");
}

TEST_CASE("the error names the memory or model if a model cannot be placed there")
{
    const Workplace place;
    const auto refused = [&](const std::vector<std::string>& more, const std::string& words) {
        std::vector<std::string> arguments{"import", "place", "llama2-7b"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = place.levee(arguments);
        CHECK(outcome.code == 2);
        says(outcome, words);
    };
    refused({"--to", "flahs", "--system", "systems/flash.yaml"}, "did you mean 'flash'");
    refused({"--to", "flahs"}, "no file 'systems/flahs.yaml'");
    refused({"--to", "dram", "--system", "systems/original.yaml"},
            "and no other component stores them");
    refused({"--to", "flash", "--pages", "pages"},
            "is a shape without weights, so there are no pages to write");
    says(import_with(place, {"--pages", "/nonexistent/pages"}), "/nonexistent/pages: cannot write");
    refused({"--set", "a=b"}, "--to");
    CHECK(place.levee({"import", "place", "nosuch", "--to", "flash"}).code == 2);
}
