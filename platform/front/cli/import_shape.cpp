// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/import_shape.hpp"

#include "platform/input/import/huggingface/shape_file.hpp"
#include "platform/input/model/file.hpp"
#include "platform/input/model/model_counts.hpp"
#include "platform/input/model/model_name.hpp"
#include "platform/input/model/weight_words.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace levee::cli {

namespace {

const std::map<std::string, levee_type> shape_words(weight_words.begin(), weight_words.end());

struct ShapeArguments {
    std::string config, output, name, weights = "int8";
    std::vector<std::string> ignored_keys;
    std::uint32_t group = 0;
};

void write_shape(const ShapeArguments& arguments)
{
    const InputsKept inputs;
    hf::Config config =
        hf::read_config(hf::config_file(arguments.config), hf::Part::shape, arguments.ignored_keys);
    if (!arguments.name.empty())
        config.name = arguments.name;
    check_model_name(config.name, "--name");
    const WeightFormat weights(shape_words.at(arguments.weights), arguments.group);
    check_format(weights, "--group");
    const std::string text = hf::shape_yaml(config, weights);
    write_file(arguments.output, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    std::printf("%s: '%s', %llu parameters, for 'model.shape' with 'data: timing_only'\n",
                arguments.output.c_str(), config.name.c_str(),
                static_cast<unsigned long long>(parameters_of(config.shape).all));
    for (const auto* const sentences : {&config.remarks, &config.notes})
        for (const std::string& sentence : *sentences)
            std::printf("%s\n", sentence.c_str());
}

} // namespace

void add_ignored_keys(CLI::App& command, std::vector<std::string>& keys)
{
    command
        .add_option(
            "--ignore-key", keys,
            "Accept this unknown key of the file, which does not affect the model's computation")
        ->type_name("NAME")
        ->take_all()
        ->allow_extra_args(false);
}

void add_import_shape(CLI::App& import)
{
    const auto arguments = std::make_shared<ShapeArguments>();
    CLI::App* command = import.add_subcommand(
        "config", "Import only the shape, from a Hugging Face config.json, for timing-only runs");
    command->add_option("FILE", arguments->config, "config.json, or the folder it is in")
        ->required();
    command->add_option("-o,--out,--output", arguments->output, "The shape to write, a YAML file")
        ->type_name("FILE")
        ->required();
    command->add_option("--weights", arguments->weights, "Type of the matrices: int8, int4 or int3")
        ->check(CLI::IsMember(shape_words))
        ->capture_default_str();
    command->add_option("--group", arguments->group,
                        "Number of a row's weights that share a scale (default: all)");
    command->add_option("--name", arguments->name, "Name of the model (default: its own)");
    add_ignored_keys(*command, arguments->ignored_keys);
    command->callback([arguments] { write_shape(*arguments); });
}

} // namespace levee::cli
