"""Holds a running notifyd against the description that it serves.

    contract.py calls SAMPLES    calls every operation; status and body must be as described
    contract.py roles SAMPLES    calls every operation without a token, with unknown ones and with a
                                 viewer's: what they may not do must be refused
    contract.py ids SAMPLES      takes ids from lists, as a browser would, to where they are used
    contract.py fuzz SAMPLES     sends nonsense to every operation that reads

SAMPLES is a JSON file: `url`, `operator` and `viewer` (tokens), and ids of rows that exist, under the
names that SAMPLE_IDS has.
"""

import http.client
import json
import pathlib
import random
import re
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))

from openapi_schema import problems_with

# Which sample a path's parameter is; an operation that needs a row of its own has its own.
SAMPLE_IDS = {
    "/api/v1/notifications/{id}": "notification",
    "/api/v1/notifications/{id}/retry": "dead_notification",
    "/api/v1/notifications/{id}/cancel": "waiting_notification",
    "/api/v1/operations/{id}": "operation",
    "/api/v1/operations/{id}/cancel": "operation",
    "/api/v1/operations/{id}/skipped": "operation",
    "/api/v1/events/{event_id}": "event",
    "/api/v1/dead-letters/{id}": "dead_letter",
    "/api/v1/dead-letters/{id}/replay": "dead_letter",
    "/api/v1/channels/{name}/pause": "channel",
    "/api/v1/channels/{name}/resume": "channel",
}

# Bodies of operations that need one, with the status of success.
BODIES = {
    "retryNotifications": [
        ({"filter": {"status": "dead"}, "preview": True}, 200),
        ({"filter": {"status": "dead", "channel": "telegram"}, "key": "fresh"}, 202),
    ],
    "cancelNotifications": [
        ({"filter": {"status": "pending"}, "preview": True}, 200),
        ({"filter": {"status": "pending", "channel": "telegram"}}, 202),
    ],
    "retryNotification": [({"key": "same"}, 200), (None, 409)],
    "cancelNotification": [(None, 200), ({}, 409)],
    "cancelOperation": [(None, 200), ({}, 409)],
    "replayDeadLetter": [({"dry_run": True}, 200), (None, 200)],
}


class Harness:
    def __init__(self, samples):
        self.samples = samples
        self.address = urllib.parse.urlsplit(samples["url"]).netloc
        self.problems = []
        self.calls = 0
        status, _, body = self.send("GET", "/openapi.json")
        assert status == 200, f"/openapi.json answers {status}"
        self.spec = json.loads(body)

    def say(self, where, what):
        self.problems.append(f"{where}: {what}")

    def send(self, method, path, token=None, body=None, headers=None, raw=None):
        self.calls += 1
        fields = dict(headers or {})
        if token is not None:
            fields["Authorization"] = f"Bearer {token}"
        if body is not None:
            fields["Content-Type"] = "application/json"
            raw = json.dumps(body)
        connection = http.client.HTTPConnection(self.address, timeout=20)
        try:
            connection.request(method, path, raw, fields)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def resolve(self, node):
        while "$ref" in node:
            target = self.spec
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            node = target
        return node

    def operations(self):
        for path, operations in self.spec["paths"].items():
            for method, operation in operations.items():
                yield method.upper(), path, operation

    def filled(self, path):
        """The path with ids of rows that exist."""
        if "{" not in path:
            return path
        name = SAMPLE_IDS.get(path)
        value = self.samples.get(name)
        if value is None:
            self.say(path, f"there is no sample {name} to call it with")
            value = "0"
        return re.sub(r"{.*?}", urllib.parse.quote(value, safe=""), path)

    def check(self, where, operation, answer):
        """Status, content type and body must be as described; true if the status is."""
        status, headers, body = answer
        described = operation["responses"].get(str(status))
        if described is None:
            self.say(where, f"the answer {status} is not described: {body[:300]}")
            return False
        described = self.resolve(described)
        kind = (headers.get("Content-Type") or "").split(";")[0]
        content = described.get("content", {})
        if kind not in content:
            self.say(where, f"answer {status} is {kind}, described are {', '.join(content)}")
            return False
        if kind == "application/json":
            value = json.loads(body, parse_int=lambda x: self.exact(where, x))
            for problem in problems_with(self.spec, content[kind]["schema"], value):
                self.say(where, f"answer {status}: {problem}")
        for name in described.get("headers", {}):
            if headers.get(name) is None:
                self.say(where, f"answer {status} lacks the header {name}")
        return True

    def exact(self, where, text):
        """A number as a browser has it, which must be the one that was written."""
        if int(float(text)) != int(text) or abs(int(text)) >= 2**53:
            self.say(where, f"a browser would round the number {text}")
        return int(text)

    def browse_ids(self):
        for path, act in (("dead-letters", "replay"), ("operations", "cancel")):
            token = self.samples["operator"]
            _, _, body = self.send("GET", f"/api/v1/{path}", token)
            items = json.loads(body, parse_int=lambda x: int(float(x)))["items"]
            ids = [str(item["id"]) for item in items]
            if "1970670598291982290" not in ids:
                self.say(path, f"the list has the ids {ids}")
            for method, target in (("GET", ""), ("POST", f"/{act}")):
                target = f"/api/v1/{path}/1970670598291982290{target}"
                status, _, body = self.send(method, target, token)
                if status != 200 or (method == "GET" and '"1970670598291982290"' not in body):
                    self.say(target, f"is answered {status}: {body[:300]}")

    def bodies(self, method, operation):
        return BODIES.get(operation["operationId"], [(None, 200)])

    def unknown_path(self, path, operation):
        """The path with an id that is one, but that nothing has."""
        numbers = any("row_id" in x.get("$ref", "") for x in operation.get("parameters", []))
        unknown = "9223372036854775807" if numbers else "01890a5d-ac96-774b-bcce-b302099a8057"
        return re.sub(r"{.*?}", unknown, path)

    def call_all(self):
        # An operation can be cancelled only while it runs: before others are started, which wakes
        # up whoever works on all of them.
        ordered = sorted(
            self.operations(), key=lambda x: x[2]["operationId"] != "cancelOperation"
        )
        for method, path, operation in ordered:
            where = f"{method} {path}"
            token = self.samples["operator"]
            for body, wanted in self.bodies(method, operation):
                answer = self.send(method, self.filled(path), token, body)
                self.check(where, operation, answer)
                allowed = self.samples.get("allowed", {}).get(operation["operationId"], [])
                if answer[0] != wanted and answer[0] not in allowed:
                    self.say(where, f"{wanted} was to come, but {answer[0]}: {answer[2][:300]}")
            if "id}" in path:
                first_body = self.bodies(method, operation)[0][0]
                answer = self.send(method, self.unknown_path(path, operation), token, first_body)
                self.expect(where + " (unknown id)", operation, answer, [404])
                broken = re.sub(r"{.*?}", "no-id", path)
                answer = self.send(method, broken, token, first_body)
                self.expect(where + " (no id)", operation, answer, [400])
            self.call_with_parameters(method, path, operation)
            self.call_with_wrong_words(method, path, operation)

    def call_with_parameters(self, method, path, operation):
        """Each parameter of the query with a value that fits, and the second page of a list."""
        names = []
        for parameter in operation.get("parameters", []):
            parameter = self.resolve(parameter)
            if parameter["in"] != "query" or parameter["name"] == "cursor":
                continue
            names.append(parameter["name"])
            schema = self.resolve(parameter["schema"])
            by_type = {"boolean": "true", "integer": str(schema.get("minimum", 1)), "string": "x"}
            by_format = {"uuid": self.samples["event"], "date-time": "2026-01-01T00:00:20%2B01:00"}
            value = schema.get("enum", [None])[0] or by_format.get(schema.get("format"))
            query = f"{parameter['name']}={value or by_type[schema['type']]}"
            answer = self.send(method, f"{self.filled(path)}?{query}", self.samples["operator"])
            self.expect(f"{method} {path}?{query}", operation, answer, [200])
        if "limit" not in names:
            return
        pages, target = 0, f"{self.filled(path)}?limit=1"
        while target and pages < 3:
            answer = self.send(method, target, self.samples["operator"])
            self.expect(f"{method} {target}", operation, answer, [200])
            target, pages = json.loads(answer[2]).get("next"), pages + 1

    def call_with_wrong_words(self, method, path, operation):
        """Names that are not known must be refused, not passed over."""
        if operation["x-role"] == "public":
            return
        where, token = f"{method} {path} (wrong word)", self.samples["operator"]
        if method == "GET":
            answer = self.send(method, self.filled(path) + "?lmit=1", token)
        else:
            answer = self.send(method, self.filled(path), token, {"reasn": "x"})
            self.expect(where, operation, answer, [400])
            answer = self.send(method, self.filled(path), token, None, None, b"reason=x")
            self.expect(where, operation, answer, [400, 415])
            return
        self.expect(where, operation, answer, [400])

    def expect(self, where, operation, answer, statuses):
        if operation is not None:
            self.check(where, operation, answer)
        if answer[0] not in statuses:
            self.say(where, f"{statuses} was to come, but {answer[0]}: {answer[2][:300]}")

    def replay_without_rights(self):
        for method, path, operation in self.operations():
            role = operation["x-role"]
            if role == "public":
                continue
            target = self.filled(path)
            body = self.bodies(method, operation)[-1][0]
            where = f"{method} {path}"
            self.expect(where + " (no token)", operation, self.send(method, target, None, body), [401])
            for token in ("wrong", "", self.samples["viewer"][:-1], self.samples["operator"] + "0"):
                answer = self.send(method, target, token, body)
                self.expect(where + " (unknown token)", operation, answer, [401, 429])
            if role != "operator":
                continue
            answer = self.send(method, target, self.samples["viewer"], body)
            self.expect(where + " (viewer)", operation, answer, [403])
            answer = self.send(
                method,
                target,
                self.samples["operator"],
                body,
                {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
            )
            self.expect(where + " (another site)", operation, answer, [403])

    def fuzz(self):
        dice = random.Random(1)
        pieces = ["%", "%00", "%ff", "'", '"', "\\", "-1", "9" * 40, "null", "%0a", "limit", "cursor",
            "status", "created_from", "=", "&", ";", "{}", "[]", "a" * 300, "%F0%9F%92%A9", "--", "0",
            "2026-09-01T16:00:00Z", "sent", "dead", "+", "(select 1)"]  # fmt: skip
        for method, path, operation in self.operations():
            if method != "GET":
                continue
            for _ in range(40):
                text = "".join(dice.choice(pieces) for _ in range(dice.randint(1, 12)))
                query = text.replace(" ", "%20")
                answer = self.send("GET", self.filled(path) + "?" + query, self.samples["operator"])
                self.check(f"GET {path}?{query[:80]}", operation, answer)
                if answer[0] >= 500 and answer[0] != 503:
                    self.say(path, f"{query[:200]} is answered {answer[0]}")
                if "{" in path:
                    broken = re.sub(r"{.*?}", urllib.parse.quote(text, safe="%"), path)
                    answer = self.send("GET", broken.replace("+", "%2B"), self.samples["operator"])
                    if answer[0] not in (400, 404):
                        self.say(path, f"the id {text[:100]} is answered {answer[0]}")


def main():
    mode, file = sys.argv[1:]
    with open(file, encoding="utf-8") as samples:
        harness = Harness(json.load(samples))
    modes = {
        "calls": harness.call_all,
        "roles": harness.replay_without_rights,
        "ids": harness.browse_ids,
        "fuzz": harness.fuzz,
    }
    modes[mode]()
    for problem in harness.problems:
        print(problem)
    print(f"{harness.calls} requests, {len(harness.problems)} problems")
    sys.exit(1 if harness.problems else 0)


if __name__ == "__main__":
    main()
