// SPDX-License-Identifier: Apache-2.0
// Tests the framing of GDB's remote protocol with whole, split and broken packets.
#include "platform/observe/debug/packet.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace levee::debug;
using Kind = Incoming::Kind;

namespace {

std::vector<Incoming> feed(Framer& framer, std::string_view bytes)
{
    std::vector<Incoming> found;
    framer.feed(bytes, found);
    return found;
}

std::vector<Incoming> feed(std::string_view bytes)
{
    Framer framer;
    return feed(framer, bytes);
}

} // namespace

TEST_CASE("a packet is the text between dollar and checksum")
{
    const auto found = feed("+$g#67+" + frame("m80000000,4"));
    REQUIRE(found.size() == 2);
    CHECK(found[0].kind == Kind::Packet);
    CHECK(found[0].text == "g");
    CHECK(found[1].text == "m80000000,4");
    CHECK(frame("g") == "$g#67");
    CHECK(frame("") == "$#00");
}

TEST_CASE("the division of the bytes into reads does not matter")
{
    Framer framer;
    std::vector<Incoming> found;
    for (const char byte : std::string("junk$qC#b4\x03-$?#3f"))
        framer.feed(std::string_view(&byte, 1), found);
    REQUIRE(found.size() == 4);
    CHECK(found[0].text == "qC");
    CHECK(found[1].kind == Kind::Interrupt);
    CHECK(found[2].kind == Kind::Resend);
    CHECK(found[3].text == "?");
}

TEST_CASE("a wrong checksum, and a checksum that is no number, are refused")
{
    CHECK(feed("$g#68")[0].kind == Kind::BadChecksum);
    CHECK(feed("$g#xy")[0].kind == Kind::BadChecksum);
    CHECK(feed("$g#67")[0].kind == Kind::Packet);
}

TEST_CASE("a packet without its end does not spoil the next one")
{
    const auto found = feed("$m8000$g#67");
    REQUIRE(found.size() == 1);
    CHECK(found[0].text == "g");
}

TEST_CASE("Ctrl-C inside a packet is data")
{
    const auto found = feed(frame(std::string("X0,1:\x03")));
    REQUIRE(found.size() == 1);
    CHECK(found[0].text == std::string("X0,1:\x03"));
}

TEST_CASE("a packet longer than announced is reported, and the next one is received")
{
    Framer framer;
    CHECK(feed(framer, frame(std::string(packet_bytes, 'a')))[0].kind == Kind::Packet);
    const auto found = feed(framer, frame(std::string(packet_bytes + 1, 'a')) + "$g#67");
    REQUIRE(found.size() == 2);
    CHECK(found[0].kind == Kind::TooLong);
    CHECK(found[1].text == "g");
}

TEST_CASE("binary data survive escaping and a cut-off escape is noticed")
{
    std::string all;
    for (int i = 0; i < 256; ++i)
        all += static_cast<char>(i);
    const std::string escaped = escape(all);
    CHECK(escaped.find_first_of("$#*") == std::string::npos);
    CHECK(unescape(escaped) == all);
    CHECK_FALSE(unescape("ab}"));
}

TEST_CASE("numbers and bytes must be hexadecimal")
{
    CHECK(number_from_hex("80000000") == 0x8000'0000u);
    CHECK(number_from_hex("fFfFfFfFfFfFfFfF") == UINT64_MAX);
    for (const char* text : {"", "-1", "0x10", "12 ", "g", "11111111111111111"})
        CHECK_FALSE(number_from_hex(text));
    CHECK(bytes_from_hex("00fF") == std::vector<std::uint8_t>{0, 255});
    CHECK_FALSE(bytes_from_hex("0"));
    CHECK_FALSE(bytes_from_hex("0g"));
    CHECK(number(0) == "0");
    CHECK(number(0xABC) == "abc");
}

TEST_CASE("after random bytes the framer still receives the next packet")
{
    std::mt19937 random(7);
    Framer framer;
    for (int round = 0; round < 2000; ++round) {
        std::string noise(random() % 64, '\0');
        for (char& byte : noise)
            byte = static_cast<char>(random());
        std::vector<Incoming> found;
        framer.feed(noise, found);
        // The noise may swallow the first packet, as the end of an unfinished one, but not the
        // second.
        framer.feed("$g#67$?#3f", found);
        REQUIRE(found.back().text == "?");
    }
}
