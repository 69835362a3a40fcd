// SPDX-License-Identifier: Apache-2.0
// Tests the results of the ELF loader, and its messages about files that are not valid ELF.
#include "core/abi/tag_names.h"
#include "platform/input/program/elf.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace levee;

std::vector<std::uint8_t> file_bytes(const std::string& name)
{
    std::ifstream file(std::string(LEVEE_ISA_DIR) + "/" + name + ".elf", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class Change> std::string error_after(Change change)
{
    auto bytes = file_bytes("alu");
    change(bytes);
    try {
        load_elf(bytes, "prog.elf");
    } catch (const ElfError& error) {
        return error.what();
    }
    return "accepted";
}

/// Changes the ELF header or a program header in place.
template <class Change> auto in_header(Change change)
{
    return [change](std::vector<std::uint8_t>& bytes) {
        Elf32_Ehdr header;
        std::memcpy(&header, bytes.data(), sizeof header);
        change(header);
        std::memcpy(bytes.data(), &header, sizeof header);
    };
}

template <class Change> auto in_load_segment(Change change)
{
    return [change](std::vector<std::uint8_t>& bytes) {
        Elf32_Ehdr header;
        std::memcpy(&header, bytes.data(), sizeof header);
        for (unsigned i = 0; i < header.e_phnum; ++i) {
            std::uint8_t* at = &bytes[header.e_phoff + i * sizeof(Elf32_Phdr)];
            Elf32_Phdr program;
            std::memcpy(&program, at, sizeof program);
            if (program.p_type != PT_LOAD)
                continue;
            change(program);
            std::memcpy(at, &program, sizeof program);
            return;
        }
    };
}

/// Returns the program with a section of tag names appended.
std::vector<std::uint8_t> with_tags(std::span<const std::uint8_t> table)
{
    auto bytes = file_bytes("alu");
    const auto append = [&bytes](const void* data, std::size_t size) {
        const auto at = static_cast<Elf32_Off>(bytes.size());
        const auto* const from = static_cast<const std::uint8_t*>(data);
        bytes.insert(bytes.end(), from, from + size);
        return at;
    };
    Elf32_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::vector<Elf32_Shdr> sections(header.e_shnum);
    std::memcpy(sections.data(), bytes.data() + header.e_shoff,
                sections.size() * sizeof(Elf32_Shdr));
    Elf32_Shdr& titles = sections[header.e_shstrndx];
    const std::vector<std::uint8_t> strings(bytes.begin() + titles.sh_offset,
                                            bytes.begin() + titles.sh_offset + titles.sh_size);
    titles.sh_offset = append(strings.data(), strings.size());
    const Elf32_Word name = titles.sh_size;
    titles.sh_size += sizeof LEVEE_TAG_SECTION;
    append(LEVEE_TAG_SECTION, sizeof LEVEE_TAG_SECTION);
    Elf32_Shdr added{};
    added.sh_name = name;
    added.sh_type = SHT_PROGBITS;
    added.sh_size = static_cast<Elf32_Word>(table.size());
    added.sh_offset = append(table.data(), table.size());
    sections.push_back(added);
    header.e_shoff = append(sections.data(), sections.size() * sizeof(Elf32_Shdr));
    header.e_shnum = static_cast<Elf32_Half>(sections.size());
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}

std::span<const std::uint8_t> bytes_of(const levee_tag_name& entry)
{
    return {reinterpret_cast<const std::uint8_t*>(&entry), sizeof entry};
}

} // namespace

TEST_CASE("A program's names of tags are read, and faulty names are refused")
{
    const auto error = [](std::span<const std::uint8_t> table) -> std::string {
        try {
            load_elf(with_tags(table), "prog.elf");
        } catch (const ElfError& caught) {
            return caught.what();
        }
        return "accepted";
    };
    const levee_tag_name scores{7, "SCORES"}, wide{256, "WIDE"}, unnamed{3, ""};
    levee_tag_name endless{4, {}};
    std::fill(std::begin(endless.name), std::end(endless.name), 'x');
    const auto named = load_elf(with_tags(bytes_of(scores)), "prog.elf").tag_names;
    REQUIRE(named.size() == 1);
    CHECK(named[0].number == 7);
    CHECK(named[0].name == "SCORES");
    CHECK(load_elf(file_bytes("alu"), "alu.elf").tag_names.empty());
    CHECK(error(bytes_of(wide)) ==
          "prog.elf: section .levee.tags: a number is 0x100, expected at most 0xff");
    CHECK(error(bytes_of(unnamed)).find("name of number 3 is empty") != std::string::npos);
    CHECK(error(bytes_of(endless)).find("does not end in a zero byte") != std::string::npos);
    CHECK(error(bytes_of(scores).first(31)).find("expected a multiple of 0x20") !=
          std::string::npos);
}

TEST_CASE("An ELF file gives its segments, entry, symbols and tohost")
{
    const auto image = load_elf(file_bytes("alu"), "alu.elf");
    CHECK(image.entry == 0x80000000);
    REQUIRE_FALSE(image.segments.empty());
    CHECK(image.segments[0].address == 0x80000000);
    CHECK(image.segments[0].data.size() <= image.segments[0].memory_bytes);
    REQUIRE(image.tohost.has_value());
    CHECK(*image.tohost % 64 == 0);
    CHECK_FALSE(image.fromhost.has_value());
    CHECK(std::is_sorted(image.symbols.begin(), image.symbols.end(),
                         [](const auto& a, const auto& b) { return a.address < b.address; }));
    CHECK(std::any_of(image.symbols.begin(), image.symbols.end(), [](const auto& symbol) {
        return symbol.name == "_start" && symbol.address == 0x80000000;
    }));
}

TEST_CASE("Sections define the constants of a segment without flags, and tohost is never constant")
{
    const auto flags = [](Elf32_Word value) {
        return in_load_segment([value](auto& p) { p.p_flags = value; });
    };
    const auto contains = [](const ElfImage& image, std::uint64_t address) {
        return std::any_of(image.read_only.begin(), image.read_only.end(), [&](const auto& range) {
            return address >= range.begin && address < range.end;
        });
    };
    const auto loaded = [&](const auto& change, bool sections) {
        auto bytes = file_bytes("boot");
        change(bytes);
        if (!sections)
            in_header([](auto& header) { header.e_shnum = 0; })(bytes);
        return load_elf(bytes, "boot.elf");
    };
    const auto original = load_elf(file_bytes("boot"), "boot.elf");
    for (const Elf32_Word value : {Elf32_Word{0}, Elf32_Word{PF_R | PF_X}}) {
        const ElfImage by_section = loaded(flags(value), true);
        CHECK(contains(by_section, by_section.entry) == (value != 0));
        CHECK_FALSE(contains(by_section, original.tohost.value()));
        CHECK_FALSE(contains(by_section, original.fromhost.value()));
    }
    CHECK_FALSE(contains(loaded(flags(PF_R | PF_W | PF_X), true), original.entry));
    CHECK(contains(loaded(flags(PF_R | PF_X), false), original.entry));
}

TEST_CASE("A program's zero-initialised memory is larger than its data")
{
    const auto image = load_elf(file_bytes("compressed"), "compressed.elf");
    CHECK(std::any_of(image.segments.begin(), image.segments.end(), [](const auto& segment) {
        return segment.memory_bytes > segment.data.size();
    }));
}

TEST_CASE("A file that is no RISC-V executable is refused with file and field")
{
    const auto refused = [](const std::string& message, const std::string& field) {
        CHECK_THAT(message, Catch::StartsWith("prog.elf: ") && Catch::Contains(field));
    };
    CHECK(error_after([](auto&) {}) == "accepted");
    refused(error_after([](auto& bytes) { bytes.clear(); }), "ELF header");
    refused(error_after([](auto& bytes) { bytes[1] = 'e'; }), "magic");
    refused(error_after([](auto& bytes) { bytes[EI_CLASS] = ELFCLASS64; }), "EI_CLASS");
    refused(error_after([](auto& bytes) { bytes[EI_DATA] = ELFDATA2MSB; }), "EI_DATA");
    refused(error_after(in_header([](auto& h) { h.e_type = ET_DYN; })), "e_type");
    refused(error_after(in_header([](auto& h) { h.e_machine = EM_ARM; })), "e_machine");
    refused(error_after(in_header([](auto& h) { h.e_phnum = 0; })), "e_phnum");
    refused(error_after(in_header([](auto& h) { h.e_phentsize = 1; })), "e_phentsize");
    refused(error_after(in_header([](auto& h) { h.e_phoff = 0xFFFFFFF0; })), "program header 0");
    refused(error_after(in_header([](auto& h) { h.e_entry = 1; })), "e_entry");
    for (const std::uint32_t nowhere : {0u, 0x40000000u, 0xFFFFFFFEu})
        refused(error_after(in_header([nowhere](auto& h) { h.e_entry = nowhere; })),
                "expected an address in a segment");
    refused(error_after(in_header([](auto& h) { h.e_shentsize = 7; })), "e_shentsize");
    refused(error_after(in_header([](auto& h) { h.e_shoff = 0xFFFFFFF0; })), "section header");
    refused(error_after(in_load_segment([](auto& p) { p.p_filesz = 0x7FFFFFFF; })), "p_filesz");
    refused(error_after(in_load_segment([](auto& p) { p.p_offset = 0x7FFFFFFF; })), "its segment");
    refused(error_after(in_load_segment([](auto& p) { p.p_paddr = 0xFFFFFFF0; })), "p_paddr");
    refused(error_after(in_load_segment([](auto& p) { p.p_paddr += 0x1000; })), "overlap");
    CHECK_THROWS_WITH(load_elf(std::filesystem::path("/nonexistent.elf")),
                      Catch::Contains("/nonexistent.elf"));
    CHECK_THROWS_WITH(load_elf(std::filesystem::path("/tmp")), Catch::Contains("/tmp"));
}

TEST_CASE("Truncated and corrupted files are refused or loaded")
{
    const auto whole = file_bytes("alu");
    REQUIRE(whole.size() > sizeof(Elf32_Ehdr));
    unsigned refused = 0;
    const auto attempt = [&](const std::vector<std::uint8_t>& bytes) {
        try {
            load_elf(bytes, "fuzz");
        } catch (const ElfError&) {
            ++refused;
        }
    };
    for (size_t size = 0; size < whole.size(); size += 1 + size / 64)
        attempt({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    CHECK(refused > 100);
    std::mt19937 random(1);
    for (unsigned i = 0; i < 3000; ++i) {
        auto bytes = whole;
        for (unsigned k = 0; k < 1 + i % 4; ++k) {
            // Corrupted headers and tables are the most likely to cause errors.
            const size_t range = i % 2 == 0 ? 256 : bytes.size();
            bytes[random() % range] = static_cast<std::uint8_t>(random());
        }
        attempt(bytes);
    }
    CHECK(refused > 500);
}
