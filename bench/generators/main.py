"""Asks the service with the client that openapi-python-client has made, and prints what came."""

import json
import os
import sys

from made.api.batches import create_batch
from made.api.tools import dns_check, redirect_check
from made.client import AuthenticatedClient
from made.models import BatchRequest

url = os.environ["TARGET_URL"]
client = AuthenticatedClient(base_url=os.environ["SERVER"], token=os.environ["TOKEN"])

report = redirect_check.sync(client=client, url_query=url)
refused = dns_check.sync_detailed(client=client, domain="127.0.0.1")
body = BatchRequest.from_dict({"check": "redirect-check", "targets": [url]})
batch = create_batch.sync(client=client, body=body)

json.dump(
    {
        "report": {"type": type(report).__name__, "state": str(report.state), "hops": len(report.hops)},
        "problem": {"status": int(refused.status_code), "code": str(refused.parsed.code)},
        "batch": batch.total,
    },
    sys.stdout,
)
