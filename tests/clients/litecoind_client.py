"""Asks a running litecoind, in regtest mode, by JSON-RPC.

Usage: litecoind_client.py write|check DATA_FOLDER PORT NUM_KEYS

`write` mines NUM_KEYS blocks. `check` prints the number of wrong answers about them: each block's
hash, the amount of its coinbase, and as many coinbases that do not exist. Then litecoind verifies
all blocks against its databases.
"""
import base64
import hashlib
import http.client
import json
import pathlib
import sys
import time

# The script OP_TRUE, which anybody may spend.
DESCRIPTOR = "raw(51)"


class Rpc:
    def __init__(self, folder, port):
        self.folder, self.port = pathlib.Path(folder), port

    def __call__(self, *calls):
        """Each call is a list: the method and its parameters. Returns the results."""
        cookie = (self.folder / "regtest/.cookie").read_bytes()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        body = json.dumps([{"id": i, "method": call[0], "params": call[1:]}
                           for i, call in enumerate(calls)])
        connection.request("POST", "/", body, {
            "Authorization": "Basic " + base64.b64encode(cookie).decode()})
        answers = json.loads(connection.getresponse().read())
        for answer in answers:
            if answer["error"] is not None:
                raise OSError(answer["error"])
        return [answer["result"] for answer in answers]

    def wait(self):
        for _ in range(600):
            try:
                return self(["getblockcount"])[0]
            except (OSError, ValueError):
                time.sleep(0.1)
        sys.exit("litecoind does not answer")


def main():
    mode, folder, port, num_keys = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rpc = Rpc(folder, port)
    height = rpc.wait()
    saved = pathlib.Path(folder) / "expected.json"
    if mode == "write":
        while height < num_keys:
            step = min(100, num_keys - height)
            rpc(["generatetodescriptor", step, DESCRIPTOR])
            height += step
        hashes = rpc(*(["getblockhash", h] for h in range(1, num_keys + 1)))
        blocks = rpc(*(["getblock", block_hash] for block_hash in hashes))
        transactions = [block["tx"][0] for block in blocks]
        outputs = rpc(*(["gettxout", transaction, 0] for transaction in transactions))
        saved.write_text(json.dumps({"hashes": hashes, "transactions": transactions,
                                     "amounts": [output["value"] for output in outputs]}))
        return
    expected = json.loads(saved.read_text())
    missing = [hashlib.sha256(transaction.encode()).hexdigest()
               for transaction in expected["transactions"]]
    wrong = 0
    outputs = rpc(*(["gettxout", transaction, 0] for transaction in expected["transactions"]))
    for output, amount in zip(outputs, expected["amounts"]):
        wrong += output is None or output["value"] != amount
    wrong += sum(output is not None for output in rpc(*(["gettxout", t, 0] for t in missing)))
    blocks = rpc(*(["getblock", block_hash] for block_hash in expected["hashes"]))
    for block, transaction in zip(blocks, expected["transactions"]):
        wrong += block["tx"][0] != transaction
    wrong += not rpc(["verifychain", 4, 0])[0]
    print(f"{wrong} -")


main()
