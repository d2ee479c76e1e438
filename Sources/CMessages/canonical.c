#include "postern/canonical.h"

static void *member(ProtobufCMessage *message, unsigned offset) {
    return (char *)message + offset;
}

/* Whether a field that is no list is the one of its oneof that is set. */
static int is_set(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
    if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0) return 1;
    return *(uint32_t *)member(message, field->quantifier_offset) == field->id;
}

/* Drops the fields of newer versions, which would be packed behind the known ones. */
static void drop_unknown_fields(ProtobufCMessage *message) {
    message->n_unknown_fields = 0;
    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        if (field->type != PROTOBUF_C_TYPE_MESSAGE) continue;
        if (field->label == PROTOBUF_C_LABEL_REPEATED) {
            size_t count = *(size_t *)member(message, field->quantifier_offset);
            ProtobufCMessage **parts = *(ProtobufCMessage ***)member(message, field->offset);
            for (size_t part = 0; part < count; part++) drop_unknown_fields(parts[part]);
        } else if (is_set(message, field)) {
            ProtobufCMessage *part = *(ProtobufCMessage **)member(message, field->offset);
            if (part != NULL) drop_unknown_fields(part);
        }
    }
}

const uint8_t *postern_canonical(postern_arena *arena, const ProtobufCMessageDescriptor *layout,
                                 const uint8_t *bytes, size_t count, size_t *canonical_count) {
    ProtobufCMessage *message =
        protobuf_c_message_unpack(layout, postern_arena_allocator(arena), count, bytes);
    if (message == NULL) return NULL;
    drop_unknown_fields(message);
    uint8_t *canonical = postern_arena_take(arena, protobuf_c_message_get_packed_size(message));
    if (canonical != NULL) *canonical_count = protobuf_c_message_pack(message, canonical);
    return canonical;
}
