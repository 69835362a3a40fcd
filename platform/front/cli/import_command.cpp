// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/import_command.hpp"

#include "core/config/error.hpp"
#include "platform/front/cli/import_shape.hpp"
#include "platform/input/import/gguf/model.hpp"
#include "platform/input/import/huggingface/checkpoint.hpp"
#include "platform/input/import/llama2c.hpp"
#include "platform/input/import/old_image.hpp"
#include "platform/input/import/synthetic.hpp"
#include "platform/input/model/file.hpp"
#include "platform/input/model/image_writer.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/input/model/model_name.hpp"
#include "platform/input/model/weight_words.hpp"
#include "platform/input/workload/workload.hpp"
#include "platform/run/progress.hpp"
#include "platform/studies/intake/intake.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace levee::cli {

namespace {

/// Names of the weight types: those that a shape may have, and FP16.
const std::map<std::string, levee_type> image_words = [] {
    std::map<std::string, levee_type> words(weight_words.begin(), weight_words.end());
    words.emplace("fp16", LEVEE_TYPE_FP16);
    return words;
}();
const std::map<std::string, ScaleRule> scale_words{{"largest", ScaleRule::Largest},
                                                   {"least_error", ScaleRule::LeastError},
                                                   {"tensor", ScaleRule::Tensor}};
const std::map<std::string, levee_tokenizer_kind> tokenizer_words{{"bpe", LEVEE_TOKENIZER_BPE},
                                                                  {"word", LEVEE_TOKENIZER_WORD}};

/// The file for an import's image, and the component whose write cost is printed.
struct Target {
    std::string output;
    IntakeRequest intake; ///< without a component, no cost is printed
};

void say_intake(const ModelImage& image, const Target& target)
{
    if (!target.intake.component.empty())
        std::printf("%s", take_in(image, target.intake).c_str());
}

void say_image(const Target& target, std::uint64_t bytes, const std::string& name,
               const ModelShape& shape, const WeightFormat& weights)
{
    std::printf("%s: %llu bytes, '%s': dim %u, hidden %u, %u layers, %u heads (%u of K and V), "
                "vocabulary %u, context %u, %s weights\n",
                target.output.c_str(), static_cast<unsigned long long>(bytes),
                model_name_of(name).c_str(), shape.dim, shape.hidden, shape.layers, shape.heads,
                shape.kv_heads, shape.vocab, shape.max_context, format_name(weights).c_str());
    if (shape.max_context > most_attended)
        std::printf("a run without eviction keeps at most %u tokens of a sequence, the default of "
                    "'workload.context'; a longer context needs a 'kv_cache.policy' that evicts\n",
                    most_attended);
}

/// Writes a model's image row by row.
void save(const ModelSource& source, const WeightFormat& weights, const Target& target)
{
    std::uint64_t bytes = 0;
    {
        std::unique_ptr<Progress> line; // created when the first bytes are written, since the total
                                        // is known then
        std::uint64_t shown = 0;
        bytes = write_image(source, weights, target.output,
                            [&](std::uint64_t done, std::uint64_t total) {
                                if (!line)
                                    line = std::make_unique<Progress>(total, false);
                                line->step(done - shown);
                                shown = done;
                            });
    }
    say_image(target, bytes, source.name, source.shape, weights);
    for (const std::string& note : source.notes)
        std::printf("%s\n", note.c_str());
    if (!target.intake.component.empty())
        say_intake(ModelImage::open(target.output), target);
}

/// Parses an existing image as a run would, and writes it.
void save(const std::vector<std::uint8_t>& bytes, const Target& target)
{
    const ModelImage image = ModelImage::parse(bytes, target.output);
    write_file(target.output, bytes);
    say_image(target, bytes.size(), image.name(), image.shape(), image.weight_format());
    say_intake(image, target);
}

void add_intake(CLI::App& command, IntakeRequest& intake)
{
    CLI::Option* to = command
                          .add_option("--to", intake.component,
                                      "Also print the cost of writing the matrices of the model's "
                                      "layers into this component of a system")
                          ->type_name("COMPONENT");
    const auto needs_it = [&](const char* name, auto& value, const char* text, const char* type) {
        return command.add_option(name, value, text)->type_name(type)->needs(to);
    };
    needs_it("--system", intake.system, "The component's system (default: systems/COMPONENT.yaml)",
             "FILE");
    needs_it(
        "--set", intake.overrides,
        "Override a key of the system, as system.memories.COMPONENT.age=1 s or tech.energy=FILE",
        "KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    needs_it("--pages", intake.pages,
             "Write the component's contents into this file, codes included", "FILE");
}

void add_target(CLI::App& command, Target& target)
{
    command.add_option("-o,--out,--output", target.output, "The image to write")
        ->type_name("FILE")
        ->required();
    add_intake(command, target.intake);
}

/// Adds an option that accepts the words in a list.
template <typename Value>
CLI::Option* add_word(CLI::App& command, const std::string& name, Value& value,
                      const std::map<std::string, Value>& words, const std::string& text)
{
    std::vector<std::string> known;
    for (const auto& [word, meaning] : words)
        known.push_back(word);
    return command
        .add_option_function<std::string>(
            name,
            [&value, &words, name, known](const std::string& word) {
                const auto found = words.find(word);
                if (found == words.end())
                    throw CLI::ValidationError(name, config::in_quotes(word) + " is not known" +
                                                         config::suggestion(word, known));
                value = found->second;
            },
            text)
        ->type_name("{" + CLI::detail::join(known, ",") + "}");
}

/// Adds --weights, --group and --scales. The importer checks later that they fit together.
void add_weights(CLI::App& command, WeightFormat& weights)
{
    add_word(command, "--weights", weights.type, image_words, "Type of the matrices")
        ->default_str("int8");
    command
        .add_option("--group", weights.group,
                    "Number of a row's weights that share a scale: a power of 2 such as 128, 64 or "
                    "32 (default: all)")
        ->option_text("N");
    add_word(command, "--scales", weights.scales, scale_words,
             "Rule for scales: map the largest weight that shares a scale to the largest code; "
             "minimise the squared error over 21 scales down to half of that; or give each matrix "
             "of a layer a single scale, by its largest weight")
        ->default_str("largest");
}

void add_llama2c(CLI::App& import)
{
    struct Arguments {
        std::string model, tokenizer;
        Target target;
        Llama2cOptions options;
    };
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = import.add_subcommand(
        "llama2c", "A llama2.c checkpoint (version 0, 1 or 2) with its tokenizer");
    command->add_option("MODEL", arguments->model, "Checkpoint, e.g. stories260K.bin")->required();
    command
        ->add_option("TOKENIZER", arguments->tokenizer,
                     "The checkpoint's tokenizer, e.g. tok512.bin")
        ->required();
    add_target(*command, arguments->target);
    add_weights(*command, arguments->options.weights);
    add_word(*command, "--tokenizer-kind", arguments->options.tokenizer, tokenizer_words,
             "How text is split")
        ->default_str("bpe");
    command->add_option("--name", arguments->options.name, "Name in the image (default: MODEL's)");
    command->callback([arguments] {
        const InputsKept inputs;
        save(llama2c_source(arguments->model, arguments->tokenizer, arguments->options),
             arguments->options.weights, arguments->target);
    });
}

void add_gguf(CLI::App& import)
{
    struct Arguments {
        std::string model;
        Target target;
        WeightFormat weights;
        GgufOptions options;
    };
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command =
        import.add_subcommand("gguf", "A GGUF file (version 2 or 3; " + gguf_architectures() +
                                          "; " + gguf_tensor_types() + ")");
    command->add_option("FILE", arguments->model, "The model, with its tokenizer")->required();
    add_target(*command, arguments->target);
    add_weights(*command, arguments->weights);
    command->add_flag("--ids-only", arguments->options.ids_only,
                      "Leave out the file's tokenizer; prompts must then be token ids");
    command->add_option("--name", arguments->options.name,
                        "Name in the image (default: general.name, or FILE's)");
    add_ignored_keys(*command, arguments->options.ignored_keys);
    command->callback([arguments] {
        const InputsKept inputs;
        save(gguf_source(arguments->model, arguments->options), arguments->weights,
             arguments->target);
    });
}

void add_safetensors(CLI::App& import)
{
    struct Arguments {
        std::string folder, name;
        Target target;
        WeightFormat weights;
        std::vector<std::string> ignored_keys;
    };
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = import.add_subcommand(
        "safetensors", "A folder of Hugging Face's transformers: config.json, model.safetensors "
                       "(or its shards and their index; F32, F16, BF16, AWQ, GPTQ or FP8), "
                       "the tokenizer");
    command->add_option("DIR", arguments->folder, "The folder")->required();
    add_target(*command, arguments->target);
    add_weights(*command, arguments->weights);
    command->add_option("--name", arguments->name, "Name in the image (default: the model's)");
    add_ignored_keys(*command, arguments->ignored_keys);
    command->callback([arguments] {
        const InputsKept inputs;
        save(hf::safetensors_source(arguments->folder, arguments->name, arguments->ignored_keys),
             arguments->weights, arguments->target);
    });
}

struct SyntheticArguments {
    std::string family = "llama";
    Target target;
    std::uint32_t dim = 0, hidden = 0, layers = 0, heads = 0, kv_heads = 0, vocab = 0, context = 0;
    SyntheticOptions options;
};

/// Returns the shape that the options describe. Throws ModelError if no model can have it.
ModelShape synthetic_shape(const SyntheticArguments& a)
{
    const std::uint32_t kv_heads = a.kv_heads ? a.kv_heads : a.heads;
    if (a.family == "opt" && kv_heads != a.heads)
        throw ModelError("--kv-heads: an OPT shape needs the same number as --heads");
    if (a.heads == 0 || a.dim % a.heads != 0)
        throw ModelError("--heads: " + std::to_string(a.heads) + ", expected a divisor of --dim, " +
                         std::to_string(a.dim));
    return a.family == "opt"
               ? opt_shape(a.dim, a.hidden, a.layers, a.heads, a.vocab, a.context)
               : llama_shape(a.dim, a.hidden, a.layers, a.heads, kv_heads, a.vocab, a.context);
}

void add_synthetic(CLI::App& import)
{
    const auto arguments = std::make_shared<SyntheticArguments>();
    CLI::App* command = import.add_subcommand(
        "synthetic", "An untrained model of a given shape, with weights drawn from a seed");
    command->add_option("--family", arguments->family, "llama or opt")
        ->check(CLI::IsMember({"llama", "opt"}))
        ->capture_default_str();
    command->add_option("--dim", arguments->dim, "Width of the model")->required();
    command->add_option("--hidden", arguments->hidden, "Width of the feed-forward network")
        ->required();
    command->add_option("--layers", arguments->layers, "Number of layers")->required();
    command->add_option("--heads", arguments->heads, "Number of query heads")->required();
    command->add_option("--kv-heads", arguments->kv_heads,
                        "Number of K and V heads (default: --heads)");
    command->add_option("--vocab", arguments->vocab, "Number of tokens in the vocabulary")
        ->required();
    command->add_option("--context", arguments->context, "Longest sequence in tokens")->required();
    add_weights(*command, arguments->options.weights);
    command->add_option("--seed", arguments->options.seed, "Seed of the weights")
        ->capture_default_str();
    command->add_option("--name", arguments->options.name, "Name in the image")
        ->capture_default_str();
    add_target(*command, arguments->target);
    command->callback([arguments] {
        save(synthetic_source(synthetic_shape(*arguments), arguments->options),
             arguments->options.weights, arguments->target);
    });
}

/// Adds `import image`, which converts images of an older format whose checksum does not cover the
/// header.
void add_image(CLI::App& import)
{
    const auto old = std::make_shared<std::string>();
    const auto target = std::make_shared<Target>();
    CLI::App* command = import.add_subcommand(
        "image", "A model image of an older format, whose checksum does not cover the header");
    command->add_option("OLD", *old, "The image to renew")->required();
    add_target(*command, *target);
    command->callback([old, target] {
        const InputsKept inputs;
        save(renewed_image(*old), *target);
    });
}

/// Adds the command that prints the cost of placing an existing model, or a model's shape, in a
/// component.
void add_place(CLI::App& import)
{
    const auto model = std::make_shared<std::string>();
    const auto target = std::make_shared<Target>();
    CLI::App* command =
        import.add_subcommand("place", "Only print the cost of writing a model into a component");
    command
        ->add_option("MODEL", *model,
                     "An image, or a shape: NAME of scenarios/models, FILE.yaml, config.json")
        ->required();
    add_intake(*command, target->intake);
    command->get_option("--to")->required();
    command->callback([model, target] {
        const InputsKept inputs;
        const bool is_image = !model->ends_with(".yaml") && !model->ends_with(".json") &&
                              std::filesystem::is_regular_file(*model);
        say_intake(is_image ? ModelImage::open(*model) : model_of_shape(*model), *target);
    });
}

} // namespace

void add_import_command(CLI::App& app)
{
    CLI::App* import = app.add_subcommand("import", "Make a model image");
    import->require_subcommand(1);
    add_llama2c(*import);
    add_gguf(*import);
    add_safetensors(*import);
    add_import_shape(*import);
    add_synthetic(*import);
    add_image(*import);
    add_place(*import);
}

} // namespace levee::cli
