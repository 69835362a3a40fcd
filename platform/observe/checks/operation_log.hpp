// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/intervals.hpp"
#include "platform/observe/checks/ordering.hpp"
#include "platform/observe/checks/type_shadow.hpp"
#include "platform/observe/trace/operation_text.hpp"

#include <algorithm>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

namespace levee::checks {

/// A tensor, or a part of one, that an operation accesses.
struct Tensor {
    std::uint32_t field;
    Intervals bytes;     ///< by keys (MemoryKeys)
    bool exact;          ///< for a write: true for the rows themselves, false for one stream
                         ///< in their place
    bool performed;      ///< for a write: true if it has happened, false if it is only announced
    std::uint64_t stamp; ///< stamp of the queue's clock at the access
};

/// A read of memory that was never written.
struct UnwrittenRead {
    std::uint32_t field;
    std::uint64_t first; ///< key of the first unwritten byte (MemoryKeys)
    std::string text;
};

/// The element type that a copy carries from its source; unknown if the types of elements differ.
class CarriedType {
public:
    void follow(const TypeShadow& shadow, const AccessPattern& pattern)
    {
        pattern.for_each_run([&](std::uint64_t at) {
            const std::uint64_t end = at + pattern.run_bytes;
            const TypeShadow::Part* const part = shadow.find(at, end);
            const levee_type type = part != nullptr && shadow.other(at, end, part->type) == nullptr
                                        ? part->type
                                        : LEVEE_TYPE_NONE;
            is_mixed_ = is_mixed_ || (has_part_ && type != part_.type);
            if (!has_part_ && part != nullptr)
                part_ = {0, type, part->writer};
            has_part_ = true;
        });
    }
    [[nodiscard]] TypeShadow::Part part() const { return is_mixed_ ? TypeShadow::Part{} : part_; }

private:
    TypeShadow::Part part_;
    bool has_part_ = false;
    bool is_mixed_ = false;
};

/// An operation, with its accesses to memory.
struct LoggedOperation {
    const CommandQueue* queue;
    const std::string* block;
    std::size_t party;
    levee_descriptor descriptor;
    std::string origin; ///< text such as "submitted by f+0x20"
    bool started = false;
    bool ended = false;
    std::vector<Tensor> reads{};
    std::vector<Tensor> writes{};
    std::vector<UnwrittenRead>
        unwritten{}; ///< reads of unwritten rows that the operation itself may still write
    std::vector<std::uint32_t> reported{};
    CarriedType carried{};

    /// Returns a text such as "GEMM, tag 11,".
    [[nodiscard]] std::string name() const
    {
        return operation_of(queue->declaration(), descriptor) + ",";
    }
    [[nodiscard]] std::string field(std::uint32_t offset) const
    {
        return trace::field_name(queue->declaration(), descriptor.version, offset);
    }
    /// Returns whether the operation also signals before its end, when parts of its result are
    /// done.
    [[nodiscard]] bool is_partial() const
    {
        return descriptor.signal_every[0] != 0 || descriptor.signal_every[1] != 0;
    }
};

/// Operations that are still running, or whose end the core or another operation might not
/// know.
class OperationLog {
public:
    [[nodiscard]] LoggedOperation& add(LoggedOperation operation)
    {
        return operations_.emplace_back(std::move(operation));
    }
    void remove(const LoggedOperation& operation)
    {
        operations_.remove_if([&](const LoggedOperation& o) { return &o == &operation; });
        ++generation_;
    }
    /// Drops ended operations that all parties know. `known` is the clock that all parties share.
    void forget(const VectorClock& known)
    {
        const auto is_known = [&](const LoggedOperation& o, const std::vector<Tensor>& tensors) {
            return std::all_of(tensors.begin(), tensors.end(),
                               [&](const Tensor& t) { return known.knows(o.party, t.stamp); });
        };
        const std::size_t removed = operations_.remove_if([&](const LoggedOperation& o) {
            return o.ended && is_known(o, o.reads) && is_known(o, o.writes);
        });
        generation_ += removed;
    }
    [[nodiscard]] std::list<LoggedOperation>& all() { return operations_; }
    /// Changes whenever a tensor is added or an operation is removed.
    [[nodiscard]] std::uint64_t generation() const { return generation_; }
    void changed() { ++generation_; }

private:
    std::list<LoggedOperation> operations_;
    std::uint64_t generation_ = 1;
};

} // namespace levee::checks
