// SPDX-License-Identifier: Apache-2.0
// Tests a user's RTL in folders with any name. Cosim and a run find a fault that was made after the
// design was built.
#include "test/system/program.hpp"

using levee::test::Outcome;
using levee::test::quote;
using levee::test::Workplace;

namespace {

/// Writes the evictor's sources and their description into a folder of the workplace.
void write_design(const Workplace& place, const std::string& folder)
{
    std::filesystem::create_directories(place.path(folder));
    const std::filesystem::path own = std::filesystem::path(LEVEE_SOURCE) / "rtl/systolic_evictor";
    for (const auto& entry : std::filesystem::directory_iterator(own))
        if (entry.path().extension() == ".sv")
            std::filesystem::copy_file(entry.path(), place.path(folder) / entry.path().filename());
    place.write(folder + "/m.yaml",
                "files: [systolic_evictor_row.sv, systolic_evictor_rows.sv, systolic_evictor.sv]\n"
                "top: systolic_evictor\nsize: {Rows: 4}\nparameters: {Rows: Rows}\n");
}

/// Makes the design select the largest score instead of the smallest.
void break_design(const Workplace& place, const std::string& folder)
{
    const std::string name = folder + "/systolic_evictor_row.sv", right = " < order_of(",
                      wrong = " > order_of(";
    std::string text = place.read(name);
    const std::size_t at = text.find(right);
    REQUIRE(at != std::string::npos);
    place.write(name, text.replace(at, right.size(), wrong));
}

} // namespace

TEST_CASE("a fault in a design is found whatever characters its folder's name has")
{
    const Workplace place;
    const std::string folder = "my \"rtl\", it's $x #1: \\y";
    write_design(place, folder);
    const std::string command = "LEVEE_RTL_CACHE='the cache' " + quote(LEVEE_PROGRAM) +
                                " cosim systolic_evictor --ops 300 --rtl " +
                                quote(folder + "/m.yaml");
    const Outcome right = place.shell(command);
    CHECK(right.code == 0);
    CHECK_THAT(right.text, Catch::Contains("equal, in values and cycles"));
    const auto built = [&] { return place.shell("stat -c %y 'the cache'/*/design.so").text; };
    const std::string before = built();
    CHECK(place.shell(command).text == right.text);
    CHECK(built() == before); // The cache lists all files from which the design was built.
    break_design(place, folder);
    const Outcome wrong = place.shell(command);
    CHECK(wrong.code != 0);
    CHECK_THAT(wrong.text, Catch::Contains("differs from its reference"));
}
