"""Bloom filters in the memory of a Redis server or cluster, which processes and machines share.

    from bloomline.redis import SharedBloomFilter

    seen = SharedBloomFilter.create("10.0.0.5:6379", "seen-urls", capacity=1_000_000)
    if seen.add_key("https://example.com/"): ...  # it was not in before

The library in the wheel has no TLS (rediss://); that of the distribution's package may.
docs/redis.md says what a Redis server can lose, and docs/python.md how the library is found.
"""

import re
from contextlib import contextmanager
from ctypes import c_char_p, c_int
from typing import Any, Callable, Iterator, List, Optional, Sequence, Type, TypeVar, Union

from ._filter import options
from ._handle import Figure, Handle, name_methods, text_bytes
from ._keys import Key, Keys, batches
from ._library import Functions, checked, load

_lib = load("redis", "c_redis.h")

_NEW, _PRESENT, _UNKNOWN = range(3)
_NO, _MAYBE, _UNAVAILABLE = range(3)
_ADDED = {_NEW: True, _PRESENT: False, _UNKNOWN: None}

# The library uses the C++ names in its errors.
_TLS_OPTION = re.compile(r"\btls\.(?=(ca_file|ca_path|certificate_file|key_file|server_name) )")

_T = TypeVar("_T", bound="SharedBloomFilter")


class RedisError(ConnectionError):
    """Redis did not answer, or could not do what it was asked for."""


class RedisServers:
    """How to reach Redis.

    `servers`: addresses of one server, or of some nodes of a cluster: "host:port",
    "redis://user:password@host:port/database", "rediss://..." (TLS), "unix:///path".
    `when_unavailable`: "may_match", queries that Redis does not answer are True, or "error", they
    raise RedisError.
    """

    def __init__(self, servers: Union[str, Sequence[str]] = "127.0.0.1:6379", *,
                 username: str = "", password: str = "", database: int = 0, tls_ca_file: str = "",
                 tls_ca_path: str = "", tls_certificate_file: str = "", tls_key_file: str = "",
                 tls_server_name: str = "", tls_verify: bool = True,
                 connect_timeout_ms: int = 1000, command_timeout_ms: int = 1000,
                 max_retries: int = 2, when_unavailable: str = "may_match") -> None:
        addresses = [servers] if isinstance(servers, (str, bytes)) else list(servers)
        self._servers = [text_bytes("servers", address) for address in addresses]
        self._values = dict(
            username=username, password=password, database=database, tls_ca_file=tls_ca_file,
            tls_ca_path=tls_ca_path, tls_certificate_file=tls_certificate_file,
            tls_key_file=tls_key_file, tls_server_name=tls_server_name, tls_verify=tls_verify,
            connect_timeout_ms=connect_timeout_ms, command_timeout_ms=command_timeout_ms,
            max_retries=max_retries, when_unavailable=when_unavailable)
        with self._object():  # checks the types
            pass

    @contextmanager
    def _object(self) -> Iterator[int]:
        with options("redisservers", self._values, _lib) as pointer:
            addresses = (c_char_p * len(self._servers))(*self._servers)
            if not _lib.bloomline_redisservers_set_servers(pointer, len(addresses), addresses):
                raise MemoryError("out of memory")
            yield pointer


_Servers = Union[str, Sequence[str], RedisServers]


def _checked(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return checked(function, *arguments)
    except (OSError, ValueError) as error:
        text = _TLS_OPTION.sub("tls_", str(error.args[-1]))
        # A server's error, or why there was no reply. If the key has other contents, retrying does
        # not help.
        if text.startswith("redis") and " is not the header of a filter " not in text:
            raise RedisError(text) from None
        error.args = (*error.args[:-1], text)
        raise


def _as_servers(servers: _Servers) -> RedisServers:
    return servers if isinstance(servers, RedisServers) else RedisServers(servers)


@name_methods
class SharedBloomFilter(Handle):
    """A client of one filter on Redis. `create` and `open` make one.

    Its methods run one at a time; threads that should query at the same time open one each.
    """

    _c = Functions("shared", _lib)
    _shown = ("name", "capacity", "false_positive_rate")

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("SharedBloomFilter.create or SharedBloomFilter.open makes one")

    @classmethod
    def create(cls: Type[_T], servers: _Servers, name: str, capacity: int,
               false_positive_rate: float = 0.01, *, seed: int = 0,
               shard_bytes: int = 16 << 20) -> _T:
        """Creates the filter, or opens it if it exists with this capacity, rate and seed.
        ValueError if it has others, RedisError if Redis does not do it."""
        values = dict(capacity=capacity, false_positive_rate=false_positive_rate, seed=seed,
                      shard_bytes=shard_bytes)
        with _as_servers(servers)._object() as where, \
             options("sharedoptions", values, _lib) as pointer:
            return cls._from_pointer(
                _checked(cls._c.create, where, text_bytes("name", name), pointer))

    @classmethod
    def open(cls: Type[_T], servers: _Servers, name: str) -> _T:
        """Opens a filter that exists (else ValueError). Raises RedisError if Redis does not
        answer."""
        with _as_servers(servers)._object() as where:
            return cls._from_pointer(_checked(cls._c.open, where, text_bytes("name", name)))

    @staticmethod
    def delete(servers: _Servers, name: str) -> None:
        """Deletes the filter, if there is one. Raises RedisError if it may still exist."""
        with _as_servers(servers)._object() as where:
            _checked(SharedBloomFilter._c.delete, where, text_bytes("name", name))

    def _failure(self) -> RedisError:
        return RedisError(self._error() or "Redis did not answer")

    def _error(self) -> Optional[str]:
        text: Optional[bytes] = self._c.error(self._open())
        return None if text is None else text.decode("utf-8", "replace")

    def add_key(self, key: Key, *, min_replicas: int = 0,
                replica_timeout_ms: int = 1000) -> Optional[bool]:
        """True: the key was not in before. False: it was in, or matched by chance. None: it is in
        now, but a reply was lost. Raises RedisError if it may be missing."""
        return self.add_keys([key], min_replicas=min_replicas,
                             replica_timeout_ms=replica_timeout_ms)[0]

    def add_keys(self, keys: Keys, *, min_replicas: int = 0,
                 replica_timeout_ms: int = 1000) -> List[Optional[bool]]:
        """The results of add_key for many keys. Raises RedisError if one of them may be missing;
        the others are in."""
        results: List[Optional[bool]] = []
        error: Optional[RedisError] = None
        values = dict(min_replicas=min_replicas, replica_timeout_ms=replica_timeout_ms)
        with options("addoptions", values, _lib) as pointer:
            for batch in batches(keys):
                codes = (c_int * batch.num_keys)()
                with self._alone():
                    if not self._c.add_keys(self._open(), batch.num_keys, batch.pointers,
                                            batch.lengths, pointer, codes):
                        error = error or self._failure()
                results += [_ADDED.get(code) for code in codes]
        if error is not None:
            raise error
        return results

    def may_match(self, key: Key) -> bool:
        """False: the key was certainly not added. True: it was added, is a false positive, or
        Redis did not answer (see RedisServers; `error` says why)."""
        return self.may_match_keys([key])[0]

    __contains__ = may_match

    def may_match_keys(self, keys: Keys) -> List[bool]:
        """The answers of may_match for many keys."""
        results: List[bool] = []
        for batch in batches(keys):
            answers = (c_int * batch.num_keys)()
            with self._alone():
                self._c.may_match_keys(self._open(), batch.num_keys, batch.pointers, batch.lengths,
                                       answers)
                if _UNAVAILABLE in answers:
                    raise self._failure()
            results += [answer != _NO for answer in answers]
        return results

    @property
    def error(self) -> Optional[str]:
        """Why the last call failed, in part or as a whole; None if it did not. (may_match_keys and
        add_keys: of the last 65,536 keys.)"""
        with self._alone():
            return self._error()

    @property
    def name(self) -> str:
        text: bytes = self._get(self._c.name)
        return text.decode()

    capacity = Figure(int)
    false_positive_rate = Figure(float)
    num_bytes = Figure(int, "Of all shards, in Redis.")
    num_shards = Figure(int)
    num_probes = Figure(int)


__all__ = ["RedisError", "RedisServers", "SharedBloomFilter"]
