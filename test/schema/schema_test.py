#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schema_test.py LEVEE SCENARIOS: `levee schema` must refuse what the program refuses, and accept what it
accepts.

Shipped files must be valid by the schema of their kind. Each scenario must be valid by the complete schema
once its files are applied. Then values of these scenarios are changed one by one, each place once, and
program and schema must agree on each change.
"""
import concurrent.futures
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import yaml_core
    from jsonschema import Draft202012Validator
except ImportError as error:
    print(f"{error} (Debian: python3-jsonschema, python3-yaml)")
    sys.exit(77)

LEVEE, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])

# Incomplete scenarios, which other files complete. The program does not accept them alone.
PARTS = {"hybrids/common.yaml", "kelle/section8/common.yaml"}

# Places that a special reader handles, without declared keys, and price lists inside price lists or next to them.
OPEN = r"tech\.(also|energy\.lists\.TYPE)\..*"

# Maps of price lists from types of components to values.
OF_TYPES = ("for", "prices", "lists", "percent")

# Changes that replace a text by another.
WORDS = "another word|an empty text|a word of other places|none|a number"

# Faults that only the program can refuse, as (place, change). A schema cannot see files or firmware programs, and
# checks each key separately.
PROGRAM_ONLY = [
    # Names of files and of other components.
    (r"model\.image|workload\.(app|scheduler|stop_token|text_file|stories_file|prompt_file)|system\.components\.0", WORDS),
    (r"workload\.machine\..*", "an empty text"),
    (r"system\.blocks\.rsa\.shares", WORDS),
    (r"system\.memories\.expert_cache\.memory", WORDS),
    # Quantities that must be consistent with each other.
    (r"system\.memories\.(dram\.standard\.timing\..*|flash\.spare)|tech\.energy\.chip_power\.power|"
     r"tech\.energy\.prices\.TYPE\.currents\.FAMILY\.rails\..*", "nothing of a unit"),
    (r"system\.memories\.dram\.standard\.mapping\.low_to_high\.0", "a word of other places"),
    # Types of components.
    (r"tech\.energy\.prices\.TYPE\.(static|area)\.within", WORDS),
    # `none` removes the reason that another list gives for a missing price, whether or not a list
    # has the price.
    (r"tech\.energy\.prices\.TYPE(\.access)?\.unpriced", "none"),
    # Keys that are required because of another key's value.
    (r"system\.blocks\.sync|system\.memories\.tcm", "nothing"),
    (r"tech\.energy\.(lists|chip_power|prices\.TYPE(\..*)?)", "nothing"), # These are each component's power and each
                                                                          # price's source.
    (r"data|decisions(\.recorded|\.statistics)?|model\.(shape|weights)", "nothing"),
    # A file of requests may replace these keys.
    (r"workload\.requests(\.(count|interval|prompt_tokens|new_tokens))?", "nothing"),
    # These keys are also required if kv_cache.with names them.
    (r"kv_cache\.(cpq|retrieval(\.top_k|\.ratio)?)", "nothing"),
    # Keys that are only valid with another key, which is removed.
    (r"system\.memories\.flash\.placing\.result", "nothing"),
    (r"workload\.(sampling|text_file|stories_file|prompt_tokens)", "nothing"),
    (r"model\.shape\.(experts|chosen)", "nothing"),
]

# A study with every key, whose modified versions `levee sweep --dry-run` checks, and the errors in it that only the
# program finds.
STUDY = {
    "scenario": "hello.yaml", "name": "changes", "set": ["seed=1"],
    "axes": {
        "system.core.quantum": [100, 200],
        "bus": {"key": "system.bus.latency", "from": "2 ns", "to": "20 ns", "steps": 2, "scale": "log"},
        "clock": {"key": ["system.core.clock"], "values": ["1 GHz", "2 GHz"], "only_if": "bus > 2 ns"},
        "traps": {"key": "traps", "labels": {"no": "system.core.misaligned_traps=false", "yes": ["system.core.misaligned_traps=true"]}},
        "timing": {"real": [], "ideal": "timing=ideal"}},
    "zip": [["bus", "clock"]], "sample": {"random": 2, "seed": 3}, "where": ["bus > 1 ns"], "points": {"base": []},
    "seeds": [1, 2], "columns": {"us": {"metric": "sim.seconds", "over": "core.cycles", "scale": 1e6, "digits": 2}, "cycles": "core.cycles"},
    "objectives": {"minimize": "us", "maximize": ["cycles"]}, "checks": ["us(base) > 0"],
    "explore": {"points": 2, "generation": 2, "seed": 1}, "keep": False}
STUDY_ONLY = [
    # Names of axes, points, columns, keys and files, and expressions with them.
    (r"scenario|(axes|zip|where|columns|objectives|checks)\..*", WORDS),
    # Only the program sees that the unit differs from that of the other end.
    (r"axes\.bus\.(from|to)", "another unit|no unit|nothing of a unit"),
    (r"columns", "an unknown key"), # looks like a valid column for a metric that does not exist
    # Parts to which others refer, or that must not be empty.
    (r"axes(\..*)?|points(\.base)?|columns(\.us|\.cycles)?", "nothing"),
    (r"(axes|columns)(\..*)?", "a list|a map"), # empty lists and maps
]

# Spellings of values, with a place for every kind of value. Program and schema each judge a whole file.
PLACES_OF_KINDS = {
    "count": "seed: {}", "time": "system: {{bus: {{latency: {}}}}}", "boolean": "system: {{core: {{misaligned_traps: {}}}}}",
    "real": "workload: {{temperature: {}}}", "word": "workload: {{sampling: {}}}", "list": "system: {{memories: {{dram: {{roles: {}}}}}}}",
    "row": "system: {{memories: {{kv_edram: {{retention: {{curve: [[45 us, {}]]}}}}}}}}",
    "field": "system: {{memories: {{dram: {{standard: {{mapping: {{low_to_high: [{}]}}}}}}}}}}"}
SPELLINGS = """4 +4 -4 4. .5 1e3 1E+3 0x10 0o17 007 1_000 -0 -0.0 "4" 4.0 2.5 0 true True TRUE yes on "true" ~ null Null ""
[] [4] {} 1e400 inf 18446744073709551616 0b1 1:30 4,5 row temperature greedy [model] [model,~] 1ns +1ns 1.ns .5ns 0x1ns 1_0ns 1NS
1nss 0ns -0ns 1""".split() + ['" "', "1 ns", "1  ns", "' 1 ns '", "1 parsecs", "column 3", "COLUMN 3", "column  3", "column x"]
# These values are valid on their own, but not together with other keys of the scenario.
SPELLINGS_OF_PROGRAM = {("word", "greedy"), ("list", "[model]"), ("field", "row"), ("field", "column 3"), ("field", "column  3")}

# A campaign with many keys, for `levee faults --dry-run`.
CAMPAIGN = {
    "scenario": "hello.yaml", "name": "changes", "set": ["seed=1"],
    "faults": {"seed": 1, "number": 2, "confidence": 0.9, "limit": 2.0, "when": {"from": "1 us", "to": "2 us"},
               "sites": {"core": {"register": "core", "only": ["sp"], "bits": [0, "2-3"], "together": False,
                                  "when": {"at": ["1 us"]}},
                         "tcm": {"memory": "tcm", "from": "0 B", "to": "4 KiB", "element": 8}}}}
CAMPAIGN_ONLY = [
    (r"scenario", WORDS),
    # Each fault site must be of exactly one kind, and bits need an element.
    (r"faults\.sites\.\w+\.(register|memory)", "nothing"),
    (r"faults\.(sites\.\w+\.|when\.)(from|to)", "nothing of a unit"),
]


class Validator(Draft202012Validator):
    """Validates each value once by each part of a schema. Trees that differ in one place share all other values."""
    valid = {} # (identity of value, identity of part) to both, whose identities are then not given to others

    def descend(self, instance, schema, path=None, schema_path=None):
        key = id(instance), id(schema)
        if key in self.valid:
            return
        errors = list(super().descend(instance, schema, path, schema_path))
        if not errors and isinstance(instance, (dict, list)):
            self.valid[key] = instance, schema
        yield from errors


UNIT = re.compile(r"[0-9.]+ ?[A-Za-z/]+")
faults = []


def levee(*arguments):
    return subprocess.run([LEVEE, *arguments], capture_output=True, text=True)


def schema_of(*arguments):
    schema = json.loads(levee("schema", *arguments).stdout)
    Validator.check_schema(schema)
    return schema


def validators():
    """Returns schemas by kind of file. A definition inside a schema also serves as the schema of separate files,
    those of `system` and of `model.shape`."""
    scenario = schema_of("scenario")
    kinds = {"scenario": Validator(scenario)}
    for kind in ("study", "exploration", "faults", "reproduction", "prices", "statistics"):
        kinds[kind] = Validator(schema_of(kind))
    for kind in ("system", "shape"):
        kinds[kind] = Validator({"$ref": f"#/$defs/{kind}", "$defs": scenario["$defs"]})
    return kinds


def kind_of(path, tree):
    """Returns the kind of a shipped file, by its folder or keys. Returns None for a part of a file of another
    kind, and for data."""
    keys = set(tree) - {"extends"}
    if path.parent.name == "tech":
        return None
    if path.parent.parent.name == "tech":
        return {"energy": "prices", "decisions": "statistics"}.get(path.parent.name)
    if path.parent.name == "reproduce":
        return "reproduction"
    if "faults" in keys:
        return "faults"
    if "scenario" in keys:
        return "exploration" if "explore" in keys else "study"
    if keys & {"system", "model", "workload", "kv_cache"}:
        return "scenario"
    if keys & {"memories", "blocks"}:
        return "system"
    return "shape" if "layers" in keys else None


def shipped():
    """Returns the files of the folder with their kinds, as (name, kind, tree)."""
    for path in sorted(FOLDER.rglob("*.yaml")):
        tree = yaml_core.load(path.read_text(encoding="utf-8"))
        if kind := kind_of(path, tree):
            yield str(path.relative_to(FOLDER)), kind, tree


def check_files():
    kinds = validators()
    seen = set()
    for name, kind, tree in shipped():
        seen.add(kind)
        for one in ([kind, "study"] if kind == "exploration" else [kind]):
            for error in kinds[one].iter_errors(tree):
                faults.append(f"{name}: {error.json_path} by the schema of a {one}: {error.message[:200]}")
    if seen != set(kinds):
        faults.append(f"no shipped file is of a kind: {set(kinds) - seen}")


def resolved_scenarios(complete):
    """Yields each shipped scenario's name and its tree with all files applied. Checks the tree against the schema."""
    for name, kind, _ in shipped():
        if kind != "scenario" or name in PARTS:
            continue
        done = levee("describe", name.removesuffix(".yaml"), "--resolved")
        if done.returncode != 0:
            faults.append(f"{name} cannot be resolved: {done.stderr}")
            continue
        tree = json.loads(done.stdout)
        for error in complete.iter_errors(tree):
            faults.append(f"{name}, resolved: {error.json_path}: {error.message[:200]}")
        yield name.removesuffix(".yaml"), tree


def changes(value):
    """Returns changed values of a place, as (change, value)."""
    yield "nothing", None
    if isinstance(value, dict):
        yield "a list", []
    elif isinstance(value, list):
        yield "a map", {}
        yield "an empty list", []
    elif isinstance(value, str) and UNIT.fullmatch(value):
        yield "another unit", "5 parsecs"
        yield "no unit", 5
        yield "nothing of a unit", f"0 {value.lstrip('0123456789. ')}"
    elif isinstance(value, str):
        yield "another word", "no_such_word"
        yield "an empty text", ""
        yield "a word of other places", "row"
        yield "none", "none"
        yield "a number", 7
    elif isinstance(value, bool):
        yield "a number", 7
    else:
        yield "text", "four"
        yield "in quotes", str(value)
        yield "negative", -1


def name_in_place(path, key, value):
    """Replaces names of components by their types. Also gives prices of all types the same path, and datasheets
    of all families."""
    if path in (("system", "memories"), ("system", "blocks")) and isinstance(value, dict):
        return value.get("type", key)
    if path[:1] == ("tech",) and path[-1] in ("prices", "lists", "for", "percent"):
        return "TYPE"
    if path[-1:] == ("currents",):
        return "FAMILY"
    return str(key)


def places(value, path=(), place=()):
    """Returns all values below a path, as (path, place, value). Where a path has names of components, a place has
    types."""
    items = value.items() if isinstance(value, dict) else list(enumerate(value))[:1] if isinstance(value, list) else ()
    for key, inner in items:
        here, its_place = (*path, key), (*place, name_in_place(path, key, inner))
        yield here, its_place, inner
        yield from places(inner, here, its_place)


def changed(tree, path, value):
    """Returns the tree with the value at the path, or without it if the value is None. All unchanged values are those
    of the given tree."""
    tree = node = copy.copy(tree)
    for key in path[:-1]:
        node[key] = copy.copy(node[key])
        node = node[key]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return tree


def mutants(trees, is_open):
    """Returns (name, path, place, change, value, tree) for each change of each place, once."""
    done = set()
    for name, tree in trees:
        for path, place, value in [((), (), tree), *places(tree)]:
            if re.fullmatch(OPEN, ".".join(place)) or is_open(place):
                continue
            all_changes = [(path, *change) for change in changes(value)] if path else []
            if isinstance(value, dict):
                all_changes.append(((*path, "unknown_key"), "an unknown key", 1))
            if value and path[:2] == ("tech", "energy") and path[-1] in OF_TYPES:
                all_changes.append(((*path, "unknown_type"), "an unknown type", next(iter(value.values()))))
            for where, change, new in all_changes:
                is_item = isinstance(where[-1], int)
                if (place, change) in done or (new is None and is_item):
                    continue
                done.add((place, change))
                yield name, where, ".".join(place), change, new, tree


def program_on_scenario(mutant):
    name, path, _, _, value, _ = mutant
    return levee("describe", name, "--set", f"{'.'.join(map(str, path))}={json.dumps(value)}")


def program_on_study(mutant, command="sweep"):
    _, path, _, _, value, tree = mutant
    with tempfile.TemporaryDirectory() as folder:
        study = pathlib.Path(folder) / "changes.yaml"
        study.write_text(json.dumps(changed(tree, path, value)), encoding="utf-8")
        return levee(command, str(study), "--dry-run", "--allow-outside")


def program_on_campaign(mutant):
    return program_on_study(mutant, "faults")


def judge(mutant, program, schema, file_schema, program_only):
    """Returns a disagreement between program and schema; or the entry of `program_only` that explains why only
    the program refuses the change; or None."""
    name, path, place, change, value, tree = mutant
    done = program(mutant)
    new = changed(tree, path, value)
    refused = done.returncode != 0, not schema.is_valid(new)
    what = f"{name}: {'.'.join(map(str, path))} = {json.dumps(value)} ({place}: {change})"
    if done.returncode not in (0, 2):
        return f"{what}: the program ends with {done.returncode}: {done.stderr[:200]}"
    # A separate file may have empty maps, and missing prices without a reason, because another file
    # can complete it.
    if value not in (None, {}, "none") and refused[1] and file_schema.is_valid(new):
        return f"{what}: the schema of files takes it"
    if refused == (False, True):
        return f"{what}: the schema refuses what the program takes"
    if refused == (True, False):
        for entry in program_only:
            if re.fullmatch(entry[0], place) and re.fullmatch(entry[1], change):
                return entry
        return f"{what}: only the program refuses: {done.stderr.strip()[:200]}"
    return None


def judge_all(all_mutants, least, program, schema, file_schema, program_only):
    used = set()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda mutant: judge(mutant, program, schema, file_schema, program_only), all_mutants):
            if isinstance(found, tuple):
                used.add(found)
            elif found:
                faults.append(found)
    for entry in set(program_only) - used:
        faults.append(f"{entry}: nothing that only the program refuses is of this kind; expected it gone from the list")
    print(f"{len(all_mutants)} changes")
    if len(all_mutants) < least:
        faults.append(f"{len(all_mutants)} changes; expected {least} or more")


def check_mutants():
    complete = Validator(schema_of("--complete"))
    types = complete.schema["$defs"]
    undeclared = {name.removeprefix("type_") for name, schema in types.items()
                  if name.startswith("type_") and "properties" not in schema}

    def is_open(place):
        return place[:1] == ("system",) and len(place) > 2 and place[2] in undeclared

    changed_scenarios = list(mutants(list(resolved_scenarios(complete)), is_open))
    files = Validator(schema_of("scenario"))
    judge_all(changed_scenarios, 500, program_on_scenario, complete, files, PROGRAM_ONLY)
    changed_studies = list(mutants([("study", STUDY)], lambda place: False))
    study = Validator(schema_of("study"))
    judge_all(changed_studies, 100, program_on_study, study, study, STUDY_ONLY)
    changed_campaigns = list(mutants([("campaign", CAMPAIGN)], lambda place: False))
    campaign = Validator(schema_of("faults"))
    judge_all(changed_campaigns, 80, program_on_campaign, campaign, campaign, CAMPAIGN_ONLY)


# Values of `for:` in a list that extends nothing; whether the program accepts each; whether the
# schema does.
MACHINES = [
    ({"rsa": {"rows": 32, "columns": [24, "3*"], "clock": "1000 MHz", "dataflow": "weight_stationary"}}, True, True),
    ({"rsa": [{"rows": 32, "number": 1}]}, True, True),
    ({"dram": {"standard": ["LPDDR4", "LPDDR4-*"]}}, True, True),
    ({"rsa": None}, False, False),
    ({"rsa": {"rows": None}}, False, False),
    ({"rsa": []}, False, False),
    ({"rsa": {"rows": []}}, False, False),
    ({"rsa": {"rows": "many"}}, False, False),
    ({"rsa": {"rows": "many*"}}, False, False),
    ({"rsa": {"rows": "32"}}, False, False),
    ({"rsa": {"rows": "32 MiB"}}, False, False),
    ({"rsa": {"rows": 0}}, False, False),
    ({"rsa": {"rows": {"least": 1}}}, False, False),
    ({"rsa": {"clock": 1}}, False, False),
    ({"rsa": {"dataflow": "row"}}, False, False),
    ({"rsa": {"dataflow": "row*"}}, False, False),
    ({"rsa": {"overlap_loads": "maybe"}}, False, False),
    ({"rsa": {"no_such_parameter": 1}}, False, False),
    ({"no_such_type": {"rows": 1}}, False, True), # The type may come from a plug-in.
]


def check_machines():
    """Checks `for:` in files of prices."""
    schema = Validator(schema_of("prices"))
    for machines, by_program, by_schema in MACHINES:
        tree = {"name": "machines", "for": machines, "prices": {}}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "list.yaml"
            path.write_text(json.dumps(tree), encoding="utf-8")
            done = levee("describe", "kelle/demo", "--set", f"tech.also=[{path}]", "--allow-outside")
        refused = "tech.also.0.for" in done.stderr and done.returncode == 2 # The list has no prices.
        if (refused, schema.is_valid(tree)) != (not by_program, by_schema):
            faults.append(f"for: {json.dumps(machines)}: the program {'refuses' if refused else 'takes'} it, the schema "
                          f"{'takes' if schema.is_valid(tree) else 'refuses'} it: {done.stderr.strip()[:200]}")


def check_spellings():
    schema = Validator(schema_of("scenario"))

    def check(kind, spelling):
        text = f"extends: kelle/demo.yaml\n{PLACES_OF_KINDS[kind].format(spelling)}\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "spelt.yaml"
            path.write_text(text, encoding="utf-8")
            done = levee("describe", str(path), "--allow-outside")
        takes = done.returncode == 0, schema.is_valid(yaml_core.load(text))
        null = spelling in ("~", "null", "Null") # null removes the key
        if takes[0] != takes[1] and not null and (kind, spelling) not in SPELLINGS_OF_PROGRAM:
            return f"{kind} {spelling}: program and schema (taken: {takes}) differ: {done.stderr.strip()[:200]}"
        return None

    cases = [(kind, spelling) for kind in PLACES_OF_KINDS for spelling in SPELLINGS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults.extend(found for found in pool.map(lambda case: check(*case), cases) if found)
    print(f"{len(cases)} spellings")


check_files()
check_machines()
check_spellings()
check_mutants()
print("\n".join(faults))
sys.exit(bool(faults))
