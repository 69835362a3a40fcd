// SPDX-License-Identifier: Apache-2.0
// A transformer in FP16, composed of the references of PE arrays, an element-serial unit and a
// function unit, vector by vector. The machine of these blocks must equal it bit for bit. It uses
// neither SystemC nor firmware. The only part of the schedule that it models is the passes of a
// prefill: the importance of a pass is added at once. Stored values are FP16. Sums, and data from
// the arrays to the element-serial unit, are FP32. In a cache of limited size, tokens have the
// firmware's slots, since sums follow the order of slots.
#pragma once

#include "core/numerics/numerics.hpp"
#include "platform/input/model/model_image.hpp"
#include "test/reference/cache_rule.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace levee::test {

using Halves = std::vector<std::uint16_t>;

// The rules of a sequence's cache.
struct Fp16Cache {
    CacheRule rule{};         // The score must be softmax, so that the rule gets probabilities.
    std::uint32_t chunk = 64; // Tokens of a prefill pass, at least 1.
    std::uint32_t entry = 0;  // Number of the sequence in the batch, for the draws of policy
                              // random.
};

// Runs one sequence. The image must outlive it, and its matrices must be FP16.
class Fp16Transformer {
public:
    // `columns_first` lists the matrices that are multiplied in outer mode, each by its first
    // tensor. Throws std::invalid_argument for weights of another type.
    Fp16Transformer(const ModelImage& image, std::set<levee_tensor_kind> columns_first,
                    Fp16Cache cache = {});
    virtual ~Fp16Transformer() = default;

    // Processes the first tokens, at least one, with full attention among them. Then the policy
    // selects the tokens to keep. Returns the logits [vocab] after the last one.
    std::vector<float> prefill(std::span<const std::uint32_t> tokens);
    // Takes the next token and returns the logits [vocab] of its successor.
    std::vector<float> step(std::uint32_t token);

protected:
    // Queries, keys and values of a token, before rotation.
    struct Projected {
        std::vector<float> queries, keys, values;
    };
    // Constructor for a subclass: this class then computes only attention, and the subclass the
    // rest.
    Fp16Transformer(const ModelImage& image, Fp16Cache cache);
    [[nodiscard]] std::uint32_t position() const { return position_; }

    // The steps of a token. begin() puts its embedding into the residual stream. The others compute
    // the input of a layer's attention, add the heads' results and the feed-forward layer, and
    // compute the logits.
    virtual void begin(std::uint32_t token);
    [[nodiscard]] virtual Projected project(std::uint32_t layer) const;
    virtual void end_attention(const Halves& attended, std::uint32_t layer);
    virtual void feed_forward(std::uint32_t layer);
    [[nodiscard]] virtual std::vector<float> logits() const;

private:
    // The cache of one layer.
    struct Layer : CacheTables {
        std::vector<Halves> keys, values;   // by [kv_head], then by slot
        std::vector<Given> given;           // [kv_head], of the tokens of this pass.
        std::vector<std::uint32_t> arrival; // [kv_head]: slots of the latest token.
        std::uint32_t number = 0;
        std::uint32_t slots = 0;  // Slots that are or have been valid.
        std::uint32_t window = 0; // Nonzero: window of a local layer that keeps all tokens by
                                  // position.
        std::uint32_t reach = 0;  // Nonzero: window of a local layer that follows the policy.
    };
    [[nodiscard]] std::vector<Layer> empty_layers() const;
    /// Passes a token through all layers, which store it.
    void forward(std::uint32_t token, std::vector<Layer>& layers);
    /// Puts a token's keys and values into each head's next slot and returns these slots.
    [[nodiscard]] std::vector<std::uint32_t> store(const Halves& keys, const Halves& values,
                                                   Layer& layer) const;
    /// Counts the importance from the `rows` tokens of a pass; the first is at `position`.
    void count(std::uint32_t position, std::uint32_t rows, std::vector<Layer>& layers) const;
    void keep(std::uint32_t number, const Layer& staged);
    [[nodiscard]] Halves embed(std::uint32_t token) const;
    [[nodiscard]] Halves norm(const Halves& x, levee_tensor_kind gain, levee_tensor_kind bias,
                              std::uint32_t layer) const;
    /// Returns the products of x with the rows of a matrix, as the arrays output them.
    [[nodiscard]] std::vector<float> multiply(const Halves& x, levee_tensor_kind weights,
                                              std::uint32_t layer, levee_tensor_kind first) const;
    /// Like multiply, plus a bias if the model has one.
    [[nodiscard]] std::vector<float> biased(const Halves& x, levee_tensor_kind weights,
                                            levee_tensor_kind bias, std::uint32_t layer,
                                            levee_tensor_kind first) const;
    [[nodiscard]] Halves placed(std::vector<float> heads, levee_tensor_kind norm,
                                std::uint32_t layer) const;
    void add(Halves& x, const std::vector<float>& sums) const;
    [[nodiscard]] Halves attention(const Projected& token, Layer& layer) const;
    [[nodiscard]] Halves attend_window(const Halves& queries, const Layer& layer) const;
    /// Writes the probabilities to `given`.
    [[nodiscard]] Halves attend(std::span<const std::uint16_t> query, const Halves& keys,
                                const Halves& values, std::vector<float>& given) const;

    const ModelImage& image_;
    const levee_model_header& shape_;
    std::set<levee_tensor_kind> columns_first_;
    Fp16Cache cache_;
    std::uint32_t position_ = 0;
    std::optional<std::uint32_t> prefilled_; // Empty while the prefill continues.
    Halves x_;
    std::vector<Layer> layers_;
};

} // namespace levee::test
