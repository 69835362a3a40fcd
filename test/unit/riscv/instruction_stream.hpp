// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace levee::test {

/// Random RV32IMAC programs that terminate. They are straight code with forward branches and jumps,
/// and loads, stores and atomics in a data area. x2, x8 and x9 point into this area and are never
/// written.
class InstructionStream {
public:
    explicit InstructionStream(std::uint64_t seed) : random_(seed) {}

    /// Returns the code of `count` instructions or short idioms.
    std::vector<std::uint8_t> generate(unsigned count);
    std::uint32_t any(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    std::uint32_t word();

private:
    // The kind of a branch or jump whose offset is filled in after layout.
    enum class Patch { none, branch, jal, c_branch, c_jump, jalr };
    struct Piece {
        std::uint32_t first = 0;
        std::uint32_t second = 0; // Second instruction of an idiom.
        unsigned bytes = 4;
        Patch patch = Patch::none;
    };

    Piece piece();
    Piece alu();
    Piece alu_immediate();
    Piece upper();
    Piece memory();
    Piece atomic();
    Piece control();
    Piece compressed();
    Piece compressed_arithmetic();
    Piece compressed_memory();
    std::uint32_t destination();
    std::uint32_t small_destination(); // Returns one of x10 to x15 as a 3-bit field.
    std::uint32_t base();

    std::mt19937_64 random_;
};

} // namespace levee::test
