// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/address_map.hpp"
#include "ip/dram/command.hpp"
#include "ip/dram/parameters.hpp"

#include <cstdint>
#include <vector>

namespace levee::dram {

/// Reads that come one at a time to a memory without other traffic, as a core's do: each finds the
/// rows that the last ones left open, and waits for a refresh of its bank. Refreshes are done when
/// they are due, which leaves no state behind but closed rows.
class SingleReads {
public:
    SingleReads(const Parameters& parameters, const Clocks& clocks, const AddressMap& map);

    /// Clocks from the request at `now` until its last data; `now` must not decrease.
    Clock read(std::uint64_t address, unsigned bytes, Clock now);

    /// Counts the rows that a write at `now` opens. Nobody waits for it, and later reads take the
    /// time that they would take without it.
    void write(std::uint64_t address, unsigned bytes, Clock now);

    /// Streams have passed: every bank now has another row open.
    void forget() { ++era_; }

    /// Rows opened until now.
    [[nodiscard]] std::uint64_t rows() const { return rows_; }

private:
    struct Bank {
        std::uint64_t era = 0; ///< of its state; of an earlier one: another row is open
        bool open = false;
        std::uint32_t row = 0;
        Clock activated = 0;
        Clock used = 0; ///< last column command
        // What came last, a read or a write.
        std::uint64_t last_era = UINT64_MAX;
        std::uint32_t last_row = 0;
        Clock last_at = 0;
    };
    /// The last refresh that could concern a bank.
    struct Refresh {
        Clock due = 0;
        bool any = false;
    };

    [[nodiscard]] Refresh last_refresh(const Location& at, Clock now) const;
    [[nodiscard]] Bank& bank_of(const Location& at);
    /// Whether what came last has left another row open, or none; from now on it is this one.
    bool opens(Bank& bank, const Location& at, const Refresh& refresh, Clock now);
    Clock read_burst(const Location& at, Clock now);

    const Parameters& parameters_;
    Clocks c_;
    const AddressMap& map_;
    std::vector<Bank> banks_;
    std::uint64_t era_ = 0;
    std::uint64_t rows_ = 0;
};

} // namespace levee::dram
