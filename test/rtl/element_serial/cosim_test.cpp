// SPDX-License-Identifier: Apache-2.0
// The element-serial unit's design against its reference on operations drawn at random.
#include "ip/element_serial/bench.hpp"
#include "ip/element_serial/pins.hpp"
#include "platform/studies/cosim/cosim.hpp"
#include "test/rtl/pins_decorator.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::test;
using element_serial::Ports;

namespace {

/// The design with one wrong signal at its pins, from the 100th cycle after it was made on.
class FaultyUnit final : public PinsDecorator<Ports> {
public:
    enum class Fault {
        Data,   ///< one bit of an element
        Last,   ///< no element is the last
        First,  ///< one bit of the first statistic
        Second, ///< one bit of the other
        Silent, ///< nothing comes out
        Late,   ///< no element goes in in every seventh cycle
        Extra   ///< statistics are offered all the time
    };

    FaultyUnit(Fault fault, const RtlPinsOptions& options)
        : PinsDecorator(element_serial::designs().front().make(options)), fault_(fault)
    {
    }

    element_serial::Outputs settle(const element_serial::Inputs& in) override
    {
        constexpr std::uint64_t good_cycles = 100;
        const bool is_faulty = cycle() >= good_cycles;
        const bool is_late = is_faulty && fault_ == Fault::Late && cycle() % 7 == 0;
        element_serial::Inputs seen = in;
        seen.in_valid = in.in_valid && !is_late;
        element_serial::Outputs out = pins().settle(seen);
        if (!is_faulty)
            return out;
        out.in_ready = out.in_ready && !is_late;
        out.out_data ^= fault_ == Fault::Data ? 4 : 0;
        out.out_last = out.out_last && fault_ != Fault::Last;
        out.result_first ^= fault_ == Fault::First ? 1 : 0;
        out.result_second ^= fault_ == Fault::Second ? 1 : 0;
        out.out_valid = out.out_valid && fault_ != Fault::Silent;
        out.result_valid = (out.result_valid && fault_ != Fault::Silent) || fault_ == Fault::Extra;
        return out;
    }

private:
    Fault fault_;
};

template <FaultyUnit::Fault fault>
std::unique_ptr<element_serial::Pins> make_faulty(const RtlPinsOptions& options)
{
    return std::make_unique<FaultyUnit>(fault, options);
}

cosim::Report run(element_serial::MakePins make, const cosim::Options& options)
{
    return cosim::run(*cosim::make_element_serial_bench(make, {options.seed, ""}), options);
}

using Fault = FaultyUnit::Fault;

} // namespace

TEST_CASE("the element-serial RTL is its reference, in values and cycles, and all of it was seen")
{
    constexpr std::uint64_t operations = 1000;
    for (const std::uint32_t seed : {1u, 2u}) {
        INFO("seed " << seed);
        const cosim::Report report =
            run(element_serial::designs().front().make_checked, {operations, seed, true, true});
        CHECK_FALSE(report.differs());
        CHECK(report.operations == operations);
        CHECK(report.comparisons > report.cycles);
        CHECK(report.coverage.size() >= 25);
        CHECK(report.not_covered.empty());
    }
}

TEST_CASE("wrong signals of the element-serial unit are found and named")
{
    const auto found = [](element_serial::MakePins make, bool in_cycle = false) {
        const cosim::Report report = run(make, {60, 1, true, true});
        const std::optional<Difference>& difference = in_cycle ? report.cycle : report.value;
        REQUIRE(difference);
        return *difference;
    };
    const Difference data = found(make_faulty<Fault::Data>);
    CHECK(data.signal == "out_data_o");
    CHECK(data.where.find("element ") == 0);
    CHECK(data.expected != data.got);
    CHECK(found(make_faulty<Fault::Last>).signal == "out_last_o");
    CHECK(found(make_faulty<Fault::First>).signal == "result_first_o");
    CHECK(found(make_faulty<Fault::Second>).signal == "result_second_o");
    CHECK(found(make_faulty<Fault::Silent>).got.find("nothing moved") == 0);
    CHECK(found(make_faulty<Fault::Extra>).signal == "result_valid_o");
    CHECK(found(make_faulty<Fault::Late>, true).signal == "in_ready_o");
}
