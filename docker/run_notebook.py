"""Runs a notebook in a Jupyter server over HTTP and its WebSocket, as JupyterLab does, and prints what came of it.

Runs inside of the image: python3 run_notebook.py NOTEBOOK FILE. NOTEBOOK is a path as the server knows it, FILE a text that
a cell after it reads. JUPYTER_TOKEN has the token; without it the server must refuse.
"""

import json
import os
import sys
import time
import urllib.parse
import uuid

import requests
import websocket

SERVER = f"http://127.0.0.1:{os.environ.get('JUPYTER_PORT', '8888')}"
TIMEOUT = 300  # seconds for a message


def call(method, path, **arguments):
    """Asks the server and returns what its JSON holds."""
    headers = {"Authorization": "token " + os.environ["JUPYTER_TOKEN"]}
    answer = requests.request(method, SERVER + path, headers=headers, timeout=TIMEOUT, **arguments)
    answer.raise_for_status()
    return answer.json() if answer.content else None


def execute(socket, code):
    """Runs a cell and returns what it printed and how many images it showed. A cell that fails ends the program."""
    request = uuid.uuid4().hex
    socket.send(json.dumps({
        "channel": "shell",
        "header": {"msg_id": request, "msg_type": "execute_request", "session": request, "username": "", "version": "5.3"},
        "parent_header": {}, "metadata": {},
        "content": {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": True},
    }))
    printed, images, replied, idle, failed = "", 0, False, False, False
    while not (replied and idle):
        message = json.loads(socket.recv())
        if message["parent_header"].get("msg_id") != request:
            continue
        kind, content = message["msg_type"], message["content"]
        if kind == "stream":
            printed += content["text"]
        elif kind in ("display_data", "execute_result"):
            images += "image/png" in content["data"]
        elif kind == "status":
            idle = content["execution_state"] == "idle"
        elif kind == "execute_reply":
            replied, failed = True, content["status"] != "ok"
    if failed:
        sys.exit(f"a cell failed: {printed}\n{code}")
    return printed, images


def main():
    path, file = sys.argv[1:]
    status = requests.get(SERVER + "/api/contents", timeout=TIMEOUT).status_code
    if status != 403:
        sys.exit(f"without a token the server answers {status}, want 403")
    cells = call("GET", "/api/contents/" + urllib.parse.quote(path))["content"]["cells"]
    session = call("POST", "/api/sessions", json={"path": path, "name": path, "type": "notebook", "kernel": {"name": "gonb"}})
    kernel = session["kernel"]["id"]
    socket = websocket.create_connection(
        f"{SERVER.replace('http', 'ws', 1)}/api/kernels/{kernel}/channels", timeout=TIMEOUT,
        header=["Authorization: token " + os.environ["JUPYTER_TOKEN"]])
    images, times = 0, []
    for cell in cells:
        if cell["cell_type"] == "code":
            start = time.monotonic()
            printed, shown = execute(socket, "".join(cell["source"]))
            times.append(time.monotonic() - start)
            images += shown
    with open(file, encoding="utf-8") as text:
        want = text.read()
    read, _ = execute(socket, f'%%\ndata, err := os.ReadFile({json.dumps(file)})\nfmt.Printf("%s%v", data, err)')
    if read != want + "<nil>":
        sys.exit(f"a cell reads {read!r} from {file}, want {want!r}")
    socket.close()
    call("DELETE", "/api/sessions/" + session["id"])
    if images == 0:
        sys.exit(f"{path} shows no figure")
    print(f"{path}: {len(times)} cells in {sum(times):.1f} s, {images} figures; its last cell printed\n{printed.rstrip()}")
    print(f"first cell {times[0]:.1f} s")
    # Linking a cell that imports GoMLX and everything else takes 3 to 6 s on two cores, and compiling all of it two minutes.
    if times[0] >= 10:
        sys.exit("the first cell takes 10 s or more: the image's build cache is of no use")


if __name__ == "__main__":
    main()
