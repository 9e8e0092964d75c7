"""Any client of OpenAI or Anthropic goes through `clew serve`: only its address changes."""

import os
import re
import subprocess

from openai import OpenAI

upstream = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1").removesuffix("/v1")
with subprocess.Popen(
    ["clew", "serve", "--port", "0", "--upstream", f"openai={upstream}"], stdout=subprocess.PIPE, text=True
) as gateway:
    address = re.search(r"http://[^ ]+", gateway.stdout.readline())[0]
    client = OpenAI(base_url=f"{address}/v1", default_headers={"x-clew-session": "through-the-gateway"})
    reply = client.chat.completions.create(
        model="gpt-5", messages=[{"role": "user", "content": "Why does login fail?"}]
    )
    print(reply.choices[0].message.content)
    gateway.terminate()

print(subprocess.run(["clew", "show", "through-the-gateway", "x1"], capture_output=True, text=True, check=True).stdout)
