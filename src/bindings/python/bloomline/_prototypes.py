"""The functions of bloomline's C library, as its headers declare them.

The package has copies of the headers, or in the project's own folder links to them.
"""

import pkgutil
import re
from ctypes import (POINTER, c_char_p, c_double, c_int, c_size_t, c_uint8, c_uint32, c_uint64,
                    c_void_p)
from typing import Any, Dict, List, Tuple

_NUMBERS: Dict[str, Any] = {
    "void": None, "int": c_int, "double": c_double, "size_t": c_size_t, "uint8_t": c_uint8,
    "uint32_t": c_uint32, "uint64_t": c_uint64,
}

Prototype = Tuple[Any, List[Any]]


def _parameter(text: str) -> Any:
    """The type of a parameter, which may have a name."""
    kind = text.split()[0]
    if kind in _NUMBERS:
        return _NUMBERS[kind]
    if kind == "char**":  # where an error goes
        return POINTER(c_void_p)
    if kind == "size_t*":  # where a length goes
        return POINTER(c_size_t)
    return c_void_p  # a handle, an array, or bytes


def _result(text: str) -> Any:
    """The type of a result. A text stays the library's; other memory is the caller's."""
    return c_char_p if text == "const char*" else _NUMBERS.get(text, c_void_p)


def prototypes(header: str) -> Dict[str, Prototype]:
    """The result and the parameters of each function of a header."""
    data = pkgutil.get_data(__package__, header) or b""  # the package may be in a zip
    text = re.sub(r"/\*.*?\*/", "", data.decode(), flags=re.DOTALL)
    # A function without a prototype would lose half of each handle.
    if "bloomline_" not in text:
        raise ImportError(f"bloomline: {header} of the package is not the library's header")
    return {name: (_result(result), [] if parameters == "void" else
                   [_parameter(one) for one in parameters.split(",")])
            for result, name, parameters in re.findall(
                r"^(\w[^;(]*?) ?(bloomline_\w+)\(([^;]*)\);", text, flags=re.MULTILINE)}
