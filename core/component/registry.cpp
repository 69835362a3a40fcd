// SPDX-License-Identifier: Apache-2.0
#include "core/component/registry.hpp"

#include "core/component/keys.hpp"
#include "core/component/library.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace levee {

namespace {

struct Registered {
    ComponentType type;
    const void* object; ///< The program or library that registers the type.
};

/// All registered types. Registrations run before main(), in an order that the linker determines,
/// or when a library is loaded.
std::vector<Registered>& registered()
{
    static std::vector<Registered> types;
    return types;
}

[[noreturn]] void fail(const Declaration& declaration, const std::string& what)
{
    throw std::logic_error("the component type '" + std::string(declaration.type) + "' " + what);
}

/// Refuses duplicate names of keys, opcodes, fields and events, because messages, the schema and
/// price lists identify them by name.
void check_names(const Declaration& declaration)
{
    const auto once = [&](const auto& all, const std::string& what) {
        for (auto one = all.begin(); one != all.end(); ++one)
            if (std::any_of(all.begin(), one, [one](const auto& other) {
                    return std::string_view(other.name) == one->name;
                }))
                fail(declaration, "declares the " + what + " '" + one->name + "' twice");
    };
    once(keys_of(declaration), "key");
    for (const char* const name : declaration.derived)
        if (config::find_key(declaration.parameters, name) != nullptr)
            fail(declaration, "declares the derived parameter '" + std::string(name) +
                                  "', which is one of its keys");
    once(declaration.opcodes, "opcode");
    once(declaration.fields, "field");
    once(declaration.events, "event");
}

void check(const Declaration& declaration)
{
    const auto fail = [&](const std::string& what) { levee::fail(declaration, what); };
    check_names(declaration);
    const bool has_queue = declaration.operation_bytes != 0;
    if (has_queue && declaration.number == 0)
        fail("declares an operation but no number; its queue's registers need a number");
    if (has_queue && (declaration.opcodes.empty() || declaration.fields.empty()))
        fail("declares an operation without opcodes or fields");
    std::size_t end = 0;
    for (const Field& field : declaration.fields) {
        if (field.offset < end)
            fail("declares the field '" + std::string(field.name) + "' out of order");
        end = field.offset + field.bytes * std::max<std::size_t>(field.count, 1);
    }
    if (end > declaration.operation_bytes)
        fail("declares fields beyond the end of its operation");
}

std::vector<ComponentType> types_of(const void* object)
{
    std::vector<ComponentType> types;
    for (const Registered& one : registered())
        if (one.object == object)
            types.push_back(one.type);
    return types;
}

const LoadedLibrary& loaded(const config::ComponentLibrary& library)
{
    static std::map<std::filesystem::path, LoadedLibrary> libraries;
    const std::filesystem::path file = std::filesystem::canonical(library.file);
    const auto known = libraries.find(file);
    return known != libraries.end() ? known->second : libraries[file] = load_library(library);
}

/// Throws config::Error if a library is already among these files, even under another name.
void check_once(const config::ComponentLibrary& library,
                const std::vector<std::filesystem::path>& files)
{
    for (const std::filesystem::path& file : files)
        if (std::filesystem::equivalent(file, library.file))
            throw config::Error(library.place, config::in_quotes(library.file.string()) +
                                                   " is listed twice, first as " +
                                                   config::in_quotes(file.string()) +
                                                   "; expected each library once");
}

void add_types(std::vector<ComponentType>& types, const config::ComponentLibrary& library)
{
    const auto refuse = [&](const std::string& what) {
        throw config::Error(library.place, config::in_quotes(library.file.string()) + " " + what);
    };
    const std::vector<ComponentType> own = types_of(loaded(library).object);
    if (own.empty())
        refuse("registers no type of component; expected a ComponentRegistration in one of its "
               "sources");
    for (const ComponentType& type : own)
        if (type.declaration->type == nullptr)
            refuse("registers a type of component without a name");
    types.insert(types.end(), own.begin(), own.end());
    try {
        types = checked_types(std::move(types));
    } catch (const std::logic_error& error) {
        refuse("cannot be used: " + std::string(error.what()) +
               "; a copy of a component needs its own type and number");
    }
}

} // namespace

ComponentRegistration::ComponentRegistration(const Declaration& declaration,
                                             ComponentPlan (*read)(config::MapReader&,
                                                                   const ComponentDefaults&),
                                             const SharedResults& shared)
{
    registered().push_back({{&declaration, read, shared}, object_at(this)});
}

const std::vector<std::filesystem::path>& files_of(const config::ComponentLibrary& library)
{
    return loaded(library).files;
}

std::vector<ComponentType> checked_types(std::vector<ComponentType> types)
{
    std::sort(types.begin(), types.end(),
              [](const ComponentType& a, const ComponentType& b) { return a.name() < b.name(); });
    for (std::size_t i = 0; i < types.size(); ++i) {
        const Declaration& one = *types[i].declaration;
        check(one);
        for (std::size_t j = 0; j < i; ++j) {
            const Declaration& other = *types[j].declaration;
            if (types[j].name() == types[i].name())
                throw std::logic_error("two component types are called '" + types[i].name() + "'");
            if (one.number != 0 && one.number == other.number)
                throw std::logic_error("the component types '" + types[j].name() + "' and '" +
                                       types[i].name() + "' both declare the number " +
                                       std::to_string(one.number));
        }
    }
    return types;
}

const std::vector<ComponentType>&
component_types(std::span<const config::ComponentLibrary> libraries)
{
    static const std::vector<ComponentType> own = checked_types(types_of(object_at(&own)));
    if (libraries.empty())
        return own;
    static std::map<std::vector<std::filesystem::path>, std::vector<ComponentType>> lists;
    std::vector<std::filesystem::path> files;
    for (const config::ComponentLibrary& library : libraries) {
        check_once(library, files);
        files.push_back(std::filesystem::canonical(library.file));
    }
    const auto known = lists.find(files);
    if (known != lists.end())
        return known->second;
    std::vector<ComponentType> types = own;
    for (const config::ComponentLibrary& library : libraries)
        add_types(types, library);
    return lists[files] = std::move(types);
}

} // namespace levee
