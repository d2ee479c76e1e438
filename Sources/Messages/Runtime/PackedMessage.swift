internal import CMessages

/// A message ready to be written: its size is known, and its bytes go straight to where they are
/// wanted, once. Good until its arena ends the message.
package struct PackedMessage {
    private let base: UnsafePointer<ProtobufCMessage>

    /// Bytes that `write` writes.
    package let byteCount: Int

    /// The message that begins at `start`, a C struct of libprotobuf-c's: each begins with its base.
    init<Message>(of start: UnsafeMutablePointer<Message>) {
        base = UnsafeRawPointer(start).assumingMemoryBound(to: ProtobufCMessage.self)
        byteCount = protobuf_c_message_get_packed_size(base)
    }

    /// Writes the message to `start`, where there must be room for `byteCount` bytes.
    package func write(to start: UnsafeMutableRawPointer) {
        guard byteCount > 0 else { return }
        let written = protobuf_c_message_pack(
            base, start.assumingMemoryBound(to: UInt8.self))
        precondition(written == byteCount, "libprotobuf-c packs what it measured")
    }
}
