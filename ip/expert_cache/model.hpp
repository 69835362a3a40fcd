// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/expert_matrices.hpp"

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace levee::expert_cache {

/// A matrix of an expert.
struct Matrix {
    std::uint64_t expert = 0; ///< Number of the expert, counted through all layers.
    std::uint64_t offset = 0; ///< Offset in the memory that contains all experts.
    std::uint64_t bytes = 0;
    std::uint64_t in_slot = 0; ///< Offset of the copy in the expert's slot.
    std::uint32_t number = 0;  ///< Number of the matrix within its expert.
};

/// Places of the experts' matrices in memory and in a slot. A slot holds the matrices of one
/// expert, in the order in which the constructor's list has them.
class Layout {
public:
    Layout() = default;
    explicit Layout(std::span<const ExpertMatrices> all);

    /// Bytes of the largest expert, rounded up to lines of 64 bytes.
    [[nodiscard]] std::uint64_t slot_bytes() const { return slot_bytes_; }
    /// Returns the list item that contains bytes [first, last], or null.
    [[nodiscard]] const ExpertMatrices* find(std::uint64_t first, std::uint64_t last) const;
    /// Returns the matrix of this item that contains the byte at `offset`.
    [[nodiscard]] Matrix matrix(const ExpertMatrices& item, std::uint64_t offset) const;

private:
    struct Item {
        ExpertMatrices matrices;
        std::uint64_t first_expert, in_slot;
        std::uint32_t number;
    };

    std::vector<Item> items_; // Sorted by offset.
    std::uint64_t slot_bytes_ = 0;
};

/// Records which experts have a slot, and which of their matrices are in the slot. When an expert
/// without a slot is used and no slot is free, it takes the slot of the least recently used expert.
class Directory {
public:
    Directory() = default;
    explicit Directory(std::uint64_t slots) : slots_(slots) {}

    struct Place {
        std::uint64_t slot = 0;
        bool was_there = false; ///< Whether the matrix was present. Otherwise it must be loaded.
    };
    /// Records a use of the matrix. From then on, the matrix counts as present.
    [[nodiscard]] Place use(const Matrix& matrix);
    /// Returns the slot that contains the matrix; empty if the matrix is not present.
    [[nodiscard]] std::optional<std::uint64_t> slot_of(const Matrix& matrix) const;

    [[nodiscard]] std::uint64_t slots() const { return slots_; }
    [[nodiscard]] std::uint64_t evictions() const { return evictions_; }

private:
    struct Resident {
        std::uint64_t expert, slot;
        std::uint32_t matrices; // Bit i: matrix i is present.
    };

    void make_room(std::uint64_t expert);

    std::uint64_t slots_ = 0;
    std::uint64_t evictions_ = 0;
    std::list<Resident> residents_; // Experts with a slot, the most recently used one first.
    std::unordered_map<std::uint64_t, std::list<Resident>::iterator> by_expert_;
};

} // namespace levee::expert_cache
