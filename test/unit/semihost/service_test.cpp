// SPDX-License-Identifier: Apache-2.0
// Tests semihosting requests with a memory of a few kilobytes and a temporary folder.
#include "platform/machine/semihost/service.hpp"
#include "test/unit/semihost/small_machine.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;
using levee::semihost::Service;
using levee::test::SmallMachine;

namespace {

constexpr std::uint32_t base = SmallMachine::base;
constexpr std::uint32_t block = base, first_text = base + 0x100, second_text = base + 0x1000;
constexpr std::uint32_t buffer = base + 0x2000;
constexpr std::uint32_t failed = 0xFFFF'FFFF;

class Fixture : public SmallMachine {
public:
    Fixture() : SmallMachine(0x4000)
    {
        fs::create_directories(inside / "sub");
        std::ofstream(outside / "secret") << "secret";
    }
    ~Fixture() { fs::remove_all(outside); }

    void words(std::vector<std::uint32_t> values)
    {
        for (std::size_t i = 0; i < values.size(); ++i)
            for (unsigned k = 0; k < 4; ++k)
                memory[4 * i + k] = static_cast<std::uint8_t>(values[i] >> (8 * k));
    }
    void text(std::uint32_t address, const std::string& characters)
    {
        std::copy(characters.begin(), characters.end(), memory.begin() + (address - base));
    }
    std::string text_at(std::uint32_t address, std::size_t size)
    {
        const auto begin = memory.begin() + (address - base);
        return {begin, begin + static_cast<std::ptrdiff_t>(size)};
    }
    std::uint32_t word_at(std::uint32_t address)
    {
        std::uint32_t value = 0;
        for (unsigned k = 0; k < 4; ++k)
            value |= std::uint32_t{memory[address - base + k]} << (8 * k);
        return value;
    }
    std::uint32_t call(std::uint32_t operation, std::vector<std::uint32_t> values)
    {
        words(std::move(values));
        return service.call(operation, block);
    }
    std::uint32_t open(const std::string& name, std::uint32_t mode)
    {
        text(first_text, name);
        return call(0x01, {first_text, mode, static_cast<std::uint32_t>(name.size())});
    }
    std::uint32_t write(std::uint32_t handle, const std::string& what)
    {
        text(buffer, what);
        return call(0x05, {handle, buffer, static_cast<std::uint32_t>(what.size())});
    }
    std::uint32_t read(std::uint32_t handle, std::uint32_t bytes)
    {
        return call(0x06, {handle, buffer, bytes});
    }
    std::uint32_t remove(const std::string& name)
    {
        text(first_text, name);
        return call(0x0E, {first_text, static_cast<std::uint32_t>(name.size())});
    }
    std::uint32_t rename(const std::string& from, const std::string& to)
    {
        text(first_text, from);
        text(second_text, to);
        return call(0x0F, {first_text, static_cast<std::uint32_t>(from.size()), second_text,
                           static_cast<std::uint32_t>(to.size())});
    }
    std::uint32_t last_error() { return service.call(0x13, 0); }
    std::string content(const fs::path& path)
    {
        std::ifstream stream(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    fs::path outside =
        fs::temp_directory_path() / ("levee_semihost_test." + std::to_string(::getpid()));
    fs::path inside = outside / "inside";
    Service service{machine(), inside, "program.elf"};
};

} // namespace

TEST_CASE_METHOD(Fixture, "Standard input is read by characters and by files, to its end")
{
    const std::uint32_t in = open(":tt", 0), other = open(":tt", 0);
    input = "ab\xff"
            "cdef";
    CHECK(service.call(0x07, 0) == 'a');
    CHECK(read(in, 2) == 0);
    CHECK(text_at(buffer, 2) == "b\xff");
    CHECK(service.call(0x07, 0) == 'c');
    CHECK(read(other, 10) == 7);
    CHECK(text_at(buffer, 3) == "def");
    CHECK(read(in, 10) == 10);
    CHECK(service.call(0x07, 0) == failed);
}

TEST_CASE("a file is written, measured, sought in, read and closed")
{
    Fixture host;
    const std::uint32_t out = host.open("sub/notes.txt", 4);
    REQUIRE(out != failed);
    CHECK(host.write(out, "one two") == 0);
    CHECK(host.call(0x09, {out}) == 0); // The file is not a terminal.
    CHECK(host.call(0x02, {out}) == 0);
    CHECK(host.call(0x02, {out}) == failed);
    CHECK(host.last_error() == 9); // The error is EBADF.
    CHECK(host.content(host.inside / "sub/notes.txt") == "one two");

    const std::uint32_t in = host.open("sub/./notes.txt", 0);
    CHECK(host.call(0x0C, {in}) == 7);
    CHECK(host.call(0x0A, {in, 4}) == 0);
    CHECK(host.read(in, 10) == 7); // 7 of 10 bytes were not read.
    CHECK(host.text_at(buffer, 3) == "two");
    CHECK(host.read(in, 5) == 5);    // Nothing is left at the end.
    CHECK(host.write(in, "x") == 1); // The result is the number of bytes not written.
}

TEST_CASE("file modes have the effects of fopen's modes")
{
    Fixture host;
    CHECK(host.open("none", 0) == failed);
    CHECK(host.last_error() == 2); // The error is ENOENT.
    host.write(host.open("file", 4), "abc");
    host.write(host.open("file", 8), "def");
    CHECK(host.content(host.inside / "file") == "abcdef");
    const std::uint32_t both = host.open("file", 2);
    host.write(both, "X");
    CHECK(host.read(both, 5) == 0);
    CHECK(host.text_at(buffer, 5) == "bcdef");
    host.open("file", 6);
    CHECK(host.content(host.inside / "file").empty());
    CHECK(host.open("file", 12) == failed);
    CHECK(host.last_error() == 22); // The error is EINVAL.
}

TEST_CASE("files are renamed and removed")
{
    Fixture host;
    host.write(host.open("a", 4), "abc");
    CHECK(host.rename("a", "sub/b") == 0);
    CHECK(host.content(host.inside / "sub/b") == "abc");
    CHECK(host.remove("sub/b") == 0);
    CHECK_FALSE(fs::exists(host.inside / "sub/b"));
    CHECK(host.remove("sub/b") == failed);
    CHECK(host.remove("sub") == failed); // The name "sub" is a folder.
}

TEST_CASE("no name leads out of the folder")
{
    Fixture host;
    fs::create_symlink(host.outside / "secret", host.inside / "link");
    fs::create_directory_symlink(host.outside, host.inside / "door");
    REQUIRE(mkfifo((host.inside / "pipe").c_str(), 0600) == 0);
    const std::string absolute = (host.outside / "secret").string();
    for (const std::string& name :
         {std::string("../secret"), std::string("sub/../../secret"), absolute, std::string("link"),
          std::string("door/secret"), std::string("pipe"), std::string(""), std::string("."),
          std::string("sub"), std::string("li\0nk", 5)}) {
        INFO(name);
        for (const std::uint32_t mode : {0u, 4u, 8u})
            CHECK(host.open(name, mode) == failed);
        CHECK(host.last_error() != 0);
    }
    host.write(host.open("mine", 4), "x");
    for (const std::string& name : {std::string("../taken"), std::string("door/taken"), absolute}) {
        CHECK(host.rename("mine", name) == failed);
        CHECK(host.rename(name, "mine") == failed);
        CHECK(host.remove(name) == failed);
    }
    CHECK(host.remove("door/secret") == failed);
    CHECK(host.content(host.outside / "secret") == "secret");
}

TEST_CASE("text goes to the console, and there is no input")
{
    Fixture host;
    host.text(buffer, std::string("line\n\0", 6));
    CHECK(host.service.call(0x04, buffer) == 0);
    host.service.call(0x03, buffer);
    const std::uint32_t out = host.open(":tt", 4), in = host.open(":tt", 0);
    CHECK(host.write(out, "more") == 0);
    CHECK(host.printed == "line\nlmore");
    CHECK(host.call(0x09, {out}) == 1);
    CHECK(host.read(in, 8) == 8);
    CHECK(host.service.call(0x07, 0) == failed);
}

TEST_CASE("time is simulated time")
{
    Fixture host;
    host.now_ps = 7'654'321'000'000;
    CHECK(host.service.call(0x10, 0) == 765);
    CHECK(host.service.call(0x11, 0) == 7);
    CHECK(host.service.call(0x31, 0) == 1'000'000'000);
    CHECK(host.service.call(0x30, buffer) == 0);
    CHECK(host.word_at(buffer) == 7'654'321'000 % (std::uint64_t{1} << 32));
    CHECK(host.word_at(buffer + 4) == 7'654'321'000 >> 32);
}

TEST_CASE("the way a program ends decides the exit code")
{
    Fixture host;
    SECTION("an exit code of its own")
    {
        host.call(0x20, {0x20026, 42});
        CHECK(host.ended == 42);
    }
    SECTION("a normal end without a code")
    {
        host.service.call(0x18, 0x20026);
        CHECK(host.ended == 0);
    }
    SECTION("an end for another reason")
    {
        host.service.call(0x18, 0x20023);
        CHECK(host.ended == 1);
    }
}

TEST_CASE("the command line and the features can be read")
{
    Fixture host;
    CHECK(host.call(0x15, {buffer, 80}) == 0);
    CHECK(host.text_at(buffer, 12) == std::string("program.elf\0", 12));
    CHECK(host.word_at(block + 4) == 11);
    CHECK(host.call(0x15, {buffer, 11}) == failed);
    const std::uint32_t features = host.open(":semihosting-features", 0);
    CHECK(host.read(features, 8) == 3);
    CHECK(host.text_at(buffer, 5) == "SHFB\x03");
    CHECK(host.call(0x0C, {features}) == 5);
    CHECK(host.call(0x08, {failed}) == 1);
    CHECK(host.call(0x08, {0}) == 0);
}

TEST_CASE("invalid requests are refused and change nothing")
{
    Fixture host;
    CHECK(host.service.call(0x77, 0) == failed);
    CHECK(host.last_error() == 88); // The error is ENOSYS.
    for (const std::uint32_t operation : {0x01u, 0x02u, 0x05u, 0x06u, 0x09u, 0x0Au, 0x0Cu, 0x0Eu,
                                          0x0Fu, 0x15u, 0x20u, 0x30u, 0x03u, 0x04u}) {
        CHECK(host.service.call(operation, 0x10) == failed); // No memory is mapped at this address.
        CHECK(host.last_error() == 14);                      // The error is EFAULT.
    }
    CHECK_FALSE(host.ended);
    const std::uint32_t out = host.open("file", 4);
    CHECK(host.call(0x05, {out, base + 0x3FFF, 2}) == 2);
    CHECK(host.call(0x01, {first_text, 0, 0xFFFF'FFFF}) == failed);
    std::uint32_t opened = 1;
    while (host.open("file", 0) != failed)
        ++opened;
    CHECK(opened == 64);
    CHECK(host.last_error() == 24); // The error is EMFILE.
}
