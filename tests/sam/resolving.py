"""
A transformed template under chosen parameters: rules asked, conditions decided, `Fn::If` taken, the rest left.
"""

from collections.abc import Mapping
from typing import Any

NO_VALUE = {"Ref": "AWS::NoValue"}


def resolved(template: Mapping[str, Any], **chosen: Any) -> dict[str, Any]:
    """The resources that would be made; parameters that are not chosen have their defaults."""
    defaults = {name: one.get("Default") for name, one in template["Parameters"].items()}
    choice = _Choice(defaults | chosen, template.get("Conditions", {}))
    made = {
        name: one
        for name, one in template["Resources"].items()
        if "Condition" not in one or choice.decides(one["Condition"])
    }
    return {name: choice.taken(one) for name, one in made.items()}


def refusals(template: Mapping[str, Any], **chosen: Any) -> list[str]:
    """What the template's rules say against the choice; a deployment ends there before anything is made."""
    defaults = {name: one.get("Default") for name, one in template["Parameters"].items()}
    choice = _Choice(defaults | chosen, template.get("Conditions", {}))
    return [
        one["AssertDescription"]
        for rule in template["Rules"].values()
        if choice.holds(rule["RuleCondition"])
        for one in rule["Assertions"]
        if not choice.holds(one["Assert"])
    ]


class _Choice:
    def __init__(self, parameters: Mapping[str, Any], conditions: Mapping[str, Any]) -> None:
        self._parameters = parameters
        self._conditions = conditions

    def decides(self, condition: str) -> bool:
        return self.holds(self._conditions[condition])

    def taken(self, value: Any) -> Any:
        if isinstance(value, list):
            return [one for one in map(self.taken, value) if one != NO_VALUE]
        if not isinstance(value, Mapping):
            return value
        if set(value) == {"Fn::If"}:
            condition, yes, no = value["Fn::If"]
            return self.taken(yes if self.decides(condition) else no)
        pairs = ((name, self.taken(one)) for name, one in value.items())
        return {name: one for name, one in pairs if one != NO_VALUE}

    def holds(self, condition: Mapping[str, Any]) -> bool:
        ((name, parts),) = condition.items()
        match name:
            case "Fn::Equals":
                left, right = (self._plain(part) for part in parts)
                return str(left) == str(right)
            case "Fn::Contains":
                held, wanted = (self._plain(part) for part in parts)
                return wanted in str(held).split(",")
            case "Fn::Not":
                return not self.holds(parts[0])
            case "Fn::And":
                return all(self.holds(part) for part in parts)
            case "Condition":
                return self.decides(parts)
        raise NotImplementedError(name)

    def _plain(self, value: Any) -> Any:
        is_reference = isinstance(value, Mapping) and set(value) == {"Ref"}
        return self._parameters.get(value["Ref"], value) if is_reference else value
