// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/routes.hpp"

#include "core/command/decision_statistics.hpp"
#include "core/command/tensor_rows.hpp"
#include "core/command/view.hpp"
#include "core/numerics/numerics.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace levee::sfu {

namespace {

using Op = levee_sfu_operation;

constexpr std::uint32_t draw_stream = 0x726F7574; // "rout"

AccessPattern rows_of(std::uint64_t address, std::uint64_t bytes, std::uint64_t count,
                      std::int64_t stride)
{
    AccessPattern rows = contiguous(address, bytes);
    rows.count[2] = count;
    rows.stride[2] = stride;
    return rows;
}

/// Performs the checks that ROUTE and COMBINE have in common.
void check_choices(const VectorOperation& op)
{
    need_field(op.outer[0] == 1 && op.outer[1] == 1, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(op.seed > 0 && op.seed <= 0xFFFF, LEVEE_ERROR_FIELD, offsetof(Op, seed));
    need_field((op.flags & ~LEVEE_SFU_SIGMOID) == 0, LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(!op.streams_in() && op.x_type == LEVEE_TYPE_FP32, LEVEE_ERROR_TYPE,
               offsetof(Op, x_type));
    need_field(op.tap == 0, LEVEE_ERROR_FIELD, offsetof(Op, tap));
}

template <typename T> std::vector<std::uint8_t> bytes_of_values(const std::vector<T>& values)
{
    std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

} // namespace

void RouteRun::check() const
{
    check_choices(op_);
    need_field(op_.seed <= op_.n, LEVEE_ERROR_FIELD, offsetof(Op, seed));
    need_field(op_.out_scale != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, out_scale));
    need_field(!op_.streams_out(), LEVEE_ERROR_STREAM, offsetof(Op, out));
}

void RouteRun::prepare(const VectorOperation& operation, Operation& filled)
{
    op_ = operation;
    op_.check();
    check();
    const AccessPattern x = rows_of(op_.x, op_.x_bytes(), op_.rows, op_.x_stride[2]);
    queue_.add_stream(filled, Direction::Read, x, x.bytes(), operation_field(offsetof(Op, x)));
    const std::uint64_t chosen = std::uint64_t{op_.rows} * op_.seed;
    const AccessPattern table = contiguous(op_.out, (op_.n + chosen) * sizeof(std::uint32_t));
    const AccessPattern list = contiguous(op_.out_scale, chosen * sizeof(levee_sfu_choice));
    queue_.add_stream(filled, Direction::Write, table, table.bytes(),
                      operation_field(offsetof(Op, out)));
    queue_.add_stream(filled, Direction::Write, list, list.bytes(),
                      operation_field(offsetof(Op, out_scale)));
    choices_.assign(chosen, {0, 0.0F});
    bias_.clear();
    if (op_.bias != 0) {
        const View bias{queue_, contiguous(op_.bias, op_.n * sizeof(float)),
                        operation_field(offsetof(Op, bias))};
        bias.open(filled, Direction::Read);
        bias.read(bias_);
    }
    const View scores{queue_, x, operation_field(offsetof(Op, x))};
    scores_.clear();
    if (scores.read(scores_))
        choose_all();
    else if (draws(queue_))
        draw_all();
    filled.iterations = 1;
    filled.commit = [this](std::uint32_t first, std::uint32_t last) {
        replays(queue_) ? queue_.replay(first, last) : queue_.decide(decided());
    };
}

void RouteRun::choose_all()
{
    const std::span<const float> scores(scores_);
    const std::span<Choice> choices(choices_);
    const Routing routing{op_.param != 0.0F, op_.has(LEVEE_SFU_SIGMOID), bias_};
    for (std::size_t row = 0; row < op_.rows; ++row)
        choose(scores.subspan(row * op_.n, op_.n), routing,
               choices.subspan(row * op_.seed, op_.seed));
}

/// Draws distinct elements for each row. Element i has a probability proportional to (i + 1)^-skew.
void RouteRun::draw_all()
{
    const std::uint32_t seed = queue_.decisions().statistics->seed;
    std::vector<double> left(op_.n);
    for (std::size_t row = 0; row < op_.rows; ++row) {
        for (std::size_t i = 0; i < left.size(); ++i)
            left[i] =
                std::pow(static_cast<double>(i + 1), -queue_.decisions().statistics->expert_skew);
        for (std::size_t j = 0; j < op_.seed; ++j) {
            // The sum is computed again for each draw. Subtracting the drawn weights instead would
            // leave only rounding errors if the first elements have nearly all the weight.
            const double total = std::accumulate(left.begin(), left.end(), 0.0);
            double at = unit_interval(random_word(draw_stream ^ seed, 0, drawn_++)) * total;
            std::size_t index = 0, last = 0;
            for (; index < left.size(); ++index) {
                if (left[index] == 0.0)
                    continue;
                last = index;
                if (at < left[index])
                    break;
                at -= left[index];
            }
            choices_[row * op_.seed + j] = {static_cast<std::uint32_t>(last), 0.0F};
            left[last] = 0.0;
        }
    }
}

/// Builds the table of row numbers and the list of choices. Rows are counted and ordered by the
/// element that they have chosen.
Decision RouteRun::decided()
{
    std::vector<std::uint32_t> table(op_.n + choices_.size());
    for (const Choice& choice : choices_)
        ++table[choice.index];
    std::vector<std::uint32_t> next(op_.n);
    std::exclusive_scan(table.begin(), table.begin() + op_.n, next.begin(), 0U);
    std::vector<levee_sfu_choice> list;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
        const std::uint32_t place = next[choices_[i].index]++;
        table[op_.n + place] = static_cast<std::uint32_t>(i / op_.seed);
        list.push_back({place, choices_[i].weight});
    }
    Decision decision;
    decision.writes.push_back(
        {contiguous(op_.out, table.size() * sizeof table[0]), bytes_of_values(table), 0});
    decision.writes.push_back(
        {contiguous(op_.out_scale, list.size() * sizeof list[0]), bytes_of_values(list), 0});
    return decision;
}

void CombineRun::open(const VectorOperation& operation, Operation& filled)
{
    op_ = operation;
    check_choices(op_);
    const std::uint64_t count = std::uint64_t{op_.rows} * op_.seed;
    const View x{queue_, rows_of(op_.x, op_.x_bytes(), count, op_.x_stride[2]),
                 operation_field(offsetof(Op, x))};
    const View list{queue_, contiguous(op_.indices, count * sizeof(levee_sfu_choice)),
                    operation_field(offsetof(Op, indices))};
    x.open(filled, Direction::Read);
    list.open(filled, Direction::Read);
    x_.clear();
    choices_.clear();
    gates_.clear();
    need_field(op_.gain == 0 || op_.y != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, gain));
    if (op_.gain != 0) {
        const View gates{queue_, contiguous(op_.gain, op_.rows * sizeof(float)),
                         operation_field(offsetof(Op, gain))};
        gates.open(filled, Direction::Read);
        gates.read(gates_);
    }
    x.read(x_);
    if (!list.read(choices_))
        return;
    for (const levee_sfu_choice& choice : choices_)
        need_field(choice.place < count, LEVEE_ERROR_FIELD, offsetof(Op, indices));
}

void CombineRun::sum(std::uint32_t row, std::span<const float> y, std::span<float> out) const
{
    for (std::uint32_t j = 0; j < op_.seed; ++j) {
        const levee_sfu_choice& choice = choices_[std::size_t{row} * op_.seed + j];
        accumulate(std::span(x_).subspan(std::size_t{choice.place} * op_.n, op_.n), choice.weight,
                   j == 0, out);
    }
    if (!y.empty())
        accumulate(y, gates_.empty() ? 1.0F : sigmoid_fp32(gates_[row]), false, out);
}

} // namespace levee::sfu
