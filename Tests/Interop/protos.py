"""Message classes from Protos/, generated at start by protoc and the protobuf library from PyPI."""

import subprocess
import tempfile
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PROTOS = Path(__file__).resolve().parents[2] / "Protos"


def _descriptors():
    with tempfile.NamedTemporaryFile(suffix=".bin") as output:
        subprocess.run(
            ["protoc", f"--proto_path={PROTOS}", "--include_imports",
             f"--descriptor_set_out={output.name}",
             *map(str, sorted(PROTOS.glob("postern/**/*.proto")))],
            check=True)
        return descriptor_pb2.FileDescriptorSet.FromString(Path(output.name).read_bytes())


def _pool():
    pool = descriptor_pool.DescriptorPool()
    for file in _descriptors().file:
        pool.Add(file)
    return pool


POOL = _pool()


def message(name):
    """The class of a message, by its full name."""
    return message_factory.GetMessageClass(POOL.FindMessageTypeByName(name))


def method(name):
    """Request and response class of `package.Service/Method`."""
    found = POOL.FindMethodByName(name.replace("/", "."))
    return (message_factory.GetMessageClass(found.input_type),
            message_factory.GetMessageClass(found.output_type))


def enum_value(name, value):
    """The name of an enum's value, or its number if the enum does not define it."""
    known = POOL.FindEnumTypeByName(name).values_by_number.get(value)
    return known.name if known else str(value)
