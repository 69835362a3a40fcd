// SPDX-License-Identifier: Apache-2.0
// Tests which declarations of component types are allowed together.
#include "core/component/component.hpp"
#include "core/component/registry.hpp"
#include "ip/bus/declaration.hpp"
#include "ip/riscv/declaration.hpp"
#include "platform/machine/assembly/plan.hpp"
#include "test/component/declaration.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <stdexcept>

using namespace levee;

namespace {

std::string fault(std::vector<const Declaration*> declarations)
{
    std::vector<ComponentType> types;
    for (const Declaration* declaration : declarations)
        types.push_back({declaration, nullptr, {}});
    try {
        (void)checked_types(types);
    } catch (const std::logic_error& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("two types with the same name or number are refused, and the error names them")
{
    Declaration other{.type = "other", .number = 7}, same = other;
    CHECK(fault({&tally::declaration, &other}).empty());
    CHECK(fault({&other, &same}) == "two component types are called 'other'");
    same.type = "more";
    CHECK(fault({&other, &tally::declaration, &same}) ==
          "the component types 'more' and 'other' both declare the number 7");
    other.number = same.number = 0; // Neither type has registers.
    CHECK(fault({&other, &same}).empty());
}

TEST_CASE("a declaration whose parts contradict each other is refused")
{
    Declaration wrong = tally::declaration;
    wrong.number = 0;
    CHECK(fault({&wrong}).find("declares an operation but no number") != std::string::npos);
    wrong = tally::declaration;
    wrong.opcodes = {};
    CHECK(fault({&wrong}).find("without opcodes or fields") != std::string::npos);
    wrong = tally::declaration;
    wrong.operation_bytes = 16;
    CHECK(fault({&wrong}).find("fields beyond the end of its operation") != std::string::npos);
    const Field backwards[] = {tally::operation_fields[1], tally::operation_fields[0]};
    wrong = tally::declaration;
    wrong.fields = backwards;
    CHECK(fault({&wrong}).find("'offset' out of order") != std::string::npos);
}

TEST_CASE("a name that occurs twice in a declaration is refused")
{
    using config::Key;
    static const Key rows = config::count32("rows", "Rows of it.");
    static const Key twice[] = {rows, config::text("note", "Note on it."), rows};
    static const Key common[] = {config::text("impl", "Its own, beside that of all.")};
    static const Declaration repeats{.type = "repeats", .parameters = twice};
    static const Declaration hides{.type = "hides", .parameters = common};
    CHECK(fault({&repeats}) == "the component type 'repeats' declares the key 'rows' twice");
    CHECK(fault({&hides}) == "the component type 'hides' declares the key 'impl' twice");

    static const char* const derived[] = {"rows"};
    static const Declaration derives{
        .type = "derives", .parameters = {&rows, 1}, .derived = derived};
    CHECK_THAT(fault({&derives}), Catch::Contains("derived parameter 'rows', which is one of"));

    Declaration wrong = tally::declaration;
    const Opcode opcodes[] = {wrong.opcodes[0], wrong.opcodes[0]};
    wrong.opcodes = opcodes;
    CHECK(fault({&wrong}).find("' twice") != std::string::npos);
    wrong = tally::declaration;
    const Field fields[] = {wrong.fields[0], wrong.fields[0]};
    wrong.fields = fields;
    CHECK(fault({&wrong}).find(std::string(fields[0].name) + "' twice") != std::string::npos);
    wrong = tally::declaration;
    const EnergyEvent events[] = {{"word"}, {"byte"}, {"word"}};
    wrong.events = events;
    CHECK(fault({&wrong}).find("declares the event 'word' twice") != std::string::npos);
}

TEST_CASE("the core and the bus declare their parameters, so that price lists can name them")
{
    config::SystemConfig system;
    system.core.icache.emplace();
    system.core.dcache.emplace();
    const auto check = [](const std::vector<Parameter>& shown, const Declaration& type) {
        const std::vector<const char*> declared = parameter_names(type);
        REQUIRE(shown.size() == declared.size());
        for (std::size_t i = 0; i < shown.size(); ++i)
            CHECK(shown[i].first == declared[i]);
    };
    check(core_parameters(system), riscv::declaration);
    check(bus_parameters(system), bus::declaration);
}

TEST_CASE("a declaration's fields cover every byte of its operation, except padding words")
{
    std::size_t operations = 0;
    for (const ComponentType& type : component_types()) {
        const Declaration& declaration = *type.declaration;
        INFO(type.name());
        operations += declaration.operation_bytes != 0 ? 1 : 0;
        std::size_t end = 0;
        for (const Field& field : declaration.fields) {
            INFO("bytes from " << end << " to " << field.name << " at " << field.offset);
            CHECK((field.offset == end || (field.bytes == 8 && field.offset == end + 4)));
            end = field.offset + field.bytes * std::max<std::size_t>(field.count, 1);
        }
        CHECK((declaration.operation_bytes == end || declaration.operation_bytes == end + 4));
    }
    CHECK(operations > 8);
}
