#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schema_test.py LEVEE SCENARIOS: `levee schema` must refuse what the program refuses, and accept what it
accepts.

Shipped files are valid by the schema of their kind; each scenario, resolved, is valid by the complete one.
Then values of these scenarios are changed one by one, each place once, and program and schema must agree on
each change.
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
    from jsonschema import Draft202012Validator as Validator
except ImportError as error:
    print(f"{error} (Debian: python3-jsonschema, python3-yaml)")
    sys.exit(77)

LEVEE, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])

# Incomplete scenarios, which other files complete: no program accepts them alone.
PARTS = {"hybrids/common.yaml", "kelle/section8/common.yaml"}

# Places with special readers and no declared keys, and price lists inside price lists or next to
# them.
OPEN = r"tech\.(also|energy\.lists\.TYPE)\..*"

# Changes of a text to another.
WORDS = "another word|an empty text|a word of other places|none|a number"

# Faults that only the program can refuse: (place, change). A schema knows no files and no programs, and checks each key
# separately.
PROGRAM_ONLY = [
    # Files, and names of other components.
    (r"model\.image|workload\.(app|scheduler|stop_token|text_file|stories_file|prompt_file)|system\.components\.0", WORDS),
    (r"workload\.machine\..*", "an empty text"),
    (r"system\.blocks\.rsa\.shares", WORDS),
    (r"system\.memories\.expert_cache\.memory", WORDS),
    # Quantities that have to fit together.
    (r"system\.memories\.(dram\.standard\.timing\..*|flash\.spare)|tech\.energy\.chip_power\.power|"
     r"tech\.energy\.prices\.TYPE\.currents\.FAMILY\.rails\..*", "nothing of a unit"),
    (r"system\.memories\.dram\.standard\.mapping\.low_to_high\.0", "a word of other places"),
    # Types of components, their parameters and units of these.
    (r"tech\.energy\.(for\.TYPE(\.0)?|prices\.TYPE\.(static|area)(\.0)?\.per|chip_\w+\.percent)", "an unknown key"),
    (r"tech\.energy\.prices\.TYPE\.(static|area)\.within", WORDS),
    # A withdrawn reason, for a price that another list has, or for one that no list has.
    (r"tech\.energy\.prices\.TYPE(\.access)?\.unpriced", "none"),
    # Keys that another value requires.
    (r"system\.blocks\.sync|system\.memories\.tcm", "nothing"),
    (r"tech\.energy\.(lists|chip_power|prices\.TYPE(\..*)?)", "nothing"), # power of each component,
                                                                          # source of each price
    (r"data|decisions(\.recorded|\.statistics)?|model\.(shape|weights)", "nothing"),
    (r"workload\.requests(\.(count|interval|prompt_tokens|new_tokens))?", "nothing"), # replaced by a file
    (r"kv_cache\.(cpq|retrieval(\.top_k|\.ratio)?)", "nothing"), # also if kv_cache.with requires it
    # Keys that are only valid with another key, which is removed.
    (r"system\.memories\.flash\.placing\.result", "nothing"),
    (r"workload\.(sampling|text_file|stories_file|prompt_tokens)", "nothing"),
    (r"model\.shape\.(experts|chosen)", "nothing"),
]

# A study with every key, whose modified versions `levee sweep --dry-run` checks, and errors that
# only the program finds.
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
    (r"axes\.bus\.(from|to)", "another unit|no unit|nothing of a unit"), # the unit differs from the other end's
    (r"columns", "an unknown key"), # a valid column, of a metric that does not exist
    # Parts that others refer to, or that must not be empty.
    (r"axes(\..*)?|points(\.base)?|columns(\.us|\.cycles)?", "nothing"),
    (r"(axes|columns)(\..*)?", "a list|a map"), # empty ones
]

# Spellings of values, each at a place for every kind of value. A file is what program and schema judge.
PLACES_OF_KINDS = {
    "count": "seed: {}", "time": "system: {{bus: {{latency: {}}}}}", "boolean": "system: {{core: {{misaligned_traps: {}}}}}",
    "real": "workload: {{temperature: {}}}", "word": "workload: {{sampling: {}}}", "list": "system: {{memories: {{dram: {{roles: {}}}}}}}",
    "row": "system: {{memories: {{kv_edram: {{retention: {{curve: [[45 us, {}]]}}}}}}}}",
    "field": "system: {{memories: {{dram: {{standard: {{mapping: {{low_to_high: [{}]}}}}}}}}}}"}
SPELLINGS = """4 +4 -4 4. .5 1e3 1E+3 0x10 0o17 007 1_000 -0 -0.0 "4" 4.0 2.5 0 true True TRUE yes on "true" ~ null Null ""
[] [4] {} 1e400 inf 18446744073709551616 0b1 1:30 4,5 row temperature greedy [model] [model,~] 1ns +1ns 1.ns .5ns 0x1ns 1_0ns 1NS
1nss 0ns -0ns 1""".split() + ['" "', "1 ns", "1  ns", "' 1 ns '", "1 parsecs", "column 3", "COLUMN 3", "column  3", "column x"]
# These are right by themselves, and wrong beside other keys of the scenario.
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
    # A site is one of several kinds of place, and bits belong to an element.
    (r"faults\.sites\.\w+\.(register|memory)", "nothing"),
    (r"faults\.(sites\.\w+\.|when\.)(from|to)", "nothing of a unit"),
]

UNIT = re.compile(r"[0-9.]+ ?[A-Za-z/]+")
faults = []


def levee(*arguments):
    return subprocess.run([LEVEE, *arguments], capture_output=True, text=True)


def schema_of(*arguments):
    schema = json.loads(levee("schema", *arguments).stdout)
    Validator.check_schema(schema)
    return schema


def validators():
    """Schemas by kind of file. A definition's schema stands alone, for files of `system` and of
    `model.shape`."""
    scenario = schema_of("scenario")
    kinds = {"scenario": Validator(scenario)}
    for kind in ("study", "exploration", "faults", "reproduction", "prices", "statistics"):
        kinds[kind] = Validator(schema_of(kind))
    for kind in ("system", "shape"):
        kinds[kind] = Validator({"$ref": f"#/$defs/{kind}", "$defs": scenario["$defs"]})
    return kinds


def kind_of(path, tree):
    """The kind of a shipped file, by its folder or keys; None: a part of another kind, or data."""
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
    """Files of the folder and their kinds: (name, kind, tree)."""
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
    """Names and trees; checks each."""
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
    """Changed values of a place: (change, value)."""
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
    """Components by their types, and prices of all types, and datasheets of all families, alike."""
    if path in (("system", "memories"), ("system", "blocks")) and isinstance(value, dict):
        return value.get("type", key)
    if path[:1] == ("tech",) and path[-1] in ("prices", "lists", "for", "percent"):
        return "TYPE"
    if path[-1:] == ("currents",):
        return "FAMILY"
    return str(key)


def places(value, path=(), place=()):
    """All values below a path: (path, place, value). A place has types where a path has names of
    components."""
    items = value.items() if isinstance(value, dict) else list(enumerate(value))[:1] if isinstance(value, list) else ()
    for key, inner in items:
        here, its_place = (*path, key), (*place, name_in_place(path, key, inner))
        yield here, its_place, inner
        yield from places(inner, here, its_place)


def changed(tree, path, value):
    """The tree with the value at the path, or without it if it is None."""
    tree = copy.deepcopy(tree)
    node = tree
    for key in path[:-1]:
        node = node[key]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return tree


def mutants(trees, is_open):
    """(name, path, place, change, value, tree) for each change of each place, once."""
    done = set()
    for name, tree in trees:
        for path, place, value in [((), (), tree), *places(tree)]:
            if re.fullmatch(OPEN, ".".join(place)) or is_open(place):
                continue
            all_changes = [(path, *change) for change in changes(value)] if path else []
            if isinstance(value, dict):
                all_changes.append(((*path, "unknown_key"), "an unknown key", 1))
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
    """The fault; or the entry of `program_only` that explains why only the program refuses; or
    None."""
    name, path, place, change, value, tree = mutant
    done = program(mutant)
    new = changed(tree, path, value)
    refused = done.returncode != 0, not schema.is_valid(new)
    what = f"{name}: {'.'.join(map(str, path))} = {json.dumps(value)} ({place}: {change})"
    if done.returncode not in (0, 2):
        return f"{what}: the program ends with {done.returncode}: {done.stderr[:200]}"
    if value not in (None, {}, "none") and refused[1] and file_schema.is_valid(new): # empty maps and prices that a reason lacks are parts
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


def check_spellings():
    schema = Validator(schema_of("scenario"))

    def check(kind, spelling):
        text = f"extends: kelle/demo.yaml\n{PLACES_OF_KINDS[kind].format(spelling)}\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "spelt.yaml"
            path.write_text(text, encoding="utf-8")
            done = levee("describe", str(path), "--allow-outside")
        takes = done.returncode == 0, schema.is_valid(yaml_core.load(text))
        null = spelling in ("~", "null", "Null") # It takes away the key.
        if takes[0] != takes[1] and not null and (kind, spelling) not in SPELLINGS_OF_PROGRAM:
            return f"{kind} {spelling}: program and schema (taken: {takes}) differ: {done.stderr.strip()[:200]}"
        return None

    cases = [(kind, spelling) for kind in PLACES_OF_KINDS for spelling in SPELLINGS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults.extend(found for found in pool.map(lambda case: check(*case), cases) if found)
    print(f"{len(cases)} spellings")


check_files()
check_spellings()
check_mutants()
print("\n".join(faults))
sys.exit(bool(faults))
