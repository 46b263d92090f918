"""Holds a running notifyd against the description that it serves.

    contract.py calls SAMPLES    calls every operation; status and body must be as described
    contract.py roles SAMPLES    calls every operation without a token, with unknown ones and with a
                                 viewer's: what they may not do must be refused
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

# Bodies of operations that need one.
BODIES = {
    "retryNotifications": {"filter": {"status": "dead"}, "preview": True},
    "cancelNotifications": {"filter": {"status": "pending"}, "preview": True},
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

    def send(self, method, path, token=None, body=None, headers=None):
        self.calls += 1
        fields = dict(headers or {})
        if token is not None:
            fields["Authorization"] = f"Bearer {token}"
        if body is not None:
            fields["Content-Type"] = "application/json"
            body = json.dumps(body)
        connection = http.client.HTTPConnection(self.address, timeout=20)
        try:
            connection.request(method, path, body, fields)
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
            for problem in problems_with(self.spec, content[kind]["schema"], json.loads(body)):
                self.say(where, f"answer {status}: {problem}")
        for name in described.get("headers", {}):
            if headers.get(name) is None:
                self.say(where, f"answer {status} lacks the header {name}")
        return True

    def call_all(self):
        """An operation counts as called if it answered with success at least once."""
        for method, path, operation in self.operations():
            where = f"{method} {path}"
            body = BODIES.get(operation["operationId"], {} if method != "GET" else None)
            answer = self.send(method, self.filled(path), self.samples["operator"], body)
            self.check(where, operation, answer)
            allowed = self.samples.get("allowed", {}).get(path, [])
            if answer[0] >= 300 and answer[0] not in allowed:
                self.say(where, f"was to succeed, but answered {answer[0]}: {answer[2][:300]}")
            if "{id}" in path or "{event_id}" in path:
                unknown = re.sub(r"{.*?}", "01890a5d-ac96-774b-bcce-b302099a8057", path)
                if "Int64" in json.dumps(operation.get("parameters", "")) or "row_id" in json.dumps(
                    operation.get("parameters", "")
                ):
                    unknown = re.sub(r"{.*?}", "9223372036854775807", path)
                answer = self.send(method, unknown, self.samples["operator"], body)
                self.check(where + " (unknown id)", operation, answer)
                if answer[0] != 404:
                    self.say(where, f"an id that does not exist is answered {answer[0]}")
                answer = self.send(
                    method, re.sub(r"{.*?}", "no-id", path), self.samples["operator"], body
                )
                self.check(where + " (no id)", operation, answer)
                if answer[0] not in (400, 404):
                    self.say(where, f"what is no id is answered {answer[0]}")

    def expect(self, where, operation, answer, statuses):
        if operation is not None:
            self.check(where, operation, answer)
        if answer[0] not in statuses:
            self.say(where, f"was to be refused with {statuses}, but answered {answer[0]}")

    def replay_without_rights(self):
        for method, path, operation in self.operations():
            role = operation["x-role"]
            if role == "public":
                continue
            target = self.filled(path)
            body = BODIES.get(operation["operationId"], {} if method != "GET" else None)
            if isinstance(body, dict) and "preview" in body:
                body = {**body, "preview": False}
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
    {"calls": harness.call_all, "roles": harness.replay_without_rights, "fuzz": harness.fuzz}[mode]()
    for problem in harness.problems:
        print(problem)
    print(f"{harness.calls} requests, {len(harness.problems)} problems")
    sys.exit(1 if harness.problems else 0)


if __name__ == "__main__":
    main()
