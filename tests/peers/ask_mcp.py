"""Asks `atelier mcp` through the protocol's own Python client, in both of its eras; prints what it answers as one JSON document.

Usage: ask_mcp.py PROGRAM RUN
"""
import asyncio
import json
import os
import sys

import mcp
from mcp.client.stdio import stdio_client


def server():
    return stdio_client(mcp.StdioServerParameters(command=sys.argv[1], args=["mcp"], env=dict(os.environ)))


async def ask(client):
    run = {"run": sys.argv[2]}
    tools = [tool.name for tool in (await client.list_tools()).tools]
    shown = await client.call_tool("show_run", run)
    listed = json.loads((await client.call_tool("list_samples", run)).content[0].text)
    image = (await client.call_tool("get_sample", {**run, "file": listed["samples"][0]["file"]})).content[0]
    wrong = await client.call_tool("get_metrics", {**run, "points": 1})
    return {"tools": tools, "id": json.loads(shown.content[0].text)["id"], "image": [image.type, image.mime_type, len(image.data)], "refused": wrong.is_error}


async def main():
    async with server() as (read, write), mcp.ClientSession(read, write) as session:
        revision = (await session.initialize()).protocol_version
        older = {"revision": revision, **await ask(session)}
    async with mcp.Client(server()) as client:
        newer = {"revision": client.protocol_version, **await ask(client)}
    print(json.dumps({"older": older, "newer": newer}))


asyncio.run(main())
