/// A message that is already encoded: for a response that is sent repeatedly, where encoding it
/// each time would be a sixth of the whole call.
///
/// It can be made only from a message of its type, so a handler cannot answer with other bytes.
package struct Encoded<Message: ProtobufMessage>: Sendable {
    /// The encoded message.
    package let bytes: [UInt8]

    /// Encodes `message`.
    package init(_ message: Message) {
        bytes = message.encoded()
    }
}
