"""Shows the progress lines of the bench as a bar on a terminal, as plain lines elsewhere.

Reads the bench's output on stdin: "@progress DONE TOTAL WHAT" lines move the bar on stderr, all
others pass through to stdout, above the bar.
"""
import shutil
import signal
import sys

from tqdm import tqdm


def main():
    # Ctrl-C goes to the bench, which cleans up and then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    on_terminal = sys.stderr.isatty()
    bar = None
    last_what = ""
    for line in sys.stdin:
        if not line.startswith("@progress "):
            tqdm.write(line, file=sys.stdout, end="")
            sys.stdout.flush()
            continue
        _, done, total, what = line.rstrip("\n").split(" ", 3)
        if on_terminal:
            if bar is None:
                bar = tqdm(total=int(total), unit="op", unit_scale=True, leave=False,
                           ncols=shutil.get_terminal_size().columns,
                           bar_format="{percentage:3.0f} %|{bar}| {elapsed}<{remaining} {desc}")
            bar.total = int(total)
            bar.set_description_str(what, refresh=False)
            bar.update(int(done) - bar.n)
        elif what != last_what:
            print(f"[{100 * int(done) // int(total):3d} %] {what}", file=sys.stderr, flush=True)
            last_what = what
    if bar is not None:
        bar.close()


main()
