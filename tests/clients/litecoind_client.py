"""A program that uses litecoind, a node of Litecoin, which knows nothing of bloomline.

Usage: litecoind_client.py write|check FOLDER NUM_COINS

The node has no connections and a chain of its own (regtest). Its coins, its blocks and its
transactions are three databases of LevelDB, which writes tables with filters when it opens a
database with a log. So `write` mines half of the coins, stops the node, mines the others, stops it
and starts it once more. `check` prints the number of wrong answers about the chain, all coins and
transactions, coins that are spent, and neighbours that never were; then "-". It has mined another
block, which the next check expects.
"""
import atexit
import base64
import http.client
import json
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import time

PROGRAM = "/usr/lib/litecoin/litecoind"  # the one in /usr/bin is a script, which writes to ~
ANYONE = "raw(51)#8lvh9jxk"  # may spend these coins, without a signature
MATURITY = 100  # blocks until the coin of a block may be spent
COINS = 1000  # of a transaction
SECONDS = 120  # for the start of the node and for an answer


class Node:
    def __init__(self, folder):
        # Another program may take the port before the node does, which then ends.
        if not any(self.start(folder) for _ in range(3)):
            sys.exit("litecoind does not start")

    def start(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.cookie = folder / "regtest" / ".cookie"
        self.process = subprocess.Popen(
            [PROGRAM, "-regtest", f"-datadir={folder}", "-txindex=1", "-connect=0", "-listen=0",
             "-disablewallet", "-printtoconsole=0", "-rpcbind=127.0.0.1", "-rpcallowip=127.0.0.1",
             f"-rpcport={self.port}"])
        atexit.register(self.process.kill)
        end = time.monotonic() + SECONDS
        while not self.ready():
            if self.process.poll() is not None:
                return False
            if time.monotonic() > end:
                sys.exit("litecoind does not answer")
            time.sleep(0.05)
        return True

    def ready(self):
        try:
            return self.call("getindexinfo")["txindex"]["synced"]
        except (OSError, RuntimeError, ValueError, http.client.HTTPException):
            return False

    def answers(self, requests):
        """The answers to many of [method, argument...]."""
        body = json.dumps([{"method": method, "params": arguments}
                           for method, *arguments in requests])
        user = base64.b64encode(self.cookie.read_bytes()).decode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.request("POST", "/", body, {"Authorization": "Basic " + user})
        answers = json.loads(connection.getresponse().read())
        connection.close()
        if isinstance(answers, dict):  # the node is still starting
            raise RuntimeError(answers["error"]["message"])
        return answers

    def call(self, *request):
        answer = self.answers([request])[0]
        if answer["error"]:
            raise RuntimeError(f"{request[0]}: {answer['error']['message']}")
        return answer["result"]

    def found(self, requests):
        """What the answers say; None for a thing that is missing."""
        return [answer["result"] for answer in self.answers(requests)]

    def stop(self):
        self.call("stop")
        if self.process.wait() != 0:
            sys.exit(f"litecoind ended with exit status {self.process.returncode}")


def spend(coin):
    """A transaction that turns a block's coin into COINS, numbered by their values."""
    outputs = b"".join(struct.pack("<q", 1000 + i) + b"\x01\x51" for i in range(COINS))
    return (struct.pack("<i", 2) + b"\x01" + bytes.fromhex(coin)[::-1] + bytes(5) + b"\xff" * 4 +
            b"\xfd" + struct.pack("<H", COINS) + outputs + bytes(4)).hex()


def coin_of_block(node, height):
    return node.call("getblock", node.call("getblockhash", height))["tx"][0]


def mine(node, blocks):
    """Mines blocks with a transaction each. They spend the coins of the oldest blocks."""
    height = node.call("getblockcount")
    for block in range(height + 1, height + 1 + blocks):
        node.call("generateblock", ANYONE, [spend(coin_of_block(node, block - MATURITY))])


def neighbour(transaction):
    return transaction[:-1] + "%x" % (int(transaction[-1], 16) ^ 1)


def wrong_answers(node, expected):
    height, transactions, spent = expected["height"], expected["transactions"], expected["spent"]
    wrong = node.call("getblockcount") != height
    wrong += node.call("verifychain", 4, 0) is not True
    for transaction in transactions:
        coins = node.found([["gettxout", transaction, i] for i in range(COINS + 1)])
        wrong += coins[COINS] is not None
        wrong += sum(coin is None or round(coin["value"] * 10**8) != 1000 + i
                     for i, coin in enumerate(coins[:COINS]))
        wrong += sum(coin is not None for coin in
                     node.found([["gettxout", neighbour(transaction), i] for i in range(COINS)]))
    wrong += sum(coin is not None for coin in node.found([["gettxout", s, 0] for s in spent]))
    wrong += sum(t is None for t in
                 node.found([["getrawtransaction", t] for t in transactions + spent]))
    return wrong + sum(t is not None for t in
                       node.found([["getrawtransaction", neighbour(t)]
                                   for t in transactions + spent]))


def remember(node, file):
    height = node.call("getblockcount")
    blocks = range(MATURITY + 1, height + 1)
    file.write_text(json.dumps({
        "height": height,
        "transactions": [node.call("getblock", node.call("getblockhash", i))["tx"][1]
                         for i in blocks],
        "spent": [coin_of_block(node, i - MATURITY) for i in blocks]}))


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # kills the node
    mode, folder, blocks = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]) // COINS
    folder.mkdir(exist_ok=True)
    file = folder / "expected.json"
    node = Node(folder)
    if mode == "write":
        node.call("generatetodescriptor", MATURITY, ANYONE)
        for part in (blocks // 2, blocks - blocks // 2):
            mine(node, part)
            node.stop()
            node = Node(folder)
    else:
        wrong = wrong_answers(node, json.loads(file.read_text()))
        mine(node, 1)
    remember(node, file)
    node.stop()
    if mode == "check":
        print(wrong, "-")


main()
