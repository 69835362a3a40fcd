// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/address_map.hpp"
#include "ip/dram/command.hpp"
#include "ip/dram/parameters.hpp"

#include <cstdint>
#include <vector>

namespace levee::dram {

/// Reads that arrive one at a time at a memory without other traffic, such as a core's. Each finds
/// the rows that earlier ones left open, and waits for a refresh of its bank. Refreshes are done
/// when they are due; their only lasting effect is closed rows.
class SingleReads {
public:
    SingleReads(const Parameters& parameters, const Clocks& clocks, const AddressMap& map);

    /// Clocks from the request at `now` until its last data; `now` must not decrease.
    Clock read(std::uint64_t address, unsigned bytes, Clock now);

    /// Counts the rows that a write at `now` opens. No requestor waits for it, and it does not
    /// delay later reads.
    void write(std::uint64_t address, unsigned bytes, Clock now);

    /// Call when streams have used the memory: every bank is then assumed to have another row open.
    void forget() { ++era_; }

    /// Rows opened until now.
    [[nodiscard]] std::uint64_t rows() const { return rows_; }

private:
    struct Bank {
        std::uint64_t era = 0; ///< era of this state; if it is an earlier era, another row is open
        bool open = false;
        std::uint32_t row = 0;
        Clock activated = 0;
        Clock used = 0; ///< clock of the last column command
        // The most recent access of the bank, a read or a write:
        std::uint64_t last_era = UINT64_MAX;
        std::uint32_t last_row = 0;
        Clock last_at = 0;
    };
    /// The last refresh that could affect a bank.
    struct Refresh {
        Clock due = 0;
        bool any = false;
    };

    [[nodiscard]] Refresh last_refresh(const Location& at, Clock now) const;
    [[nodiscard]] Bank& bank_of(const Location& at);
    /// Returns whether the access must open its row, because no row or another row was open.
    /// Afterwards, this row is open.
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
