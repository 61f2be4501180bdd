"""Applies what `bloomline db advise` prints to a database of RocksDB that is open and in use: by
SetOptions while it is written and read, and by the environment of its program. New files must have
the filters of a program that has had the advised policy from the start."""
import json
import re
import shutil

import pytest

ENGINE = "RocksDB"


@pytest.fixture
def changed(lib):
    """changed(settings, policies...): what the client prints of a copy of the database `stock`."""
    def change(settings, *policies):
        shutil.rmtree(lib.work / "copy", ignore_errors=True)
        shutil.copytree(lib.work / "stock", lib.work / "copy")
        out = lib.client(settings, "change", lib.work / "copy", *policies).out
        lib.expect(out, "wrong 0$")
        return out

    lib.client(None, "write", lib.work / "stock", "bloom:10")
    return change


def test_advice(lib, changed):
    advice = lib.run(None, lib.build / "bloomline", "db", "advise", "--json", lib.work / "stock")
    family = json.loads(advice.out)["databases"][0]["column_families"][0]
    choices = {(choice["option_string"], choice["environment"]) for choice in family["choices"]}
    unchanged = changed(None, "bloom:10")
    version = int(re.search(r"^RocksDB ([0-9]+),", unchanged, re.M)[1])
    environments = others = 0
    for option_string, environment in sorted(choices, key=str):
        advised = changed("", option_string)
        others += advised != unchanged
        # Before 9.8, SetOptions changes a policy, and cannot put another in its place
        # (docs/rocksdb.md).
        assert changed("", "bloomfilter:10:false", option_string) == (
            f"SetOptions: OK\n{advised}" if version >= 908 else f"SetOptions: refused\n{unchanged}")
        if environment:
            environments += 1
            settings = environment.replace("LD_PRELOAD=", f"LD_PRELOAD={lib.build}/")
            assert changed(settings.replace("BLOOMLINE_", ""), "bloom:10") == advised
    assert environments >= 3
    assert others >= 3, "the advised filters are those that were there"


def test_a_policy_of_bloomline_can_be_changed_in_every_version(changed):
    advised = changed("", "{id=bloomline;format=ribbon;bits_per_key=9;}")
    assert changed("", "bloomline:12",
                   "{format=ribbon;bits_per_key=9;}") == f"SetOptions: OK\n{advised}"
