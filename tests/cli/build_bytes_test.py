"""`bloomline build` writes the bytes of FilterBuilder, for each golden vector."""
import pathlib
import subprocess

import pytest

VECTORS = pathlib.Path(__file__).parents[1] / "golden/vectors.txt"
STANDALONE = [line.split()[1:] for line in VECTORS.read_text().splitlines()
              if line.startswith("standalone ")]


@pytest.mark.parametrize("layout, bits, seed, keys, expected", STANDALONE,
                         ids=[" ".join(vector[:3]) for vector in STANDALONE])
def test_golden_filters(build, tmp_path, layout, bits, seed, keys, expected):
    listed = [] if keys == "none" else [bytes.fromhex(key.replace("-", ""))
                                        for key in keys.split(",")]
    subprocess.run([build / "bloomline", "build", "-o", tmp_path / "filter", "--length-prefixed",
                    "--format", layout, "--bits-per-key", bits, "--seed", seed], check=True,
                   input=b"".join(len(key).to_bytes(4, "little") + key for key in listed))
    assert (tmp_path / "filter").read_bytes().hex() == expected
