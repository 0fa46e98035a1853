"""The state machine's graph: what no interpreter and no linter checks before it runs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
MACHINE: dict[str, Any] = json.loads((ROOT / "infra" / "ingest.asl.json").read_text(encoding="utf-8"))
ENDS = {"Succeed", "Fail"}


def machines(machine: dict[str, Any], name: str = "the run") -> Iterator[tuple[str, dict[str, Any]]]:
    """The machine and those inside of its maps."""
    yield name, machine
    for state_name, state in machine["States"].items():
        if "ItemProcessor" in state:
            yield from machines(state["ItemProcessor"], state_name)


def targets(state: dict[str, Any]) -> list[str]:
    others = [way["Next"] for way in (*state.get("Catch", []), *state.get("Choices", []))]
    return [*others, *filter(None, (state.get("Next"), state.get("Default")))]


def tasks() -> dict[str, dict[str, Any]]:
    return {
        f"{name}/{state_name}": state
        for name, machine in machines(MACHINE)
        for state_name, state in machine["States"].items()
        if state["Type"] == "Task"
    }


@pytest.mark.parametrize(("name", "machine"), list(machines(MACHINE)))
def test_every_way_leads_to_a_state_and_every_state_is_reached(name: str, machine: dict[str, Any]) -> None:
    """No dangling Next, nothing unreachable, nothing that neither ends nor goes on."""
    states = machine["States"]
    reached, todo = set(), [machine["StartAt"]]
    while todo:
        state = todo.pop()
        assert state in states, f"{name}: there is no state {state}"
        if state not in reached:
            reached.add(state)
            todo += targets(states[state])

    assert set(states) == reached
    assert all(state.get("End") or targets(state) or state["Type"] in ENDS for state in states.values())


def test_both_maps_do_the_same() -> None:
    """Few batches or many, the steps are the same; many tell of their failures one by one besides."""
    few, many = (
        MACHINE["States"][name]["ItemProcessor"]["States"] for name in ("Few batches", "Many batches")
    )

    for name, state in few.items():
        assert state == {key: value for key, value in many[name].items() if key != "Catch"}
    assert set(many) - set(few) == {"Report batch", "Batch failed"}


def test_every_step_of_a_run_may_fail() -> None:
    """
    A state of the outer machine that fails leads to the dead letters and to the claim's release;
    only the two that follow a publish or a report do not.
    """
    caught = {
        name: [way["Next"] for way in state.get("Catch", []) if way["ErrorEquals"] == ["States.ALL"]]
        for name, state in MACHINE["States"].items()
        if state["Type"] in ("Task", "Map")
    }

    assert {name for name, ways in caught.items() if ways == ["Report"]} == {
        "Prepare",
        "Look",
        "Few batches",
        "Many batches",
        "Publish",
    }
    assert (caught["Report"], caught["Release"], caught["Settle"]) == (["Release"], ["Failed"], [])


@pytest.mark.parametrize("name", tasks())
def test_every_call_is_tried_again_by_kind_of_error(name: str) -> None:
    """Each with a back-off; errors that waiting does not mend go up at once, before the rule for all others."""
    retries = tasks()[name]["Retry"]

    assert retries[-1]["ErrorEquals"] == ["States.ALL"]
    assert all(retry.get("MaxAttempts") == 0 or retry["IntervalSeconds"] >= 2 for retry in retries)
    if tasks()[name]["Resource"].endswith(":lambda:invoke"):
        at_once = [error for retry in retries if retry["MaxAttempts"] == 0 for error in retry["ErrorEquals"]]
        assert {"CorpusInvalid", "SiteInvalid", "Overtaken", "SettingsInvalid"} <= set(at_once)


def test_errors_are_named_as_the_code_names_them() -> None:
    """Lambda tells the class of an error; a class that was renamed would match no rule."""
    from magpie import errors

    ours = {
        error
        for state in tasks().values()
        for retry in state["Retry"]
        for error in retry["ErrorEquals"]
        if "." not in error and error != "ValidationError"
    }

    assert ("DatabaseUnavailable" in ours) == ("TableUnavailable" in ours)
    assert ours and all(issubclass(getattr(errors, error), errors.MagpieError) for error in ours)


def test_no_call_is_cut_before_its_function_is() -> None:
    """A function may take fifteen minutes; the state waits a little longer, and never for ever."""
    waits = [state["TimeoutSeconds"] for state in tasks().values() if "lambda" in state["Resource"]]

    assert all(130 <= wait <= 920 for wait in waits)
    assert MACHINE["TimeoutSeconds"] <= 86_400
