// SPDX-License-Identifier: Apache-2.0
// The places of a machine in which faults can be injected. They are found in a run without a fault.
#pragma once

#include "core/units/time.hpp"
#include "platform/observe/faults/bit_range.hpp"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace levee::faults {

enum class PlaceKind {
    Register,
    Descriptors,
    Memory,
    Operand,  ///< bytes that an operand of a block's operations covered in the run without a
              ///< fault
    Tensor,   ///< a matrix of the model
    Variable, ///< an array or a variable of the program
    State     ///< other state that a component declares
};

struct NamedKind {
    PlaceKind kind;
    const char* name;
    const char* meaning;
};
inline constexpr std::array place_kinds{
    NamedKind{PlaceKind::Register, "register", "Registers of a block, or of the `core`."},
    NamedKind{PlaceKind::Descriptors, "descriptors",
              "A block: the descriptors that wait in its queue, or the next one if none waits."},
    NamedKind{PlaceKind::Memory, "memory", "A memory, or the part `from` to `to` of it."},
    NamedKind{PlaceKind::Operand, "operand",
              "BLOCK.FIELD: the bytes that this operand covers in the run without a fault."},
    NamedKind{PlaceKind::Tensor, "tensor", "A matrix of the model, or all layers' of its kind."},
    NamedKind{PlaceKind::Variable, "variable", "A variable or an array of the program."},
    NamedKind{PlaceKind::State, "state", "COMPONENT.STATE: state that a component declares."},
};
[[nodiscard]] const NamedKind& named(PlaceKind kind);

/// A register of a block, or a field of its descriptors.
struct Piece {
    std::string name;
    std::uint64_t first = 0; ///< the first bit's number in the descriptor; 0 for registers
    std::uint64_t bits = 0;
};

/// Return names for variables or fields that would have the same name. A variable gets its address,
/// as in "rows@0x8000f2c4". A field gets the part of the descriptor, as in "head.flags".
[[nodiscard]] std::string with_address(const std::string& name, std::uint32_t address);
inline constexpr const char* descriptor_head = "head";
inline constexpr const char* descriptor_operation = "operation";
[[nodiscard]] std::string of_part(const char* part, const std::string& name);
/// Returns whether `told_apart` is `name` with an address or with the part of the descriptor.
[[nodiscard]] bool is_told_apart(const std::string& name, const std::string& told_apart);

struct Place {
    PlaceKind kind = PlaceKind::Memory;
    std::string name;
    std::vector<BitRange> ranges{};
    std::vector<Piece> pieces{}; ///< registers, or fields of descriptors
    std::uint64_t own_bits = 0;  ///< number of bits that are in neither `ranges` nor `pieces`
    /// The last time at which a fault can have an effect; 0: the end of the run.
    Picoseconds until = 0;

    [[nodiscard]] std::uint64_t bits() const;
};

struct Pass {
    int kind = 0; ///< the pass's mark (levee_mark)
    std::uint32_t index = 0;
    Picoseconds begin = 0, end = 0;
};

/// Facts that a campaign needs about the run without a fault.
struct Survey {
    std::vector<Place> places;
    std::vector<std::vector<Picoseconds>> tokens;
    std::vector<Pass> passes;
    Picoseconds end = 0;
    std::uint64_t instructions = 0;
};

[[nodiscard]] nlohmann::json to_json(const Survey& survey);
/// Throws nlohmann::json::exception unless `json` was written by to_json().
[[nodiscard]] Survey survey_of(const nlohmann::json& json);

} // namespace levee::faults
