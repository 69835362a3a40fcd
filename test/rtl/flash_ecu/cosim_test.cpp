// SPDX-License-Identifier: Apache-2.0
// Compares the error correction unit's designs with their reference on random operations.
#include "ip/flash/ecu/driver.hpp"
#include "ip/flash/ecu/pins.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/flash_ecu/faulty.hpp"
#include "test/unit/flash/random.hpp"

namespace levee::flash::ecu {
extern const RtlModel<Ports> sparse;
}

using namespace levee;
using namespace levee::test;
using flash::ecu::Outputs;

namespace {

/// Returns a design with its assertions and cover points. It may be one that no block uses.
flash::ecu::Design design_of(const std::string& name)
{
    if (name != "sparse")
        return ecu_design(name);
    return {name, flash::ecu::sparse.size, nullptr, flash::ecu::sparse.make};
}

template <auto spoil> Difference wrong(bool in_cycle = false)
{
    return found<flash::ecu::Ports>(faulty_ecu<spoil>, in_cycle, 30);
}

} // namespace

TEST_CASE("the unit's RTL equals its reference in values and cycles, with full coverage")
{
    const std::string name = GENERATE("flash_ecu", "flash_ecu_4bit", "flash_ecu_1k", "sparse");
    check_covered(design_of(name), name == "flash_ecu" || name == "flash_ecu_4bit" ? 200 : 1000, 2,
                  30);
}

TEST_CASE("wrong signals are found and named")
{
    const Difference data = wrong<spoil_data>();
    CHECK(data.signal == "out_data_o");
    CHECK(data.where.find("beat ") == 0);
    CHECK(data.expected != data.got);
    CHECK(wrong<[](Outputs& out) { out.out_last = false; }>().signal == "out_last_o");
    CHECK(wrong<[](Outputs& out) { ++out.counts.corrected_values; }>().signal ==
          "corrected_values_o");
    CHECK(wrong<silence>().got.find("nothing moved") == 0);
    CHECK(wrong<[](Outputs& out) { out.done_valid = true; }>().signal == "done_valid_o");
    CHECK(wrong<delay_beats>(true).signal == "in_ready_o");
}

TEST_CASE(
    "with any spare area, as many beats of the page come out as go in, and none of another page")
{
    const std::string name = GENERATE("flash_ecu", "flash_ecu_4bit", "flash_ecu_1k", "sparse");
    const auto pins = design_of(name).make_checked({7, ""});
    const flash::ecu::Shape& shape = pins->size();
    flash::ecu::Driver driver(*pins, true);
    flash::test::Random random(3);
    const auto noise = [&](std::size_t bytes) {
        std::vector<std::uint8_t> all(bytes);
        for (std::uint8_t& byte : all)
            byte = static_cast<std::uint8_t>(random.below(256));
        return all;
    };
    const int rounds = name == "flash_ecu" || name == "flash_ecu_4bit" ? 50 : 1000;
    for (int round = 0; round < rounds; ++round) {
        const std::vector<flash::ecu::Page> pages(
            1, {noise(shape.format.page_bytes), noise(shape.code_beats() * shape.beat_bytes)});
        const std::vector<flash::ecu::Decoded> expected = expected_of(shape, pages);
        flash::ecu::Driver::Options options;
        options.expected = expected;
        const std::vector<flash::ecu::Decoded> got = driver.run(pages, options);
        REQUIRE_FALSE(driver.value());
        REQUIRE_FALSE(driver.cycle());
        REQUIRE(got.front().bytes.size() == shape.format.page_bytes);
    }
    CHECK_FALSE(driver.outstanding());
    CHECK(pins->failed_assertions() == 0);
}
