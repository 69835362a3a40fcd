// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/consumer.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace levee::energy {

/// Counts of a run's energy events, by component, event, operation and phase, without prices. The
/// unit of a count is its event's: bytes, picoseconds or occurrences.
///
/// Accounts and operations are numbers: account() and operation() allocate them once, and count()
/// takes two look-ups.
class Ledger {
public:
    static constexpr std::array<const char*, 3> phases{"other", "prefill",
                                                       "decode"}; ///< levee_phase

    struct Account {
        unsigned component;
        std::string event;
    };
    /// Key of one count; keys are ordered by first count.
    struct Cell {
        unsigned account;
        unsigned operation;
        unsigned phase;
    };

    explicit Ledger(std::vector<Consumer> components) : components_(std::move(components)) {}

    /// Called before the first count in an account; may throw.
    std::function<void(const Consumer&, const std::string& event)> on_account;

    /// Number of the account of a component's event, which is created if necessary.
    [[nodiscard]] unsigned account(unsigned component, const std::string& event);
    /// Number of an operation such as "rsa.gemm"; the events that the operation causes are counted
    /// under it.
    [[nodiscard]] unsigned operation(const std::string& name);

    void set_phase(unsigned phase) { phase_ = phase; }

    void count(unsigned account, unsigned operation, std::uint64_t n)
    {
        if (n == 0)
            return;
        const std::size_t at = (std::size_t{operation} * width_ + account) * phases.size() + phase_;
        std::uint32_t cell = cell_at_[at];
        if (cell == none)
            cell = cell_at_[at] = open(account, operation);
        counts_[cell] += n;
    }

    [[nodiscard]] const std::vector<Consumer>& components() const { return components_; }
    [[nodiscard]] const std::vector<Account>& accounts() const { return accounts_; }
    [[nodiscard]] const std::vector<std::string>& operations() const { return operations_; }
    /// Cells are append-only: earlier counts belong to the first cells.
    [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }
    [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }

private:
    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    std::uint32_t open(unsigned account, unsigned operation);
    void make_room();

    std::vector<Consumer> components_;
    std::vector<Account> accounts_;
    std::vector<std::string> operations_;
    std::vector<Cell> cells_;
    std::vector<std::uint64_t> counts_;
    unsigned phase_ = 0;
    std::size_t width_ = 0; ///< number of accounts for which each operation's row has room
    std::vector<std::uint32_t> cell_at_; ///< Cells by operation, account and phase.
};

} // namespace levee::energy
