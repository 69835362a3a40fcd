// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/positions.hpp"

#include "platform/input/import/gguf/cursor.hpp"
#include "platform/input/model/rope_phase.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace levee::gguf {

namespace {

// The specification's default base, also for local layers.
constexpr double default_base = 10000.0;
constexpr const char* short_factors = frequency_tensors[1];
constexpr const char* long_factors = frequency_tensors[2];

class Rope {
public:
    Rope(const File& file, std::string name, const ModelShape& shape)
        : file_(file), prefix_(std::move(name) + ".rope."), shape_(shape)
    {
    }

    double base(const char* key, double otherwise = default_base) const
    {
        const double value = number(key, otherwise);
        if (!(value > 1.0)) {
            file_.fail_key(prefix_ + key, number_text(value) + ", expected more than 1");
        }
        return value;
    }

    /// Returns the kind of scaling: "none", "linear", "yarn", or "longrope". The factors of
    /// longrope are in tensors.
    std::string scaling() const
    {
        const std::string key = prefix_ + "scaling.type";
        const std::string type = file_.text(key).value_or("linear"); // older files lack the key
        constexpr std::array known{"none", "linear", "yarn", "longrope"};
        if (std::ranges::find(known, type) == known.end()) {
            file_.fail_key(key, "'" + printable(type) +
                                    "': not supported, expected none, linear, yarn or longrope");
        }
        if (type == "longrope" && !file_.tensors().contains(short_factors)) {
            file_.fail_tensor(short_factors, "absent, expected one with longrope");
        }
        return type;
    }

    /// Returns the number by which positions are divided.
    double divisor(const std::string& scaling) const
    {
        if (scaling == "none" || scaling == "longrope") {
            return 1.0;
        }
        const bool is_old = scaling == "linear" && !file_.has(prefix_ + "scaling.factor");
        const char* const key = is_old ? "scale_linear" : "scaling.factor";
        const double factor = number(key, 0.0);
        if (factor < 0 || (factor > 0 && factor < 1)) {
            file_.fail_key(prefix_ + key,
                           number_text(factor) + ", expected 1 or more, or 0 for none");
        }
        return factor == 0 ? 1.0 : factor;
    }

    /// Returns the context, in tokens, for which the model was trained before its positions were
    /// scaled.
    double original_context() const
    {
        const std::string key = prefix_ + "scaling.original_context_length";
        const auto value = file_.whole(key).value_or(shape_.max_context);
        if (value == 0) {
            file_.fail_key(key, "0, expected 1 or more");
        }
        return static_cast<double>(value);
    }

    double positive(const char* key, double otherwise) const
    {
        const double value = number(key, otherwise);
        if (!(value > 0.0)) {
            file_.fail_key(prefix_ + key, number_text(value) + ", expected a number above 0");
        }
        return value;
    }

    /// Returns YaRN's factor by which rotated values are multiplied.
    double yarn_factor(double divisor, bool tempered) const
    {
        const double multiplier = tempered ? number("scaling.yarn_log_multiplier", 0.0) : 0.0;
        return (1.0 + 0.1 * std::log(divisor)) / (1.0 + 0.1 * multiplier * std::log(divisor));
    }

    std::vector<float> divisors() const
    {
        for (const char* const name : frequency_tensors) {
            if (name != long_factors && file_.tensors().contains(name)) {
                return divisors(name);
            }
        }
        return std::vector<float>(shape_.rotary() / 2, 1.0F);
    }

private:
    double number(const char* key, double otherwise) const
    {
        return file_.number(prefix_ + key).value_or(otherwise);
    }

    std::vector<float> divisors(const std::string& name) const
    {
        const Tensor& tensor = file_.tensors().at(name);
        const std::uint32_t pairs = shape_.rotary() / 2;
        if (tensor.dimensions != std::vector<std::uint64_t>{pairs}) {
            file_.fail_tensor(name, "dimensions " + tensor.dimensions_text() + ", expected [" +
                                        std::to_string(pairs) + "]");
        }
        std::vector<float> divisors(pairs);
        file_.read_rows(tensor, 0, divisors);
        for (std::uint32_t i = 0; i < pairs; ++i) {
            if (!std::isfinite(divisors[i]) || divisors[i] <= 0.0F) {
                file_.fail_tensor(name, "value " + std::to_string(i) + ": " +
                                            std::to_string(divisors[i]) +
                                            ", expected a number above 0");
            }
        }
        return divisors;
    }

    const File& file_;
    std::string prefix_;
    const ModelShape& shape_;
};

/// Scales the rotation frequencies of pairs. Frequencies with many rotations within the original
/// context stay, and those with few rotations are divided. In between, both are mixed, as in ggml.
TurnScaling yarn(const Rope& rope, double base, double divisor, double rotated)
{
    const double old = rope.original_context();
    const auto pair_of = [&](double turns) {
        return rotated * std::log(old / (turns * 2.0 * std::numbers::pi)) / (2.0 * std::log(base));
    };
    const double low =
        std::max(std::floor(pair_of(rope.positive("scaling.yarn_beta_fast", 32.0))), 0.0);
    const double high =
        std::min(std::ceil(pair_of(rope.positive("scaling.yarn_beta_slow", 1.0))), rotated - 1.0);
    const double width = std::max(high - low, 0.001); // as in ggml, to avoid a division by 0
    return [=](std::uint32_t pair, double turns) {
        const double slowed = std::clamp((pair - low) / width, 0.0, 1.0);
        return turns / divisor * slowed + turns * (1.0 - slowed);
    };
}

/// Limits the context to lengths for which this code computes positions and queries correctly.
void limit(const File& file, const Family& family, const Rope& rope, const ModelShape& shape,
           Positions& positions)
{
    const std::string tempered = std::string(family.name) + ".attention.temperature_scale";
    const bool is_short = file.tensors().contains(short_factors);
    if (!is_short && (!family.tempered || file.number(tempered).value_or(0.0) == 0.0)) {
        return;
    }
    positions.longest = static_cast<std::uint32_t>(
        std::min(rope.original_context(), static_cast<double>(shape.max_context)));
    positions.limit = is_short ? short_factors : tempered;
}

/// Sets the turns per position of local layers, and the factor for their rotated values.
void set_local(const Family& family, const Rope& rope, const ModelShape& shape, double base,
               Positions& positions)
{
    const double otherwise = family.local_unscaled ? base : default_base;
    std::vector<std::uint32_t> phases =
        rope_phases(shape.rotary(), rope.base("freq_base_swa", otherwise));
    positions.local_factor = family.local_unscaled ? 1.0 : positions.local_factor;
    const bool is_own = phases != positions.phases || positions.factor != positions.local_factor;
    if (family.local_base || is_own) {
        positions.local_phases = std::move(phases);
    }
}

} // namespace

std::uint32_t read_rotary(const File& file, const std::string& name, std::uint32_t head_dim)
{
    const std::string key = name + ".rope.dimension_count";
    const std::uint64_t count = file.whole(key).value_or(head_dim);
    if (count < 2 || count % 2 != 0 || count > head_dim) {
        file.fail_key(key, std::to_string(count) + ", expected " + std::to_string(head_dim) +
                               ", the length of a head, or a smaller even number");
    }
    return count == head_dim ? 0 : static_cast<std::uint32_t>(count);
}

Positions read_positions(const File& file, const Family& family, const ModelShape& shape)
{
    if (!shape.rotated()) {
        return {};
    }
    const Rope rope(file, family.name, shape);
    const std::string scaling = rope.scaling();
    const double base = rope.base("freq_base"), divisor = rope.divisor(scaling);
    const TurnScaling scaled =
        scaling == "yarn" ? yarn(rope, base, divisor, shape.rotary())
                          : [divisor](std::uint32_t, double turns) { return turns / divisor; };
    const std::vector<float> divisors = rope.divisors();
    Positions positions;
    positions.phases = rope_phases(shape.rotary(), base, [&](std::uint32_t pair, double turns) {
        const double own = scaled(pair, turns) / static_cast<double>(divisors[pair]);
        return std::min(own - std::floor(own), 1.0 - 0x1p-32); // whole rotations have no effect
    });
    positions.local_factor = rope.positive("scaling.attn_factor", 1.0);
    // Rounded to FP32, since the last bits of a logarithm depend on the library.
    positions.factor =
        positions.local_factor *
        static_cast<float>(scaling == "yarn" ? rope.yarn_factor(divisor, family.tempered) : 1.0);
    limit(file, family, rope, shape, positions);
    if (shape.local_phases) {
        set_local(family, rope, shape, base, positions);
    }
    return positions;
}

} // namespace levee::gguf
