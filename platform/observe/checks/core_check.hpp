// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/array_use.hpp"
#include "platform/observe/checks/core_shadow.hpp"
#include "platform/observe/checks/operation_log.hpp"
#include "platform/observe/checks/shadow.hpp"
#include "platform/observe/checks/type_check.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace levee::checks {

struct AccessChecks {
    bool overlap = false;
    bool uninitialised = false;
    bool types = false;
};

/// Checks the core's loads and stores. Until the core has seen an operation's end, it must not
/// access the operation's results or change its operands. Loads must not read unwritten memory.
class CoreCheck : private riscv::Observer {
public:
    /// All arguments must outlive the simulation.
    CoreCheck(const Context& context, AccessChecks checks, Ordering& ordering, OperationLog& log,
              Shadow& written, ArrayUse& arrays, TypeCheck& types, Findings& findings);
    CoreCheck(const CoreCheck&) = delete;
    CoreCheck& operator=(const CoreCheck&) = delete;

    /// Finds an access of the core to this tensor that is not ordered before the operation by its
    /// doorbell or waits. `reads`: loads count too. `known` is the operation's clock. `what`
    /// receives a text such as "the core writes at pc ...".
    [[nodiscard]] std::optional<Interval> find_unordered(const Tensor& tensor, bool reads,
                                                         const VectorClock& known,
                                                         std::string& what) const;

private:
    /// A tensor that has bytes in a given page.
    struct Near {
        LoggedOperation* operation;
        Tensor* tensor;
        bool write;
    };
    struct Page {
        std::uint64_t generation = 0;
        std::vector<Near> near;
    };

    bool before_instruction(std::uint32_t pc, std::uint64_t cycle) override;
    void after_access(std::uint32_t address, std::uint32_t size, bool write) override;
    [[nodiscard]] std::uint32_t word_at(std::uint32_t address);
    [[nodiscard]] const std::vector<Near>& near(std::uint64_t key);
    void check_operations(std::uint64_t key, std::uint32_t address, std::uint32_t size, bool write);
    void check_written(std::uint64_t key, std::uint32_t address, std::uint32_t size);
    void report(const Near& near, std::uint32_t address, std::uint32_t size, bool write);
    [[nodiscard]] std::uint32_t pc() const { return context_.system.core().hart().access_pc(); }

    const Context& context_;
    const AccessChecks checks_;
    Ordering& ordering_;
    OperationLog& log_;
    Shadow& written_;
    ArrayUse& arrays_;
    TypeCheck& types_;
    Findings& findings_;
    MemoryKeys keys_;
    std::uint32_t before_ = 0;
    bool silent_ = false;
    CoreShadow shadow_;
    std::unordered_map<std::uint64_t, Page> pages_;
    std::uint64_t forgot_at_ = 0;
    std::set<std::uint32_t> reported_;
};

} // namespace levee::checks
