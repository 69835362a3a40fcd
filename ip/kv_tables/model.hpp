// SPDX-License-Identifier: Apache-2.0
// Reference of the operations on the tables of one batch entry, without time and addresses
// (ip/kv_tables/operations.h defines each operation).
#pragma once

#include "ip/kv_tables/engine.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace levee::kv_tables {

/// Choice of EVICT among equally unimportant tokens.
enum class Ties {
    Slot,    ///< the lowest slot: the first in the order of the chain
    Earliest ///< the earliest token: rows compare positions too
};

/// The eviction policy: the members of the same names in levee_se_operation.
struct Policy {
    std::uint32_t capacity = 0; ///< N'
    std::uint32_t sinks = 0;
    std::uint32_t window = 0;
    levee_se_score score = LEVEE_SE_SOFTMAX;
    unsigned view_bits = 0; ///< 0: no views
    bool random = false;
    std::uint32_t seed = 0;
    std::uint32_t first_stream = 0; ///< RANDOM: first_o0 << 16 | first_o1
    bool recent_high = false;       ///< LEVEE_SE_RECENT_HIGH
    bool redraws = false;           ///< LEVEE_SE_REDRAW
    Ties ties = Ties::Slot;         ///< how the block chooses among equally unimportant tokens
    std::uint64_t reach = 0;        ///< number of latest tokens to which attention applies; 0: all

    /// Number of tokens, the earliest of the first `length`, to which the next token does not
    /// attend.
    [[nodiscard]] std::uint32_t passed_of(std::uint32_t length) const
    {
        return reach != 0 && length >= reach ? static_cast<std::uint32_t>(length - reach + 1) : 0;
    }
};

/// The tables of one (o0, o1). Per slot unless said otherwise.
struct Head {
    std::vector<std::uint16_t> importance;
    std::vector<std::uint32_t> positions;
    std::vector<std::uint32_t> gather; ///< written by SELECT and POPULAR
    std::vector<std::uint8_t> views;   ///< LEVEE_SE_VIEW_*
    std::uint32_t next = 0; ///< slot of the next token; after SELECT: number of tokens retained

    // With formats: redirections of tokens to input rows.
    std::vector<std::uint32_t> redirect; ///< includes an element for slot `next`
    std::vector<std::uint32_t> slot_of;  ///< Slots by input row.
};

/// Tokens of an entry that are stored as recomputed inputs: levee_se_formats.
struct Formats {
    std::uint32_t rows = 0;
    std::uint32_t arrival_row = none;
    std::vector<std::uint32_t> holders;     ///< Holders by input row.
    std::vector<std::uint32_t> x_positions; ///< Positions by input row.
    std::vector<std::uint32_t> x_gather;    ///< Gather entries by input row; written by POPULAR.
    std::uint32_t current = none;
    std::uint32_t used = 0;
};

/// The tables of one batch entry.
struct Entry {
    std::uint32_t index = 0; ///< o0: the stream of RANDOM's draws
    std::vector<Head> heads;
    std::optional<Formats> formats;
};

/// A head's rows of scores: `group` query heads in sequence, each with the rows of its `rows`
/// tokens.
struct ScoreRows {
    std::span<const float> scores; ///< group * rows rows of n scores; empty: no scores
    std::uint32_t n = 0;
    std::uint32_t group = 1;
    std::uint32_t rows = 1;
};

/// Thrown for an inconsistent policy or tables.
class Refusal : public std::invalid_argument {
public:
    enum class Reason {
        Size,      ///< a table or the scores are too short
        Arrival,   ///< the arriving token's slot is not valid
        Positions, ///< the tokens SELECT retained are not in order of position
        Protected, ///< more tokens are protected than the cache may contain
        Formats    ///< holders, redirect and current are inconsistent
    };
    Refusal(Reason why, const std::string& text) : std::invalid_argument(text), reason(why) {}
    Reason reason;
};

/// ACCUMULATE, of one head: adds each row's scores to importance[0, length); with `causal`, to as
/// many as the row's token attends to. Throws Refusal.
void accumulate(std::span<std::uint16_t> importance, const ScoreRows& scores, std::uint32_t length,
                bool causal, levee_se_score format);

/// The stream that an engine adds for the same result; without scores a query of zeros. Throws
/// Refusal.
[[nodiscard]] Stream stream_of(std::span<std::uint16_t> importance, const ScoreRows& scores,
                               std::uint32_t length, bool causal, levee_se_score format);

/// The arriving token of one step.
struct Arrival {
    std::uint32_t position = 0;       ///< t
    std::uint32_t length = 0;         ///< number of valid slots (n), including its own
    std::vector<std::uint32_t> slots; ///< Slots by head.
    std::vector<ScoreRows> scores;    ///< Scores by head.
};

/// The victims of an EVICT and the input rows that lose their last holder.
struct Evicted {
    struct OfHead {
        std::uint32_t slot = none;          ///< slot of the victim; none: the cache is not full
        std::optional<std::uint16_t> least; ///< the victim's importance; none for RANDOM
    };
    std::vector<OfHead> heads;
    std::vector<std::uint32_t> released_inputs; ///< input rows without holders
};

/// EVICT, of one entry: updates importance, positions, views, next and all of the formats. Shorter
/// tables grow to `length` (redirect: to contain `next`). An engine adds and searches if there is
/// one. Throws Refusal, after which the entry is unusable.
Evicted evict(const Policy& policy, Entry& entry, const Arrival& arrival, Engine* engine = nullptr);

/// FORGET, of one head after an EVICT with the same length: the slots whose key and value rows are
/// discarded. `arrival`: the slot of the arriving token, if it is stored as a recomputed input.
std::vector<std::uint32_t> discarded_slots(const Policy& policy, std::uint32_t length,
                                           std::uint32_t next,
                                           std::optional<std::uint32_t> arrival);

/// SELECT, of one entry: `importance` by position, per head, as many as there are tokens. Replaces
/// positions, importance, gather, views and next. Throws Refusal.
void select(const Policy& policy, Entry& entry,
            std::span<const std::span<const std::uint16_t>> importance);

/// POPULAR, of one entry, after SELECT: fills the formats (rows and arrival_row are given) and
/// removes the popular tokens from gather. Throws Refusal.
void popular(Entry& entry);

} // namespace levee::kv_tables
