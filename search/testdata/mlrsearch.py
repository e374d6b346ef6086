#!/usr/bin/env python3
"""Drives the PyPI package MLRsearch 1.2.1 for TestDifferential, by lines of JSON.

Each request is a line on stdin. "search" runs the package's own search: it
answers with a line for each trial that it wants and reads the counts of that trial
from the next line. "classify" gives a log of trials to the package's database. Both
answer with the relevant bounds and the conditional throughput of each goal, in the order
of the request, null where there is none.
"""

import json
import sys

from MLRsearch import AbstractMeasurer, Config, MeasurementResult, MultipleLossRatioSearch, SearchGoal
from MLRsearch.discrete_load import DiscreteLoad
from MLRsearch.discrete_result import DiscreteResult
from MLRsearch.goal_result import GoalResult
from MLRsearch.measurement_database import MeasurementDatabase
from MLRsearch.target_spec import TargetSpec


def say(message):
    print(json.dumps(message), flush=True)


def counts(load_pps, duration_s, sent, lost):
    return {
        "intended_duration": duration_s,
        "intended_load": load_pps,
        "offered_count": sent,
        "loss_count": lost,
    }


class Piped(AbstractMeasurer):
    """A measurer whose trials are made at the other end of the pipe."""

    def measure(self, intended_duration, intended_load):
        say({"load_pps": intended_load, "duration_s": intended_duration})
        trial = json.loads(sys.stdin.readline())
        return MeasurementResult(**counts(intended_load, intended_duration, trial["sent"], trial["lost"]))


class Exact:
    """A rounding that keeps every load that is a multiple of a millionth of a packet per second."""

    def int2float(self, n):
        return n / 1e6

    def float2int(self, load):
        return round(load * 1e6)


def outcome(result):
    if result is None:
        return {"lower_pps": None, "upper_pps": None, "conditional_pps": None}
    lower, upper = result.relevant_lower_bound, result.relevant_upper_bound
    conditional = result.conditional_throughput
    return {
        "lower_pps": float(lower) if lower else None,
        "upper_pps": float(upper) if upper else None,
        "conditional_pps": float(conditional) if conditional else None,
    }


def search(request):
    goals = [
        SearchGoal(
            loss_ratio=g["loss_ratio"],
            exceed_ratio=g["exceed_ratio"],
            relative_width=g["width"],
            initial_trial_duration=g["trial_duration_s"],
            final_trial_duration=g["trial_duration_s"],
            duration_sum=g["duration_sum_s"],
            fail_fast=False,
        )
        for g in request["goals"]
    ]
    config = Config()
    config.goals = goals
    config.max_load = request["max_load_pps"]
    config.min_load = request["min_load_pps"]
    config.warmup_duration = 0.0
    results = MultipleLossRatioSearch(config=config).search(Piped())
    return {"results": [outcome(results[g]) for g in goals]}


def classify(request):
    exact = Exact()
    targets = tuple(
        TargetSpec(
            loss_ratio=g["loss_ratio"],
            exceed_ratio=g["exceed_ratio"],
            discrete_width=None,
            trial_duration=g["trial_duration_s"],
            duration_sum=g["duration_sum_s"],
            expansion_coefficient=2,
            fail_fast=False,
            preceding=None,
        )
        for g in request["goals"]
    )
    database = MeasurementDatabase(targets)
    for t in request["trials"]:
        load = DiscreteLoad(rounding=exact, float_load=t["load_pps"])
        database.add(DiscreteResult(discrete_load=load, **counts(t["load_pps"], t["duration_s"], t["sent"], t["lost"])))
    answer = {"results": [], "loads": []}
    for target in targets:
        answer["results"].append(outcome(GoalResult.from_bounds(database.get_relevant_bounds(target))))
        classes = {(False, False): "upper", (True, True): "lower", (True, False): "undecided"}
        answer["loads"].append(
            [{"load_pps": float(s), "class": classes[s.estimates(target)]} for s in database.load_to_stats.values()]
        )
    return answer


while line := sys.stdin.readline():
    request = json.loads(line)
    say({"search": search, "classify": classify}[request["mode"]](request))
