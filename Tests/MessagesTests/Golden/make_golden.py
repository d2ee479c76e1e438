"""Writes golden.txt: messages as another protobuf implementation encodes them.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install protobuf==7.36.2
    /tmp/venv/bin/python Tests/MessagesTests/Golden/make_golden.py

Run it after changing a .proto; needs protoc. Lines of golden.txt:

    schema<TAB>HEX                                   the FileDescriptorSet of all protos
    message<TAB>VARIANT<TAB>NAME<TAB>HEX<TAB>JSON<TAB>CUTS

CUTS are the lengths, shorter than the message, at which a truncated message is still one.
"""

import json
import pathlib
import subprocess
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.message import DecodeError

HERE = pathlib.Path(__file__).resolve().parent
PROTOS = HERE.parents[2] / "Protos"

# One text for each length that UTF-8 gives a character, one that needs a two-byte length, and
# characters that JSON escapes.
TEXTS = ["ada@example.org", "Größe", "日本語", "🔑 key", "x" * 130, 'a "quoted" \\ line\nnext', "\u007f\u0085\u2028"]


def read_schema():
    with tempfile.NamedTemporaryFile() as out:
        protos = sorted(str(p.relative_to(PROTOS)) for p in PROTOS.glob("postern/**/*.proto"))
        subprocess.run(
            ["protoc", f"-I{PROTOS}", "--include_imports", f"--descriptor_set_out={out.name}", *protos],
            check=True,
        )
        return descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(out.name).read_bytes())


class Filler:
    """Gives every field a value; the same ones on every run."""

    def __init__(self, extreme):
        self.extreme = extreme
        self.count = 0

    def scalar(self, field):
        self.count += 1
        n, extreme = self.count, self.extreme
        if field.type == field.TYPE_STRING:
            return TEXTS[n % len(TEXTS)] if extreme else f"{field.name} {n}"
        if field.type == field.TYPE_BYTES:
            return bytes(range(256)) if extreme else bytes([0, n % 256, 255, 0])
        if field.type == field.TYPE_BOOL:
            return True
        if field.type == field.TYPE_ENUM:
            # A number that no version knows survives.
            return [99, -1, 2**31 - 1][n % 3] if extreme else field.enum_type.values[-1].number
        if field.type == field.TYPE_UINT32:
            return 2**32 - 1 if extreme else n
        if field.type == field.TYPE_UINT64:
            return 2**64 - 1 if extreme else n * 1000
        if field.type == field.TYPE_INT64:
            return [-(2**63), 2**63 - 1, -1][n % 3] if extreme else 1_700_000_000_000 + n
        if field.type == field.TYPE_INT32:
            return [-(2**31), 2**31 - 1][n % 2] if extreme else n
        raise ValueError(f"{field.full_name}: teach Filler this type")

    def fill(self, message, chosen=None):
        for field in message.DESCRIPTOR.fields:
            if field.containing_oneof and field.containing_oneof.fields[0] != field and chosen is None:
                continue
            if field.containing_oneof and chosen is not None and field != chosen:
                continue
            repeated = getattr(field, "is_repeated", None)
            if repeated is None:
                repeated = field.label == field.LABEL_REPEATED
            if field.type == field.TYPE_MESSAGE:
                if repeated:
                    self.fill(getattr(message, field.name).add())
                    getattr(message, field.name).add()
                    self.fill(getattr(message, field.name).add())
                else:
                    getattr(message, field.name).SetInParent()
                    self.fill(getattr(message, field.name))
            elif repeated:
                getattr(message, field.name).extend(self.scalar(field) for _ in range(3))
            else:
                setattr(message, field.name, self.scalar(field))
        return message


def variants(message_class):
    yield "empty", message_class()
    yield "full", Filler(False).fill(message_class())
    yield "extreme", Filler(True).fill(message_class())
    present = message_class()
    for field in message_class.DESCRIPTOR.fields:
        if field.containing_oneof:
            yield f"oneof-{field.name}", Filler(False).fill(message_class(), chosen=field)
            chosen = message_class()
            if field.type == field.TYPE_MESSAGE:
                getattr(chosen, field.name).SetInParent()
            else:
                setattr(chosen, field.name, type(getattr(chosen, field.name))())
            yield f"oneof-{field.name}-default", chosen
        elif field.has_presence:
            getattr(present, field.name).SetInParent()
    if present.ByteSize() > 0:
        yield "present", present


def cuts(message_class, encoded):
    for length in range(len(encoded)):
        try:
            message_class.FromString(encoded[:length])
            yield str(length)
        except DecodeError:
            pass


def main():
    schema = read_schema()
    pool = descriptor_pool.DescriptorPool()
    for file in schema.file:
        pool.Add(file)
    lines = ["schema\t" + schema.SerializeToString(deterministic=True).hex()]
    for file in schema.file:
        if not file.package.startswith("postern."):
            continue
        for message in file.message_type:
            name = f"{file.package}.{message.name}"
            message_class = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
            for variant, value in variants(message_class):
                encoded = value.SerializeToString(deterministic=True)
                text = json.dumps(
                    json_format.MessageToDict(value), ensure_ascii=True, separators=(",", ":")
                )
                lines.append(
                    "\t".join(
                        ["message", variant, name, encoded.hex(), text, ",".join(cuts(message_class, encoded))]
                    )
                )
    (HERE / "golden.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
