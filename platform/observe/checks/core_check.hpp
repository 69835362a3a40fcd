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

/// Checks the core's loads and stores. Neither may overlap a tensor of an operation if the core has
/// not yet seen this operation's end. Loads must not read memory that was never written.
class CoreCheck : private riscv::Observer {
public:
    /// All arguments must outlive the simulation.
    CoreCheck(const Context& context, AccessChecks checks, Ordering& ordering, OperationLog& log,
              Shadow& written, ArrayUse& arrays, TypeCheck& types, Findings& findings);
    CoreCheck(const CoreCheck&) = delete;
    CoreCheck& operator=(const CoreCheck&) = delete;

    /// Finds the core's first access to a byte of this tensor that no order separates from the
    /// operation: neither the operation's doorbell nor its waits imply the access. `known` is the
    /// operation's clock. `what` receives a text such as "the core writes at pc ...".
    [[nodiscard]] std::optional<Interval> find_unordered(const Tensor& tensor, bool reads,
                                                         const VectorClock& known,
                                                         std::string& what) const;

private:
    /// A tensor with bytes in a page that the core accesses.
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
