"""
`transform.py TEMPLATE`: what SAM makes of a template, as JSON. Run by the Python of .venv/sam;
asks no account and no network.
"""

import json
import sys

import boto3
from samcli.yamlhelper import yaml_parse
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

PATHS = ("CodeUri", "ContentUri", "DefinitionUri")


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        template = yaml_parse(file.read())
    for resource in template["Resources"].values():
        _as_if_uploaded(resource.get("Properties", {}))
    _as_if_uploaded(template.get("Globals", {}).get("Function", {}))
    # Of the account only managed policies by name would be asked, and we name none.
    session = boto3.Session(region_name="eu-central-1")
    made = Translator({}, Parser(), boto_session=session).translate(template, {})
    json.dump(made, sys.stdout, default=str)


def _as_if_uploaded(properties: dict[str, object]) -> None:
    for name in PATHS:
        if isinstance(properties.get(name), str):
            properties[name] = "s3://bucket/key"
    if isinstance(properties.get("Location"), str):
        properties["Location"] = "https://s3.amazonaws.com/bucket/key"


main()
