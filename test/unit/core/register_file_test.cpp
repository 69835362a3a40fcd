// SPDX-License-Identifier: Apache-2.0
#include "core/command/register_file.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee;

struct Page {
    RegisterFile file;
    std::uint32_t value = 5;
    std::uint32_t written = 0;

    Page()
    {
        file.add({"RW", 8, [this] { return value; }, [this](std::uint32_t v) { value = v; }});
        file.add({"RO", 0, [] { return 42u; }, {}});
        file.add({"WO", 4, {}, [this](std::uint32_t v) { written = v; }});
    }
    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t offset,
                                    std::uint32_t& word, unsigned bytes = 4,
                                    unsigned char* enables = nullptr)
    {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(offset);
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
        payload.set_byte_enable_ptr(enables);
        file.transport(payload);
        return payload.get_response_status();
    }
};

} // namespace

TEST_CASE("registers are read and written as words at their offsets")
{
    Page page;
    std::uint32_t word = 0;
    CHECK(page.access(tlm::TLM_READ_COMMAND, 0, word) == tlm::TLM_OK_RESPONSE);
    CHECK(word == 42);
    word = 9;
    CHECK(page.access(tlm::TLM_WRITE_COMMAND, 8, word) == tlm::TLM_OK_RESPONSE);
    CHECK(page.access(tlm::TLM_WRITE_COMMAND, 4, word) == tlm::TLM_OK_RESPONSE);
    CHECK(page.value == 9);
    CHECK(page.written == 9);
    std::vector<std::string> names;
    for (const Register& reg : page.file.registers())
        names.push_back(reg.name);
    CHECK(names == std::vector<std::string>{"RO", "WO", "RW"}); // The registers are listed by
                                                                // offset.
}

TEST_CASE("every other access to registers is an error without effect")
{
    Page page;
    std::uint32_t word = 77;
    unsigned char enables[4] = {0xFF, 0xFF, 0xFF, 0xFF};
    CHECK(page.access(tlm::TLM_WRITE_COMMAND, 0, word) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(page.access(tlm::TLM_READ_COMMAND, 4, word) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(page.access(tlm::TLM_READ_COMMAND, 12, word) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(page.access(tlm::TLM_READ_COMMAND, 1, word) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(page.access(tlm::TLM_WRITE_COMMAND, 8, word, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(page.access(tlm::TLM_WRITE_COMMAND, 8, word, 4, enables) ==
          tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    CHECK(page.value == 5);
    CHECK(page.written == 0);
    CHECK(word == 77);
}

TEST_CASE("two registers at one offset, or a register between words, are a mistake of the block")
{
    Page page;
    CHECK_THROWS_WITH(page.file.add({"AGAIN", 8, {}, {}}), Catch::Contains("AGAIN"));
    CHECK_THROWS_AS(page.file.add({"ODD", 2, {}, {}}), std::logic_error);
}

TEST_CASE("a debugger reads a register's value without the side effects of a read")
{
    RegisterFile file(RegisterFile::Width::Byte);
    unsigned taken = 0;
    file.add({"NEXT", 1, [&taken] { return ++taken; }, {}, [&taken] { return taken + 1; }});
    std::uint8_t byte = 0;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(1);
    payload.set_data_ptr(&byte);
    payload.set_data_length(1);
    payload.set_streaming_width(1);
    CHECK(file.transport_debug(payload) == 1);
    CHECK(file.transport_debug(payload) == 1);
    CHECK(byte == 1);
    CHECK(taken == 0);
    file.transport(payload);
    CHECK(byte == 1);
    CHECK(taken == 1);
}
