// SPDX-License-Identifier: Apache-2.0
// The error correction unit's designs against their reference on operations drawn at random.
#include "ip/flash/ecu/bench.hpp"
#include "ip/flash/ecu/driver.hpp"
#include "platform/studies/cosim/cosim.hpp"
#include "test/rtl/flash_ecu/faulty.hpp"
#include "test/unit/flash/random.hpp"

#include <catch2/catch.hpp>

namespace levee::flash::ecu {
extern const RtlModel<Ports> sparse;
}

using namespace levee;
using namespace levee::test;
using Fault = FaultyEcu::Fault;

namespace {

/// A design with its assertions and cover points.
flash::ecu::MakePins checked(const std::string& name)
{
    return name == "sparse" ? flash::ecu::sparse.make : ecu_design(name).make_checked;
}

cosim::Report run(flash::ecu::MakePins make, const cosim::Options& options)
{
    return cosim::run(*cosim::make_flash_ecu_bench(make, {options.seed, ""}), options);
}

} // namespace

TEST_CASE("the unit's RTL is its reference, in values and cycles, and all of it was seen")
{
    const std::string name = GENERATE("flash_ecu", "flash_ecu_4bit", "flash_ecu_1k", "sparse");
    const std::uint64_t operations = name == "flash_ecu" || name == "flash_ecu_4bit" ? 200 : 1000;
    for (const std::uint32_t seed : {1u, 2u}) {
        INFO(name << ", seed " << seed);
        const cosim::Report report = run(checked(name), {operations, seed, true, true});
        CHECK_FALSE(report.differs());
        CHECK(report.operations == operations);
        CHECK(report.comparisons > report.cycles);
        CHECK(report.coverage.size() >= 30);
        CHECK(report.not_covered.empty());
    }
}

TEST_CASE("wrong signals are found and named")
{
    const auto found = [](flash::ecu::MakePins make, bool in_cycle = false) {
        const cosim::Report report = run(make, {30, 1, true, true});
        const std::optional<Difference>& difference = in_cycle ? report.cycle : report.value;
        REQUIRE(difference);
        return *difference;
    };
    const Difference data = found(make_faulty_ecu<Fault::Data>);
    CHECK(data.signal == "out_data_o");
    CHECK(data.where.find("beat ") == 0);
    CHECK(data.expected != data.got);
    CHECK(found(make_faulty_ecu<Fault::Last>).signal == "out_last_o");
    CHECK(found(make_faulty_ecu<Fault::Count>).signal == "corrected_values_o");
    CHECK(found(make_faulty_ecu<Fault::Silent>).got.find("nothing moved") == 0);
    CHECK(found(make_faulty_ecu<Fault::Extra>).signal == "done_valid_o");
    CHECK(found(make_faulty_ecu<Fault::Late>, true).signal == "in_ready_o");
}

TEST_CASE("whatever the spare area holds, as many beats of the page come out as go in, and none of "
          "another page")
{
    const std::string name = GENERATE("flash_ecu", "flash_ecu_4bit", "flash_ecu_1k", "sparse");
    const auto pins = checked(name)({7, ""});
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
        const std::vector<flash::ecu::Decoded> expected = expected_of(shape.format, pages);
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
