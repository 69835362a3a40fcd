// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/quantization.hpp"

#include "platform/input/import/huggingface/optional_keys.hpp"

namespace levee::hf {

namespace {

/// Returns the value of a key, or of the same key under its older name.
JsonView either(const JsonView& config, const std::string& key, const std::string& older)
{
    const auto found = config.find(key) ? config.find(key) : config.find(older);
    return found ? *found : config.at(key);
}

void require_four_bits(const JsonView& config)
{
    const JsonView bits = either(config, "bits", "w_bit");
    if (bits.json() != Json(4))
        bits.fail("4: no other width is supported");
}

/// Returns the number of inputs that share a scale. In the file, -1 means that all share one.
std::uint64_t group_of(const JsonView& config)
{
    const JsonView size = either(config, "group_size", "q_group_size");
    if (size.json() == Json(-1))
        return 0;
    constexpr std::uint64_t in_word = 8;
    if (size.whole() == 0 || size.whole() % in_word != 0)
        size.fail("-1, or a multiple of 8");
    return size.whole();
}

Quantization read_awq(const JsonView& config)
{
    OptionalKeys optional(config);
    require_four_bits(config);
    optional.require("zero_point", {true}, "true: codes without zero points are not supported");
    optional.require("version", {"gemm", "GEMM"}, "gemm: no other order of codes is supported");
    return {.packing = Packing::awq, .group = group_of(config)};
}

/// Returns whether zero points are stored reduced by 1, as in all formats except
/// "gptq_v2".
bool are_zeros_less_one(const JsonView& config)
{
    const std::string key = config.find("checkpoint_format") ? "checkpoint_format" : "format";
    OptionalKeys(config).require(key, {"gptq", "gptq_v2"}, "gptq or gptq_v2");
    return config.text(key, "gptq") == "gptq";
}

Quantization read_gptq(const JsonView& config)
{
    require_four_bits(config);
    return {.packing = Packing::gptq,
            .group = group_of(config),
            .zeros_less_one = are_zeros_less_one(config),
            .needs_order = config.flag("desc_act", false)};
}

Quantization read_fp8(const JsonView& config, std::vector<std::string>& notes)
{
    OptionalKeys optional(config);
    optional.require("fmt", {"e4m3"}, "e4m3");
    notes.push_back("its quantization_config makes the inputs of matrices FP8, too: a run uses the "
                    "machine's format of inputs instead");
    Quantization result{.packing = Packing::fp8};
    if (const auto block = config.find("weight_block_size")) {
        const std::vector<JsonView> sizes = block->items();
        if (sizes.size() != 2 || sizes[0].whole() == 0 || sizes[1].whole() == 0)
            block->fail("rows and columns of a block");
        result.block_rows = sizes[0].whole();
        result.block_cols = sizes[1].whole();
    }
    return result;
}

} // namespace

Quantization read_quantization(const JsonView& config, std::vector<std::string>& notes)
{
    const auto found = config.find("quantization_config");
    if (!found)
        return {};
    const JsonView method = found->at("quant_method");
    if (method.text() == "awq")
        return read_awq(*found);
    if (method.text() == "gptq")
        return read_gptq(*found);
    if (method.text() == "fp8")
        return read_fp8(*found, notes);
    if (method.text() == "mxfp4")
        return {.packing = Packing::mxfp4};
    if (method.text() == "compressed-tensors")
        method.fail("awq, gptq, fp8 or mxfp4: the packed integers and scales of compressed-tensors "
                    "are not read; import weights of F32, F16 or BF16 and choose --weights");
    method.fail("awq, gptq, fp8 or mxfp4: import weights of F32, F16 or BF16 and choose --weights");
}

} // namespace levee::hf
