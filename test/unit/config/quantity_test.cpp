// SPDX-License-Identifier: Apache-2.0
#include "core/config/quantity.hpp"

#include <catch2/catch.hpp>

using namespace levee::config;

namespace {

std::uint64_t value(std::string_view text, Dimension dimension)
{
    const QuantityResult result = parse_quantity(text, dimension);
    INFO(text << " " << result.error);
    CHECK(result.error.empty());
    return result.value;
}

std::string fault(std::string_view text, Dimension dimension)
{
    return parse_quantity(text, dimension).error;
}

} // namespace

TEST_CASE("quantities are exact in their units")
{
    CHECK(value("1 GHz", Dimension::Frequency) == 1'000'000'000);
    CHECK(value("1.5GHz", Dimension::Frequency) == 1'500'000'000);
    CHECK(value("64 GB/s", Dimension::Bandwidth) == 64'000'000'000);
    CHECK(value("4 MiB", Dimension::Size) == 4u << 20);
    CHECK(value("4 MB", Dimension::Size) == 4'000'000);
    CHECK(value("1.5 KiB", Dimension::Size) == 1536);
    CHECK(value("45 us", Dimension::Time) == 45'000'000);
    CHECK(value("0.625 ns", Dimension::Time) == 625);
    CHECK(value("3200 MT/s", Dimension::TransferRate) == 3'200'000'000);
    CHECK(value("22.9 pJ", Dimension::Energy) == 22'900'000);
    CHECK(value("1.14 mJ", Dimension::Energy) == 1'140'000'000'000'000);
    CHECK(value("0.5 fJ", Dimension::Energy) == 500);
    CHECK(value("6.52 W", Dimension::Power) == 6'520'000'000'000);
    CHECK(value("415 mW", Dimension::Power) == 415'000'000'000);
    CHECK(value("7.3 mm2", Dimension::Area) == 7'300'000);
    CHECK(value("1e5 us", Dimension::Time) == 100'000'000'000);
    CHECK(value("1.25e-3s", Dimension::Time) == 1'250'000'000);
    CHECK(value("2.5E+9 Hz", Dimension::Frequency) == 2'500'000'000);
    CHECK(value("1e3", Dimension::Count) == 1000);
    CHECK(value("0e30 s", Dimension::Time) == 0);
    CHECK(value("0e99 s", Dimension::Time) == 0);
    CHECK(value("0", Dimension::Time) == 0);
    CHECK(value("24", Dimension::Count) == 24);
    CHECK(value("18446744073709551615", Dimension::Count) == 18446744073709551615u);
}

TEST_CASE("an invalid quantity is refused with the reason")
{
    CHECK(fault("1", Dimension::Frequency) == "lacks its unit");
    // This number is 2^64.
    CHECK(fault("18446744073709551616", Dimension::Time) == "lacks its unit");
    CHECK(fault("fast", Dimension::Frequency) == "is not a number with a unit");
    CHECK(fault("-1 GHz", Dimension::Frequency) == "is negative");
    CHECK(fault("-3", Dimension::Count) == "is negative");
    CHECK(fault("-x", Dimension::Count) == "is not a number");
    CHECK(fault("1. GHz", Dimension::Frequency) == "is not a number with a unit");
    CHECK(fault("1 Ghz", Dimension::Frequency) == "has the unit 'Ghz'; did you mean 'GHz'?");
    CHECK(fault("1 GB", Dimension::Bandwidth) == "has the unit 'GB'; did you mean 'GB/s'?");
    CHECK(fault("5 pW", Dimension::Energy) == "has the unit 'pW'; did you mean 'pJ'?");
    CHECK(fault("5 mJ", Dimension::Power) == "has the unit 'mJ'; did you mean 'mW'?");
    CHECK(fault("0.5 ps", Dimension::Time) == "is finer than the smallest supported unit");
    CHECK(fault("20000000 s", Dimension::Time) == "is too large");
    CHECK(fault("18446744073709551616", Dimension::Count) == "is too large");
    CHECK(fault("1e30 s", Dimension::Time) == "is too large");
    CHECK(fault("1e99999999999 s", Dimension::Time) == "is too large");
    CHECK(fault("1e-13 s", Dimension::Time) == "is finer than the smallest supported unit");
    CHECK(fault("1e", Dimension::Time).starts_with("has the unit 'e'"));
    CHECK(fault("1e+-5 s", Dimension::Time).starts_with("has the unit 'e+-5 s'"));
    CHECK(fault("24 B", Dimension::Count) == "has a unit; expected a plain number");
    CHECK(fault("1.5", Dimension::Count) == "is not a whole number");
}

TEST_CASE("a plain number may be spelt in any way of YAML's core schema, one with a unit may not")
{
    const auto count = [](const char* text) { return parse_quantity(text, Dimension::Count); };
    for (const char* four :
         {"4", "+4", "4.", "4.0", "04", "0x4", "0o4", "4.e0", ".4e1", "+40E-1"}) {
        INFO(four);
        CHECK(count(four).error.empty());
        CHECK(count(four).value == 4);
    }
    for (const char* zero : {"0", "-0", "+0", "-0.", "0x0", "-.0e5"}) {
        INFO(zero);
        CHECK(count(zero).error.empty());
        CHECK(parse_quantity(zero, Dimension::Time).error.empty());
        CHECK(parse_quantity(zero, Dimension::Time).value == 0);
    }
    for (const char* none :
         {"1_000", "0x", "0o8", "+0x4", "--4", "+-4", "4.x", "4.e", "4.e+", ".", "+"}) {
        INFO(none);
        CHECK(!count(none).error.empty());
    }
    CHECK(count("-4").error == "is negative");
    CHECK(count("-0x4").error != "");
    for (const char* none : {"+4 s", "4. s", "0x4 s", "-0 s"}) {
        INFO(none);
        CHECK(!parse_quantity(none, Dimension::Time).error.empty());
    }
}

TEST_CASE("a quantity is shown in the largest unit that gives a whole number")
{
    CHECK(format_quantity(1'000'000'000, Dimension::Frequency) == "1 GHz");
    CHECK(format_quantity(1'500'000'000, Dimension::Frequency) == "1500 MHz");
    CHECK(format_quantity(4u << 20, Dimension::Size) == "4 MiB");
    CHECK(format_quantity(0, Dimension::Time) == "0 ps");
    CHECK(format_quantity(7, Dimension::Count) == "7");
}

TEST_CASE("a unit of bits is distinguished from bytes, and the error gives the number in bytes")
{
    CHECK(parse_quantity("64 Gb/s", Dimension::Bandwidth).error ==
          "counts bits ('Gb/s'); in bytes it is '8 GB/s'");
    CHECK(parse_quantity("12.8 Mb", Dimension::Size).error ==
          "counts bits ('Mb'); in bytes it is '1.6 MB'");
    CHECK(parse_quantity("64 gb/s", Dimension::Bandwidth).error ==
          "has the unit 'gb/s'; did you mean 'GB/s'?");
}
