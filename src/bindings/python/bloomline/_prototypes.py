"""The functions of include/bloomline/c.h and c_redis.h that the package calls.

tests/python compares these tables with the headers.
"""

from ctypes import (POINTER, c_char_p, c_double, c_int, c_size_t, c_uint8, c_uint32, c_uint64,
                    c_void_p)
from typing import Any, Dict, List, Tuple

_P = c_void_p  # a handle, an array, or bytes that the library has malloc()ed
_ERROR = POINTER(c_void_p)  # char**
_SIZE = POINTER(c_size_t)
_KEY = [c_char_p, c_size_t]
_KEYS = [c_size_t, c_void_p, c_void_p]  # number, pointers, lengths

Prototype = Tuple[Any, List[Any]]


def _options(name: str, setters: Dict[str, Any]) -> Dict[str, Prototype]:
    table: Dict[str, Prototype] = {
        f"bloomline_{name}options_create": (_P, []),
        f"bloomline_{name}options_destroy": (None, [_P]),
    }
    for setter, value in setters.items():
        table[f"bloomline_{name}options_set_{setter}"] = (None, [_P, value])
    return table


def _filter(name: str) -> Dict[str, Prototype]:
    """What all filters in memory have."""
    return {
        f"bloomline_{name}_create": (_P, [_P, _ERROR]),
        f"bloomline_{name}_destroy": (None, [_P]),
        f"bloomline_{name}_add_key": (c_uint8, [_P, *_KEY]),
        f"bloomline_{name}_add_keys": (c_size_t, [_P, *_KEYS, _P]),
        f"bloomline_{name}_may_match": (c_uint8, [_P, *_KEY]),
        f"bloomline_{name}_may_match_keys": (None, [_P, *_KEYS, _P]),
        f"bloomline_{name}_capacity": (c_uint64, [_P]),
    }


def _saved(name: str) -> Dict[str, Prototype]:
    return {
        f"bloomline_{name}_load": (_P, [c_char_p, _ERROR]),
        f"bloomline_{name}_save": (c_uint8, [_P, c_char_p, _ERROR]),
        f"bloomline_{name}_from_bytes": (_P, [_P, c_size_t, _ERROR]),
        f"bloomline_{name}_to_bytes": (_P, [_P, _SIZE, _ERROR]),
        f"bloomline_{name}_clear": (None, [_P]),
        f"bloomline_{name}_num_keys": (c_uint64, [_P]),
    }


def _bits(name: str) -> Dict[str, Prototype]:
    return {
        f"bloomline_{name}_num_bits": (c_uint64, [_P]),
        f"bloomline_{name}_estimated_num_keys": (c_uint64, [_P]),
        f"bloomline_{name}_estimated_false_positive_rate": (c_double, [_P]),
    }


PROTOTYPES: Dict[str, Prototype] = {
    "bloomline_free": (None, [_P]),
    "bloomline_version": (c_char_p, []),
    "bloomline_active_kernel_name": (c_char_p, []),
    "bloomline_force_kernel": (c_uint8, [c_char_p, _ERROR]),
    "bloomline_draw_seed": (c_uint64, [_ERROR]),
    # Sizing
    "bloomline_false_positive_rate": (c_double, [c_int, c_double]),
    "bloomline_bits_per_key_for_false_positive_rate": (c_double, [c_int, c_double]),
    "bloomline_validate_false_positive_rate": (c_uint8, [c_int, c_double, _ERROR]),
    "bloomline_filter_bytes": (c_uint64, [c_int, c_uint64, c_double]),
    "bloomline_keys_of_levels": (c_uint8, [c_int, c_double, _P]),
    "bloomline_spread_bits_by_level": (c_uint8, [c_int, c_double, _P, _P, c_int, _P, _ERROR]),
    "bloomline_wasted_reads": (c_double, [c_int, _P, _P, c_int]),
    "bloomline_bits_per_key_for_wasted_reads": (c_double, [c_int, c_double, _P, _P, c_int]),
    # Static filters
    **_options("filter", {"format": c_int, "bits_per_key": c_double, "seed": c_uint64,
                          "random_seed": c_uint8}),
    "bloomline_filteroptions_validate": (c_uint8, [_P, _ERROR]),
    "bloomline_builder_create": (_P, [_P, _ERROR]),
    "bloomline_builder_destroy": (None, [_P]),
    "bloomline_builder_add_key": (None, [_P, *_KEY]),
    "bloomline_builder_add_keys": (None, [_P, *_KEYS]),
    "bloomline_builder_add_key_and_prefix": (None, [_P, *_KEY, *_KEY]),
    "bloomline_builder_num_keys": (c_size_t, [_P]),
    "bloomline_builder_take_keys_from": (c_uint8, [_P, _P]),
    "bloomline_builder_finish": (_P, [_P, c_int, _SIZE, _ERROR]),
    "bloomline_builder_error": (c_char_p, [_P]),
    "bloomline_view_open": (_P, [_P, c_size_t]),
    "bloomline_view_destroy": (None, [_P]),
    "bloomline_view_may_match": (c_uint8, [_P, *_KEY]),
    "bloomline_view_may_match_keys": (None, [_P, *_KEYS, _P]),
    "bloomline_view_always_matches": (c_uint8, [_P]),
    "bloomline_view_num_probes": (c_int, [_P]),
    **_options("ondisk", {"filter": _P, "memory_bytes": c_uint64, "num_threads": c_int}),
    "bloomline_ondiskoptions_set_temp_directory": (c_uint8, [_P, c_char_p]),
    "bloomline_ondisk_create": (_P, [_P, _ERROR]),
    "bloomline_ondisk_destroy": (None, [_P]),
    "bloomline_ondisk_add_key": (c_uint8, [_P, *_KEY, _ERROR]),
    "bloomline_ondisk_add_keys": (c_uint8, [_P, *_KEYS, _ERROR]),
    "bloomline_ondisk_num_keys": (c_uint64, [_P]),
    "bloomline_ondisk_finish": (c_uint8, [_P, c_char_p, _ERROR]),
    # Bloom filters
    **_options("bloom", {"capacity": c_uint64, "false_positive_rate": c_double,
                         "num_bits": c_uint64, "num_probes": c_int, "layout": c_int,
                         "seed": c_uint64}),
    **_filter("bloom"),
    **_saved("bloom"),
    **_bits("bloom"),
    "bloomline_bloom_copy": (_P, [_P, _ERROR]),
    "bloomline_bloom_open_mapped": (_P, [c_char_p, c_uint8, _ERROR]),
    "bloomline_bloom_merge": (c_uint8, [_P, _P, _ERROR]),
    "bloomline_bloom_intersect": (c_uint8, [_P, _P, _ERROR]),
    "bloomline_bloom_equal": (c_uint8, [_P, _P]),
    "bloomline_bloom_layout": (c_int, [_P]),
    "bloomline_bloom_num_probes": (c_int, [_P]),
    "bloomline_bloom_seed": (c_uint64, [_P]),
    "bloomline_bloom_is_past_capacity": (c_uint8, [_P]),
    # Filters that threads share
    **_filter("atomic"),
    **_bits("atomic"),
    "bloomline_atomic_from_bloom": (_P, [_P]),
    "bloomline_atomic_to_bloom": (_P, [_P]),
    "bloomline_atomic_snapshot": (_P, [_P, _ERROR]),
    "bloomline_atomic_layout": (c_int, [_P]),
    "bloomline_atomic_num_probes": (c_int, [_P]),
    "bloomline_atomic_seed": (c_uint64, [_P]),
    # Filters that grow
    **_options("scalable", {"initial_capacity": c_uint64, "false_positive_rate": c_double,
                            "growth": c_int, "tightening": c_double, "layout": c_int,
                            "seed": c_uint64}),
    **_filter("scalable"),
    **_saved("scalable"),
    **_bits("scalable"),
    "bloomline_scalable_num_stages": (c_size_t, [_P]),
    "bloomline_scalable_is_past_capacity": (c_uint8, [_P]),
    # Filters whose keys can be removed
    **_options("counting", {"capacity": c_uint64, "false_positive_rate": c_double,
                            "num_counters": c_uint64, "num_probes": c_int, "counter_bits": c_int,
                            "seed": c_uint64}),
    **_filter("counting"),
    **_saved("counting"),
    "bloomline_counting_remove_key": (c_uint8, [_P, *_KEY]),
    "bloomline_counting_remove_keys": (c_size_t, [_P, *_KEYS, _P]),
    "bloomline_counting_estimated_count": (c_uint32, [_P, *_KEY]),
    "bloomline_counting_merge": (c_uint8, [_P, _P, _ERROR]),
    "bloomline_counting_equal": (c_uint8, [_P, _P]),
    "bloomline_counting_create_bloom": (_P, [_P, _ERROR]),
    "bloomline_counting_num_counters": (c_uint64, [_P]),
    "bloomline_counting_counter_bits": (c_int, [_P]),
    "bloomline_counting_num_probes": (c_int, [_P]),
    "bloomline_counting_seed": (c_uint64, [_P]),
    "bloomline_counting_max_count": (c_uint32, [_P]),
    "bloomline_counting_num_saturated_counters": (c_uint64, [_P]),
}

_SERVERS: Dict[str, Any] = {
    **dict.fromkeys(["username", "password", "tls_ca_file", "tls_ca_path", "tls_certificate_file",
                     "tls_key_file", "tls_server_name"], c_char_p),
    **dict.fromkeys(["database", "connect_timeout_ms", "command_timeout_ms", "max_retries",
                     "give_up_ms", "when_unavailable"], c_int),
    "tls_verify": c_uint8,
}

REDIS_PROTOTYPES: Dict[str, Prototype] = {
    "bloomline_redis_free": (None, [_P]),
    "bloomline_redis_version": (c_char_p, []),
    "bloomline_redisservers_create": (_P, []),
    "bloomline_redisservers_destroy": (None, [_P]),
    "bloomline_redisservers_set_servers": (c_uint8, [_P, c_size_t, _P]),
    **{f"bloomline_redisservers_set_{name}": (c_uint8 if kind is c_char_p else None, [_P, kind])
       for name, kind in _SERVERS.items()},
    **_options("shared", {"capacity": c_uint64, "false_positive_rate": c_double, "seed": c_uint64,
                          "shard_bytes": c_uint64}),
    **_options("add", {"min_replicas": c_int, "replica_timeout_ms": c_int}),
    "bloomline_shared_create": (_P, [_P, c_char_p, _P, _ERROR]),
    "bloomline_shared_open": (_P, [_P, c_char_p, _ERROR]),
    "bloomline_shared_delete": (c_uint8, [_P, c_char_p, _ERROR]),
    "bloomline_shared_destroy": (None, [_P]),
    "bloomline_shared_add_key": (c_int, [_P, *_KEY, _P]),
    "bloomline_shared_add_keys": (c_uint8, [_P, *_KEYS, _P, _P]),
    "bloomline_shared_may_match": (c_int, [_P, *_KEY]),
    "bloomline_shared_may_match_keys": (c_uint8, [_P, *_KEYS, _P]),
    "bloomline_shared_error": (c_char_p, [_P]),
    "bloomline_shared_name": (c_char_p, [_P]),
    "bloomline_shared_capacity": (c_uint64, [_P]),
    "bloomline_shared_false_positive_rate": (c_double, [_P]),
    "bloomline_shared_num_bytes": (c_uint64, [_P]),
    "bloomline_shared_num_shards": (c_uint32, [_P]),
    "bloomline_shared_num_probes": (c_int, [_P]),
}
