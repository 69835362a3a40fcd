// SPDX-License-Identifier: Apache-2.0
#include "platform/input/program/elf.hpp"

#include "core/abi/tag_names.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <new>
#include <sstream>
#include <system_error>
#include <tuple>

namespace levee {
namespace {

constexpr std::uintmax_t most_file_bytes = std::uintmax_t{1} << 30;

std::string hex(std::uint64_t value)
{
    std::ostringstream text;
    text << "0x" << std::hex << value;
    return text.str();
}

class Reader {
public:
    Reader(std::span<const std::uint8_t> bytes, const std::string& name)
        : bytes_(bytes), name_(name)
    {
    }

    [[noreturn]] void fail(const std::string& problem) const
    {
        throw ElfError(name_ + ": " + problem);
    }

    void expect(bool condition, const std::string& field, std::uint64_t value,
                const std::string& expected) const
    {
        if (!condition)
            fail(field + " is " + hex(value) + ", expected " + expected);
    }

    std::span<const std::uint8_t> slice(std::uint64_t offset, std::uint64_t size,
                                        const std::string& what) const
    {
        if (offset > bytes_.size() || size > bytes_.size() - offset)
            fail(what + " is at bytes " + hex(offset) + " to " + hex(offset + size) +
                 ", but the file has " + hex(bytes_.size()));
        return bytes_.subspan(offset, size);
    }

    template <class T> T read(std::uint64_t offset, const std::string& what) const
    {
        T value;
        std::memcpy(&value, slice(offset, sizeof(T), what).data(), sizeof(T));
        return value;
    }

private:
    std::span<const std::uint8_t> bytes_;
    const std::string& name_;
};

void check_header(const Reader& file, const Elf32_Ehdr& header)
{
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        file.fail("does not start with the ELF magic number");
    file.expect(header.e_ident[EI_CLASS] == ELFCLASS32, "e_ident[EI_CLASS]",
                header.e_ident[EI_CLASS], "1 (ELFCLASS32)");
    file.expect(header.e_ident[EI_DATA] == ELFDATA2LSB, "e_ident[EI_DATA]", header.e_ident[EI_DATA],
                "1 (little endian)");
    file.expect(header.e_type == ET_EXEC, "e_type", header.e_type, "2 (ET_EXEC)");
    file.expect(header.e_machine == EM_RISCV, "e_machine", header.e_machine, "0xf3 (EM_RISCV)");
    file.expect(header.e_version == EV_CURRENT, "e_version", header.e_version, "1");
    file.expect(header.e_phnum != 0, "e_phnum", header.e_phnum, "at least one program header");
    file.expect(header.e_phentsize == sizeof(Elf32_Phdr), "e_phentsize", header.e_phentsize,
                hex(sizeof(Elf32_Phdr)));
    file.expect(header.e_entry % 2 == 0, "e_entry", header.e_entry, "an even address");
}

void check_overlap(const Reader& file, std::vector<ElfSegment> segments)
{
    std::sort(segments.begin(), segments.end(),
              [](const auto& a, const auto& b) { return a.address < b.address; });
    for (size_t i = 1; i < segments.size(); ++i) {
        const ElfSegment& before = segments[i - 1];
        if (std::uint64_t{before.address} + before.memory_bytes > segments[i].address)
            file.fail("the segments at " + hex(before.address) + " and " +
                      hex(segments[i].address) + " overlap");
    }
}

std::string program_header_name(unsigned index)
{
    return "program header " + std::to_string(index);
}

Elf32_Phdr program_header(const Reader& file, const Elf32_Ehdr& header, unsigned index)
{
    return file.read<Elf32_Phdr>(header.e_phoff + std::uint64_t{index} * sizeof(Elf32_Phdr),
                                 program_header_name(index));
}

std::vector<ElfSegment> read_segments(const Reader& file, const Elf32_Ehdr& header)
{
    std::vector<ElfSegment> segments;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const std::string what = program_header_name(i);
        const Elf32_Phdr program = program_header(file, header, i);
        if (program.p_type != PT_LOAD || program.p_memsz == 0)
            continue;
        file.expect(program.p_filesz <= program.p_memsz, what + ": p_filesz", program.p_filesz,
                    "at most p_memsz " + hex(program.p_memsz));
        file.expect(std::uint64_t{program.p_paddr} + program.p_memsz <= std::uint64_t{1} << 32,
                    what + ": p_paddr + p_memsz", std::uint64_t{program.p_paddr} + program.p_memsz,
                    "at most 0x100000000");
        const auto data = file.slice(program.p_offset, program.p_filesz, what + ": its segment");
        segments.push_back({program.p_paddr, program.p_memsz, {data.begin(), data.end()}});
    }
    if (segments.empty())
        file.fail("has no PT_LOAD segment, so there is nothing to run");
    check_overlap(file, segments);
    return segments;
}

bool is_kept(const Elf32_Sym& symbol)
{
    const auto type = ELF32_ST_TYPE(symbol.st_info);
    return symbol.st_shndx != SHN_UNDEF && symbol.st_name != 0 &&
           (type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC);
}

std::string string_at(const Reader& file, std::span<const std::uint8_t> strings,
                      std::uint32_t offset)
{
    if (offset >= strings.size())
        file.fail("a name is at byte " + hex(offset) + ", but the string table has " +
                  hex(strings.size()) + " bytes");
    const auto begin = strings.begin() + offset;
    const auto end = std::find(begin, strings.end(), std::uint8_t{0});
    if (end == strings.end())
        file.fail("the string table does not end in a zero byte");
    return {begin, end};
}

Elf32_Shdr section(const Reader& file, const Elf32_Ehdr& header, unsigned index)
{
    file.expect(index < header.e_shnum, "a section index", index,
                "less than e_shnum " + hex(header.e_shnum));
    return file.read<Elf32_Shdr>(header.e_shoff + std::uint64_t{index} * sizeof(Elf32_Shdr),
                                 "section header " + std::to_string(index));
}

/// Returns the symbol with the kind of its address and the end of its section.
ElfSymbol placed(const Reader& file, const Elf32_Ehdr& header, const Elf32_Sym& entry,
                 ElfSymbol symbol)
{
    symbol.place = ElfSymbol::Place::None;
    if (entry.st_shndx >= SHN_LORESERVE)
        return symbol;
    const Elf32_Shdr its = section(file, header, entry.st_shndx);
    if ((its.sh_flags & SHF_ALLOC) == 0)
        return symbol;
    const bool is_code =
        (its.sh_flags & SHF_EXECINSTR) != 0 &&
        ELF32_ST_TYPE(entry.st_info) != STT_OBJECT; // Constants may be placed next to the code.
    symbol.place = is_code ? ElfSymbol::Place::Code : ElfSymbol::Place::Data;
    symbol.section_end = std::uint64_t{its.sh_addr} + its.sh_size;
    return symbol;
}

void read_symbol_table(const Reader& file, const Elf32_Ehdr& header, const Elf32_Shdr& table,
                       std::vector<ElfSymbol>& symbols)
{
    const auto names = section(file, header, table.sh_link);
    const auto strings = file.slice(names.sh_offset, names.sh_size, "the string table");
    const auto entries = file.slice(table.sh_offset, table.sh_size, "the symbol table");
    for (size_t at = 0; at + sizeof(Elf32_Sym) <= entries.size(); at += sizeof(Elf32_Sym)) {
        Elf32_Sym symbol;
        std::memcpy(&symbol, entries.data() + at, sizeof symbol);
        if (is_kept(symbol))
            symbols.push_back(placed(
                file, header, symbol,
                {symbol.st_value, symbol.st_size, string_at(file, strings, symbol.st_name)}));
    }
}

std::vector<ElfSymbol> read_symbols(const Reader& file, const Elf32_Ehdr& header)
{
    std::vector<ElfSymbol> symbols;
    if (header.e_shnum != 0)
        file.expect(header.e_shentsize == sizeof(Elf32_Shdr), "e_shentsize", header.e_shentsize,
                    hex(sizeof(Elf32_Shdr)));
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const auto table = section(file, header, i);
        if (table.sh_type == SHT_SYMTAB)
            read_symbol_table(file, header, table, symbols);
    }
    std::sort(symbols.begin(), symbols.end(), [](const auto& a, const auto& b) {
        return std::tie(a.address, a.name, a.size) < std::tie(b.address, b.name, b.size);
    });
    return symbols;
}

ElfTagName tag_name(const Reader& file, const levee_tag_name& entry)
{
    const std::string what = "section " LEVEE_TAG_SECTION ": ";
    file.expect(entry.number <= UINT8_MAX, what + "a number", entry.number, "at most 0xff");
    const auto* const end = std::find(std::begin(entry.name), std::end(entry.name), '\0');
    if (end == std::begin(entry.name) || end == std::end(entry.name))
        file.fail(what + "the name of number " + std::to_string(entry.number) +
                  " is empty or does not end in a zero byte");
    return {static_cast<std::uint8_t>(entry.number), {std::begin(entry.name), end}};
}

std::vector<ElfTagName> read_tag_names(const Reader& file, const Elf32_Ehdr& header)
{
    std::vector<ElfTagName> names;
    if (header.e_shnum == 0 || header.e_shstrndx == SHN_UNDEF)
        return names;
    const auto titles = section(file, header, header.e_shstrndx);
    const auto strings = file.slice(titles.sh_offset, titles.sh_size, "the section names");
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const auto table = section(file, header, i);
        if (table.sh_type != SHT_PROGBITS ||
            string_at(file, strings, table.sh_name) != LEVEE_TAG_SECTION)
            continue;
        file.expect(table.sh_size % sizeof(levee_tag_name) == 0,
                    "section " LEVEE_TAG_SECTION ": sh_size", table.sh_size,
                    "a multiple of " + hex(sizeof(levee_tag_name)));
        for (std::uint64_t at = 0; at < table.sh_size; at += sizeof(levee_tag_name))
            names.push_back(
                tag_name(file, file.read<levee_tag_name>(table.sh_offset + at,
                                                         "section " LEVEE_TAG_SECTION)));
    }
    return names;
}

/// Returns the sections of a segment that are not writable, by address. Adjacent sections become
/// one range, which includes the bytes between them. In a segment that is not executable, code
/// sections are ignored, because data may be between their instructions.
std::vector<ElfRange> constant_sections(const Elf32_Phdr& segment,
                                        const std::vector<Elf32_Shdr>& sections)
{
    std::vector<ElfRange> ranges;
    bool is_adjacent = false;
    for (const Elf32_Shdr& its : sections) {
        const std::uint64_t offset = std::uint64_t{its.sh_addr} - segment.p_vaddr;
        if (its.sh_addr < segment.p_vaddr || offset >= segment.p_memsz)
            continue;
        const bool is_code = (its.sh_flags & SHF_EXECINSTR) != 0;
        const bool is_constant =
            (its.sh_flags & SHF_WRITE) == 0 && (!is_code || (segment.p_flags & PF_X) != 0);
        const std::uint64_t begin = segment.p_paddr + offset;
        const std::uint64_t end =
            segment.p_paddr + std::min(offset + its.sh_size, std::uint64_t{segment.p_memsz});
        if (is_constant && is_adjacent)
            ranges.back().end = end;
        else if (is_constant)
            ranges.push_back({begin, end});
        is_adjacent = is_constant;
    }
    return ranges;
}

/// Sections that occupy memory, ordered by address.
std::vector<Elf32_Shdr> placed_sections(const Reader& file, const Elf32_Ehdr& header)
{
    std::vector<Elf32_Shdr> sections;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const Elf32_Shdr its = section(file, header, i);
        if ((its.sh_flags & SHF_ALLOC) != 0 && its.sh_size != 0)
            sections.push_back(its);
    }
    std::stable_sort(sections.begin(), sections.end(),
                     [](const auto& a, const auto& b) { return a.sh_addr < b.sh_addr; });
    return sections;
}

/// Removes a 64-bit word, such as tohost, from the read-only ranges, because the simulator writes
/// it.
void take_out(std::vector<ElfRange>& ranges, std::optional<std::uint32_t> word)
{
    if (!word)
        return;
    const ElfRange out{*word, std::uint64_t{*word} + sizeof(std::uint64_t)};
    std::vector<ElfRange> left;
    for (const ElfRange& range : ranges) {
        const ElfRange before{range.begin, std::min(range.end, out.begin)};
        const ElfRange behind{std::max(range.begin, out.end), range.end};
        for (const ElfRange& part : {before, behind})
            if (part.begin < part.end)
                left.push_back(part);
    }
    ranges = std::move(left);
}

/// Returns the read-only ranges. If the file has no section headers, these are the segments that
/// are not writable.
std::vector<ElfRange> read_only_ranges(const Reader& file, const Elf32_Ehdr& header,
                                       const ElfImage& image)
{
    std::vector<ElfRange> all;
    const std::vector<Elf32_Shdr> sections = placed_sections(file, header);
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const Elf32_Phdr segment = program_header(file, header, i);
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0 || (segment.p_flags & PF_W) != 0)
            continue;
        const ElfRange whole{segment.p_paddr, std::uint64_t{segment.p_paddr} + segment.p_memsz};
        const std::vector<ElfRange> ranges =
            sections.empty() ? std::vector{whole} : constant_sections(segment, sections);
        all.insert(all.end(), ranges.begin(), ranges.end());
    }
    take_out(all, image.tohost);
    take_out(all, image.fromhost);
    std::sort(all.begin(), all.end(),
              [](const ElfRange& a, const ElfRange& b) { return a.begin < b.begin; });
    return all;
}

std::optional<std::uint32_t> address_of(const std::vector<ElfSymbol>& symbols,
                                        const std::string& name)
{
    const auto found = std::find_if(symbols.begin(), symbols.end(),
                                    [&](const ElfSymbol& symbol) { return symbol.name == name; });
    return found != symbols.end() ? std::optional(found->address) : std::nullopt;
}

} // namespace

ElfImage load_elf(std::span<const std::uint8_t> bytes, const std::string& name)
{
    const Reader file(bytes, name);
    const auto header = file.read<Elf32_Ehdr>(0, "the ELF header");
    check_header(file, header);
    ElfImage image;
    image.entry = header.e_entry;
    image.segments = read_segments(file, header);
    file.expect(std::ranges::any_of(image.segments,
                                    [&](const ElfSegment& segment) {
                                        return image.entry - segment.address < segment.memory_bytes;
                                    }),
                "e_entry", header.e_entry, "an address in a segment of the file");
    image.symbols = read_symbols(file, header);
    image.tag_names = read_tag_names(file, header);
    image.tohost = address_of(image.symbols, "tohost");
    image.fromhost = address_of(image.symbols, "fromhost");
    image.read_only = read_only_ranges(file, header, image);
    return image;
}

ElfImage load_elf(const std::filesystem::path& path)
{
    if (!std::filesystem::is_regular_file(path))
        throw ElfError(path.string() + (std::filesystem::exists(path) ? ": is not a regular file"
                                                                      : ": no such file"));
    const std::uintmax_t size = std::filesystem::file_size(path);
    if (size > most_file_bytes)
        throw ElfError(path.string() + ": has " + std::to_string(size) +
                       " bytes; expected at most " + std::to_string(most_file_bytes));
    std::vector<std::uint8_t> bytes;
    try {
        bytes.resize(size);
    } catch (const std::bad_alloc&) {
        throw ElfError(path.string() + ": there is not enough memory for its " +
                       std::to_string(size) + " bytes");
    }
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file)
        throw ElfError(path.string() + ": cannot be read");
    return load_elf(bytes, path.string());
}

} // namespace levee
