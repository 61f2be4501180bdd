"""Finds and loads the shared library of bloomline's C bindings."""

import ctypes
import errno
import os
import sys
from ctypes import byref, c_size_t, c_void_p
from typing import Any, Callable, Iterator, Optional, Tuple

from ._prototypes import prototypes
from ._version import __version__

_ENVIRONMENT = "BLOOMLINE_LIBRARY"


def _soversion(version: str) -> str:
    """The version in the names of the shared libraries and of their packages: before 1.0, a minor
    version may change the ABI. From then on it only adds functions."""
    major, _, rest = version.partition(".")
    return f"{major}.{rest.partition('.')[0]}" if major == "0" else major


def _candidates(component: str) -> Iterator[str]:
    """Names for the dynamic linker, in the order of preference."""
    library = f"libbloomline_{component}.so"
    chosen = os.environ.get(_ENVIRONMENT)
    if chosen:  # this path is taken or refused, never replaced by another
        if os.path.isdir(chosen):
            yield os.path.join(chosen, library)
        else:
            yield chosen if component == "c" else os.path.join(os.path.dirname(chosen), library)
        return
    bundled = os.path.join(os.path.dirname(os.path.abspath(__file__)), library)
    if os.path.exists(bundled):
        yield bundled
        return
    yield f"{library}.{_soversion(__version__)}"
    yield library


def _open(component: str) -> Tuple[ctypes.CDLL, str]:
    failures = []
    for name in _candidates(component):
        try:
            return ctypes.CDLL(name), name
        except OSError as error:
            failures.append(str(error))
    package = f"libbloomline{'' if component == 'c' else '-' + component}{_soversion(__version__)}"
    raise ImportError(
        f"bloomline: the shared library libbloomline_{component} was not found. Install the "
        f"package {package} or a wheel that has it, or set {_ENVIRONMENT} to the "
        f"{'file or its ' if component == 'c' else ''}folder. Tried: " + "; ".join(failures))


def load(component: str, header: str) -> ctypes.CDLL:
    """The library of a component, with all functions of its header."""
    library, name = _open(component)
    of_version = "bloomline_version" if component == "c" else f"bloomline_{component}_version"
    try:
        getattr(library, of_version).restype = ctypes.c_char_p
        version = getattr(library, of_version)().decode()
    except AttributeError:
        raise ImportError(f"bloomline: {name} is not bloomline's C library: it has no function "
                          f"{of_version}") from None
    if _soversion(version) != _soversion(__version__):
        raise ImportError(f"bloomline: {name} is version {version}, which does not fit this "
                          f"package, version {__version__}")
    for function, (result, arguments) in prototypes(header).items():
        try:
            prototype = getattr(library, function)
        except AttributeError:
            raise ImportError(f"bloomline: {name}, version {version}, has no function {function}; "
                              f"this package, version {__version__}, needs it") from None
        prototype.restype = result
        prototype.argtypes = arguments
    return library


if not sys.platform.startswith("linux"):  # what the tests cover
    raise ImportError(f"bloomline: the system {sys.platform} is not supported, only Linux")

lib = load("c", "c.h")


class Functions:
    """The functions of a type: bloomline_TYPE_NAME is the attribute NAME."""

    def __init__(self, kind: str, library: ctypes.CDLL = lib) -> None:
        self._prefix = f"bloomline_{kind}_"
        self._library = library

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._library, self._prefix + name)
        setattr(self, name, function)  # so that __getattr__ is called once
        return function


def version() -> str:
    """The version of the shared library."""
    text: bytes = lib.bloomline_version()
    return text.decode()


def exception(text: str) -> Exception:
    """The exception for a sentence of the library."""
    if text.startswith("out of memory") or text.endswith(": out of memory"):
        return MemoryError(text)
    for number in errno.errorcode:
        if text.endswith(": " + os.strerror(number)):
            return OSError(number, text)  # FileNotFoundError, PermissionError, ...
    return ValueError(text)


def failure(error: c_void_p) -> Exception:
    """The exception for the message that a function of the library left, which is freed."""
    if not error.value:
        return MemoryError("out of memory")
    text = ctypes.string_at(error.value).decode("utf-8", "replace")
    lib.bloomline_free(error)
    return exception(text)


def checked(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function whose last parameter is `char** errptr`. Raises its error."""
    error = c_void_p()
    result = function(*arguments, byref(error))
    if not result:
        raise failure(error)
    return result


def taken_bytes(function: Callable[..., Any], *arguments: Any) -> bytes:
    """The malloc()ed bytes that a function returns; it ends with `size_t* length, errptr`."""
    length = c_size_t()
    memory = checked(function, *arguments, byref(length))
    try:
        return ctypes.string_at(memory, length.value)
    finally:
        lib.bloomline_free(memory)


def not_null(handle: Optional[int]) -> int:
    if not handle:
        raise MemoryError("out of memory")
    return handle
