// SPDX-License-Identifier: Apache-2.0
// Compares the element-serial unit's design with its reference on random operations.
#include "ip/element_serial/pins.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/pins_decorator.hpp"

using namespace levee;
using namespace levee::test;
using element_serial::Inputs;
using element_serial::Outputs;
using element_serial::Pins;
using element_serial::Ports;

namespace {

/// Returns the difference that cosim finds if the pins have a fault from the 100th cycle on.
template <auto spoil> Difference wrong(bool in_cycle = false)
{
    return found<Ports>(make_spoiled<Ports, 0, spoil, 100>, in_cycle, 60);
}

/// A fault: no input element is accepted in every seventh cycle.
Outputs late(Pins& pins, Inputs in, std::uint64_t cycle)
{
    const bool is_late = cycle % 7 == 0;
    in.in_valid = in.in_valid && !is_late;
    Outputs out = pins.settle(in);
    out.in_ready = out.in_ready && !is_late;
    return out;
}

} // namespace

TEST_CASE("the element-serial RTL equals its reference in values and cycles, with full coverage")
{
    check_covered(element_serial::designs().front(), 1000, 2, 25);
}

TEST_CASE("wrong signals of the element-serial unit are found and named")
{
    const Difference data = wrong<[](Outputs& out) { out.out_data ^= 4; }>();
    CHECK(data.signal == "out_data_o");
    CHECK(data.where.find("element ") == 0);
    CHECK(data.expected != data.got);
    CHECK(wrong<[](Outputs& out) { out.out_last = false; }>().signal == "out_last_o");
    CHECK(wrong<[](Outputs& out) { out.result_first ^= 1; }>().signal == "result_first_o");
    CHECK(wrong<[](Outputs& out) { out.result_second ^= 1; }>().signal == "result_second_o");
    CHECK(wrong<[](Outputs& out) { out.out_valid = out.result_valid = false; }>().got.find(
              "nothing moved") == 0);
    CHECK(wrong<[](Outputs& out) { out.result_valid = true; }>().signal == "result_valid_o");
    CHECK(wrong<late>(true).signal == "in_ready_o");
}
