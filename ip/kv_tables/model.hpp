// SPDX-License-Identifier: Apache-2.0
// Reference of the operations on the tables of one batch entry, timeless and without addresses
// (ip/kv_tables/operations.h says what each does).
#pragma once

#include "ip/kv_tables/engine.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace levee::kv_tables {

/// The eviction policy: the members of levee_se_operation of the same names.
struct Policy {
    std::uint32_t capacity = 0; ///< N'
    std::uint32_t sinks = 0;
    std::uint32_t window = 0;
    levee_se_score score = LEVEE_SE_SOFTMAX;
    unsigned view_bits = 0; ///< 0: no views are made
    bool random = false;
    std::uint32_t seed = 0;
    std::uint32_t first_stream = 0; ///< RANDOM: first_o0 << 16 | first_o1
    bool recent_high = false;       ///< LEVEE_SE_RECENT_HIGH
};

/// The tables of one (o0, o1). Per slot unless said otherwise.
struct Head {
    std::vector<std::uint16_t> importance;
    std::vector<std::uint32_t> positions;
    std::vector<std::uint32_t> gather; ///< written by SELECT and POPULAR
    std::vector<std::uint8_t> views;   ///< LEVEE_SE_VIEW_*
    std::uint32_t next = 0;            ///< slot of the next token; after SELECT: tokens kept

    // With formats.
    std::vector<std::uint32_t> redirect; ///< also of slot `next`
    std::vector<std::uint32_t> slot_of;  ///< per input row
};

/// The tokens of an entry that are stored as layer inputs, to be recomputed: levee_se_formats.
struct Formats {
    std::uint32_t rows = 0;
    std::uint32_t arrival_row = none;
    std::vector<std::uint32_t> holders;     ///< per input row
    std::vector<std::uint32_t> x_positions; ///< per input row
    std::vector<std::uint32_t> x_gather;    ///< per input row; written by POPULAR
    std::uint32_t current = none;
    std::uint32_t used = 0;
};

/// The tables of one batch entry.
struct Entry {
    std::uint32_t index = 0; ///< o0: RANDOM draws by it
    std::vector<Head> heads;
    std::optional<Formats> formats;
};

/// A head's rows of scores: `group` query heads one after another, each its `rows` tokens.
struct ScoreRows {
    std::span<const float> scores; ///< group * rows rows of n; empty: none are added
    std::uint32_t n = 0;
    std::uint32_t group = 1;
    std::uint32_t rows = 1;
};

/// Thrown for tables or a policy that contradict themselves.
class Refusal : public std::invalid_argument {
public:
    enum class Reason {
        Size,      ///< a table or the scores are shorter than they must be
        Arrival,   ///< the arriving token's slot is not a valid one
        Positions, ///< tokens that SELECT has kept are not in order of position
        Protected, ///< more tokens are protected than the cache may hold
        Formats    ///< holders, redirect and current contradict each other
    };
    Refusal(Reason why, const std::string& text) : std::invalid_argument(text), reason(why) {}
    Reason reason;
};

/// ACCUMULATE, of one head: adds each row's scores to importance[0, length), with `causal` to as
/// many of them as the row's token sees. With an engine, that adds them. Throws Refusal.
void accumulate(std::span<std::uint16_t> importance, const ScoreRows& scores, std::uint32_t length,
                bool causal, levee_se_score format, Engine* engine = nullptr);

/// The arriving token of one step.
struct Arrival {
    std::uint32_t position = 0;       ///< t
    std::uint32_t length = 0;         ///< n: valid slots, its own among them
    std::vector<std::uint32_t> slots; ///< per head
    std::vector<ScoreRows> scores;    ///< per head
};

/// The victims of an EVICT and the rows that they leave without holders.
struct Evicted {
    struct OfHead {
        std::uint32_t slot = none;          ///< the victim's; none: the cache has room
        std::optional<std::uint16_t> least; ///< the victim's importance; none for RANDOM
    };
    std::vector<OfHead> heads;
    std::vector<std::uint32_t> x_rows; ///< without holders
};

/// EVICT, of one entry: updates importance, positions, views, next and all of the formats. Tables
/// grow to `length` if they are shorter (redirect: to hold `next`). With an engine, that adds and
/// searches. Throws Refusal, and then the entry is of no use.
Evicted evict(const Policy& policy, Entry& entry, const Arrival& arrival, Engine* engine = nullptr);

/// FORGET, of one head after an EVICT with the same length: the slots whose key and value rows are
/// discarded. `arrival`: the slot of the token that arrived, if it is stored as an input.
std::vector<std::uint32_t> discarded_slots(const Policy& policy, std::uint32_t length,
                                           std::uint32_t next,
                                           std::optional<std::uint32_t> arrival);

/// SELECT, of one entry: `importance` by position, per head, as many as there are tokens. Replaces
/// positions, importance, gather, views and next. Throws Refusal.
void select(const Policy& policy, Entry& entry,
            std::span<const std::span<const std::uint16_t>> importance);

/// POPULAR, of one entry, after SELECT: fills the formats (rows and arrival_row are given) and
/// takes the popular tokens out of gather. Throws Refusal.
void popular(Entry& entry);

} // namespace levee::kv_tables
