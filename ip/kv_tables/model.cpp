// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/model.hpp"

#include "core/numerics/numerics.hpp"
#include "ip/kv_tables/formats.hpp"
#include "ip/kv_tables/views.hpp"

#include <algorithm>
#include <numeric>

namespace levee::kv_tables {

namespace {

using Reason = Refusal::Reason;

/// Returns the random rank that RANDOM uses instead of importance. `draw` is the number of the
/// draw; permanent ranks use draw 0.
std::uint32_t rank_of(const Policy& policy, std::uint32_t o0, std::size_t o1,
                      std::uint32_t position, std::uint32_t draw = 0)
{
    const std::uint32_t stream = policy.first_stream + (o0 << 16 | static_cast<std::uint32_t>(o1));
    return random_word(policy.seed, stream, std::uint64_t{draw} << 32 | position);
}

bool may_leave(const Policy& policy, std::uint32_t position, std::uint32_t now)
{
    return position >= policy.sinks && std::uint64_t{position} + policy.window <= now;
}

/// If the next token does not attend to some cached tokens, protects all other tokens. The evictor
/// then removes the unattended tokens first.
void let_passed_leave(const Policy& policy, std::span<const std::uint32_t> positions,
                      std::uint32_t now, std::span<std::uint8_t> is_protected)
{
    const std::uint32_t passed = policy.passed_of(now + 1);
    const auto is_passed = [&](std::uint32_t position) { return position < passed; };
    if (std::ranges::any_of(positions, is_passed))
        std::ranges::transform(positions, is_protected.begin(), [&](std::uint32_t position) {
            return static_cast<std::uint8_t>(is_passed(position) ? 0 : 1);
        });
}

void check_scores(const ScoreRows& scores, std::uint32_t length)
{
    const std::uint64_t needed = std::uint64_t{scores.n} * scores.group * scores.rows;
    if (!scores.scores.empty() && (scores.scores.size() < needed || length > scores.n))
        throw Refusal(Reason::Size, "fewer scores than tokens");
}

void check_rows(std::span<const std::uint16_t> importance, const ScoreRows& scores,
                std::uint32_t length, bool causal)
{
    check_scores(scores, length);
    if (importance.size() < length || (causal && scores.rows > length))
        throw Refusal(Reason::Size, "fewer tokens than rows");
}

/// Returns the number of tokens that the token of row `r` attends to.
std::uint32_t seen_by(std::uint32_t r, const ScoreRows& scores, std::uint32_t length, bool causal)
{
    return causal ? length - scores.rows + 1 + r % scores.rows : length;
}

void add_row(std::span<std::uint16_t> importance, std::span<const float> row, levee_se_score format)
{
    for (std::size_t i = 0; i < importance.size(); ++i)
        importance[i] = add_saturating(importance[i], to_fixed(row[i], format), format);
}

/// One head in an EVICT, with its tokens by slot. The spans have equal length.
struct Searched {
    const Policy& policy;
    std::span<std::uint16_t> importance;
    std::span<const std::uint32_t> positions;
    std::span<const std::uint8_t> is_protected;

    /// Whether the token in `slot` is evicted before the token in `other`, a lower slot.
    [[nodiscard]] bool leaves_before(std::uint32_t slot, std::uint32_t other) const
    {
        const std::uint16_t own = ordered(importance[slot], policy.score);
        const std::uint16_t least = ordered(importance[other], policy.score);
        return own < least || (own == least && policy.ties == Ties::Earliest &&
                               positions[slot] < positions[other]);
    }
};

/// Adds `row`, the last of the arriving token's rows of scores, and finds the least important token
/// that may be evicted.
Pair search(const Searched& head, std::span<const float> row)
{
    if (!row.empty())
        add_row(head.importance, row, head.policy.score);
    std::uint32_t least = none;
    for (std::uint32_t slot = 0; slot < head.importance.size(); ++slot)
        if (head.is_protected[slot] == 0 && (least == none || head.leaves_before(slot, least)))
            least = slot;
    return least == none ? Pair{} : Pair{head.importance[least], least};
}

/// Finds the least important token with the hardware engine. Tokens without a score get score 0.
Pair pass_engine(Engine& engine, const Searched& head, std::span<const float> row, Place place)
{
    const levee_se_score format = head.policy.score;
    std::vector<std::uint16_t> scores(head.importance.size());
    std::ranges::transform(row, scores.begin(),
                           [&](float score) { return to_fixed(score, format); });
    return engine.pass({format, head.importance, head.is_protected, scores, place});
}

/// Returns the slot of the evictable token with the lowest random rank; ties go to the lowest slot.
/// All evictable tokens are equally likely.
std::uint32_t draw_victim(const Searched& head, Place place, std::uint32_t now)
{
    std::uint32_t victim = none;
    std::uint32_t least = 0;
    for (std::uint32_t slot = 0; slot < head.positions.size(); ++slot) {
        const std::uint32_t rank = rank_of(head.policy, place.o0, place.o1, head.positions[slot],
                                           head.policy.redraws ? now : 0);
        if (head.is_protected[slot] == 0 && (victim == none || rank < least)) {
            victim = slot;
            least = rank;
        }
    }
    return victim;
}

/// Adds the group's rows of scores to one head's importance. The search for the victim runs while
/// the last row is added.
Pair add_rows(const Searched& head, const ScoreRows& rows, Engine* engine, Place place)
{
    std::span<const float> last;
    for (std::uint32_t g = 0; g < rows.group && !rows.scores.empty(); ++g) {
        last = rows.scores.subspan(std::size_t{g} * rows.n, head.importance.size());
        if (g + 1 == rows.group)
            break;
        if (engine != nullptr)
            (void)pass_engine(*engine, head, last, place);
        else
            add_row(head.importance, last, head.policy.score);
    }
    return engine != nullptr ? pass_engine(*engine, head, last, place) : search(head, last);
}

/// Adds the arriving token's rows to one head's tables and finds the victim.
Evicted::OfHead update_head(const Policy& policy, Entry& entry, std::size_t o1,
                            const Arrival& arrival, Engine* engine)
{
    Head& head = entry.heads[o1];
    const std::uint32_t length = arrival.length;
    head.importance.resize(std::max<std::size_t>(head.importance.size(), length));
    head.positions.resize(std::max<std::size_t>(head.positions.size(), length));
    head.importance[arrival.slots[o1]] = 0;
    head.positions[arrival.slots[o1]] = arrival.position;

    const auto positions = std::span<const std::uint32_t>(head.positions).first(length);
    std::vector<std::uint8_t> is_protected(length);
    for (std::uint32_t i = 0; i < length; ++i)
        is_protected[i] = may_leave(policy, positions[i], arrival.position) ? 0 : 1;
    let_passed_leave(policy, positions, arrival.position, is_protected);
    const Place place{entry.index, static_cast<std::uint32_t>(o1)};
    const Searched searched{policy, std::span(head.importance).first(length), positions,
                            is_protected};
    const Pair pair = add_rows(searched, arrival.scores[o1], engine, place);
    Evicted::OfHead victim;
    head.next = length;
    if (length <= policy.capacity)
        return victim;
    victim = {pair.index, pair.least};
    if (policy.random)
        victim = {draw_victim(searched, place, arrival.position), std::nullopt};
    if (victim.slot == none)
        throw Refusal(Reason::Protected, "the cache is full and every token is protected");
    head.next = victim.slot;
    return victim;
}

/// Returns the positions of the tokens that SELECT keeps for one head, in ascending order.
std::vector<std::uint32_t> kept_tokens(const Policy& policy, std::uint32_t o0, std::size_t o1,
                                       std::span<const std::uint16_t> importance)
{
    const auto length = static_cast<std::uint32_t>(importance.size());
    std::vector<std::uint32_t> tokens(length);
    std::iota(tokens.begin(), tokens.end(), 0u);
    if (length <= policy.capacity)
        return tokens;
    if (std::uint64_t{policy.sinks} + policy.window > policy.capacity)
        throw Refusal(Reason::Protected, "more tokens are protected than the cache holds");
    const auto rank = [&](std::uint32_t token) {
        return policy.random ? rank_of(policy, o0, o1, token)
                             : std::uint32_t{ordered(importance[token], policy.score)};
    };
    const std::uint32_t passed = policy.passed_of(length);
    const std::uint32_t sinks = policy.sinks > passed ? policy.sinks - passed : 0;
    tokens.erase(tokens.begin(), tokens.begin() + passed);
    const auto first = tokens.begin() + sinks;
    const auto last = tokens.end() - policy.window;
    std::stable_sort(first, last,
                     [&](std::uint32_t a, std::uint32_t b) { return rank(a) > rank(b); });
    const auto end = first + (policy.capacity - sinks - policy.window);
    tokens.erase(end, last);
    std::sort(tokens.begin(), tokens.end());
    return tokens;
}

/// Returns a mark for each token at `positions`: whether it is among the last `window` of `seen`
/// tokens. Returns nothing if recent tokens have no priority.
std::vector<std::uint8_t> recent(const Policy& policy, std::span<const std::uint32_t> positions,
                                 std::uint32_t seen)
{
    std::vector<std::uint8_t> flags;
    if (policy.recent_high)
        for (const std::uint32_t position : positions)
            flags.push_back(position + policy.window >= seen ? 1 : 0);
    return flags;
}

} // namespace

void accumulate(std::span<std::uint16_t> importance, const ScoreRows& scores, std::uint32_t length,
                bool causal, levee_se_score format)
{
    check_rows(importance, scores, length, causal);
    for (std::uint32_t r = 0; !scores.scores.empty() && r < scores.group * scores.rows; ++r)
        add_row(importance.first(seen_by(r, scores, length, causal)),
                scores.scores.subspan(std::size_t{r} * scores.n), format);
}

Stream stream_of(std::span<std::uint16_t> importance, const ScoreRows& scores, std::uint32_t length,
                 bool causal, levee_se_score format)
{
    check_rows(importance, scores, length, causal);
    const std::size_t queries = scores.scores.empty() ? 1 : std::size_t{scores.group} * scores.rows;
    Stream stream{format, importance.first(length), std::vector<std::uint16_t>(queries * length)};
    for (std::uint32_t r = 0; !scores.scores.empty() && r < queries; ++r) {
        const auto row =
            scores.scores.subspan(std::size_t{r} * scores.n, seen_by(r, scores, length, causal));
        std::ranges::transform(row, stream.scores.begin() + static_cast<std::ptrdiff_t>(r * length),
                               [&](float score) { return to_fixed(score, format); });
    }
    return stream;
}

Evicted evict(const Policy& policy, Entry& entry, const Arrival& arrival, Engine* engine)
{
    const std::size_t heads = entry.heads.size();
    if (arrival.slots.size() != heads || arrival.scores.size() != heads)
        throw Refusal(Reason::Size, "a slot and scores are needed for each head");
    for (std::size_t o1 = 0; o1 < heads; ++o1) {
        check_scores(arrival.scores[o1], arrival.length);
        if (arrival.slots[o1] >= arrival.length)
            throw Refusal(Reason::Arrival, "the arriving token has no valid slot");
    }
    Evicted evicted;
    evicted.heads.resize(heads);
    for (std::size_t o1 = 0; o1 < heads; ++o1)
        evicted.heads[o1] = update_head(policy, entry, o1, arrival, engine);
    update_formats(entry, arrival, evicted);
    if (policy.view_bits == 0)
        return evicted;
    for (std::size_t o1 = 0; o1 < heads; ++o1) {
        Head& head = entry.heads[o1];
        head.views.resize(std::max<std::size_t>(head.views.size(), arrival.length));
        write_views(
            std::span(head.importance).first(arrival.length), evicted.heads[o1].slot, policy.score,
            policy.view_bits, head.views,
            recent(policy, std::span(head.positions).first(arrival.length), arrival.position + 1));
    }
    return evicted;
}

std::vector<std::uint32_t> discarded_slots(const Policy& policy, std::uint32_t length,
                                           std::uint32_t next, std::optional<std::uint32_t> arrival)
{
    std::vector<std::uint32_t> slots;
    if (length > policy.capacity)
        slots.push_back(next);
    if (arrival && (slots.empty() || *arrival != next))
        slots.push_back(*arrival);
    return slots;
}

void select(const Policy& policy, Entry& entry,
            std::span<const std::span<const std::uint16_t>> importance)
{
    if (importance.size() != entry.heads.size())
        throw Refusal(Reason::Size, "importance is needed for each head");
    for (std::size_t o1 = 0; o1 < entry.heads.size(); ++o1) {
        Head& head = entry.heads[o1];
        head.positions = kept_tokens(policy, entry.index, o1, importance[o1]);
        head.gather = head.positions;
        head.next = static_cast<std::uint32_t>(head.positions.size());
        head.importance.clear();
        for (const std::uint32_t token : head.positions)
            head.importance.push_back(importance[o1][token]);
        head.views.resize(policy.view_bits == 0 ? 0 : head.next);
        if (policy.view_bits != 0)
            write_views(
                head.importance, none, policy.score, policy.view_bits, head.views,
                recent(policy, head.positions, static_cast<std::uint32_t>(importance[o1].size())));
    }
}

} // namespace levee::kv_tables
