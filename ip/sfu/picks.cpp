// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/checks.hpp"
#include "ip/sfu/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace levee::sfu {
namespace {

constexpr std::size_t kPartials = 8;

// Adds an element to the running maximum. If the maximum changes, the sum so far is rescaled.
void take(Maximum& running, float x, std::uint32_t index)
{
    if (x > running.value) {
        running.sum_exp = running.sum_exp * exp_fp32(running.value - x) + 1.0f;
        running.value = x;
        running.index = index;
    } else if (x != -kInfinity) {
        running.sum_exp += exp_fp32(x - running.value);
    }
}

Maximum merge(const Maximum& a, const Maximum& b)
{
    if (a.value == b.value)
        return {std::min(a.index, b.index), a.value, a.sum_exp + b.sum_exp};
    if (a.value > b.value)
        return {a.index, a.value, a.sum_exp + b.sum_exp * exp_fp32(b.value - a.value)};
    return {b.index, b.value, a.sum_exp * exp_fp32(a.value - b.value) + b.sum_exp};
}

levee_sfu_pick describe(std::span<const float> x, const Maximum& pass, std::uint32_t index,
                        std::uint32_t target)
{
    const float log_sum = log_fp32(pass.sum_exp);
    return {index, canonical(x[index]), canonical(pass.value + log_sum),
            canonical((x[target] - pass.value) - log_sum)};
}

// Returns the weight of x in a draw. The weight is 0 if x is NaN, or if the difference is NaN
// because both values are infinite.
float weight(float x, float largest, float temperature)
{
    const float value = exp_fp32((x - largest) / temperature);
    return value == value ? value : 0.0f;
}

} // namespace

namespace {

void choose_largest(std::span<const float> x, std::span<Choice> choices)
{
    std::vector<bool> taken(x.size());
    const auto is_before = [&](std::size_t i, std::size_t best) {
        return best == x.size() || x[i] > x[best] || (std::isnan(x[best]) && !std::isnan(x[i]));
    };
    for (Choice& choice : choices) {
        std::size_t best = x.size();
        for (std::size_t i = 0; i < x.size(); ++i)
            if (!taken[i] && is_before(i, best))
                best = i;
        taken[best] = true;
        choice.index = static_cast<std::uint32_t>(best);
    }
}

// Sets the weights of the chosen elements to their softmax.
void weigh_by_softmax(std::span<const float> x, bool among_chosen, std::span<Choice> choices)
{
    const float largest = choices.empty() ? 0.0f : x[choices.front().index];
    float sum = among_chosen ? 0.0f : maximum(x).sum_exp;
    for (Choice& choice : choices) {
        choice.weight = exp_fp32(x[choice.index] - largest);
        sum += among_chosen ? choice.weight : 0.0f;
    }
    for (Choice& choice : choices)
        choice.weight = canonical(choice.weight / sum);
}

// Returns the weights of all elements, which are computed before the choice.
std::vector<float> scores_of(std::span<const float> x, bool sigmoid)
{
    std::vector<float> scores(x.size());
    if (sigmoid)
        std::ranges::transform(x, scores.begin(), sigmoid_fp32);
    else
        softmax(x, x.size(), {}, scores);
    return scores;
}

} // namespace

void choose(std::span<const float> x, const Routing& routing, std::span<Choice> choices)
{
    require_size("choose", "x", x.size(), choices.size());
    require_size_if_given("choose", "bias", routing.bias.size(), x.size());
    if (!routing.sigmoid && routing.bias.empty()) {
        choose_largest(x, choices);
        weigh_by_softmax(x, routing.among_chosen, choices);
        return;
    }
    const std::vector<float> scores = scores_of(x, routing.sigmoid);
    std::vector<float> compared = scores;
    for (std::size_t i = 0; i < routing.bias.size() && i < x.size(); ++i)
        compared[i] += routing.bias[i];
    choose_largest(compared, choices);
    float sum = 0.0f;
    for (Choice& choice : choices) {
        choice.weight = canonical(scores[choice.index]);
        sum += choice.weight;
    }
    for (Choice& choice : choices)
        choice.weight = routing.among_chosen ? canonical(choice.weight / sum) : choice.weight;
}

Maximum maximum(std::span<const float> x)
{
    std::array<Maximum, kPartials> partial;
    partial.fill({0, -kInfinity, 0.0f});
    for (std::size_t i = 0; i < x.size(); ++i)
        take(partial[i % kPartials], x[i], static_cast<std::uint32_t>(i));
    for (std::size_t apart = kPartials / 2; apart > 0; apart /= 2)
        for (std::size_t j = 0; j < apart; ++j)
            partial[j] = merge(partial[j], partial[j + apart]);
    partial[0].sum_exp = canonical(partial[0].sum_exp);
    return partial[0];
}

levee_sfu_pick argmax(std::span<const float> x)
{
    require_size("argmax", "x", x.size(), 1);
    const Maximum pass = maximum(x);
    return describe(x, pass, pass.index, pass.index);
}

levee_sfu_pick sample(std::span<const float> x, float temperature, std::uint32_t seed,
                      std::uint64_t vector)
{
    require_size("sample", "x", x.size(), 1);
    if (!(temperature > 0.0f))
        return argmax(x);
    const Maximum pass = maximum(x);
    float total = 0.0f;
    for (const float value : x)
        total += weight(value, pass.value, temperature);
    const float threshold = unit_interval(random_word(seed, 0, vector)) * total;
    float cumulative = 0.0f;
    std::uint32_t pick = pass.index; // The result if all weights are 0.
    for (std::uint32_t i = 0; i < x.size(); ++i) {
        const float mass = weight(x[i], pass.value, temperature);
        if (mass == 0.0f)
            continue;
        pick = i;
        cumulative += mass;
        if (cumulative > threshold)
            break;
    }
    return describe(x, pass, pick, pick);
}

levee_sfu_pick log_prob(std::span<const float> x, std::uint32_t target)
{
    if (target >= x.size())
        refuse("log_prob",
               "target " + std::to_string(target) + " is not below " + std::to_string(x.size()));
    const Maximum pass = maximum(x);
    return describe(x, pass, pass.index, target);
}

} // namespace levee::sfu
