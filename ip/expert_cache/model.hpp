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
    std::uint64_t expert = 0; ///< number among those of all layers
    std::uint64_t offset = 0; ///< Offset in the memory of experts.
    std::uint64_t bytes = 0;
    std::uint64_t in_slot = 0; ///< Offset of the copy in the expert's slot.
    std::uint32_t number = 0;  ///< among those of its expert
};

/// Places of experts' matrices. An expert's are together in a slot, in the order of the list.
class Layout {
public:
    Layout() = default;
    explicit Layout(std::span<const ExpertMatrices> all);

    /// Bytes of the largest expert, in whole lines of 64.
    [[nodiscard]] std::uint64_t slot_bytes() const { return slot_bytes_; }
    /// Item of the list that contains the bytes [first, last], or null.
    [[nodiscard]] const ExpertMatrices* find(std::uint64_t first, std::uint64_t last) const;
    /// Matrix of this item with the byte at `offset`.
    [[nodiscard]] Matrix matrix(const ExpertMatrices& item, std::uint64_t offset) const;

private:
    struct Item {
        ExpertMatrices matrices;
        std::uint64_t first_expert, in_slot;
        std::uint32_t number;
    };

    std::vector<Item> items_; // Items by offset.
    std::uint64_t slot_bytes_ = 0;
};

/// The experts that have a slot, and the matrices that are present in it. An expert without a slot
/// takes that of the least recently used expert.
class Directory {
public:
    Directory() = default;
    explicit Directory(std::uint64_t slots) : slots_(slots) {}

    struct Place {
        std::uint64_t slot = 0;
        bool was_there = false; ///< Whether the matrix was present; otherwise it must be loaded.
    };
    /// Uses the matrix, which is present from now on.
    [[nodiscard]] Place use(const Matrix& matrix);
    /// The slot that contains the matrix, if it is present.
    [[nodiscard]] std::optional<std::uint64_t> slot_of(const Matrix& matrix) const;

    [[nodiscard]] std::uint64_t slots() const { return slots_; }
    [[nodiscard]] std::uint64_t evictions() const { return evictions_; }

private:
    struct Resident {
        std::uint64_t expert, slot;
        std::uint32_t matrices; // bits by number
    };

    void make_room(std::uint64_t expert);

    std::uint64_t slots_ = 0;
    std::uint64_t evictions_ = 0;
    std::list<Resident> residents_; // Residents; the most recently used comes first.
    std::unordered_map<std::uint64_t, std::list<Resident>::iterator> by_expert_;
};

} // namespace levee::expert_cache
