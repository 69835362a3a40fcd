// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/consumer.hpp"
#include "platform/observe/phases.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace levee::energy {

/// Counts of a run's energy events, by component, event, operation
/// and phase, without prices. An event's counts are in its own
/// unit: bytes, picoseconds or occurrences. account() and
/// operation() assign numbers once, so that count() needs only two
/// look-ups.
class Ledger {
public:
    struct Account {
        unsigned component;
        std::string event;
    };
    /// The key of one count. Cells are in the order of their first counts.
    struct Cell {
        unsigned account;
        unsigned operation;
        unsigned phase;
    };

    explicit Ledger(std::vector<Consumer> components) : components_(std::move(components)) {}

    /// Called before the first count of an account. It may throw.
    std::function<void(const Consumer&, const std::string& event)> on_account;

    /// Returns the number of the account for an event of a component. The first call creates the
    /// account.
    [[nodiscard]] unsigned account(unsigned component, const std::string& event);
    /// Returns the number of an operation such as "rsa.gemm". Callers pass this number to count(),
    /// for each event that the operation causes.
    [[nodiscard]] unsigned operation(const std::string& name);

    void set_phase(unsigned phase) { phase_ = phase; }

    void count(unsigned account, unsigned operation, std::uint64_t n)
    {
        if (n == 0)
            return;
        const std::size_t at =
            (std::size_t{operation} * width_ + account) * phase_names.size() + phase_;
        std::uint32_t cell = cell_at_[at];
        if (cell == none)
            cell = cell_at_[at] = open(account, operation);
        counts_[cell] += n;
    }

    [[nodiscard]] const std::vector<Consumer>& components() const { return components_; }
    [[nodiscard]] const std::vector<Account>& accounts() const { return accounts_; }
    [[nodiscard]] const std::vector<std::string>& operations() const { return operations_; }
    /// Returns the cells. They are only appended, so an earlier copy of the counts belongs to the
    /// first cells.
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
    std::size_t width_ = 0;
    std::vector<std::uint32_t> cell_at_; ///< index in cells_, by operation, account and phase
};

} // namespace levee::energy
