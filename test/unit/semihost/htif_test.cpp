// SPDX-License-Identifier: Apache-2.0
// Tests requests of the host-target interface with a memory of a few hundred bytes.
#include "platform/machine/semihost/htif.hpp"
#include "test/unit/semihost/small_machine.hpp"

#include <catch2/catch.hpp>

using levee::semihost::Htif;
using levee::test::SmallMachine;

namespace {

constexpr std::uint32_t base = SmallMachine::base;
constexpr std::uint32_t tohost = base, fromhost = base + 8, block = base + 64, text = base + 128;

class Fixture : public SmallMachine {
public:
    Fixture() : SmallMachine(256) {}

    std::uint64_t word(std::uint32_t address) const
    {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < 8; ++i)
            value |= std::uint64_t{memory[address - base + i]} << (8 * i);
        return value;
    }
    void set(std::uint32_t address, std::uint64_t value)
    {
        for (unsigned i = 0; i < 8; ++i)
            memory[address - base + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
    std::int64_t call(std::vector<std::uint64_t> arguments)
    {
        for (std::size_t i = 0; i < arguments.size(); ++i)
            set(block + 8 * static_cast<std::uint32_t>(i), arguments[i]);
        set(tohost, block);
        set(fromhost, 0);
        CHECK(!htif.serve(block));
        CHECK(word(tohost) == 0);
        CHECK(word(fromhost) == 1);
        return static_cast<std::int64_t>(word(block));
    }

    Htif htif{machine(), {tohost, fromhost}};
    Htif deaf{machine(), {tohost, std::nullopt}};
};

} // namespace

TEST_CASE_METHOD(Fixture, "HTIF: a write prints, a read takes standard input to its end")
{
    std::copy_n("hello", 5, memory.begin() + (text - base));
    CHECK(call({64, 1, text, 5}) == 5);
    CHECK(call({64, 2, text, 1}) == 1);
    CHECK(printed == "helloh");
    input = "xy";
    CHECK(call({63, 0, text, 5}) == 2);
    CHECK(memory[text - base + 1] == 'y');
    CHECK(call({63, 0, text, 5}) == 0);
}

TEST_CASE_METHOD(Fixture, "HTIF: a call that cannot be carried out fails with Linux's number")
{
    CHECK(call({64, 0, text, 1}) == -9);
    CHECK(call({63, 1, text, 1}) == -9);
    CHECK(call({64, 1, 0x1000, 1}) == -14);
    CHECK(call({64, 1, std::uint64_t{1} << 40, 1}) == -14);
    CHECK(call({222, 0, 0, 0}) == -38);
    CHECK(call({57, 1, 0, 0}) == 0);
}

TEST_CASE_METHOD(Fixture, "HTIF: a program ends by a call or by a code of more than 32 bits")
{
    set(block, 93);
    set(block + 8, 5);
    CHECK(!htif.serve(block));
    CHECK(ended == 5);
    CHECK(!htif.serve(std::uint64_t{1} << 40 | 13));
    CHECK(ended == 6);
}

TEST_CASE_METHOD(Fixture, "HTIF: the console takes characters and gives them")
{
    CHECK(!htif.serve(std::uint64_t{1} << 56 | std::uint64_t{1} << 48 | 'A'));
    CHECK(printed == "A");
    input = "z";
    CHECK(!htif.serve(std::uint64_t{1} << 56));
    CHECK(word(fromhost) == (std::uint64_t{1} << 56 | 0x100 | 'z'));
    set(fromhost, 0);
    CHECK(!htif.serve(std::uint64_t{1} << 56));
    CHECK(word(fromhost) == 0);
}

TEST_CASE_METHOD(Fixture, "HTIF: a request that nobody serves says what was expected")
{
    CHECK(htif.serve(std::uint64_t{2} << 56).value().find("expected device 0") !=
          std::string::npos);
    CHECK(htif.serve(std::uint64_t{1} << 56 | std::uint64_t{2} << 48).value().find("command 2") !=
          std::string::npos);
    CHECK(htif.serve(0x1000).value() == "its arguments are not in memory");
    CHECK(deaf.serve(block).value().find("'fromhost'") != std::string::npos);
}
