// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace levee::riscv {

struct ElfSegment {
    std::uint32_t address = 0;      ///< physical
    std::uint32_t memory_bytes = 0; ///< Bytes in memory, at least data.size(); the rest is zero.
    std::vector<std::uint8_t> data;
};

/// Bytes of a program.
struct ElfRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0; ///< one past the last
};

struct ElfSymbol {
    std::uint32_t address = 0;
    std::uint32_t size = 0;
    std::string name;
    /// The kind of its address: code, data, or neither, such as a number that a linker script
    /// names.
    enum class Place { Code, Data, None } place = Place::Code;
    std::uint64_t section_end = std::uint64_t{1} << 32; ///< address behind its section

    [[nodiscard]] bool is_array() const { return place == Place::Data && size != 0; }
};

struct ElfTagName {
    std::uint8_t number = 0; ///< a tag's low 8 bits
    std::string name;
};

/// A program for a 32-bit RISC-V machine.
struct ElfImage {
    std::uint32_t entry = 0;
    std::vector<ElfSegment> segments; ///< non-empty ones, in the order of the file
    /// Code and constants, as segments' and sections' flags say; never `tohost` and `fromhost`.
    /// Disjoint, by address.
    std::vector<ElfRange> read_only;
    /// Names of its descriptors' tags (core/abi/tag_names.h), in the order of the file.
    std::vector<ElfTagName> tag_names;
    std::vector<ElfSymbol> symbols; ///< named functions, objects and labels, by address, then name
    std::optional<std::uint32_t> tohost;
    std::optional<std::uint32_t> fromhost;
};

/// An error "FILE: FIELD is X, expected Y".
class ElfError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Throws ElfError for anything but a well-formed 32-bit little-endian RISC-V executable. `name`
/// stands for the file in errors.
ElfImage load_elf(std::span<const std::uint8_t> bytes, const std::string& name);
ElfImage load_elf(const std::filesystem::path& path);

} // namespace levee::riscv
