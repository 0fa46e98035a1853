"""
What a deployment would be, without an account: the templates transformed by SAM itself, linted by
cfn-lint, and asked what runs, who may call whom, and what may reach what.
"""

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from infra.local.state import ROOT
from infra.local.tables import TABLES
from magpie import settings
from magpie.site import Deadlines
from tests.sam.resolving import refusals, resolved

SAM = ROOT / ".venv" / "sam" / "bin"
TEMPLATES = (ROOT / "template.yaml", *sorted((ROOT / "infra").glob("*.yaml")))
NETWORK_RIGHTS = "AWSLambdaENIManagementAccess"
MODES: dict[str, dict[str, Any]] = {
    "url": {"DatabaseSecretArn": "arn:database", "ModelsSecretArn": "arn:models"},
    "url, no models": {"DatabaseSecretArn": "arn:database"},
    "url, rows": {"DatabaseSecretArn": "arn:database", "RowsSecretArn": "arn:rows"},
    "aurora": {"Database": "aurora", "Network": "made", "ModelsSecretArn": "arn:models"},
    "aurora, endpoints": {"Database": "aurora", "Network": "made", "WayOut": "endpoints"},
    "aurora, own network": {
        "Database": "aurora", "Network": "yours", "VpcId": "vpc-1", "SubnetIds": "subnet-1,subnet-2",
        "FunctionGroupIds": "sg-1", "ChatConcurrency": 0,
    },
}  # fmt: skip

pytestmark = pytest.mark.skipif(
    not (SAM / "sam").exists(), reason="SAM is not installed in .venv/sam; `make test` brings it"
)


@cache
def transformed(path: Path) -> dict[str, Any]:
    command = [SAM / "python", ROOT / "tests/sam/transform.py", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def deployment(mode: str) -> dict[str, Any]:
    return resolved(transformed(ROOT / "template.yaml"), **MODES[mode])


def of_type(resources: dict[str, Any], kind: str) -> dict[str, Any]:
    return {name: one["Properties"] for name, one in resources.items() if one["Type"] == kind}


def functions(resources: dict[str, Any]) -> dict[str, Any]:
    return of_type(resources, "AWS::Lambda::Function")


def environment(function: dict[str, Any]) -> dict[str, Any]:
    return function["Environment"]["Variables"]


def secrets_of(function: dict[str, Any]) -> list[str]:
    """The secrets that a function reads at its cold start."""
    named = environment(function).get("MAGPIE_SECRETS", "")
    return [json.dumps(one) for one in (named.get("Fn::Join", [",", [named]])[1] if named else [])]


def role_of(function: dict[str, Any], resources: dict[str, Any]) -> dict[str, Any]:
    return resources[function["Role"]["Fn::GetAtt"][0]]["Properties"]


def statements(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        statement
        for policy in document.get("Policies", [])
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def is_streamed(function: dict[str, Any]) -> bool:
    return environment(function).get("AWS_LWA_INVOKE_MODE") == "response_stream"


def methods(resources: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Path, method and integration of every route."""
    (api,) = of_type(resources, "AWS::ApiGateway::RestApi").values()
    return [
        (path, method, one["x-amazon-apigateway-integration"])
        for path, offered in api["Body"]["paths"].items()
        for method, one in offered.items()
    ]


def target(integration: dict[str, Any]) -> str:
    found = re.search(r"functions/\$\{(\w+)\.Arn\}", integration["uri"]["Fn::Sub"])
    assert found
    return found[1]


@pytest.mark.parametrize("mode", MODES)
def test_a_route_streams_if_and_only_if_its_function_does(mode: str) -> None:
    """
    Every route of a streaming function really streams, by the API's own words and address, with a
    time limit of its own; no other route does. A wrong word would buffer in silence.
    """
    resources = deployment(mode)
    routes = methods(resources)

    assert ("/chat", "post") in [(path, method) for path, method, _ in routes]
    for path, method, integration in routes:
        function = functions(resources)[target(integration)]
        streams = integration.get("responseTransferMode") == "STREAM"
        by_address = integration["uri"]["Fn::Sub"].endswith("/response-streaming-invocations")
        assert (streams, by_address) == (is_streamed(function), is_streamed(function)), (path, method)
        if streams:
            assert integration["timeoutInMillis"] == function["Timeout"] * 1000


def test_the_first_deployment_does_not_stumble_over_open_routes() -> None:
    """
    SAM would ask for each route without a word on who may call it, and end the deployment at a plain Enter.
    """
    command = [SAM / "python", ROOT / "tests/sam/open_routes.py", ROOT / "template.yaml"]

    done = subprocess.run(
        command, env={"AWS_DEFAULT_REGION": "eu-central-1"}, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def test_an_answer_ends_before_its_function_does() -> None:
    """
    The longest stream that a site file may ask for fits into the function's time, with room to end.
    """
    chat = functions(deployment("url"))["Chat"]

    assert Deadlines().stream_s + 30 <= chat["Timeout"]


@pytest.mark.parametrize("mode", MODES)
def test_nobody_may_do_everything(mode: str) -> None:
    """
    No role allows an action by a wildcard or on every resource. One managed policy stands apart:
    Lambda's network interfaces, which EC2 does not let be named, and only in a network.
    """
    resources = deployment(mode)
    in_network = MODES[mode].get("Network", "none") != "none"

    for name, role in of_type(resources, "AWS::IAM::Role").items():
        for statement in statements(role):
            assert statement["Effect"] == "Allow"
            assert [one for one in listed(statement["Action"]) if "*" in one] == [], name
            assert "*" not in [one for one in listed(statement["Resource"]) if isinstance(one, str)], name
        managed = json.dumps(role.get("ManagedPolicyArns", []))
        assert managed.count("arn:") == (1 if in_network and NETWORK_RIGHTS in managed else 0), name
    for name, policy in of_type(resources, "AWS::IAM::ManagedPolicy").items():
        for statement in policy["PolicyDocument"]["Statement"]:
            assert [one for one in listed(statement["Action"]) if "*" in one] == [], name
            assert statement["Resource"] == {"Fn::GetAtt": ["FunctionLogs", "Arn"]}, name


def test_what_may_be_called_is_what_the_code_calls() -> None:
    """
    Each call of our adapters is allowed to somebody, and nobody is allowed what no adapter calls; earlier
    versions of a file are the owner's alone to take away, with rights of their own.
    """
    code = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "layers/magpie/magpie/adapters").rglob("*.py")
    )
    called = set(re.findall(r"[.](?:_?call|body)\(\s*(?:client, )?\"(\w+)\"", code))
    resources = deployment("url")
    allowed = {
        action
        for function in functions(resources).values()
        for statement in statements(role_of(function, resources))
        for action in listed(statement["Action"])
    }

    assert called >= {"get_item", "put_object", "start_execution"}
    assert {ACTIONS.get(one, one.title().replace("_", "")) for one in called - OWNERS} == {
        action.partition(":")[2] for action in allowed - BY_LAMBDA
    }
    tables = {
        (name, table["Fn::GetAtt"][0]): sorted(listed(statement["Action"]))
        for name in ("Chat", "Public", "Refresh")
        for statement in statements(role_of(functions(resources)[name], resources))
        if "dynamodb" in json.dumps(statement["Action"])
        for table in [statement["Resource"]]
    }
    assert tables == {
        ("Chat", "LimitsTable"): ["dynamodb:GetItem", "dynamodb:UpdateItem"],
        ("Chat", "AsksTable"): ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
        ("Public", "AsksTable"): ["dynamodb:PutItem"],
        ("Refresh", "IngestTable"): ["dynamodb:UpdateItem"],
    }


ACTIONS = {"list_objects_v2": "ListBucket"}
"""Where a right has another name than its call."""

OWNERS = {"list_object_versions"}
"""`magpie purge`, from the owner's machine."""

BY_LAMBDA = {
    "secretsmanager:GetSecretValue",  # by a client of its own, before there are settings
    "sqs:SendMessage",
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
}
"""Called by Lambda itself with the function's role, or elsewhere than in adapters of ours."""


@pytest.mark.parametrize("mode", MODES)
def test_each_function_has_a_role_of_its_own(mode: str) -> None:
    """
    No two functions share rights, and none has those that SAM would make up for it.
    """
    resources = deployment(mode)

    roles = [function["Role"]["Fn::GetAtt"][0] for function in functions(resources).values()]

    assert len(set(roles)) == len(roles)
    assert set(roles) <= set(of_type(transformed_without_guesses(), "AWS::IAM::Role"))


def transformed_without_guesses() -> dict[str, Any]:
    """The resources that the template itself names."""
    loader = type("Loader", (yaml.SafeLoader,), {})
    loader.add_multi_constructor("!", lambda *_: None)
    return yaml.load((ROOT / "template.yaml").read_text(encoding="utf-8"), loader)["Resources"]


@pytest.mark.parametrize("mode", MODES)
def test_a_function_reads_the_secrets_that_it_needs_and_no_others(mode: str) -> None:
    """
    What a cold start asks Secrets Manager for is what the role allows; and no secret's value, nor a
    password, stands in a function's environment.
    """
    resources = deployment(mode)

    for name, function in functions(resources).items():
        allowed = [
            json.dumps(resource)
            for statement in statements(role_of(function, resources))
            if "secretsmanager:GetSecretValue" in listed(statement["Action"])
            for resource in listed(statement["Resource"])
        ]
        extra = [
            json.dumps(value) for key, value in environment(function).items() if key.endswith("_SECRET_ARN")
        ]
        assert sorted(allowed) == sorted(secrets_of(function) + extra), name
        assert (
            not {"DATABASE_URL", "OPENAI_API_KEY", "GEMINI_API_KEY", "MAGPIE_SIGNING_KEY"}
            & environment(function).keys()
        )
        assert "resolve:" not in json.dumps(environment(function))


@pytest.mark.parametrize("mode", MODES)
def test_whoever_opens_the_database_can_reach_it(mode: str) -> None:
    """
    Where the database is in a network, every function that has its secret is in that network, in a
    group that the database lets in; where there is none, no function is in any.
    """
    resources = deployment(mode)
    network = MODES[mode].get("Network", "none")
    secret = json.dumps(database_secret(mode))
    for name, function in functions(resources).items():
        opens = secret in [*secrets_of(function), *map(json.dumps, environment(function).values())]
        assert opens != (name in WITHOUT_DATABASE), name
        if network == "none" or not opens:
            assert "VpcConfig" not in function, name
        else:
            groups = function["VpcConfig"]["SecurityGroupIds"]
            own = [{"Fn::GetAtt": ["OwnNetwork", "Outputs.FunctionGroupId"]}]
            assert groups == (own if network == "made" else {"Ref": "FunctionGroupIds"}), name
            assert function["VpcConfig"]["SubnetIds"], name


WITHOUT_DATABASE = {"Chunk", "Collect", "Console", "Read", "Refresh"}


def database_secret(mode: str) -> Any:
    if MODES[mode].get("Database") == "aurora":
        return {"Fn::GetAtt": ["OwnDatabase", "Outputs.AppSecretArn"]}
    return {"Ref": "DatabaseSecretArn"}


@pytest.mark.parametrize("mode", MODES)
def test_a_choice_that_can_work_is_taken(mode: str) -> None:
    """
    No rule stands in the way of a deployment that docs/deploy.md offers.
    """
    assert refusals(transformed(ROOT / "template.yaml"), **MODES[mode]) == []


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({}, "needs DatabaseSecretArn"),
        ({"Database": "aurora"}, "needs Network"),
        ({"DatabaseSecretArn": "arn:database", "Network": "made"}, "Network=made is for Database=aurora"),
        ({"Database": "aurora", "Network": "yours", "SubnetIds": "a,b"}, "needs FunctionGroupIds"),
        ({"Database": "aurora", "Network": "yours", "SubnetIds": "a,b"}, "needs VpcId"),
    ],
)
def test_a_choice_that_can_t_work_is_refused(chosen: dict[str, str], told: str) -> None:
    """
    Before anything is made, in a sentence; else functions would wait for a database that they can't reach. Rules
    know few functions: with another one no deployment would begin, and no linter says so.
    """
    template = transformed(ROOT / "template.yaml")

    assert told in "; ".join(refusals(template, **chosen))
    used = set(re.findall(r'"((?:Fn::\w+)|Ref)":', json.dumps(template["Rules"])))
    assert used <= {"Ref", "Fn::And", "Fn::Contains", "Fn::Equals", "Fn::Not"}


def test_the_database_lets_in_the_functions_alone() -> None:
    """
    Aurora's group has one way in, from the functions' group on Postgres' port; it is encrypted, not
    public, kept on deletion, and its pause is not undone by sessions that sleep.
    """
    database = transformed(ROOT / "infra/database.yaml")["Resources"]
    cluster = database["Cluster"]["Properties"]

    (way_in,) = database["Group"]["Properties"]["SecurityGroupIngress"]
    assert (way_in["FromPort"], way_in["ToPort"]) == (5432, 5432)
    assert way_in["SourceSecurityGroupId"] == {"Fn::Select": [0, {"Ref": "FunctionGroupIds"}]}
    assert cluster["StorageEncrypted"] is True
    assert cluster["DeletionProtection"] is True
    assert database["Cluster"]["DeletionPolicy"] == "Snapshot"
    assert database["Writer"]["Properties"]["PubliclyAccessible"] is False
    settings = database["Parameters"]["Properties"]["Parameters"]
    assert 0 < int(settings["idle_session_timeout"]) <= 600_000
    assert settings["rds.force_ssl"] == "1"


@pytest.mark.parametrize("way", ["nat", "endpoints"])
def test_the_network_has_the_way_out_that_was_chosen(way: str) -> None:
    """
    A NAT gateway and a route to it, or endpoints for the AWS services that functions in the network
    call; S3 and DynamoDB by their free gateways in both.
    """
    made = resolved(transformed(ROOT / "infra/network.yaml"), WayOut=way)

    endpoints = {
        one["ServiceName"]["Fn::Sub"].rpartition(".")[2]: one["VpcEndpointType"]
        for one in of_type(made, "AWS::EC2::VPCEndpoint").values()
    }
    gateways = {"s3": "Gateway", "dynamodb": "Gateway"}
    assert endpoints == (gateways if way == "nat" else {**gateways, **dict.fromkeys(INTERFACES, "Interface")})
    assert len(of_type(made, "AWS::EC2::NatGateway")) == (way == "nat")
    out = [one for one in of_type(made, "AWS::EC2::Route").values() if "NatGatewayId" in one]
    assert len(out) == (way == "nat")


INTERFACES = ("secretsmanager",)


def test_tables_are_those_of_the_stand_in() -> None:
    """
    Every table that the local stack makes is in the template, with the same key and expiry, and the
    functions are told its name.
    """
    resources = deployment("url")
    tables = of_type(resources, "AWS::DynamoDB::Table")
    told = environment(functions(resources)["Chat"])

    assert len(tables) == len(TABLES)
    for table in TABLES:
        made = tables[told[f"{table.name.upper().replace('-', '_')}_TABLE"]["Ref"]]
        expiry = made.get("TimeToLiveSpecification", {})
        assert made["KeySchema"] == [{"AttributeName": table.key, "KeyType": "HASH"}], table.name
        assert expiry.get("AttributeName", "") == table.expires_at, table.name
        assert expiry.get("Enabled", False) == bool(table.expires_at), table.name
        assert made["BillingMode"] == "PAY_PER_REQUEST", table.name


def test_buckets_are_private_encrypted_and_kept() -> None:
    """
    No bucket is public, unencrypted or reachable in clear; the corpus keeps its history and survives the stack.
    """
    resources = deployment("url")

    for name, bucket in of_type(resources, "AWS::S3::Bucket").items():
        assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}, name
        assert "BucketEncryption" in bucket, name
        assert bucket["OwnershipControls"]["Rules"] == [{"ObjectOwnership": "BucketOwnerEnforced"}], name
        policies = [
            one
            for one in of_type(resources, "AWS::S3::BucketPolicy").values()
            if one["Bucket"] == {"Ref": name}
        ]
        assert '"aws:SecureTransport": "false"' in json.dumps(policies), name
    assert resources["CorpusBucket"]["DeletionPolicy"] == "Retain"
    assert resources["CorpusBucket"]["Properties"]["VersioningConfiguration"] == {"Status": "Enabled"}


def test_logs_do_not_pile_up() -> None:
    """
    Every log group has an end, every function writes into ours, and nothing logs requests with addresses.
    """
    resources = deployment("url")

    groups = of_type(resources, "AWS::Logs::LogGroup")
    assert groups
    assert all("RetentionInDays" in group for group in groups.values())
    for name, function in functions(resources).items():
        assert function["LoggingConfig"] == {"LogFormat": "JSON", "LogGroup": {"Ref": "FunctionLogs"}}, name
    (stage,) = of_type(resources, "AWS::ApiGateway::Stage").values()
    assert "AccessLogSetting" not in stage
    assert not any(one.get("DataTraceEnabled") for one in stage["MethodSettings"])


def test_ceilings_hold_before_any_code_runs() -> None:
    """
    The API admits so many requests a second; chat takes its share of the account and no more, or, in
    an account that has none to give, no share.
    """
    (stage,) = of_type(deployment("url"), "AWS::ApiGateway::Stage").values()

    assert stage["MethodSettings"][0]["ThrottlingRateLimit"] == {"Ref": "RequestsASecond"}
    assert functions(deployment("url"))["Chat"]["ReservedConcurrentExecutions"] == {"Ref": "ChatConcurrency"}
    assert "ReservedConcurrentExecutions" not in functions(deployment("aurora, own network"))["Chat"]


def test_variables_are_those_that_the_code_reads() -> None:
    """
    Every MAGPIE variable that the template sets is read somewhere, and everything that Settings
    takes from whoever deploys can be set by a parameter.
    """
    code = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("layers", "functions")
        for path in (ROOT / folder).rglob("*.py")
    )
    set_here = {
        name
        for function in functions(deployment("url")).values()
        for name in environment(function)
        if name.startswith("MAGPIE_")
    }
    taken = set(re.findall(r'"(MAGPIE_[A-Z_]+)"', Path(str(settings.__file__)).read_text(encoding="utf-8")))

    assert {name for name in set_here if f'"{name}"' not in code} == set()
    assert taken - set_here - SECRET - USUAL == set()


SECRET = {"MAGPIE_SIGNING_KEY", "MAGPIE_SIGNING_KEY_PREVIOUS"}
"""They come out of a secret."""

USUAL = {"MAGPIE_INLINE_BATCHES", "MAGPIE_FETCH_NETWORKS", "MAGPIE_ROWS_"}
"""
Nobody needs another value than the usual one: no private network is fetched from, and databases to
read rows from are named in a secret of their own (`RowsSecretArn`).
"""


def test_only_the_owner_s_login_changes_the_schema() -> None:
    """
    In a database that is made here, one function has the owner's secret: the one that migrates. The
    rest wait for it at each deployment.
    """
    resources = deployment("aurora")
    owner = json.dumps({"Fn::GetAtt": ["OwnDatabase", "Outputs.OwnerSecretArn"]})

    assert [name for name, one in functions(resources).items() if owner in secrets_of(one)] == ["Migrate"]
    waiting = {name for name in functions(resources) if resources[name].get("DependsOn") == "Migrated"}
    assert waiting == set(functions(resources)) - WITHOUT_DATABASE - {"Migrate"}
    assert resources["Migrated"]["Properties"]["Sql"]["Ref"].startswith("SqlLayer")


def test_what_fails_for_good_is_kept() -> None:
    """
    Queue, rule, schedules and functions that nobody waits for have a dead-letter queue that keeps a
    fortnight, and may write to it.
    """
    resources = deployment("url")
    dead = {"Fn::GetAtt": ["DeadLetters", "Arn"]}

    assert resources["Changes"]["Properties"]["RedrivePolicy"]["deadLetterTargetArn"] == dead
    assert resources["DeadLetters"]["Properties"]["MessageRetentionPeriod"] == 14 * 86400
    (rule,) = of_type(resources, "AWS::Events::Rule").values()
    assert rule["Targets"][0]["DeadLetterConfig"] == {"Arn": dead}
    schedules = of_type(resources, "AWS::Scheduler::Schedule")
    assert schedules
    for name, one in schedules.items():
        assert one["Target"]["DeadLetterConfig"] == {"Arn": dead}, name
        assert "AWS::StackName" in json.dumps(one["Name"]), f"{name}: two stacks of an account would collide"
    targets = {one["Target"]["Arn"]["Fn::GetAtt"][0] for one in schedules.values()}
    for name, one in of_type(resources, "AWS::Lambda::EventInvokeConfig").items():
        assert one["DestinationConfig"]["OnFailure"]["Destination"] == dead, name
        function = one["FunctionName"]["Ref"]
        targets.discard(function)
        allowed = [
            one
            for one in statements(role_of(functions(resources)[function], resources))
            if one["Action"] == "sqs:SendMessage"
        ]
        assert [one["Resource"] for one in allowed] == [dead], name
    assert targets == set()
    for queue in of_type(resources, "AWS::SQS::Queue").values():
        assert queue["SqsManagedSseEnabled"] is True


def test_a_message_is_not_given_out_twice_while_it_is_worked_on() -> None:
    """
    The queue hides a message for six times as long as a call may take, as AWS asks for.
    """
    resources = deployment("url")

    assert (
        resources["Changes"]["Properties"]["VisibilityTimeout"]
        >= 6 * functions(resources)["Collect"]["Timeout"]
    )


def test_uploads_start_runs_and_nothing_else_does() -> None:
    """
    The rule hears of documents put and deleted below the corpus' prefix; what runs leave behind is in
    another bucket, so no run starts another.
    """
    resources = deployment("url")
    (rule,) = of_type(resources, "AWS::Events::Rule").values()
    prefix = environment(functions(resources)["Collect"])["MAGPIE_CORPUS_PREFIX"]

    assert rule["EventPattern"]["detail"] == {
        "bucket": {"name": [{"Ref": "CorpusBucket"}]},
        "object": {"key": [{"prefix": prefix}]},
    }
    assert set(rule["EventPattern"]["detail-type"]) == {"Object Created", "Object Deleted"}
    watched = resources["CorpusBucket"]["Properties"]["NotificationConfiguration"]
    assert watched == {"EventBridgeConfiguration": {"EventBridgeEnabled": True}}


def test_the_state_machine_calls_what_it_may_and_all_of_it() -> None:
    """
    Every name in the machine's definition is filled in, every function that it calls is one that its
    role may call, with more time than the state waits; and its name is the one that Collect starts.
    """
    resources = deployment("url")
    machine = resources["Ingest"]["Properties"]
    definition = (ROOT / "infra/ingest.asl.json").read_text(encoding="utf-8")
    filled = machine["DefinitionSubstitutions"]

    assert set(re.findall(r"\$\{(\w+)\}", definition)) == set(filled)
    may = next(
        one
        for one in statements(resources["IngestRole"]["Properties"])
        if one["Action"] == "lambda:InvokeFunction"
    )
    called = [value for value in filled.values() if value.get("Fn::GetAtt", ["", ""])[1] == "Arn"]
    assert sorted(map(json.dumps, may["Resource"])) == sorted(map(json.dumps, called))
    for state in states(json.loads(definition)):
        for name in re.findall(r"\$\{(\w+)FunctionArn\}", json.dumps(state.get("Parameters", {}))):
            assert state["TimeoutSeconds"] > functions(resources)[name]["Timeout"], name
    arn = environment(functions(resources)["Collect"])["MAGPIE_STATE_MACHINE_ARN"]["Fn::Sub"]
    assert arn.endswith(":stateMachine:" + machine["StateMachineName"]["Fn::Sub"])


def states(machine: dict[str, Any]) -> list[dict[str, Any]]:
    """All states, those inside of maps included."""
    inner = [one["ItemProcessor"] for one in machine["States"].values() if "ItemProcessor" in one]
    return [*machine["States"].values(), *(state for one in inner for state in states(one))]


def test_somebody_is_told() -> None:
    """
    Errors, throttles, dead letters, failed runs, spending and slow first text each have an alarm that
    goes to the owner, and the key of the topic does not silence it.
    """
    watch = transformed(ROOT / "infra/watch.yaml")
    alarms = of_type(watch["Resources"], "AWS::CloudWatch::Alarm")

    assert {one["MetricName"] for one in alarms.values()} >= {
        "Errors", "Throttles", "5XXError", "FirstText", "BandChanged", "ExecutionsFailed",
        "ApproximateNumberOfMessagesVisible", "AnswersFailed",
    }  # fmt: skip
    assert all(one["AlarmActions"] == [{"Ref": "Alarms"}] for one in alarms.values())
    assert "KmsMasterKeyId" not in watch["Resources"]["Alarms"]["Properties"]
    made = resolved(watch, AlarmEmail="owner@example.com")["Alarms"]["Properties"]
    assert made["Subscription"][0]["Protocol"] == "email"
    assert "Subscription" not in resolved(watch, AlarmEmail="")["Alarms"].get("Properties", {})
    given = deployment("url")["Watch"]["Properties"]["Parameters"]
    assert set(given) == set(watch["Parameters"])


def test_each_bad_day_has_a_way_out() -> None:
    """
    Every alarm that may come by mail stands in docs/operate.md; what it and docs/deploy.md tell an owner to set
    is a parameter, and the section that an alarm names is there.
    """
    watch = transformed(ROOT / "infra/watch.yaml")
    template = transformed(ROOT / "template.yaml")
    operate, deploy = (
        (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("operate", "deploy")
    )
    alarms = of_type(watch["Resources"], "AWS::CloudWatch::Alarm")

    assert [name for name in alarms if f"`{name}`" not in operate] == []
    named = [
        one["AlarmDescription"].partition("operate.md, ")[2]
        for one in alarms.values()
        if "operate.md" in one["AlarmDescription"]
    ]
    assert [name for name in named if f"\n## {name}\n" not in operate] == []
    assert set(re.findall(r"`([A-Z][a-z]\w+)=", operate + deploy)) <= set(template["Parameters"])
    outputs = set(re.findall(r"\b(?:s3://|queue-url )([A-Z]\w+)", operate + deploy))
    assert outputs
    assert outputs <= set(template["Outputs"])
    assert f"alarms ({len(alarms)})" in deploy


def test_figures_come_from_lines_that_are_really_logged() -> None:
    """
    Every message that a metric waits for is one that the code logs, and the dashboard is JSON.
    """
    watch = transformed(ROOT / "infra/watch.yaml")
    code = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("layers", "functions")
        for path in (ROOT / folder).rglob("*.py")
    )

    patterns = [
        one["FilterPattern"] for one in of_type(watch["Resources"], "AWS::Logs::MetricFilter").values()
    ]
    messages = [re.findall(r'message = "([^"*]+)', pattern)[0] for pattern in patterns]
    assert len(messages) >= 5
    assert [message for message in messages if f'"{message}' not in code] == []
    body = watch["Resources"]["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    assert len(json.loads(body)["widgets"]) == 9


def test_the_linter_finds_nothing() -> None:
    """
    cfn-lint, with all its rules but the one that the template says it goes without.
    """
    command = [SAM / "cfn-lint", "--regions", "eu-central-1", "--", *TEMPLATES]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.stdout + done.stderr).strip() == ""
    assert done.returncode == 0
