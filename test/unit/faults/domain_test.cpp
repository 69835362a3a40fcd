// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/faults/domain.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace levee::campaign;
using levee::faults::Place;
using levee::faults::PlaceKind;
using levee::faults::Survey;
using levee::faults::text_of;

namespace {

Survey machine()
{
    Survey survey;
    survey.end = 1000;
    survey.tokens = {{300, 700, 900}};
    survey.passes = {{3, 0, 100, 200}};
    survey.places = {{.kind = PlaceKind::Memory, .name = "sram", .ranges = {{0x1000, 64}}},
                     {.kind = PlaceKind::Register,
                      .name = "array",
                      .pieces = {{"LIMIT", 0, 32}, {"ENABLE", 0, 32}}},
                     {.kind = PlaceKind::Descriptors,
                      .name = "array",
                      .pieces = {{"magic", 0, 16},
                                 {"opcode", 16, 8},
                                 {"head.flags", 24, 8},
                                 {"operation.flags", 512, 8}},
                      .until = 499},
                     {.kind = PlaceKind::Variable, .name = "rows@0x40", .ranges = {{0x40, 4}}},
                     {.kind = PlaceKind::Variable, .name = "rows@0x80", .ranges = {{0x80, 4}}},
                     {.kind = PlaceKind::Variable, .name = "rows_of", .ranges = {{0x90, 4}}},
                     {.kind = PlaceKind::State, .name = "edram.scores", .own_bits = 40}};
    return survey;
}

Site site(PlaceKind kind, const std::string& of)
{
    Site site;
    site.name = "site";
    site.kind = kind;
    site.of = of;
    return site;
}

std::string text(const Draw& draw)
{
    std::string text;
    for (const auto& flip : draw.fault.flips)
        text += text_of(flip) + ";";
    return text;
}

} // namespace

TEST_CASE("draws depend only on seed and number, and cover bits and times evenly")
{
    const Survey survey = machine();
    const Site memory = site(PlaceKind::Memory, "sram");
    const Domain domain(memory, survey);
    CHECK(domain.bits() == 512);
    std::set<std::string> places;
    std::map<std::uint64_t, int> times; // Counts the draws in each tenth of the run.
    for (std::uint64_t number = 0; number < 20'000; ++number) {
        const Draw draw = domain.draw(1, number);
        places.insert(text(draw));
        ++times[draw.fault.at / 100];
        REQUIRE(draw.fault.at < 1000);
    }
    CHECK(places.size() == 512);
    REQUIRE(times.size() == 10);
    for (const auto& [tenth, draws] : times)
        CHECK(std::abs(draws - 2000) < 200); // The tolerance is 4.7 standard deviations.
    CHECK(text(domain.draw(1, 7)) == text(Domain(memory, survey).draw(1, 7)));
    CHECK(text(domain.draw(1, 7)) != text(domain.draw(2, 7)));
}

TEST_CASE("a site covers the part of a place that its keys select")
{
    const Survey survey = machine();
    Site memory = site(PlaceKind::Memory, "sram");
    memory.from = 8;
    memory.to = 10;
    memory.element_bits = 16;
    memory.has_element = true;
    memory.bits = {14, 15};
    const Draw one = Domain(memory, survey).draw(1, 0);
    CHECK(Domain(memory, survey).bits() == 2);
    CHECK((text(one) == "memory 0x1009 bit 6;" || text(one) == "memory 0x1009 bit 7;"));
    CHECK((one.part == "14" || one.part == "15"));
    memory.together = true;
    CHECK(text(Domain(memory, survey).draw(1, 0)) == "memory 0x1009 bit 6;memory 0x1009 bit 7;");

    Site fields = site(PlaceKind::Descriptors, "array");
    fields.only = {"opcode"};
    fields.bits = {3};
    const Draw opcode = Domain(fields, survey).draw(1, 0);
    CHECK(text(opcode).ends_with(" of array bit 19;"));
    CHECK(opcode.part == "opcode");
    CHECK(opcode.fault.at < 500); // The last descriptor is submitted at 499.

    CHECK(Domain(site(PlaceKind::Register, "array"), survey).bits() == 64);
    const Site state = site(PlaceKind::State, "edram.scores");
    CHECK(text(Domain(state, survey).draw(1, 0)).starts_with("edram.scores bit "));
}

TEST_CASE("times may be given directly, or by an interval, a token or a pass")
{
    const Survey survey = machine();
    Site memory = site(PlaceKind::Memory, "sram");
    const auto all_in = [&](std::uint64_t from, std::uint64_t to) {
        const Domain domain(memory, survey);
        for (std::uint64_t number = 0; number < 500; ++number) {
            const std::uint64_t at = domain.draw(1, number).fault.at;
            REQUIRE((at >= from && at < to));
        }
    };
    memory.when.token = 1;
    all_in(300, 700);
    memory.when.token = 0;
    all_in(0, 300);
    memory.when.token = {};
    memory.when.pass = 0;
    all_in(100, 200);
    memory.when.pass = {};
    memory.when.from = 40;
    memory.when.to = 50;
    all_in(40, 50);
    memory.when = {};
    memory.when.at = {123};
    all_in(123, 124);
}

TEST_CASE("a part that the machine lacks is refused with the list of existing parts")
{
    const Survey survey = machine();
    using Catch::Matchers::Contains;
    CHECK_THROWS_WITH(Domain(site(PlaceKind::Memory, "srm"), survey),
                      Contains("'srm' is not a place for faults of the kind 'memory'") &&
                          Contains("did you mean 'sram'?"));
    CHECK_THROWS_WITH(Domain(site(PlaceKind::Tensor, "wq"), survey),
                      Contains("this run has no place of that kind"));
    Site fields = site(PlaceKind::Register, "array");
    fields.only = {"xyz"};
    CHECK_THROWS_WITH(Domain(fields, survey),
                      Contains("does not have") && Contains("LIMIT, ENABLE"));
    fields = site(PlaceKind::Descriptors, "array");
    fields.only = {"flags"};
    CHECK_THROWS_WITH(Domain(fields, survey),
                      Contains("2 have this name; expected one of: head.flags, operation.flags"));
    CHECK_THROWS_WITH(Domain(site(PlaceKind::Variable, "rows"), survey),
                      Contains("2 have this name; expected one of: rows@0x40, rows@0x80") &&
                          !Contains("rows_of"));
    Site memory = site(PlaceKind::Memory, "sram");
    memory.to = 65;
    CHECK_THROWS_WITH(Domain(memory, survey), Contains("which has 64 bytes"));
    memory.to = {};
    memory.when.token = 3;
    CHECK_THROWS_WITH(Domain(memory, survey), Contains("no token 3") && Contains("has 3"));
    memory.when = {};
    memory.when.at = {1001};
    CHECK_THROWS_WITH(Domain(memory, survey), Contains("are outside the run"));
}
