// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace levee {

struct ElfSegment {
    std::uint32_t address = 0;      ///< physical
    std::uint32_t memory_bytes = 0; ///< Bytes in memory, at least data.size(); bytes beyond the
                                    ///< data are zero.
    std::vector<std::uint8_t> data;
};

struct ElfRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0; ///< address after the last byte
};

struct ElfSymbol {
    std::uint32_t address = 0;
    std::uint32_t size = 0;
    std::string name;
    /// Kind of the address: code, data, or neither (such as a number that a linker script defines).
    enum class Place { Code, Data, None } place = Place::Code;
    std::uint64_t section_end = std::uint64_t{1} << 32; ///< address after the symbol's section

    [[nodiscard]] bool is_array() const { return place == Place::Data && size != 0; }
};

struct ElfTagName {
    std::uint8_t number = 0; ///< The low 8 bits of a tag.
    std::string name;
};

struct ElfImage {
    std::uint32_t entry = 0;
    std::vector<ElfSegment> segments; ///< Non-empty segments in file order.
    /// Code and constants, according to the flags of segments and sections. `tohost` and `fromhost`
    /// are not included. The ranges are disjoint and sorted by address.
    std::vector<ElfRange> read_only;
    /// Names of descriptor tags (core/abi/tag_names.h) in file order.
    std::vector<ElfTagName> tag_names;
    std::vector<ElfSymbol> symbols; ///< Named functions, objects and labels, by address, then name.
    std::optional<std::uint32_t> tohost;
    std::optional<std::uint32_t> fromhost;
};

/// Error of the form "FILE: FIELD is X, expected Y".
class ElfError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Parses a program. Throws ElfError unless the bytes are a well-formed 32-bit little-endian RISC-V
/// executable. `name` is the file's name in messages.
ElfImage load_elf(std::span<const std::uint8_t> bytes, const std::string& name);
ElfImage load_elf(const std::filesystem::path& path);

} // namespace levee
