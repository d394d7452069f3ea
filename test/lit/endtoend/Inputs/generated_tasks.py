#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generated_tasks.py [--simple] PROGRAMS COMPILER FOLDER PREFIX...: writes C programs of target constructs and host
tasks with dependences drawn by chance, compiles and runs them (see generated_programs.py). Which of two tasks must be
over before the other one starts is known from how the program was made: each task looks whether its predecessors are,
and whether one runs that excludes it. What each finds in the variables that it names is known from a serial run.

Every generating task has variables of its own, of which its children read and change those that they name. What
dependences name is the same for all: only siblings count. One more variable of each stays on a device for a while:
enter data, update and exit data are among the tasks.

--simple leaves out what libomp's own scheme for target tasks (the requeue mode) does not bear, with stock libomptarget
or this runtime: untied tasks and mutexinoutset end there in failed assertions of libomp's.
"""
import dataclasses
import random
import sys

import generated_programs

ADDRESSES = 3
MAPPED = ADDRESSES  # the address whose variable is on a device from enter data to exit data
ROUNDS = 12
LEVELS = ["-O1", "-O2", "-O0"]
WRITERS = ("inout", "out", "mutexinoutset")

HEAD = """\
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#pragma omp begin declare target
struct state { int wrong, first, started[NODES], over[NODES]; };

static void fail(struct state *s, int number)
{
    if (__atomic_fetch_add(&s->wrong, 1, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&s->first, number, __ATOMIC_RELAXED);
}

static int get(int *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static void spend(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}

#define BEGIN(i) if (__atomic_fetch_add(&s->started[i], 1, __ATOMIC_SEQ_CST) != 0) fail(s, __LINE__)
#define OVER(i) if (!get(&s->over[i])) fail(s, __LINE__)
#define RESTS(i) if (get(&s->started[i]) && !get(&s->over[i])) fail(s, __LINE__)
#define END(i) __atomic_store_n(&s->over[i], 1, __ATOMIC_SEQ_CST)
#define SEE(a, b) if ((a) != (b)) fail(s, __LINE__)
#pragma omp end declare target

static struct state state;
static char names[8];
static int devices;

static int device(int number) { return number % devices; }

static void bark(int number)
{
    (void)number;
    static const char text[] = "the program hangs\\n";
    if (write(2, text, sizeof text - 1) < 0)
        _exit(4);
    _exit(3);
}
"""

MAIN = """\
int main(void)
{
    signal(SIGALRM, bark);
    alarm(120);
    devices = omp_get_num_devices() > 0 ? omp_get_num_devices() : 1;
    for (int round = 0; round < ROUNDS; round++) {
        state = (struct state){0};
        program(&state, round);
        if (state.wrong) {
            printf("round %d: line %d, and %d more\\n", round, state.first, state.wrong - 1);
            fflush(stdout);
            _exit(1);
        }
    }
    return 0;
}
"""


@dataclasses.dataclass
class Node:
    number: int
    kind: str  # region, enter, exit, update-to, update-from, host
    context: int
    items: list  # (address, kind); address None: omp_all_memory
    waits: bool = False  # is over before its generating task goes on


class Maker:
    simple = False

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.n_nodes = self.n_contexts = 0
        self.siblings = {}  # of each context: its nodes so far
        self.values = {}  # (context, address): what a serial run has left there
        self.mapped = {}  # context: [device, value there], while it is
        self.threads = 1

    def chance(self, probability):
        return self.draw.random() < probability

    def new_context(self):
        context = self.n_contexts
        self.n_contexts += 1
        self.siblings[context] = []
        for address in range(ADDRESSES + 1):
            self.values[context, address] = 0
        return context

    def new_node(self, kind, context, items, waits=False):
        node = Node(self.n_nodes, kind, context, items, waits)
        self.n_nodes += 1
        return node

    def items(self, least=0):
        if self.chance(0.05):
            return [(None, "inout")]
        kinds = ["in"] * 3 + ["inout"] * 3 + ["out", "inout" if self.simple else "mutexinoutset", "inoutset"]
        count = max(least, self.draw.choice([0, 1, 1, 1, 2, 2, 3, 5]))
        return [(self.draw.randrange(ADDRESSES if self.chance(0.6) else 1), self.draw.choice(kinds))
                for _ in range(count)]


def kind_at(items, address):
    """By which kind a list names an address: two kinds of one are inout together. None: it does not."""
    kinds = {"inout" if kind == "out" else kind for a, kind in items if a == address}
    return kinds.pop() if len(kinds) == 1 else "inout" if kinds else None


def relation(first, second):
    """What a later sibling is to an earlier one: None, "follows" or "excludes"."""
    if not first or not second:
        return None
    if first[0][0] is None or second[0][0] is None:
        return "follows"
    found = None
    for address in range(ADDRESSES + 1):
        one, other = kind_at(first, address), kind_at(second, address)
        if not one or not other or (one == other and one in ("in", "inoutset")):
            continue
        if one != "mutexinoutset" or other != "mutexinoutset":
            return "follows"
        found = "excludes"
    return found


def variable(context, address):
    return f"c{context}_{address}"


def clause(make, items, before):
    """The depend clauses of a construct; what has to stand before it, for depend objects, goes to `before`, and what
    behind it is returned."""
    text, behind = [], []
    if items and items[0][0] is None:
        return [f"depend({make.draw.choice(['inout', 'out'])} : omp_all_memory)"], []
    for number, (address, kind) in enumerate(items):
        way = make.draw.random()
        if way < 0.1 and kind in ("in", "out", "inout"):
            before += [f"omp_depend_t object_{number};",
                       f"#pragma omp depobj(object_{number}) depend({kind} : names[{address}])"]
            behind.append(f"#pragma omp depobj(object_{number}) destroy")
            text.append(f"depend(depobj : object_{number})")
        elif way < 0.2:
            text.append(f"depend(iterator(k = {address} : {address + 1}), {kind} : names[k])")
        elif way < 0.3:
            text.append(f"depend({kind} : names[{address} : 1])")
        else:
            text.append(f"depend({kind} : names[{address}])")
    # Some of one kind in one clause.
    if len(items) == 2 and items[0][1] == items[1][1] and not behind and make.chance(0.5):
        text = [f"depend({items[0][1]} : names[{items[0][0]}], names[{items[1][0]}])"]
    return text, behind


def looks(make, node):
    """What a task looks at when it starts."""
    text = [f"BEGIN({node.number});"]
    for other in make.siblings[node.context]:
        what = relation(other.items, node.items)
        if what and not other.waits and not other.kind == "update":
            text.append(f"{'OVER' if what == 'follows' else 'RESTS'}({other.number});")
    return text


def uses(make, node):
    """What it does with the variables that it names, and their values in a serial run."""
    text, maps = [], []
    for address in range(ADDRESSES):
        kind = kind_at(node.items, address)
        if not kind:
            continue
        name = variable(node.context, address)
        value = make.values[node.context, address]
        if kind != "mutexinoutset":
            text.append(f"SEE({name}, {value} + round);")
        if kind == "mutexinoutset":
            text.append(f"{name} += {node.number + 100};")
            make.values[node.context, address] = value + node.number + 100
        elif kind == "inout":
            text.append(f"{name} = {value * 3 % 1000 + node.number} + round;")
            make.values[node.context, address] = value * 3 % 1000 + node.number
        maps.append(f"map({'tofrom' if kind in WRITERS else 'to'} : {name})")
    return text, maps


def rest(make):
    return f"spend({make.draw.choice([0, 0, 0, 300, 3000, 60000])});"


def region(make, context, waits):
    items = make.items(1 if waits else 0)
    on_device = make.mapped.get(context)
    use_mapped = on_device and not (items and items[0][0] is None) and make.chance(0.4)
    if use_mapped:
        items.append((MAPPED, make.draw.choice(["in", "inout"])))
    node = make.new_node("region", context, items, waits)
    body = looks(make, node)
    used, maps = uses(make, node)
    number = make.draw.randrange(4)
    if use_mapped:
        number = on_device[0]
        name = variable(context, MAPPED)
        maps.append(f"map(tofrom : {name})")
        used.append(f"SEE({name}, {on_device[1]} + round);")
        if items[-1][1] == "inout":
            on_device[1] += 10
            used.append(f"{name} += 10;")
    body += used + [rest(make)]
    before = [f"long private_{node.number} = round * 1000 + {node.number};"]
    body.append(f"SEE(private_{node.number}, round * 1000 + {node.number});")
    body.append(f"END({node.number});")
    depend, behind = clause(make, items, before)
    clauses = depend + maps + ["is_device_ptr(s)", f"firstprivate(private_{node.number}, round)",
                               f"device(device({number}))"] + ([] if waits else ["nowait"])
    make.draw.shuffle(clauses)
    make.siblings[context].append(node)
    return ["{"] + before + ["#pragma omp target " + " ".join(clauses), "{"] + body + ["}"] + behind + \
        [f"private_{node.number} = -1;", "}"]


def data(make, context):
    """One construct of the variable that is on a device: enter data while it is not, and others while it is."""
    name = variable(context, MAPPED)
    items = [(MAPPED, "inout")]
    if make.chance(0.4):
        items += [item for item in make.items() if item[0] is not None]
    # It cannot look at anything itself; who depends on it finds its values.
    node = make.new_node("update", context, items)
    before = []
    depend, behind = clause(make, items, before)
    if context not in make.mapped:
        make.mapped[context] = [make.draw.randrange(4), make.values[context, MAPPED]]
        what = f"enter data map(to : {name})"
    elif make.chance(0.4):
        device, make.values[context, MAPPED] = make.mapped.pop(context)
        what = f"exit data map(from : {name})"
        return finish_data(make, node, what, device, depend, before, behind)
    elif make.chance(0.5):
        make.values[context, MAPPED] = make.mapped[context][1]
        what = f"update from({name})"
    else:
        make.mapped[context][1] = make.values[context, MAPPED]
        what = f"update to({name})"
    return finish_data(make, node, what, make.mapped[context][0], depend, before, behind)


def finish_data(make, node, what, device, depend, before, behind):
    make.siblings[node.context].append(node)
    return ["{"] + before + [f"#pragma omp target {what} device(device({device})) nowait " + " ".join(depend)] + \
        behind + ["}"]


def host(make, context, depth, most, waits):
    items = make.items(1 if waits else 0)
    with_mapped = make.chance(0.3) and not (items and items[0][0] is None)
    if with_mapped:
        items.append((MAPPED, make.draw.choice(["in", "inout"])))
    node = make.new_node("host", context, items, waits)
    body = looks(make, node)
    used, _ = uses(make, node)
    if with_mapped:
        name = variable(context, MAPPED)
        used.append(f"SEE({name}, {make.values[context, MAPPED]} + round);")
        if items[-1][1] == "inout":
            make.values[context, MAPPED] += 7
            used.append(f"{name} += 7;")
    has_children = depth < 2 and most > 0 and make.chance(0.35)
    if has_children:
        inner = make.new_context()
        body += generate(make, inner, make.draw.randint(1, most), depth + 1)
        # libomp's barriers do not wait for the children of tasks that are over.
        if make.threads > 1 or make.chance(0.3):
            body.append("#pragma omp taskwait")
    body += used + [rest(make), f"END({node.number});"]
    before = []
    depend, behind = clause(make, items, before)
    # Undeferred tasks are tied: libomp fails an assertion in any that is not. So are those with children: clang's code
    # of untied ones loses depend's iterators at -O0.
    may_be_untied = not (waits or has_children or make.simple)
    clauses = depend + ["firstprivate(s, round)"] + (["if(0)"] if waits else []) + \
        (["untied"] if may_be_untied and make.chance(0.3) else [])
    make.siblings[context].append(node)
    return ["{"] + before + ["#pragma omp task " + " ".join(clauses), "{"] + body + ["}"] + behind + ["}"]


def wait(make, context, depth, most):
    what = make.draw.randrange(3)
    if what == 0:
        return ["#pragma omp taskwait"] + [f"OVER({node.number});" for node in make.siblings[context]
                                           if node.kind != "update"]
    if what == 1:
        items = [item for item in make.items(1) if item[1] != "mutexinoutset"] or [(0, "inout")]
        before = []
        depend, behind = clause(make, items, before)
        text = ["{"] + before + ["#pragma omp taskwait " + " ".join(depend)] + behind
        for node in make.siblings[context]:
            if node.kind != "update" and relation(node.items, items):
                text.append(f"OVER({node.number});")
        return text + ["}"]
    first = make.n_nodes
    inside = generate(make, context, make.draw.randint(1, max(most, 1)), depth + 1)
    updates = {node.number for nodes in make.siblings.values() for node in nodes if node.kind == "update"}
    return ["#pragma omp taskgroup", "{"] + inside + ["}"] + \
        [f"OVER({number});" for number in range(first, make.n_nodes) if number not in updates]


def generate(make, context, most, depth=0):
    text = []
    end = make.n_nodes + most
    while make.n_nodes < end:
        left, what = end - make.n_nodes - 1, make.draw.random()
        if what < 0.48:
            text += region(make, context, make.chance(0.1))
        elif what < 0.6:
            text += data(make, context)
        elif what < 0.85:
            text += host(make, context, depth, left, make.chance(0.1))
        else:
            # A wait is no node, but takes one's place.
            end -= 1
            text += wait(make, context, depth, left)
    while context in make.mapped:
        text += data(make, context)
    return text


def checks(make, contexts):
    return [f"SEE({variable(context, address)}, {make.values[context, address]} + round);"
            for context in contexts for address in range(ADDRESSES + 1)]


def program(seed):
    make = Maker(seed)
    make.threads = make.draw.choice([1, 1, 2, 3, 4])
    every = make.threads > 1 and make.chance(0.5)
    sharers = make.threads if every else 1
    most = make.draw.choice([6, 12, 24]) // sharers + 2
    body = []
    contexts = [make.new_context() for _ in range(sharers)]
    for phase in range(make.draw.choice([1, 1, 2]) if make.threads > 1 else 1):
        if phase > 0:
            body.append("#pragma omp barrier")
        for thread, context in enumerate(contexts):
            body += [f"if (omp_get_thread_num() == {thread})", "{"] + generate(make, context, most) + ["}"]
    if make.threads > 1:
        body = [f"#pragma omp parallel num_threads({make.threads})", "{"] + body + ["}"]
    else:
        # Descendants, too, have to be over.
        body = ["#pragma omp taskgroup", "{"] + body + ["}"]
    updates = {node.number for nodes in make.siblings.values() for node in nodes if node.kind == "update"}
    body += [f"SEE(s->started[{n}], 1); OVER({n});" for n in range(make.n_nodes) if n not in updates]
    body += checks(make, range(make.n_contexts))
    variables = [variable(context, address) for context in range(make.n_contexts) for address in range(ADDRESSES + 1)]
    begin = [f"{name} = round;" for name in variables]
    return "\n".join([f"#define NODES {max(make.n_nodes, 1)}", f"#define ROUNDS {ROUNDS}", HEAD,
                      "static long " + ", ".join(variables) + ";", "",
                      "static void program(struct state *s, int round)", "{"] + begin + body + ["}", "", MAIN])


def levels_of(seed, _):
    return [LEVELS[seed % len(LEVELS)]]


if __name__ == "__main__":
    if sys.argv[1] == "--simple":
        Maker.simple = True
        del sys.argv[1]
    sys.exit(generated_programs.main(program, levels_of))
