// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/engine.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace levee::kv_tables {

/// Which of several equally unimportant tokens EVICT chooses.
enum class Ties {
    Slot,    ///< The lowest slot, which is first in the order of the chain.
    Earliest ///< The earliest token; the chain's rows then also compare positions.
};

/// The eviction policy. Members have the same names as in levee_se_operation.
struct Policy {
    std::uint32_t capacity = 0; ///< N', the number of tokens that each head keeps.
    std::uint32_t sinks = 0;
    std::uint32_t window = 0;
    levee_se_score score = LEVEE_SE_SOFTMAX;
    unsigned view_bits = 0; ///< 0: no views.
    bool random = false;
    std::uint32_t seed = 0;
    std::uint32_t first_stream = 0; ///< RANDOM: first_o0 << 16 | first_o1, an input of the hash.
    bool recent_high = false;       ///< LEVEE_SE_RECENT_HIGH
    bool redraws = false;           ///< LEVEE_SE_REDRAW
    Ties ties = Ties::Slot;         ///< How the block chooses among equally unimportant tokens.
    std::uint64_t reach = 0;        ///< Attention applies to this many of the latest tokens; 0: to
                                    ///< all.

    /// Number of tokens, out of the first `length`, to which the next token does not attend. These
    /// are the earliest tokens.
    [[nodiscard]] std::uint32_t passed_of(std::uint32_t length) const
    {
        return reach != 0 && length >= reach ? static_cast<std::uint32_t>(length - reach + 1) : 0;
    }
};

/// The tables of one head of an entry, with one element per slot unless stated otherwise.
struct Head {
    std::vector<std::uint16_t> importance;
    std::vector<std::uint32_t> positions;
    std::vector<std::uint32_t> gather; ///< Written by SELECT and POPULAR.
    std::vector<std::uint8_t> views;   ///< LEVEE_SE_VIEW_*
    std::uint32_t next = 0; ///< Slot of the next token; after SELECT: number of tokens kept.

    // With formats: the input row that a token uses, and the slot of each input row.
    std::vector<std::uint32_t> redirect; ///< Has one more element, for slot `next`.
    std::vector<std::uint32_t> slot_of;  ///< Slots, by input row.
};

/// State of the tokens of an entry that are stored as layer inputs (levee_se_formats).
struct Formats {
    std::uint32_t rows = 0;
    std::uint32_t arrival_row = none;
    std::vector<std::uint32_t> holders;     ///< Number of heads that use it, by input row.
    std::vector<std::uint32_t> x_positions; ///< Positions, by input row.
    std::vector<std::uint32_t> x_gather;    ///< By input row; written by POPULAR.
    std::uint32_t current = none;
    std::uint32_t used = 0;
};

/// The tables of one batch entry.
struct Entry {
    std::uint32_t index = 0; ///< Number of the entry; selects the random sequence of RANDOM.
    std::vector<Head> heads;
    std::optional<Formats> formats;
};

/// Scores of one KV head: for each of its `group` query heads, one row for each of `rows` tokens.
struct ScoreRows {
    std::span<const float> scores; ///< group * rows rows of n scores; empty: no scores.
    std::uint32_t n = 0;
    std::uint32_t group = 1;
    std::uint32_t rows = 1;
};

/// Thrown if the policy or the tables are inconsistent.
class Refusal : public std::invalid_argument {
public:
    enum class Reason {
        Size,      ///< A table or the scores are too short.
        Arrival,   ///< The arriving token's slot is not valid.
        Positions, ///< The tokens that SELECT kept are not ordered by position.
        Protected, ///< More tokens are protected than the cache may contain.
        Formats    ///< holders, redirect and current contradict each other.
    };
    Refusal(Reason why, const std::string& text) : std::invalid_argument(text), reason(why) {}
    Reason reason;
};

/// ACCUMULATE for one head: adds the scores of each row to importance[0, length). With `causal`, a
/// row's scores are only added for the tokens that the row's token attends to. Throws Refusal.
void accumulate(std::span<std::uint16_t> importance, const ScoreRows& scores, std::uint32_t length,
                bool causal, levee_se_score format);

/// Returns a stream for which an engine computes the same result as accumulate(). If there are no
/// scores, the stream is one query of zeros. Throws Refusal.
[[nodiscard]] Stream stream_of(std::span<std::uint16_t> importance, const ScoreRows& scores,
                               std::uint32_t length, bool causal, levee_se_score format);

/// The token that arrives in one step.
struct Arrival {
    std::uint32_t position = 0;       ///< Position of the token, t.
    std::uint32_t length = 0;         ///< Number of valid slots, n, including the token's own.
    std::vector<std::uint32_t> slots; ///< Slot of the token in each head.
    std::vector<ScoreRows> scores;    ///< The token's rows of scores in each head.
};

/// Victims of an EVICT, and the input rows that no head uses any more.
struct Evicted {
    struct OfHead {
        std::uint32_t slot = none;          ///< Slot of the victim; none: the cache is not full.
        std::optional<std::uint16_t> least; ///< Importance of the victim; empty for RANDOM.
    };
    std::vector<OfHead> heads;
    std::vector<std::uint32_t> released_inputs; ///< Input rows that no head uses any more.
};

/// EVICT for one entry: updates importance, positions, views, next and all formats. Tables that are
/// too short grow to `length` (redirect: to contain `next`). If there is an engine, it adds scores
/// and searches for victims. Throws Refusal; the entry is then unusable.
Evicted evict(const Policy& policy, Entry& entry, const Arrival& arrival, Engine* engine = nullptr);

/// FORGET for one head, after an EVICT with the same length: returns the slots whose key and value
/// rows are discarded. `arrival` is the arriving token's slot, if that token is stored as a
/// recomputed input.
std::vector<std::uint32_t> discarded_slots(const Policy& policy, std::uint32_t length,
                                           std::uint32_t next,
                                           std::optional<std::uint32_t> arrival);

/// SELECT for one entry. `importance` has one span for each head, with one value for each token, by
/// position. Replaces positions, importance, gather, views and next. Throws Refusal.
void select(const Policy& policy, Entry& entry,
            std::span<const std::span<const std::uint16_t>> importance);

/// POPULAR for one entry, after SELECT: fills the formats, and removes the popular tokens from
/// gather. The members rows and arrival_row of the formats must be set. Throws Refusal.
void popular(Entry& entry);

} // namespace levee::kv_tables
